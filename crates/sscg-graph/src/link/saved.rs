//! Encoding of the results and reads of all passes, so that another process links only the files that a change reaches.

use serde::{Deserialize, Serialize};
use sscg_core::{FileId, Id, IndexVec, LocalSymbol, Project};

use super::languages::Layout;
use super::lineage::{Lineages, Owners};
use super::passed::{FilePassed, ROUNDS, Round};
use super::tables::{Decl, Tables};
use super::{FilePasses, Links, LookupKey, Reads, subtypes_key};

/// Links as they are stored. What can be derived from them, or from the facts, is not.
#[derive(Serialize, Deserialize)]
struct Stored<P, R> {
    /// Key of a fixed lookup: keys of another build may differ.
    key: LookupKey,
    passes: P,
    /// Results of each round by file; `None` if they are those of the round before.
    rounds: Vec<Vec<Option<R>>>,
}

fn fixed_key() -> LookupKey {
    subtypes_key(Decl::new(FileId::FIRST, LocalSymbol::FIRST))
}

impl Links {
    /// Encodes the links for [`Links::decode`] of the same version.
    pub(super) fn encode(&self) -> Vec<u8> {
        let changed = |nth: usize, file: FileId| {
            let found = &self.rounds[nth].files[file];
            let is_same = nth.checked_sub(1).is_some_and(|nth| self.rounds[nth].files[file] == *found);
            (!is_same).then_some(&**found)
        };
        let of_round = |nth| self.files.ids().map(|file| changed(nth, file)).collect();
        let rounds = (0..self.rounds.len()).map(of_round).collect();
        let stored = Stored { key: fixed_key(), passes: &self.files, rounds };
        postcard::to_stdvec(&stored).expect("links have no unserializable part")
    }

    /// Decodes the links of a project; `None` if another build encoded them, or for another number of files or rounds.
    pub(super) fn decode(project: &Project, bytes: &[u8]) -> Option<Self> {
        let stored: Stored<IndexVec<FileId, FilePasses>, (FilePassed, Reads)> =
            postcard::from_bytes(bytes).ok()?;
        let Stored { key, passes, rounds: stored } = stored;
        let files = project.files().len();
        let is_of_project = passes.len() == files && stored.iter().all(|of_round| of_round.len() == files);
        if key != fixed_key() || stored.len() != ROUNDS || !is_of_project {
            return None;
        }
        let tables = Tables::new(project);
        let layout = Layout::new(project, &tables);
        let owners = Owners::new(passes.iter().flat_map(|passes| &passes.owners).copied());
        let lineages = Lineages::new(&owners, passes.iter().flat_map(|passes| &passes.bases));
        let mut round = Round::new(passes.len());
        let mut rounds = Vec::with_capacity(stored.len());
        for of_round in stored {
            let changed = of_round.into_iter().enumerate();
            let changed = changed.filter_map(|(file, found)| Some((FileId::new(file), found?)));
            let (files, found): (Vec<FileId>, Vec<_>) = changed.unzip();
            round.update(&files, found);
            rounds.push(round.clone());
        }
        Some(Self { tables, layout, owners, lineages, rounds, files: passes })
    }
}
