//! Definitions that a language server knows, for names that the linker does not resolve for certain.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use sscg_core::{Confidence, Corpus, FileId, Provenance, Relation};
use sscg_graph::{
    Comparison, DeclarationSite, Direction, Edge, Encoding, ExternalSymbol, FileOccurrences, Node,
    Occurrence, Occurrences, Origin, Position, Reason, Target, TextPositions,
};
use sscg_index::{IndexError, Observer, Progress, RefreshReport, Snapshot, unobserved};
use sscg_lsp::{Document, LanguageServer, LanguageServerOptions, Location, LspError, Wait};

use crate::config::LspConfig;
use crate::{Engine, Error, ErrorKind};

/// Result of [`Engine::ask_servers`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LspImport {
    /// Servers, by language.
    pub servers: Vec<LspServer>,
    /// Comparison of all answers with the graph before them.
    pub comparison: Comparison,
    /// State of the tree, with the edges of the answers.
    pub snapshot: Arc<Snapshot>,
    /// Report of the index update.
    pub refresh: RefreshReport,
}

/// Answers of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LspServer {
    /// Name of the language.
    pub language: String,
    /// Number of files with names to ask about.
    pub files: usize,
    /// Number of those whose answers were cached.
    pub cached: usize,
    /// Number of those that the server answered completely, now.
    pub answered: usize,
    /// Number of names that the server was asked about in these.
    pub names: usize,
    /// Number of these names with a definition.
    pub defined: usize,
    /// Reason why the other files were not answered.
    pub stopped: Option<String>,
}

impl Engine {
    /// Starts the configured language server of each language of the tree, asks it for the definitions of names whose edges
    /// are not exact or missing, and applies the answers to the graph, in this and in every later process, as long as the
    /// texts are the same. Files whose answers are known and still valid are not asked about again.
    ///
    /// # Errors
    /// If no language of the tree has a server, or a server cannot be started, ends, or answers no file within the time
    /// limit, and no server before it has answered: then the index stays as it is. If the store cannot keep the answers; and as [`Engine::refresh`].
    pub fn ask_servers(&self, config: &LspConfig) -> Result<LspImport, Error> {
        self.ask_servers_with_progress(config, &unobserved)
    }

    /// Runs [`Engine::ask_servers`] with an observer, which can cancel it, also while a server loads the project. Answers
    /// until then are kept: the next index update applies them.
    ///
    /// # Errors
    /// As [`Engine::ask_servers`], and if the observer cancels.
    pub fn ask_servers_with_progress(
        &self,
        config: &LspConfig,
        observer: Observer<'_>,
    ) -> Result<LspImport, Error> {
        let (snapshot, _) = self.refresh_with_progress(Corpus::Code, observer)?;
        let deadline = Instant::now() + Duration::from_secs(config.timeout);
        let known = self.imported()?;
        let known = known.iter().find(|known| known.provenance == Provenance::Lsp);
        let valid = known.map_or_else(FxHashMap::default, |known| valid_answers(&snapshot, known));
        let is_cached = |file: &OpenFile| {
            let answers = valid.get(&file.id).map_or(&[][..], Vec::as_slice);
            let answered: FxHashSet<(u32, &str)> = answers.iter().map(|it| (it.line, &*it.name)).collect();
            file.names.iter().all(|(line, name)| answered.contains(&(line + 1, name)))
        };
        let languages = snapshot.project.files().iter().map(|file| file.language.name);
        let mut by_language: BTreeMap<&str, Vec<OpenFile>> =
            languages.map(|name| (name, Vec::new())).collect();
        for file in open_files(&snapshot) {
            let language = snapshot.project.files()[file.id].language.name;
            by_language.entry(language).or_default().push(file);
        }
        let mut asked = Vec::new();
        for (language, files) in by_language {
            let Some(options) = config.options(language, &snapshot.root)? else { continue };
            let (cached, files): (Vec<OpenFile>, Vec<OpenFile>) = files.into_iter().partition(is_cached);
            asked.push((LspServer::new(language, cached.len(), files.len()), options, files));
        }
        if asked.is_empty() {
            let message = "no language server is configured for a language of the project";
            let hint = "set the command of one in your own sscg.toml: [lsp.python] command = \"pyright-langserver --stdio\"";
            return Err(Error::configuration(message, hint));
        }
        let (done, total) = (Cell::new(0), asked.iter().map(|(.., files)| files.len()).sum());
        let is_canceled = || Progress::Asking { done: done.get(), total }.report(observer).is_err();
        let wait = Wait::until(deadline).unless(&is_canceled);
        let mut answers = Occurrences::new(Provenance::Lsp);
        let (mut servers, mut canceled) = (Vec::new(), None);
        for (mut server, options, files) in asked {
            let begun = done.get();
            if !files.is_empty() {
                match ask(&snapshot, &options, &files, wait, &done, &mut server, &mut answers) {
                    Err(error) if error.kind() == ErrorKind::Canceled => {
                        canceled = Some(error);
                        break;
                    }
                    // Answers of other servers count all the same.
                    Err(error) if !answers.files.is_empty() => server.stopped = Some(error.to_string()),
                    asked => asked?,
                }
            }
            done.set(begun + files.len());
            servers.push(server);
        }
        if !answers.files.is_empty() {
            if let Some(known) = known {
                keep_valid(&snapshot, known, &valid, &mut answers);
            }
            add_target_files(&snapshot, known.map(|known| &**known), &mut answers);
            self.import(answers)?;
        }
        if let Some(error) = canceled {
            return Err(error);
        }
        let (snapshot, refresh) = self.refresh_with_progress(Corpus::Code, observer)?;
        let applied = snapshot.comparisons.iter().find(|(provenance, _)| *provenance == Provenance::Lsp);
        let comparison = applied.map_or_else(Comparison::default, |(_, comparison)| comparison.clone());
        Ok(LspImport { servers, comparison, snapshot, refresh })
    }
}

impl LspServer {
    /// Creates a report before the server is asked: `cached` files have earlier answers, `left` files have none.
    fn new(language: &str, cached: usize, left: usize) -> Self {
        Self {
            language: language.to_owned(),
            files: cached + left,
            cached,
            answered: 0,
            names: 0,
            defined: 0,
            stopped: None,
        }
    }
}

impl LspConfig {
    /// Returns the options of a language's server, if one is configured.
    fn options(&self, language: &str, root: &Path) -> Result<Option<LanguageServerOptions>, Error> {
        let Some(server) = self.servers.get(language).filter(|server| !server.command.trim().is_empty())
        else {
            return Ok(None);
        };
        let command = server.command.split_whitespace().map(str::to_owned);
        let text = server.initialization.trim();
        let initialization = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(text).map_err(|error| {
                let message = format!("lsp.{language}.initialization is not JSON: {error}");
                Error::configuration(message, "write an object in one string: '{\"option\": true}'")
            })?
        };
        Ok(Some(LanguageServerOptions::new(command, root).with_initialization(initialization)))
    }
}

/// File with names whose definitions are not certain.
struct OpenFile {
    id: FileId,
    /// Lines, counted from 0, with names.
    names: BTreeSet<(u32, String)>,
    /// Number of uncertain calls, which are the most useful to decide.
    calls: usize,
}

/// Returns the files with names whose edges are missing or not exact, those with most calls first.
fn open_files(snapshot: &Snapshot) -> Vec<OpenFile> {
    let Snapshot { project, graph, .. } = snapshot;
    let mut unresolved: FxHashMap<FileId, Vec<(u32, &str, Relation)>> = FxHashMap::default();
    for entry in graph.unresolved_references().iter().filter(|entry| entry.reason != Reason::HeldValue) {
        if let Some(file) = graph.node(entry.source).file(project) {
            unresolved.entry(file).or_default().push((entry.line, entry.name, entry.relation));
        }
    }
    let mut open: Vec<OpenFile> = project
        .files()
        .ids()
        .filter_map(|file| {
            let sources = [graph.id(Node::File(file))].into_iter().chain(graph.nodes_in_file(project, file));
            let edges = sources.flat_map(|node| graph.sites_at(node, Direction::Outgoing));
            let is_open =
                |edge: &Edge| edge.confidence != Confidence::Exact && edge.relation != Relation::Overrides;
            let inexact: FxHashSet<(u32, Relation)> =
                edges.filter(is_open).map(|edge| (edge.line, edge.relation)).collect();
            let missing = unresolved.remove(&file).unwrap_or_default();
            if inexact.is_empty() && missing.is_empty() {
                return None;
            }
            let mut of_file = OpenFile { id: file, names: BTreeSet::new(), calls: 0 };
            for (line, name, relation) in missing {
                of_file.calls += usize::from(relation == Relation::Calls);
                of_file.names.insert((line - 1, name.trim_end_matches('!').to_owned()));
            }
            // The name of a target may be another one than the name in the text.
            let references = project.files()[file].facts.references.iter();
            let lines: FxHashSet<u32> = inexact.iter().map(|(line, _)| *line).collect();
            for reference in references.filter(|it| lines.contains(&it.line)) {
                let calls = |it: Relation| matches!(it, Relation::Calls | Relation::Instantiates);
                let is_open = |(line, relation): &(u32, Relation)| {
                    *line == reference.line
                        && (*relation == reference.relation || calls(*relation) && calls(reference.relation))
                };
                if inexact.iter().any(is_open) {
                    of_file.calls += usize::from(calls(reference.relation));
                    let name = reference.target.name().trim_end_matches('!');
                    of_file.names.insert((reference.line - 1, name.to_owned()));
                }
            }
            (!of_file.names.is_empty()).then_some(of_file)
        })
        .collect();
    open.sort_by_key(|file| (std::cmp::Reverse(file.calls), file.id));
    open
}

/// Returns the answers that are still valid, by file: the texts of the file and of all files with definitions are the same.
fn valid_answers<'k>(snapshot: &Snapshot, known: &'k Occurrences) -> FxHashMap<FileId, Vec<&'k Occurrence>> {
    let current = |file: &FileOccurrences| {
        let id = snapshot.project.file_at(&file.path)?;
        (snapshot.hash(id) == Some(file.hash)).then_some(id)
    };
    let is_current: FxHashSet<&str> =
        known.files.iter().filter(|file| current(file).is_some()).map(|file| &*file.path).collect();
    let is_valid = |occurrence: &&Occurrence| match known.targets.get(occurrence.target as usize) {
        Some(Target::Declared(sites)) => sites.iter().all(|site| is_current.contains(&*site.path)),
        _ => true,
    };
    let of_file = |file: &'k FileOccurrences| {
        Some((current(file)?, file.occurrences.iter().filter(is_valid).collect()))
    };
    known.files.iter().filter_map(of_file).collect()
}

/// Adds valid earlier answers about the files of `answers`: new ones replace all that is known about a file, and names
/// whose edges are exact by earlier answers are not asked about again.
fn keep_valid(
    snapshot: &Snapshot,
    known: &Occurrences,
    valid: &FxHashMap<FileId, Vec<&Occurrence>>,
    answers: &mut Occurrences,
) {
    for file in &mut answers.files {
        let earlier = snapshot.project.file_at(&file.path).and_then(|id| valid.get(&id));
        let asked: FxHashSet<(u32, Box<str>)> =
            file.occurrences.iter().map(|it| (it.line, it.name.clone())).collect();
        for occurrence in earlier.into_iter().flatten() {
            if !asked.contains(&(occurrence.line, occurrence.name.clone()))
                && let Some(target) = known.targets.get(occurrence.target as usize)
            {
                file.occurrences
                    .push(Occurrence { target: answers.targets.len() as u32, ..(*occurrence).clone() });
                answers.targets.push(target.clone());
            }
        }
    }
}

/// Asks a server about files, one after the other, and counts them in `done`.
fn ask(
    snapshot: &Snapshot,
    options: &LanguageServerOptions,
    files: &[OpenFile],
    wait: Wait<'_>,
    done: &Cell<usize>,
    report: &mut LspServer,
    answers: &mut Occurrences,
) -> Result<(), Error> {
    let mut server = LanguageServer::start(options, wait)?;
    let mut externals = Externals::default();
    for OpenFile { id, names, .. } in files {
        let file = &snapshot.project.files()[*id];
        let (Some(text), Some(hash)) = (snapshot.source(*id), snapshot.hash(*id)) else { continue };
        let lines = TextPositions::new(&text, encoding(server.encoding()));
        let asked: Vec<(u32, &str, Position)> = names
            .iter()
            .flat_map(|(line, name)| {
                let tokens = lines.tokens(*line, name).into_iter();
                tokens.map(|token| (*line, name.as_str(), lines.position(token.start))).collect::<Vec<_>>()
            })
            .collect();
        let positions = asked.iter().map(|(_, _, at)| (at.line, at.character)).collect();
        let language = language_id(file.language.name, &file.path);
        let document = Document { path: &file.path, language: &language, text: &text };
        let found = match server.definitions(&document, |_| positions, wait) {
            Ok(found) => found,
            Err(error @ LspError::Timeout { .. }) if report.answered > 0 => {
                report.stopped = Some(error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let mut occurrences = Vec::with_capacity(asked.len());
        for ((line, name, _), locations) in asked.iter().zip(&found) {
            let target = target(snapshot, server.encoding(), name, locations, &mut externals);
            report.defined += usize::from(!locations.is_empty());
            occurrences.push(Occurrence {
                line: line + 1,
                name: (*name).into(),
                target: answers.targets.len() as u32,
            });
            answers.targets.push(target);
        }
        report.answered += 1;
        report.names += asked.len();
        // A name that is not in the text is not asked about again.
        let placed: FxHashSet<(u32, &str)> = asked.iter().map(|(line, name, _)| (*line, *name)).collect();
        for (line, name) in names.iter().filter(|(line, name)| !placed.contains(&(*line, name.as_str()))) {
            let target = answers.targets.len() as u32;
            occurrences.push(Occurrence { line: line + 1, name: name.as_str().into(), target });
            answers.targets.push(Target::Declared(Vec::new()));
        }
        answers.files.push(FileOccurrences { path: file.path.clone(), hash, occurrences });
        done.set(done.get() + 1);
    }
    server.stop();
    Ok(())
}

/// Converts definitions. No definition is a target that is declared nowhere, so that the name is not asked about again.
fn target(
    snapshot: &Snapshot,
    encoding_of_server: sscg_lsp::PositionEncoding,
    name: &str,
    locations: &[Location],
    externals: &mut Externals,
) -> Target {
    let mut sites = Vec::new();
    for location in locations {
        let inside = location.path.strip_prefix(&snapshot.root).ok();
        let path = inside.map(|path| path.to_string_lossy().replace('\\', "/"));
        let Some((path, file)) = path.and_then(|path| Some((path.clone(), snapshot.project.file_at(&path)?)))
        else {
            continue;
        };
        let (line, declared) = if (location.line, location.start, location.end) == (0, 0, 0) {
            (0, String::new())
        } else {
            let Some(text) = snapshot.source(file) else { continue };
            let lines = TextPositions::new(&text, encoding(encoding_of_server));
            let at = |character| Position::new(location.line, character);
            let Some(declared) = lines.name(at(location.start), at(location.end)) else { continue };
            (location.line + 1, declared.to_owned())
        };
        sites.push(DeclarationSite { path: path.into(), line, name: declared.into() });
    }
    match locations {
        [first, ..] if sites.is_empty() && !first.path.starts_with(&snapshot.root) => {
            Target::External(externals.symbol(first, name))
        }
        _ => Target::Declared(sites),
    }
}

/// Adds the files of the targets, with what was known about them, so that a change of one is noticed.
fn add_target_files(snapshot: &Snapshot, known: Option<&Occurrences>, answers: &mut Occurrences) {
    let asked: BTreeSet<Box<str>> = answers.files.iter().map(|file| file.path.clone()).collect();
    let mut paths: BTreeSet<Box<str>> = BTreeSet::new();
    for target in &answers.targets {
        if let Target::Declared(sites) = target {
            paths.extend(sites.iter().map(|site| site.path.clone()));
        }
    }
    let is_known = |path: &str, hash: [u8; 32]| {
        known.is_some_and(|known| known.files.iter().any(|file| *file.path == *path && file.hash == hash))
    };
    for path in paths.difference(&asked) {
        let hash = snapshot.project.file_at(path).and_then(|file| snapshot.hash(file));
        if let Some(hash) = hash.filter(|hash| !is_known(path, *hash)) {
            answers.files.push(FileOccurrences { path: path.clone(), hash, occurrences: Vec::new() });
        }
    }
    answers.compact();
}

/// Names of definitions outside of the project, from the files that declare them.
#[derive(Default)]
struct Externals {
    /// Qualified names of the declarations of each file, by line, counted from 1, and name.
    files: FxHashMap<PathBuf, FxHashMap<(u32, String), String>>,
}

impl Externals {
    /// Returns the symbol of a definition: its module or package, and its qualified name in the file.
    fn symbol(&mut self, location: &Location, name: &str) -> ExternalSymbol {
        let declared =
            self.files.entry(location.path.clone()).or_insert_with(|| declarations(&location.path));
        let qualified = declared.get(&(location.line + 1, name.to_owned())).map_or(name, String::as_str);
        let path = location.path.to_string_lossy().replace('\\', "/");
        let (module, origin) = module(&path);
        let separator = if module.is_empty() || location.line == 0 && module == name { "" } else { "." };
        let qualified = if module == name && separator.is_empty() { "" } else { qualified };
        ExternalSymbol::new(format!("{module}{separator}{qualified}"), origin)
    }
}

fn declarations(path: &Path) -> FxHashMap<(u32, String), String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let Some(file) = sscg_parse::project_file(&path.to_string_lossy(), &text) else {
        return FxHashMap::default();
    };
    let symbols = file.facts.symbols.iter_enumerated();
    symbols.map(|(id, it)| ((it.name_line, it.name.to_string()), file.facts.qualified_name(id))).collect()
}

/// Returns the module or package of a file outside of the project, and whether it is part of a standard library. The
/// directories are those in which package managers and servers keep declarations.
fn module(path: &str) -> (String, Origin) {
    let after = |directory: &str| path.rsplit_once(directory).map(|(_, rest)| rest);
    let dotted = |rest: &str| {
        let stem = rest.split_once('.').map_or(rest, |(stem, _)| stem);
        stem.trim_end_matches("/__init__").replace('/', ".")
    };
    if let Some(rest) = after("/stdlib/").filter(|_| path.contains("typeshed")) {
        return (dotted(rest), Origin::StandardLibrary);
    }
    if let Some((_, rest)) =
        after("/stubs/").filter(|_| path.contains("typeshed")).and_then(|it| it.split_once('/'))
    {
        return (dotted(rest), Origin::ThirdParty);
    }
    if after("/typescript/lib/lib.").is_some() {
        return (String::new(), Origin::StandardLibrary);
    }
    if let Some(rest) = after("/node_modules/@types/node/") {
        return (dotted(rest), Origin::StandardLibrary);
    }
    if let Some(rest) = after("/node_modules/") {
        let segments = if rest.starts_with('@') && !rest.starts_with("@types/") { 2 } else { 1 };
        let rest = rest.trim_start_matches("@types/");
        let package: Vec<&str> = rest.split('/').take(segments).collect();
        return (package.join("/"), Origin::ThirdParty);
    }
    if let Some(rest) = after("/site-packages/") {
        return (dotted(rest), Origin::ThirdParty);
    }
    if let Some(rest) = after("/rustlib/src/rust/library/") {
        return (rest.split('/').next().unwrap_or(rest).to_owned(), Origin::StandardLibrary);
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    (dotted(file), Origin::ThirdParty)
}

/// Returns the language of a file in the notation of the protocol, which names the dialects with elements of a user
/// interface in their own way.
fn language_id(language: &str, path: &str) -> String {
    let has_elements = path.ends_with(".tsx") || path.ends_with(".jsx");
    format!("{language}{}", if has_elements { "react" } else { "" })
}

fn encoding(encoding: sscg_lsp::PositionEncoding) -> Encoding {
    match encoding {
        sscg_lsp::PositionEncoding::Utf8 => Encoding::Utf8,
        sscg_lsp::PositionEncoding::Utf16 => Encoding::Utf16,
        sscg_lsp::PositionEncoding::Utf32 => Encoding::Utf32,
    }
}

impl From<LspError> for Error {
    fn from(error: LspError) -> Self {
        let hint = match &error {
            LspError::Canceled { .. } => return IndexError::Canceled.into(),
            LspError::Start { .. } | LspError::NoCommand => {
                "install it, or set its command under [lsp.LANGUAGE] in your own sscg.toml"
            }
            LspError::Timeout { .. } => "allow more time with --lsp-timeout; the index stays as it is",
            _ => "start its command by hand to see why; the index stays as it is",
        };
        Self::provider(error.to_string(), hint)
    }
}
