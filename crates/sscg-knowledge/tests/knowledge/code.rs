//! Indexed projects and the findings in their code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sscg_core::{FileId, Wiring};
use sscg_index::{Index, IndexOptions, Snapshot, Storage};
use sscg_knowledge::{Model, Sources, derive};
use sscg_parse::FileType;

/// Texts of a snapshot with their parsed form.
struct Indexed<'a>(&'a Snapshot);

impl Sources for Indexed<'_> {
    fn text(&self, file: FileId) -> Option<String> {
        self.0.source(file)
    }

    fn wiring(&self, file: FileId, text: &str) -> Wiring {
        let file_type = FileType::of_path(&self.0.project.files()[file].path);
        file_type.map_or_else(Wiring::default, |it| it.wiring(text))
    }
}

/// Returns the snapshot of a tree.
pub(crate) fn indexed(root: &Path) -> Arc<Snapshot> {
    let options = IndexOptions::default().with_storage(Storage::Ephemeral);
    let (snapshot, report) =
        Index::open(root, &options).expect("the tree is there").refresh().expect("memory has no limit");
    assert_eq!(report.warnings, Vec::<String>::new());
    snapshot
}

/// Returns a model with the findings of the project's code.
pub(crate) fn derived(snapshot: &Snapshot, mut model: Model) -> Model {
    derive(&snapshot.project, &snapshot.graph, &Indexed(snapshot), &mut model);
    model
}

/// Returns the directory of the multi-service fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services")
}
