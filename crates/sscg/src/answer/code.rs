//! The code of results, and what it costs.

use sscg_core::{ChunkId, Corpus, FileId, ProjectFile, SymbolKind};
use sscg_format::{FileSnapshot, snapshot};
use sscg_index::Snapshot;
use sscg_parse::check::TOKEN_BYTES;
use sscg_retrieve::{Selected, Shown};

use super::{Composer, shows_code};

/// A type or module longer than this is shown collapsed: its members are chunks of their own.
const LONG_CONTAINER_LINES: u32 = 40;

/// The same of one without functions, such as an enum or a structure.
const LONG_DATA_LINES: u32 = 75;

impl Composer<'_> {
    /// About what showing a chunk takes, in tokens; `None` if it is not shown so.
    pub(super) fn cost(&mut self, chunk: ChunkId, shown: Shown) -> Option<usize> {
        let is_document = self.request.corpus == Corpus::Documents;
        if (shown < Shown::Collapsed && self.is_long_container(chunk))
            || (shown == Shown::WithoutComments && is_document)
        {
            return None;
        }
        let frame = if shown == Shown::Name { self.frame / 2 } else { self.frame };
        let needs = if shows_code(shown) { self.needs.get(&chunk).copied().unwrap_or_default() } else { 0 };
        Some(self.cost_of_code(chunk, shown)? + needs + frame)
    }

    fn cost_of_code(&mut self, chunk: ChunkId, shown: Shown) -> Option<usize> {
        if let Some(cost) = self.costs.get(&(chunk, shown)) {
            return Some(*cost);
        }
        let project = &self.snapshot.project;
        let bytes = match shown {
            Shown::Full => {
                self.source(project.chunk_file(chunk))?;
                project.chunk(chunk).span.len() as usize
            }
            Shown::WithoutComments => self.snapshot_of(project.chunk_file(chunk), &[(chunk, shown)])?.len(),
            Shown::Collapsed => {
                let (file, local) = project.local_chunk(chunk);
                let ProjectFile { facts, language, .. } = &project.files()[file];
                facts.chunk_text(local, self.source(file)?, language.stub).len()
            }
            Shown::Signature => project.symbol(project.symbol_of_chunk(chunk)?).signature.len(),
            Shown::Name => 0,
        };
        let cost = bytes.div_ceil(TOKEN_BYTES);
        self.costs.insert((chunk, shown), cost);
        Some(cost)
    }

    pub(super) fn is_long_container(&self, chunk: ChunkId) -> bool {
        let project = &self.snapshot.project;
        let has_functions = || {
            project.symbol_of_chunk(chunk).is_none_or(|symbol| {
                let (file, local) = project.local_symbol(symbol);
                let facts = &project.files()[file].facts;
                facts.children(local).any(|member| facts.symbols[member].kind.is_callable())
            })
        };
        let lines = project.chunk_lines(chunk).count();
        self.is_container(chunk)
            && lines > LONG_CONTAINER_LINES
            && (lines > LONG_DATA_LINES || has_functions())
    }

    /// Whether a chunk holds others that are results of their own.
    pub(super) fn is_container(&self, chunk: ChunkId) -> bool {
        let project = &self.snapshot.project;
        project.symbol_of_chunk(chunk).is_some_and(|symbol| match project.symbol_kind(symbol) {
            SymbolKind::Section => {
                let (file, local) = project.local_chunk(chunk);
                project.files()[file].facts.collapsed(local).next().is_some()
            }
            kind => kind.has_members(),
        })
    }

    /// A snapshot of each file with code to show, and of each part of a document, in the order of the results.
    pub(super) fn snapshots(&mut self, results: &[Selected]) -> Vec<FileSnapshot> {
        let project = &self.snapshot.project;
        let mut files: Vec<(FileId, Vec<(ChunkId, Shown)>)> = Vec::new();
        for Selected { hit, shown } in results.iter().filter(|result| shows_code(result.shown)) {
            let file = project.chunk_file(hit.chunk);
            // What a document says is shown part by part, so that each can be told from what is the answer's own.
            let is_code = project.files()[file].language.corpus == Corpus::Code;
            match files.iter_mut().find(|(known, _)| is_code && *known == file) {
                Some((_, targets)) => targets.push((hit.chunk, *shown)),
                None => files.push((file, vec![(hit.chunk, *shown)])),
            }
        }
        let mut snapshots = Vec::new();
        for (file, targets) in files {
            let Some(text) = self.snapshot_of(file, &targets) else { continue };
            // What the results need of their file is only known now.
            let code = |(chunk, shown): &(ChunkId, Shown)| self.costs.get(&(*chunk, *shown)).copied();
            let code: usize = targets.iter().filter_map(code).sum();
            let needs = text.len().div_ceil(TOKEN_BYTES).saturating_sub(code) / targets.len();
            self.needs.extend(targets.iter().map(|(chunk, _)| (*chunk, needs)));
            let ProjectFile { path, language, .. } = &project.files()[file];
            snapshots.push(FileSnapshot {
                file: path.to_string(),
                language: language.name.to_owned(),
                results: targets.iter().map(|(chunk, _)| project.chunk_key(*chunk)).collect(),
                text,
                lines: Vec::new(),
            });
        }
        snapshots
    }

    /// A snapshot of a file; `None` if that takes the file's text and the file has changed.
    fn snapshot_of(&mut self, file: FileId, targets: &[(ChunkId, Shown)]) -> Option<String> {
        if let Some(known) = self.texts.get(targets) {
            return Some(known.clone());
        }
        let Snapshot { project, graph, .. } = self.snapshot;
        let text = snapshot(project, graph, file, self.source(file)?, targets).text;
        self.texts.insert(targets.to_vec(), text.clone());
        Some(text)
    }

    /// The text of a file; `None` if it has changed.
    fn source(&mut self, file: FileId) -> Option<&str> {
        self.sources.entry(file).or_insert_with(|| self.snapshot.source(file)).as_deref()
    }
}
