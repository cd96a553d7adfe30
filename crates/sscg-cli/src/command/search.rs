//! `sscg search`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use sscg::core::{ChunkKind, Confidence};
use sscg::format::CodeStyle;
use sscg::{
    CentralityMethod, CentralityMode, Config, Corpus, EngineOptions, SearchRequest, WaitPolicy, Workspace,
    find_language,
};

use super::explore::{confidences, formats, names};
use super::{Directories, answering_for, open_with, options, published_projects};
use crate::configuration::Flag;
use crate::failure::{Failure, hint};
use crate::model::Model;
use crate::progress::with_bar;
use crate::rerank::{self, Rerank};
use crate::{CommandResult, Global, color, note, print, print_painted, skipped};

/// Answer a question about the code in a directory, or about its documents.
///
/// The question is English, or names a declaration: "symbol = Outer > inner". The index is updated first; only changed
/// files are parsed.
#[derive(Debug, Args)]
#[command(before_help = "  sscg search \"how are retries scheduled\" --terms retry,backoff,max_attempts
  sscg search \"symbol = Session > close\" ~/src/shop
  sscg search \"TypeError: x is not a function\"")]
#[command(after_long_help = "Examples:
  sscg search \"how are retries scheduled\"
  sscg search \"where is the token checked\" ~/src/shop --path src/auth --limit 5
  sscg search \"why are idle connections thrown away\" --terms evict,keepalive,pool_timeout
  sscg search \"symbol = Session > close\" --format compact
  sscg search --docs \"how do I configure logging\"
  sscg search \"where are orders priced\" ~/src/shop ~/src/billing")]
pub(crate) struct Search {
    /// Question.
    #[arg(required_unless_present = "more")]
    question: Option<String>,
    #[command(flatten)]
    directories: Directories,
    /// Print this code that an answer has named, instead of an answer: lines of a file, declarations; separated by commas.
    #[arg(long, value_name = "ID,..", value_delimiter = ',', conflicts_with = "docs")]
    more: Vec<String>,
    /// Search the documents instead of the code.
    ///
    /// Text, Markdown, reStructuredText, HTML, configuration and data.
    #[arg(long)]
    docs: bool,
    #[command(flatten)]
    options: Options,
}

/// Question, or ids of code, in a corpus.
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) more: Vec<String>,
    pub(crate) corpus: Corpus,
}

/// Guesses in addition to a question.
#[derive(Debug, Args)]
pub(super) struct Terms {
    /// A guess at names in the code: an identifier, a word, part of a string; may be given more than once.
    ///
    /// Six to fourteen find most; among right guesses, wrong ones cost little.
    #[arg(long = "term", value_name = "TERM", allow_hyphen_values = true)]
    term: Vec<String>,
    /// Several guesses, separated by commas.
    #[arg(long, value_name = "TERM,..", value_delimiter = ',', allow_hyphen_values = true)]
    terms: Vec<String>,
}

impl Terms {
    /// Returns all guesses, trimmed, without empty ones.
    pub(super) fn all(&self) -> Vec<String> {
        let terms = self.term.iter().chain(&self.terms).map(|term| term.trim());
        terms.filter(|term| !term.is_empty()).map(str::to_owned).collect()
    }
}

/// Options of a search in any corpus.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    limits: Limits,
    /// Print only what an answer of this budget to the same question lacks.
    #[arg(long, value_name = "TOKENS", hide_short_help = true)]
    after: Option<usize>,
    #[command(flatten)]
    terms: Terms,
    /// Only code in this language, or documents in this format; may be given more than once.
    #[arg(long, value_name = "NAME", value_parser = languages(), hide_short_help = true)]
    language: Vec<String>,
    /// Only this file, directory or glob, relative to the searched directory; may be given more than once.
    #[arg(long = "path", value_name = "GLOB", aliases = ["glob", "in"], short_alias = 'g')]
    paths: Vec<String>,
    /// Only chunks of this kind; may be given more than once.
    #[arg(long, value_name = "KIND", value_parser = names::<ChunkKind>(ChunkKind::all().map(ChunkKind::as_str)), hide_short_help = true)]
    kind: Vec<ChunkKind>,
    /// Rank code near this node of the graph first: a declaration, a file, or a line as in src/a.rs:12.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    anchor: Option<String>,
    /// Minimum confidence of edges to show and follow.
    #[arg(long, value_name = "HOW", default_value = "ambiguous", value_parser = confidences(), hide_short_help = true)]
    min_confidence: Confidence,
    #[command(flatten)]
    graph: Graph,
    /// Rank without the graph; by default, callers and callees of the best code count.
    #[arg(long, hide_short_help = true)]
    no_graph: bool,
    /// Explain the kind of question, the score and the matching words of each result, and the tokens of each part of the
    /// answer.
    #[arg(long, hide_short_help = true)]
    explain: bool,
    #[command(flatten)]
    model: Model,
    #[command(flatten)]
    rerank: Rerank,
}

/// Format and size of an answer.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Output format [default: text] [env: SSCG_FORMAT]
    #[arg(long, value_parser = formats())]
    format: Option<String>,
    /// Print code as the files' own lines, as source that parses, or by signatures alone [default: lines]
    #[arg(long, value_name = "STYLE", value_parser = styles(), hide_short_help = true)]
    code: Option<String>,
    /// Maximum number of results [default: 50] [env: SSCG_LIMIT]
    #[arg(long, short = 'n', value_name = "N", hide_short_help = true)]
    limit: Option<usize>,
    /// Maximum number of tokens in all [default: 8000] [env: SSCG_BUDGET]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

impl Limits {
    pub(crate) fn flags(&self) -> [Flag; 4] {
        [
            ("search.code", self.code.clone()),
            ("search.format", self.format.clone()),
            ("search.limit", self.limit.map(|limit| limit.to_string())),
            ("search.budget", self.budget.map(|budget| budget.to_string())),
        ]
    }
}

/// Graph data in an answer.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Call-tree depth around each result; 0 means unlimited [default: 1]
    #[arg(long, value_name = "STEPS", hide_short_help = true)]
    call_depth: Option<u32>,
    /// Name up to ten neighbors within this many steps of results [default: 0]
    #[arg(long, value_name = "STEPS", hide_short_help = true)]
    ego_graph: Option<u32>,
    /// Order results by their scores and their centrality; --centrality=show only shows it [default: off]
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(CentralityMode::ALL.map(CentralityMode::as_str)), num_args = 0..=1, require_equals = true, default_missing_value = "sort", hide_short_help = true)]
    centrality: Option<String>,
    /// Measure of centrality [default: pagerank]
    #[arg(long, value_name = "METHOD", value_parser = PossibleValuesParser::new(CentralityMethod::ALL.map(CentralityMethod::as_str)), hide_short_help = true)]
    centrality_method: Option<String>,
    /// Show the code community of each result.
    #[arg(long, hide_short_help = true)]
    communities: bool,
}

impl Graph {
    fn flags(&self) -> [Flag; 5] {
        [
            ("search.call_depth", self.call_depth.map(|steps| steps.to_string())),
            ("search.ego_graph", self.ego_graph.map(|steps| steps.to_string())),
            ("search.centrality", self.centrality.clone()),
            ("search.centrality_method", self.centrality_method.clone()),
            ("search.communities", self.communities.then(|| true.to_string())),
        ]
    }
}

impl Search {
    pub(crate) fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        let corpus = if self.docs { Corpus::Documents } else { Corpus::Code };
        let Self { question, directories, more, options, .. } = self;
        // Without a question, the first argument is a directory.
        let root = question.as_ref().filter(|root| !more.is_empty() && Path::new(root).is_dir());
        let paths = root.map_or_else(|| directories.paths().to_vec(), |root| vec![root.into()]);
        options.answer(Asked { question: question.unwrap_or_default(), more, corpus }, &paths, global)
    }
}

impl Options {
    /// Searches the code or the documents in directories, and prints the answer.
    pub(crate) fn answer(
        self,
        asked: Asked,
        paths: &[PathBuf],
        global: &Global,
    ) -> Result<CommandResult, Failure> {
        match paths {
            [path] => self.answer_of(asked, path, global),
            paths => self.answer_of_all(asked, paths, global),
        }
    }

    fn configure(&self, path: &Path, global: &Global) -> Result<Config, Failure> {
        let mut flags = vec![self.model.flag(), self.rerank.flag()];
        flags.extend(self.limits.flags());
        flags.extend(self.graph.flags());
        global.configure(path, &flags)
    }

    /// Returns the options of an engine with its models, without storage.
    fn engine(config: &Config) -> Result<EngineOptions, Failure> {
        let mut options = options(config)?.with_rerank(config.rerank.options.clone());
        options.reranker = rerank::open(&config.rerank)?;
        Ok(options)
    }

    fn request(&self, asked: Asked, config: &Config) -> Result<SearchRequest, Failure> {
        let Asked { question, more, corpus } = asked;
        let languages = self.language.iter().map(|name| find_language(corpus, name));
        let mut request = config
            .search
            .request(question)
            .with_more(more)
            .with_corpus(corpus)
            .with_terms(self.terms.all())
            .with_languages(languages.collect::<Result<_, _>>()?)
            .with_paths(self.paths.clone())
            .with_kinds(self.kind.clone())
            .with_min_confidence(self.min_confidence)
            .with_explain(self.explain)
            .with_graph(!self.no_graph);
        request.after = self.after;
        request.anchor.clone_from(&self.anchor);
        Ok(request)
    }

    /// Searches several directories, each a project, and prints the answers, those of the most relevant first.
    fn answer_of_all(
        self,
        asked: Asked,
        paths: &[PathBuf],
        global: &Global,
    ) -> Result<CommandResult, Failure> {
        let workspace = Workspace::new(usize::MAX);
        let named = published_projects(global, paths)?;
        let named = named.map(|names| names.into_iter().map(PathBuf::from).collect::<Vec<_>>());
        let paths = named.as_deref().unwrap_or(paths);
        let add = |path: &PathBuf| {
            let config = self.configure(path, global)?;
            workspace.add(path, answering_for(Self::engine(&config)?, path, global, &config)?);
            Ok(config)
        };
        // A project that cannot be opened stops no other.
        let opened = paths.iter().map(|path| (path, add(path)));
        let opened = opened.filter_map(|(path, added)| match added {
            Ok(config) => Some((path, config)),
            Err(failure) => {
                Failure::report(&failure);
                None
            }
        });
        let (paths, configs): (Vec<&PathBuf>, Vec<Config>) = opened.unzip();
        let Some(config) = configs.first() else { return Err(Failure::Told) };
        let request = self.request(asked, config)?;
        let merged = with_bar(|bar| {
            workspace.search_merged(&paths, &request, &WaitPolicy::default().with_observer(bar))
        })?;
        for found in merged.projects.iter().filter_map(|it| it.outcome.as_ref().ok()) {
            skipped::report(&found.snapshot, &found.refresh, global.verbose);
        }
        print(&merged.text)?;
        if merged.has_results() { Ok(CommandResult::Found) } else { Ok(CommandResult::NothingFound) }
    }

    /// Searches a directory, and prints the answer.
    fn answer_of(self, asked: Asked, path: &Path, global: &Global) -> Result<CommandResult, Failure> {
        let (config, corpus) = (self.configure(path, global)?, asked.corpus);
        let engine = open_with(path, global, &config, Self::engine(&config)?)?;
        let request = self.request(asked, &config)?;
        let response = match with_bar(|bar| engine.search_with_progress(&request, bar)) {
            Ok(response) => response,
            Err(error) => {
                // Skipped files may be the reason why there is nothing to search.
                if error.kind() == sscg::ErrorKind::Project && corpus == Corpus::Code {
                    let (snapshot, report) = engine.refresh()?;
                    skipped::report(&snapshot, &report, global.verbose);
                }
                return Err(error.into());
            }
        };
        skipped::report(&response.snapshot, &response.refresh, global.verbose);
        if response.answer.results.is_empty() {
            note(&format!("nothing found for {:?} in {}", response.answer.query, engine.root().display()));
            let SearchRequest { languages, paths, kinds, terms, .. } = &request;
            let filtered = !(languages.is_empty() && paths.is_empty() && kinds.is_empty());
            hint(&match response.answer.suggestions.as_slice() {
                [] if filtered => {
                    "search without --language, --path and --kind, or in other words".to_owned()
                }
                [] if corpus == Corpus::Documents => "ask in other words, or search the code".to_owned(),
                [] if !terms.is_empty() => {
                    "none of the terms is here either: `sscg vocabulary` lists names of this project"
                        .to_owned()
                }
                [] => "ask in other words, or for a declaration: \"symbol = Outer > inner\"".to_owned(),
                similar => format!(
                    "did you mean {}?",
                    similar.iter().map(|query| format!("{query:?}")).collect::<Vec<_>>().join(" or ")
                ),
            });
            return Ok(CommandResult::NothingFound);
        }
        print_painted(&color::found(&response.answer, &response.text, &request.format))?;
        Ok(CommandResult::Found)
    }
}

/// Returns the parser of code styles.
fn styles() -> PossibleValuesParser {
    PossibleValuesParser::new(CodeStyle::ALL.map(CodeStyle::as_str))
}

fn languages() -> PossibleValuesParser {
    sscg::parse::languages()
        .iter()
        .chain(sscg::parse::formats())
        .map(|language| clap::builder::PossibleValue::new(language.name).aliases(language.aliases))
        .collect::<Vec<_>>()
        .into()
}
