//! One state of a project, ready to answer questions.

use std::fs;
use std::path::{Path, PathBuf};

use sscg_core::{FileId, IndexVec, Project};
use sscg_graph::CodeGraph;

use crate::{Definitions, LexicalIndex, Skipped, Unsupported};

/// Everything known of one state of a project. Immutable; readers share it.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The absolute path of the project's root.
    pub root: PathBuf,
    /// The facts of its files.
    pub project: Project,
    /// How its declarations connect.
    pub graph: CodeGraph,
    /// Which chunks hold which terms.
    pub lexical: LexicalIndex,
    /// Its declarations by name.
    pub definitions: Definitions,
    /// Files and directories that are not part of it, by path.
    pub skipped: Vec<Skipped>,
    /// Files in languages that no frontend reads.
    pub unsupported: Unsupported,
    pub(crate) hashes: IndexVec<FileId, [u8; 32]>,
}

impl Snapshot {
    /// The text of a file as it was indexed, read from the tree; `None` if it has changed or gone since.
    pub fn source(&self, file: FileId) -> Option<String> {
        let path = self.root.join(Path::new(&*self.project.files()[file].path));
        let bytes = fs::read(path).ok()?;
        if *blake3::hash(&bytes).as_bytes() != self.hashes[file] {
            return None;
        }
        String::from_utf8(bytes).ok()
    }
}
