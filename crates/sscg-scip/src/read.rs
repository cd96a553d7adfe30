//! Occurrences of an index in the files of a project.

use std::borrow::Cow;
use std::path::Path;

use percent_encoding::percent_decode_str;
use protobuf::Message;
use rustc_hash::{FxHashMap, FxHashSet};
use scip::symbol::{is_local_symbol, parse_symbol};
use scip::types::descriptor::Suffix;
use scip::types::{Document, Index, PositionEncoding, SymbolRole};
use sscg_core::{FileId, Project, Provenance};
use sscg_graph::{
    DeclarationSite, Encoding, FileOccurrences, Occurrence, Occurrences, Position, Target, TextPositions,
};

use crate::external::external;
use crate::{SourceText, Texts};

/// Options for reading an index.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Absolute path of the project's root, by which paths of an index of a directory above or below it are converted. If
    /// empty, all paths must be relative to the same root.
    pub root: String,
}

impl ReadOptions {
    /// Sets the absolute path of the project's root.
    pub fn with_root(mut self, root: impl Into<String>) -> Self {
        self.root = root.into();
        self
    }
}

/// Contents of an index, as far as they concern a project.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedIndex {
    /// Occurrences of names with a target.
    pub occurrences: Occurrences,
    /// Name and version of the program that wrote the index.
    pub tool: String,
    /// Number of documents in the index.
    pub documents: usize,
    /// Number of documents that are not files of the project.
    pub foreign: usize,
    /// Paths of the documents whose definitions are not where the text has their names, in order.
    pub stale: Vec<String>,
    /// Number of occurrences in stale documents.
    pub stale_occurrences: usize,
}

/// Error of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScipError {
    /// Bytes that are not an index.
    #[error("the file is not a SCIP index: {message}")]
    Malformed {
        /// Problem that the decoder found.
        message: String,
    },
    /// Index without documents.
    #[error("the SCIP index has no documents")]
    Empty,
}

/// Reads the occurrences of an index in the files of a project. Ranges count UTF-16 code units unless the index has another
/// encoding. O(bytes), plus the texts of all documents.
///
/// # Errors
/// If the bytes are not an index, or one without documents.
pub fn read(
    bytes: &[u8],
    project: &Project,
    texts: &Texts<'_>,
    options: &ReadOptions,
) -> Result<ImportedIndex, ScipError> {
    let index = Index::parse_from_bytes(bytes)
        .map_err(|error| ScipError::Malformed { message: error.to_string() })?;
    if index.documents.is_empty() {
        return Err(ScipError::Empty);
    }
    let relocation = Relocation::new(&index.metadata.project_root, &options.root);
    let mut found = ImportedIndex {
        occurrences: Occurrences::new(Provenance::Scip),
        tool: tool(&index),
        documents: index.documents.len(),
        foreign: 0,
        stale: Vec::new(),
        stale_occurrences: 0,
    };
    let mut documents: Vec<Read<'_>> = Vec::new();
    // Symbols of packages that the index defines are not external, even if their definitions are not listed.
    let defined = index.documents.iter().flat_map(definitions);
    let packages: FxHashSet<&str> = defined.filter_map(|(symbol, _)| package(symbol)).collect();
    for document in &index.documents {
        let file = relocation.apply(&document.relative_path).and_then(|path| project.file_at(&path));
        let text = file.and_then(|file| Some((file, texts(file)?)));
        let Some((file, text)) = text else {
            found.foreign += 1;
            continue;
        };
        let read = Read { file, document, text };
        if read.is_current() {
            documents.push(read);
        } else {
            found.stale.push(project.files()[file].path.to_string());
            found.stale_occurrences += document.occurrences.len() - definitions(document).count();
        }
    }
    found.stale.sort_unstable();
    documents.sort_by_key(|read| read.file);

    let mut sites: FxHashMap<SymbolKey<'_>, Vec<DeclarationSite>> = FxHashMap::default();
    for (at, read) in documents.iter().enumerate() {
        for (symbol, site) in read.declarations(project) {
            sites.entry(key(at, symbol)).or_default().push(site);
        }
    }
    let mut targets: FxHashMap<SymbolKey<'_>, Option<u32>> = FxHashMap::default();
    let list = &mut found.occurrences;
    for (at, read) in documents.iter().enumerate() {
        let mut occurrences = Vec::new();
        for (symbol, line, name) in read.references(project) {
            let target = *targets.entry(key(at, symbol)).or_insert_with_key(|key| {
                let target = match sites.get(key) {
                    Some(sites) => Target::Declared(sites.clone()),
                    None if package(symbol).is_none_or(|package| packages.contains(package)) => return None,
                    None => Target::External(external(&parse_symbol(symbol).ok()?)?),
                };
                list.targets.push(target);
                Some(list.targets.len() as u32 - 1)
            });
            if let Some(target) = target {
                occurrences.push(Occurrence { line, name: name.into(), target });
            }
        }
        let path = project.files()[read.file].path.clone();
        list.files.push(FileOccurrences { path, hash: read.text.hash, occurrences });
    }
    list.compact();
    Ok(found)
}

/// Symbol, with the number of its document if it is local.
type SymbolKey<'i> = (Option<usize>, &'i str);

fn key(document: usize, symbol: &str) -> SymbolKey<'_> {
    (is_local_symbol(symbol).then_some(document), symbol)
}

fn tool(index: &Index) -> String {
    let tool = &index.metadata.tool_info;
    format!("{} {}", tool.name, tool.version).trim().to_owned()
}

/// Conversion of paths of an index to paths of a project.
struct Relocation {
    /// Directory of the project in the index, which is removed, with a slash at the end.
    removed: String,
    /// Directory of the index in the project, which is added.
    added: String,
}

impl Relocation {
    /// Creates the conversion from the URI of the index's root and the path of the project's.
    fn new(uri: &str, root: &str) -> Self {
        let path = |path| percent_decode_str(path).decode_utf8_lossy();
        let index = uri.strip_prefix("file://").map_or(Cow::Borrowed(uri), path);
        let index = Path::new(&*index);
        let root = Path::new(root);
        let below = |outer: &Path, inner: &Path| {
            let is_known = outer.has_root() && inner.has_root();
            let rest =
                inner.strip_prefix(outer).ok().filter(|rest| is_known && rest.components().next().is_some());
            rest.map_or_else(String::new, |rest| format!("{}/", rest.display()))
        };
        Self { removed: below(index, root), added: below(root, index) }
    }

    fn apply(&self, path: &str) -> Option<String> {
        let path = path.trim_start_matches("./").replace('\\', "/");
        Some(format!("{}{}", self.added, path.strip_prefix(&*self.removed)?))
    }
}

/// Range of an occurrence.
type Range = (Position, Position);

/// Document with the file that it describes.
struct Read<'i> {
    file: FileId,
    document: &'i Document,
    text: SourceText,
}

impl<'i> Read<'i> {
    fn lines(&self) -> TextPositions<'_> {
        let encoding = match self.document.position_encoding.enum_value() {
            Ok(PositionEncoding::UTF8CodeUnitOffsetFromLineStart) => Encoding::Utf8,
            Ok(PositionEncoding::UTF32CodeUnitOffsetFromLineStart) => Encoding::Utf32,
            _ => Encoding::Utf16,
        };
        TextPositions::new(&self.text.text, encoding)
    }

    /// Returns true if the document describes the text: nine in ten definitions are where the text has their names.
    fn is_current(&self) -> bool {
        if !self.document.text.is_empty() {
            return self.document.text == self.text.text;
        }
        let lines = self.lines();
        let (mut right, mut all) = (0, 0);
        for (symbol, range) in definitions(self.document) {
            // Computed names are written in other ways.
            let is_plain =
                |name: &String| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'));
            let Some(declared) = declared_name(symbol).filter(is_plain) else { continue };
            all += 1;
            right += usize::from(lines.name(range.0, range.1) == Some(&*declared));
        }
        right * 10 >= all * 9
    }

    /// Returns the sites of the definitions, by symbol.
    fn declarations(&self, project: &Project) -> Vec<(&'i str, DeclarationSite)> {
        let lines = self.lines();
        let path = &project.files()[self.file].path;
        let site = |(symbol, (start, end)): (&'i str, Range)| {
            let (line, name) = if start == Position::new(0, 0) && (start == end || is_namespace(symbol)) {
                (0, "")
            } else {
                (start.line + 1, lines.name(start, end)?)
            };
            Some((symbol, DeclarationSite { path: path.clone(), line, name: name.into() }))
        };
        definitions(self.document).filter_map(site).collect()
    }

    /// Returns the symbol, line and name of each occurrence whose text is the name of its symbol, or a name that the file
    /// gives it by an import. Definitions are among them: an assignment may both define and refer to a field.
    fn references(&self, project: &Project) -> Vec<(&'i str, u32, String)> {
        let lines = self.lines();
        let imports = &project.files()[self.file].facts.imports;
        let locals: FxHashSet<&str> = imports.iter().map(|import| &*import.local).collect();
        let mut found = Vec::new();
        for occurrence in &self.document.occurrences {
            let Some((start, end)) = range(&occurrence.range) else { continue };
            let Some(name) = lines.name(start, end) else { continue };
            let declared = declared_name(&occurrence.symbol);
            if declared.is_none_or(|declared| declared == name) || locals.contains(name) {
                found.push((&*occurrence.symbol, start.line + 1, name.to_owned()));
            }
        }
        found
    }
}

/// Returns the symbols and ranges of the definitions of a document.
fn definitions(document: &Document) -> impl Iterator<Item = (&str, Range)> {
    let defined = document.occurrences.iter().filter(|occurrence| is_definition(occurrence.symbol_roles));
    defined.filter_map(|occurrence| Some((&*occurrence.symbol, range(&occurrence.range)?)))
}

fn is_definition(roles: i32) -> bool {
    roles & (SymbolRole::Definition as i32 | SymbolRole::ForwardDefinition as i32) != 0
}

/// Converts a range of three or four numbers.
fn range(numbers: &[i32]) -> Option<Range> {
    let at =
        |line: i32, character: i32| Some(Position::new(line.try_into().ok()?, character.try_into().ok()?));
    match *numbers {
        [line, start, end] => Some((at(line, start)?, at(line, end)?)),
        [line, start, last, end] => Some((at(line, start)?, at(last, end)?)),
        _ => None,
    }
}

/// Returns the scheme and package of a symbol; `None` if it is local.
fn package(symbol: &str) -> Option<&str> {
    let descriptors = symbol.match_indices(' ').map(|(at, _)| at).filter(|at| {
        // Two spaces are one space of a name.
        !symbol[..*at].ends_with(' ') && !symbol[at + 1..].starts_with(' ')
    });
    let end = descriptors.take(4).last()?;
    (!is_local_symbol(symbol)).then_some(&symbol[..end])
}

/// Returns true if a symbol is a file, package or module.
fn is_namespace(symbol: &str) -> bool {
    symbol.ends_with('/') || symbol.ends_with(':')
}

/// Returns the name that a symbol has in code; `None` if it follows from the symbol only how it is declared, or if it is
/// local.
fn declared_name(symbol: &str) -> Option<String> {
    if is_local_symbol(symbol) {
        return None;
    }
    let parsed = parse_symbol(symbol).ok()?;
    let last = parsed.descriptors.last()?;
    let is_name = matches!(
        last.suffix.enum_value(),
        Ok(Suffix::Type
            | Suffix::Term
            | Suffix::Method
            | Suffix::Macro
            | Suffix::TypeParameter
            | Suffix::Parameter)
    );
    // `<constructor>`, `<get>name`.
    let name = last.name.rsplit('>').next().unwrap_or(&last.name);
    (is_name && !name.is_empty()).then(|| name.to_owned())
}
