//! The tools, a file for each or for a few that belong together.

mod common;
mod doc_search;
mod graph;
mod index;
mod search_code;

use crate::Toolset;
use crate::tool::{Entry, Registered};

/// What a set holds.
fn entries(set: Toolset) -> &'static [Entry] {
    match set {
        Toolset::Search => const { &[Entry::of::<search_code::SearchCode>(), Entry::of::<graph::Impact>()] },
        Toolset::Index => {
            const {
                &[
                    Entry::of::<index::IndexDirectory>(),
                    Entry::of::<index::Reindex>(),
                    Entry::of::<index::IndexStatus>(),
                ]
            }
        }
        Toolset::Docs => const { &[Entry::of::<doc_search::DocSearch>()] },
        Toolset::Graph => {
            const {
                &[
                    Entry::of::<graph::GraphExpand>(),
                    Entry::of::<graph::GraphPack>(),
                    Entry::of::<graph::GraphTrace>(),
                    Entry::of::<graph::QueryGraphNeighborhood>(),
                    Entry::of::<graph::SymbolContext>(),
                ]
            }
        }
    }
}

/// The tools of some sets, with what clients are told of them.
pub(crate) fn register(sets: &[Toolset], is_structured: bool) -> Vec<Registered> {
    let entries = Toolset::ALL.iter().filter(|set| sets.contains(set)).flat_map(|set| entries(*set));
    entries.map(|entry| entry.register(is_structured)).collect()
}
