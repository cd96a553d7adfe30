//! Tools, one file for each or for a few related ones.

mod common;
mod doc_search;
mod graph;
mod index;
mod knowledge;
mod look_up;
mod search_code;

use crate::Toolset;
use crate::tool::{Described, Entry, Registered};

/// Returns the tools of a set.
fn entries(set: Toolset) -> &'static [Entry] {
    match set {
        Toolset::Search => {
            const {
                &[
                    Entry::of::<search_code::SearchCode>(),
                    Entry::of::<look_up::LookUp>(),
                    Entry::of::<graph::Impact>(),
                ]
            }
        }
        Toolset::Index => {
            const {
                &[
                    Entry::of::<index::IndexDirectory>(),
                    Entry::of::<index::Reindex>(),
                    Entry::of::<index::IndexStatusTool>(),
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
        Toolset::Knowledge => {
            const {
                &[
                    Entry::of::<knowledge::BuildKnowledgeGraph>(),
                    Entry::of::<knowledge::GetServiceContext>(),
                    Entry::of::<knowledge::QueryGraphNeighborhood>(),
                    Entry::of::<knowledge::HybridSearch>(),
                    Entry::of::<knowledge::FindCrossServiceImpact>(),
                    Entry::of::<knowledge::ValidateServiceBoundaries>(),
                    Entry::of::<knowledge::CheckCrossServiceEvents>(),
                ]
            }
        }
    }
}

/// Returns the tools of some sets, with their descriptions for clients. Of two tools with the same name, the one of the
/// later set is offered.
pub(crate) fn register(sets: &[Toolset], options: Described) -> Vec<Registered> {
    let entries = Toolset::ALL.iter().filter(|set| sets.contains(set)).flat_map(|set| entries(*set));
    let mut tools: Vec<Registered> = Vec::new();
    for tool in entries.map(|entry| entry.register(options)) {
        tools.retain(|other| other.tool.name != tool.tool.name);
        tools.push(tool);
    }
    tools
}
