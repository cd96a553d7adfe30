//! Code of results and its cost in tokens.

use sscg_core::{ChunkId, Corpus, FileId, ProjectFile, SymbolKind, TOKEN_BYTES};
use sscg_format::{FileSnapshot, snapshot};
use sscg_index::Snapshot;
use sscg_retrieve::{DetailLevel, Selected};

use super::{Composer, shows_code};

/// Number of lines above which a type or module is shown collapsed: its members are chunks of their own.
const LONG_CONTAINER_LINES: u32 = 40;

/// The same limit for a container without functions, such as an enum or a struct.
const LONG_DATA_LINES: u32 = 75;

impl Composer<'_> {
    /// Returns the approximate cost in tokens of a chunk at a detail level; `None` if it is not shown at that level.
    pub(super) fn cost(&mut self, chunk: ChunkId, shown: DetailLevel) -> Option<usize> {
        let is_document = self.request.corpus == Corpus::Documents;
        if (shown < DetailLevel::Collapsed && self.is_long_container(chunk))
            || (shown == DetailLevel::WithoutComments && is_document)
        {
            return None;
        }
        let frame = if shown == DetailLevel::Name { self.frame / 2 } else { self.frame };
        let needs = if shows_code(shown) { self.needs.get(&chunk).copied().unwrap_or_default() } else { 0 };
        Some(self.cost_of_code(chunk, shown)? + needs + frame)
    }

    fn cost_of_code(&mut self, chunk: ChunkId, shown: DetailLevel) -> Option<usize> {
        if let Some(cost) = self.costs.get(&(chunk, shown)) {
            return Some(*cost);
        }
        let project = &self.snapshot.project;
        let bytes = match shown {
            DetailLevel::Full => {
                self.source(project.chunk_file(chunk))?;
                project.chunk(chunk).span.len() as usize
            }
            DetailLevel::WithoutComments => {
                self.snapshot_of(project.chunk_file(chunk), &[(chunk, shown)])?.len()
            }
            DetailLevel::Collapsed => {
                let (file, local) = project.local_chunk(chunk);
                let ProjectFile { facts, language, .. } = &project.files()[file];
                facts.chunk_text(local, self.source(file)?, language.stub).len()
            }
            DetailLevel::Signature => project.symbol(project.symbol_of_chunk(chunk)?).signature.len(),
            DetailLevel::Name => 0,
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

    /// Returns true if a chunk contains others that are results of their own.
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

    /// Returns a snapshot of each file with code to show, and of each part of a document, in the order of the
    /// results.
    pub(super) fn snapshots(&mut self, results: &[Selected]) -> Vec<FileSnapshot> {
        let project = &self.snapshot.project;
        let mut files: Vec<(FileId, Vec<(ChunkId, DetailLevel)>)> = Vec::new();
        for Selected { hit, shown, .. } in results.iter().filter(|result| shows_code(result.shown)) {
            let file = project.chunk_file(hit.chunk);
            // Parts of a document are shown one by one, so that each can be distinguished from the answer's own text.
            let is_code = project.files()[file].language.corpus == Corpus::Code;
            match files.iter_mut().find(|(known, _)| is_code && *known == file) {
                Some((_, targets)) => targets.push((hit.chunk, *shown)),
                None => files.push((file, vec![(hit.chunk, *shown)])),
            }
        }
        let mut snapshots = Vec::new();
        for (file, targets) in files {
            let Some(text) = self.snapshot_of(file, &targets) else { continue };
            // The cost of the file context that the results need is only known now.
            let code = |(chunk, shown): &(ChunkId, DetailLevel)| self.costs.get(&(*chunk, *shown)).copied();
            let code: usize = targets.iter().filter_map(code).sum();
            let needs = text.len().div_ceil(TOKEN_BYTES).saturating_sub(code) / targets.len();
            self.needs.extend(targets.iter().map(|(chunk, _)| (*chunk, needs)));
            let ProjectFile { path, language, .. } = &project.files()[file];
            snapshots.push(
                FileSnapshot::default()
                    .with_file(path.to_string())
                    .with_language(language.name)
                    .with_results(targets.iter().map(|(chunk, _)| project.chunk_key(*chunk)).collect())
                    .with_text(text),
            );
        }
        snapshots
    }

    /// Returns a snapshot of a file; `None` if the file has changed and its text would be needed.
    fn snapshot_of(&mut self, file: FileId, targets: &[(ChunkId, DetailLevel)]) -> Option<String> {
        if let Some(known) = self.texts.get(targets) {
            return Some(known.clone());
        }
        let Snapshot { project, graph, .. } = self.snapshot;
        let text = snapshot(project, graph, file, self.source(file)?, targets).text;
        self.texts.insert(targets.to_vec(), text.clone());
        Some(text)
    }

    /// Returns the text of a file; `None` if it has changed.
    fn source(&mut self, file: FileId) -> Option<&str> {
        self.sources.entry(file).or_insert_with(|| self.snapshot.source(file)).as_deref()
    }
}
