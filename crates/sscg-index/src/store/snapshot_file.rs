//! File format of a snapshot.
//!
//! The file is read whole and verified by one hash. Data that every query needs from all files (outlines, graph) is
//! decoded at once, in parallel. Facts and postings are decoded in place, on access.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sscg_core::{FileId, IndexVec, LazyFacts, Manifests, Outline, Project, ProjectFile};
use sscg_graph::CodeGraph;
use sscg_parse::{EXTRACTOR_VERSION, FileType, formats, languages};

use super::{FactsKey, decode};
use crate::shared::SharedBytes;
use crate::snapshot::FileState;
use crate::{IndexError, LexicalIndex, Skipped, Snapshot, Unsupported, Vectors};

/// Version of the file. Changes with its layout and with anything derived from the same facts, linking included.
const SNAPSHOT_VERSION: u32 = 11;

const MAGIC: &[u8; 8] = b"sscg snp";

/// Magic number, versions, hash.
const HEAD_BYTES: usize = 8 + 4 + 4 + 32;

/// Header before the large sections.
#[derive(Serialize, Deserialize)]
struct Header {
    files: Vec<HeaderFile>,
    manifests: Manifests,
    modules: Vec<(String, [u8; 32])>,
    skipped: Vec<Skipped>,
    unsupported: Unsupported,
    graph_bytes: u64,
    lexical_bytes: u64,
    vectors_bytes: u64,
    links_bytes: u64,
    /// ID of the model that computed the vectors.
    model: Box<str>,
    dimension: u32,
}

/// File of the project, with the lengths of its sections.
#[derive(Serialize, Deserialize)]
struct HeaderFile {
    path: Box<str>,
    hash: [u8; 32],
    outline_bytes: u32,
    facts_bytes: u32,
}

/// Encoded snapshot file, in parts. Existing buffers are borrowed, not copied.
pub(super) struct Encoded<'s> {
    head: Vec<u8>,
    body: Vec<Cow<'s, [u8]>>,
}

impl Encoded<'_> {
    /// Returns all parts, in order.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        [&*self.head].into_iter().chain(self.body.iter().map(|part| &**part))
    }
}

/// Encodes a snapshot; `None` if a file changed while it was indexed, so that its facts may belong to another content.
pub(super) fn encode(snapshot: &Snapshot) -> Option<Encoded<'_>> {
    let project = &snapshot.project;
    let outlines: Vec<Vec<u8>> = project
        .files()
        .as_slice()
        .par_iter()
        .map(|file| postcard::to_stdvec(file.facts.outline()).expect("an outline has no unserializable part"))
        .collect();
    let mut graph = Vec::new();
    // Other sources of edges are applied again by the process that reads the file.
    snapshot.linked_graph().encode(&mut graph);
    let graph = [Cow::Owned(graph)];
    let lexical = snapshot.lexical().encode();
    let vectors = snapshot.vectors().encode();
    let links = snapshot.links.get().map_or(&[][..], |links| links);
    let count = |parts: &[Cow<'_, [u8]>]| parts.iter().map(|part| part.len() as u64).sum();
    let files = project.files().iter_enumerated().zip(&outlines).map(|((id, file), outline)| {
        let FileState { key, facts } = &snapshot.files[id];
        Some(HeaderFile {
            path: file.path.clone(),
            hash: key.as_ref()?.hash,
            outline_bytes: outline.len() as u32,
            facts_bytes: facts.len() as u32,
        })
    });
    let header = Header {
        files: files.collect::<Option<_>>()?,
        manifests: project.manifests().clone(),
        modules: snapshot.modules.clone(),
        skipped: snapshot.skipped.clone(),
        unsupported: snapshot.unsupported.clone(),
        graph_bytes: count(&graph),
        lexical_bytes: count(&lexical),
        vectors_bytes: count(&vectors),
        links_bytes: links.len() as u64,
        model: snapshot.vectors().model().into(),
        dimension: snapshot.vectors().chunks().dimension() as u32,
    };
    let header = postcard::to_stdvec(&header).expect("a header has no unserializable part");
    let mut head = Vec::with_capacity(HEAD_BYTES + 8 + header.len());
    head.extend(MAGIC);
    head.extend(SNAPSHOT_VERSION.to_le_bytes());
    head.extend(extractor());
    head.extend([0; 32]);
    head.extend((header.len() as u64).to_le_bytes());
    head.extend(header);
    let outlines = outlines.into_iter().map(Cow::Owned);
    let facts = snapshot.files.iter().map(|file| Cow::Borrowed(&*file.facts));
    let body =
        outlines.chain(graph).chain(lexical).chain(vectors).chain([links.into()]).chain(facts).collect();
    let mut encoded = Encoded { head, body };
    let mut hasher = blake3::Hasher::new();
    hasher.update_rayon(&encoded.head[HEAD_BYTES..]);
    encoded.parts().skip(1).for_each(|part| _ = hasher.update_rayon(part));
    encoded.head[HEAD_BYTES - 32..HEAD_BYTES].copy_from_slice(hasher.finalize().as_bytes());
    Some(encoded)
}

/// Returns a hash of what this build reads: languages and formats, with the versions of their facts. A snapshot has files
/// of many languages, and lists those that the build could not read.
fn extractor() -> [u8; 4] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&EXTRACTOR_VERSION.to_le_bytes());
    for language in languages().iter().chain(formats()) {
        hasher.update(language.name.as_bytes()).update(&language.version.to_le_bytes());
    }
    let hash = hasher.finalize();
    hash.as_bytes().first_chunk().copied().expect("a hash has 32 bytes")
}

impl Snapshot {
    /// Encodes the snapshot for stores.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if a file changed while it was indexed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, IndexError> {
        let changed = || IndexError::Changed { path: self.unsure().unwrap_or_default().to_owned() };
        let encoded = encode(self).ok_or_else(changed)?;
        Ok(encoded.parts().collect::<Vec<_>>().concat())
    }

    /// Decodes a snapshot, without its root; `None` if another version wrote the bytes or they are corrupt. O(files +
    /// symbols + chunks + edges).
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        match from_bytes(bytes) {
            Reading::Snapshot(snapshot) => Some(*snapshot),
            Reading::OtherVersion | Reading::Damaged => None,
        }
    }
}

/// Result of decoding a snapshot file.
pub(super) enum Reading {
    /// Snapshot, whose root is not set yet.
    Snapshot(Box<Snapshot>),
    /// File of another version.
    OtherVersion,
    /// Corrupt file.
    Damaged,
}

/// Decodes a snapshot. O(files + symbols + chunks + edges).
pub(super) fn from_bytes(bytes: Vec<u8>) -> Reading {
    let Some((head, body)) = bytes.split_at_checked(HEAD_BYTES) else { return Reading::Damaged };
    let version = [SNAPSHOT_VERSION.to_le_bytes(), extractor()].concat();
    if &head[..8] != MAGIC {
        return Reading::Damaged;
    }
    if head[8..16] != version {
        return Reading::OtherVersion;
    }
    if head[16..] != hash(body) {
        return Reading::Damaged;
    }
    read(&SharedBytes::from(bytes)).unwrap_or(Reading::Damaged)
}

fn read(bytes: &SharedBytes) -> Option<Reading> {
    let mut rest = Parts { bytes, at: HEAD_BYTES };
    let header = rest.take(8)?;
    let header = rest.take(u64::from_le_bytes(header.as_array().copied()?))?;
    let header: Header = postcard::from_bytes(&header).ok()?;
    let outlines = header.files.iter().map(|file| rest.take(file.outline_bytes.into()));
    let outlines: Vec<SharedBytes> = outlines.collect::<Option<_>>()?;
    let graph = rest.take(header.graph_bytes)?;
    let lexical = rest.take(header.lexical_bytes)?;
    let vectors = rest.take(header.vectors_bytes)?;
    let links = Some(rest.take(header.links_bytes)?).filter(|links| !links.is_empty());
    let facts = header.files.iter().map(|file| rest.take(file.facts_bytes.into()));
    let facts: Vec<SharedBytes> = facts.collect::<Option<_>>()?;

    let read_files = || {
        let files = header.files.par_iter().zip(&outlines).zip(&facts).map(|((file, outline), facts)| {
            let outline: Outline = postcard::from_bytes(outline).ok()?;
            let (facts, language) = (facts.clone(), FileType::of_path(&file.path)?.language);
            // The hash of the whole file was verified.
            let load = move || decode(&facts).expect("facts are read back as they were written");
            let facts = LazyFacts::new(outline, load);
            Some(ProjectFile { path: file.path.clone(), language, facts })
        });
        let files: Vec<ProjectFile> = files.collect::<Option<_>>()?;
        let is_sorted = files.is_sorted_by(|a, b| a.path < b.path);
        is_sorted.then(|| Project::new(files, header.manifests.clone()))
    };
    let (buffer, place) = lexical.place();
    let (project, (graph, lexical)) = rayon::join(read_files, || {
        rayon::join(|| CodeGraph::decode(&graph), || LexicalIndex::decode(buffer, place))
    });
    let (project, graph, lexical) = (project?, graph?, lexical?);
    let (chunks, files) = (project.chunk_count(), project.files().len());
    let vectors = Vectors::decode(&vectors, &header.model, header.dimension as usize, chunks, files)?;
    let fits = graph.size() == (project.files().len(), project.symbol_count())
        && lexical.file_count() == project.files().len()
        && lexical.chunk_count() == project.chunk_count();
    if !fits {
        return None;
    }
    let states = header.files.iter().zip(facts).map(|(file, facts)| {
        let key = FactsKey::new(file.hash, FileType::of_path(&file.path)?);
        Some(FileState { key: Some(key), facts })
    });
    let files: IndexVec<FileId, FileState> = states.collect::<Option<Vec<_>>>()?.into();
    let (project, graph) = (Arc::new(project), Arc::new(graph));
    Some(Reading::Snapshot(Box::new(Snapshot {
        project,
        graph,
        lexical,
        vectors,
        links: links.map_or_else(OnceLock::new, OnceLock::from),
        files,
        modules: header.modules,
        skipped: header.skipped,
        unsupported: header.unsupported,
        ..Snapshot::default()
    })))
}

/// Consecutive sections of a buffer.
struct Parts<'b> {
    bytes: &'b SharedBytes,
    at: usize,
}

impl Parts<'_> {
    fn take(&mut self, len: u64) -> Option<SharedBytes> {
        let end = self.at.checked_add(usize::try_from(len).ok()?).filter(|end| *end <= self.bytes.len())?;
        let part = self.bytes.part(self.at..end);
        self.at = end;
        Some(part)
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update_rayon(bytes).finalize().as_bytes()
}
