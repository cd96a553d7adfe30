//! The `sscg` command: ask a code base a question, get a connected answer.
//!
//! A thin client of the [`sscg`] library: each command is a file with its arguments and one function. Failures become a
//! message, a hint and an exit code in one place ([`failure`]).
//!
//! # Example
//!
//! ```console
//! $ sscg callers "Session > close"
//! ```
//!
//! brings the index of the current directory up to date and prints the uses of the method `close` of `Session`: a line
//! for the method with its file, lines and number of uses, then for each file the using declarations with the lines of
//! their uses, and last whether the list is complete. The exit code is 0. For a name without a declaration, standard error
//! has a message and a `hint:` with the next step, and the exit code is 1.
//!
//! # Overview
//!
//! - [`command`]: the commands, one file each, with common parts of look-ups ([`command::lookup`]) and of graph queries
//!   ([`command::explore`]).
//! - [`configuration`]: settings in files, in the environment and in flags. [`model`] and [`rerank`] open the models of
//!   the user, and `shared` (feature `lancedb`) indexes that many machines share.
//! - [`sources`]: edges that other programs found.
//! - [`color`], [`pager`], [`text`]: output for people, with styles and a pager on a terminal, and as JSON for programs.
//! - [`progress`], [`skipped`], [`log`]: messages on standard error about indexing, skipped files and events.
//! - [`agents`]: registration of the server `sscg mcp` with coding agents. [`hook`]: suggestions to them. [`doctor`]: checks of the setup; [`self_check`]: of the program.
//! - `reference` (tests only): `docs/cli.md`, written from the definitions of the commands.
//!
//! # Design
//!
//! - **Answers go to standard output, everything else to standard error**, so that output can be piped. A closed reader
//!   ends a command silently.
//! - **The exit code is part of the answer**: 0 found or done, 1 nothing found, 2 error.
//! - **Short help and complete help differ.** Agents read `sscg --help` first and pay for each line; `sscg help` lists
//!   everything.
//! - **The allocator is mimalloc.** Indexing allocates many small facts on all cores; the libraries leave the choice to
//!   the program.

mod agents;
mod color;
mod command;
mod configuration;
mod doctor;
mod failure;
mod hook;
mod log;
mod model;
mod pager;
mod progress;
#[cfg(test)]
mod reference;
mod rerank;
mod self_check;
#[cfg(feature = "lancedb")]
mod shared;
mod skipped;
mod sources;
mod text;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand};

use color::Painted;
use failure::Failure;

/// Allocator for indexing, which allocates many small facts on all cores at once: it takes half the time of the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Output of `sscg --help`: agents read it first, and pay for each line. `sscg help` prints all.
const SHORT_HELP: &str = "\
Ask a code base a question; get the code that answers it, and how it connects.

  sscg search \"how are dropped connections retried\" --terms retry,backoff,reconnect
  sscg \"how are dropped connections retried\"     short for `search`
  sscg search \"No such command 'x'\"             pasted text: the line it comes from
  sscg callers \"Session > close\" verify         all uses with lines, and possible uses
  sscg show \"Session > close\" src/a.py:40-90    code with line numbers
  sscg text MAX_RETRIES '/retry_\\w+/'           every line with a text, in all files
  sscg outline src/net Session                  declarations, with lines
  sscg symbol \"Session > close\"                 a declaration with its context
  sscg impact \"Session > close\"                 impact of a change
  sscg vocabulary src/net                       names to guess --terms from
  sscg overview                                 layers, entry points, commands

Each uses the current directory or -C DIR, and updates its index first.
With --terms, --budget 1000 answers much; --budget 2000 --after 1000 prints what follows.
`sscg COMMAND -h` lists options, `sscg help` all commands:

  ask     search symbol docs callers callees tests text mentions show outline impact
          trace neighbors expand pack overview vocabulary graph knowledge
  index   index status watch export gc
  set up  config mcp install uninstall doctor self-check completions man help

Exit codes: 0 found or done, 1 nothing found, 2 error.
";

/// Ask a code base a question; get the code that answers it, and how it connects.
#[derive(Debug, Parser)]
#[command(name = "sscg", version = env!("SSCG_VERSION"), max_term_width = 100, propagate_version = true)]
#[command(override_help = SHORT_HELP, after_help = "Exit codes: 0 found or done, 1 nothing found, 2 error.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

/// Options of every command.
#[derive(Debug, Args)]
struct Global {
    /// Keep indexes in this directory instead of the user's cache directory [env: SSCG_INDEX_DIR]
    #[arg(long, global = true, value_name = "DIR", hide_short_help = true)]
    index_dir: Option<String>,
    /// Keep nothing on disk: index anew, for this command only.
    #[arg(long, global = true, hide_short_help = true)]
    ephemeral: bool,
    /// While another process indexes the directory, use what is ready instead of waiting for it.
    #[arg(long, global = true, hide_short_help = true)]
    no_wait: bool,
    /// Memory limit of indexing in MB; 0 for no limit [env: SSCG_MAX_MEMORY]
    #[arg(long, global = true, value_name = "MB", hide_short_help = true)]
    max_memory: Option<usize>,
    #[cfg(feature = "lancedb")]
    #[command(flatten)]
    shared: shared::Shared,
    /// List the skipped files, with reasons.
    #[arg(long, short, global = true, hide_short_help = true)]
    verbose: bool,
    /// Log events to write: a level (error, warn, info, debug), or levels by crate: sscg_mcp=info,sscg_index=debug.
    ///
    /// They are lines on standard error: updates of the index, loaded and linked graphs, closed projects, requests to
    /// models, and calls by agents, with their times. By default there are none.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "SSCG_LOG",
        hide_env_values = true,
        hide_short_help = true
    )]
    log: Option<String>,
    /// File that log events are appended to, instead of standard error.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "SSCG_LOG_FILE",
        hide_env_values = true,
        hide_short_help = true
    )]
    log_file: Option<PathBuf>,
    /// Print in colors: where a terminal has them, always, or never.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, hide_short_help = true)]
    color: ColorChoice,
    /// Print answers at once, without the pager that SSCG_PAGER or PAGER names (`less -FRX` by default).
    ///
    /// Only answers on a terminal have a pager.
    #[arg(long, global = true, hide_short_help = true)]
    no_pager: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Question(Box<Question>),
    #[command(flatten)]
    Indexing(Indexing),
    #[command(flatten)]
    Setup(Setup),
}

#[derive(Debug, Subcommand)]
enum Question {
    Search(command::search::Search),
    Symbol(command::symbol::Symbol),
    Docs(command::docs::Docs),
    Callers(command::callers::Callers),
    Callees(command::callees::Callees),
    Tests(command::tests::Tests),
    Outline(command::outline::Outline),
    Mentions(command::mentions::Mentions),
    Text(command::text::Text),
    Show(command::show::Show),
    Impact(command::impact::Impact),
    Trace(command::trace::Trace),
    Neighbors(command::neighbors::Neighbors),
    Expand(command::expand::Expand),
    Pack(command::pack::Pack),
    Overview(command::overview::OverviewCommand),
    Vocabulary(command::vocabulary::VocabularyCommand),
    Graph(command::graph::Graph),
    Knowledge(command::knowledge::KnowledgeCommand),
}

#[derive(Debug, Subcommand)]
enum Indexing {
    Index(command::index::Index),
    Status(command::status::Status),
    Watch(command::watch::Watch),
    Export(command::export::Export),
    Gc(command::gc::Gc),
}

#[derive(Debug, Subcommand)]
enum Setup {
    Config(command::config::Config),
    Mcp(command::mcp::Mcp),
    Install(command::install::Install),
    Uninstall(command::install::Uninstall),
    Doctor(command::doctor::Doctor),
    SelfCheck(command::self_check::SelfCheck),
    Completions(command::completions::Completions),
    Man(command::man::Man),
}

/// Outcome of a command: something was found, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandResult {
    Found,
    NothingFound,
}

fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq(["help"]) {
        color::choose(ColorChoice::Auto);
        let _ = Cli::command().override_help(Resettable::Reset).print_long_help();
        return ExitCode::SUCCESS;
    }
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == hook::NAME) {
        hook::run(arguments.next().as_deref());
        return ExitCode::SUCCESS;
    }
    let cli = match parse(arguments_of_command()) {
        Ok(cli) => cli,
        Err(error) => return answer_without_command(&error),
    };
    color::choose(cli.global.color);
    if let Err(failure) = log::start(&cli.global) {
        return failure.report();
    }
    if cli.command.has_pager() && !cli.global.no_pager {
        pager::allow();
    }
    let outcome = cli.command.run(cli.global);
    pager::finish();
    match outcome {
        Ok(CommandResult::Found) => ExitCode::SUCCESS,
        Ok(CommandResult::NothingFound) => ExitCode::from(failure::EXIT_NOTHING_FOUND),
        Err(failure) => failure.report(),
    }
}

/// Prints what the parser of arguments returns instead of a command: help, the version, or a usage error with a hint.
fn answer_without_command(error: &clap::Error) -> ExitCode {
    color::choose(color::choice_in_arguments());
    let _ = error.print();
    // Help and version are answers; everything else is a usage error.
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    if error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
            && let Some(command) = std::env::args().nth(1).filter(|it| it == "search" || it == "text")
        {
            failure::hint(&format!("`sscg {command} -- {option}` searches for it"));
        }
        failure::hint("`sscg --help` lists the commands, `sscg <COMMAND> --help` their options");
    }
    ExitCode::from(failure::EXIT_ERROR)
}

impl Command {
    /// Returns true if the output is an answer to read, not a report of progress or an answer for programs.
    fn has_pager(&self) -> bool {
        matches!(
            self,
            Self::Question(_) | Self::Indexing(Indexing::Status(_)) | Self::Setup(Setup::Config(_))
        )
    }

    fn run(self, global: Global) -> Result<CommandResult, Failure> {
        match self {
            Self::Question(question) => question.run(&global),
            Self::Indexing(indexing) => indexing.run(&global),
            Self::Setup(setup) => setup.run(global),
        }
    }
}

impl Question {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        match self {
            Self::Search(search) => search.run(global),
            Self::Symbol(symbol) => symbol.run(global),
            Self::Docs(docs) => docs.run(global),
            Self::Callers(callers) => callers.run(global),
            Self::Callees(callees) => callees.run(global),
            Self::Tests(tests) => tests.run(global),
            Self::Outline(outline) => outline.run(global),
            Self::Mentions(mentions) => mentions.run(global),
            Self::Text(text) => text.run(global),
            Self::Show(show) => show.run(global),
            Self::Impact(impact) => impact.run(global),
            Self::Trace(trace) => trace.run(global),
            Self::Neighbors(neighbors) => neighbors.run(global),
            Self::Expand(expand) => expand.run(global),
            Self::Pack(pack) => pack.run(global),
            Self::Overview(overview) => overview.run(global),
            Self::Vocabulary(vocabulary) => vocabulary.run(global),
            Self::Graph(graph) => graph.run(global),
            Self::Knowledge(knowledge) => knowledge.run(global),
        }
    }
}

impl Indexing {
    fn run(self, global: &Global) -> Result<CommandResult, Failure> {
        match self {
            Self::Index(index) => index.run(global),
            Self::Status(status) => status.run(global),
            Self::Watch(watch) => watch.run(global),
            Self::Export(export) => export.run(global),
            Self::Gc(gc) => gc.run(global),
        }
    }
}

impl Setup {
    fn run(self, global: Global) -> Result<CommandResult, Failure> {
        match self {
            Self::Config(config) => config.run(&global),
            Self::Mcp(mcp) => mcp.run(global),
            Self::Install(install) => install.run(&global),
            Self::Uninstall(uninstall) => uninstall.run(&global),
            Self::Doctor(doctor) => doctor.run(&global),
            Self::SelfCheck(check) => check.run(&global),
            Self::Completions(completions) => completions.run(&global),
            Self::Man(man) => man.run(&global),
        }
    }
}

/// Parses the command-line arguments. Several words in the place of a command are a question: `sscg "how are retries
/// scheduled"`. A single word is not, as it may be a misspelled command.
fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let error = match Cli::try_parse_from(&arguments) {
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => error,
        parsed => return parsed,
    };
    let question = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if word.trim().contains(char::is_whitespace) => word.as_str(),
        _ => return Err(error),
    };
    let Some(at) = arguments.iter().position(|argument| argument == question) else { return Err(error) };
    let mut arguments = arguments;
    arguments.insert(at, "search".into());
    Cli::try_parse_from(arguments)
}

/// Returns the command-line arguments; a directory before the command, as in `sscg -C src callers f`, is moved behind
/// all options.
fn arguments_of_command() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if let [_, option, _, _, ..] = &arguments[..]
        && option == "-C"
    {
        let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
        arguments[1..end].rotate_left(2);
    }
    arguments
}

/// Writes to standard output.
fn print(text: &str) -> Result<(), Failure> {
    print_painted(&Painted::plain(text))
}

/// Writes to standard output. A closed reader (`sscg ... | head`) ends the command silently.
fn print_painted(text: &Painted) -> Result<(), Failure> {
    pager::write(text).map_err(Failure::Output)
}

/// Writes a line to standard error, for people. Ignores errors: there is no way to report them.
fn note(text: &str) {
    let _ = color::message(text).write(io::stderr().lock());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_help_names_every_command_and_is_short() {
        assert!(SHORT_HELP.len() <= 1_500, "{}", SHORT_HELP.len());
        let words: Vec<&str> = SHORT_HELP.split_whitespace().collect();
        for command in Cli::command().get_subcommands() {
            assert!(words.contains(&command.get_name()), "{}", command.get_name());
        }
        let mut command = Cli::command();
        let search = command.find_subcommand_mut("search").expect("it is there");
        let help = search.render_help().to_string();
        assert!(help.len() <= 1_500, "{} {help}", help.len());
    }
}
