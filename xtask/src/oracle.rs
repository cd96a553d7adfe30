//! `cargo xtask oracle`: the graph's edges compared with those of a compiler for the same source.
//!
//! An *oracle* turns a compiler's results into [`Fact`]s: declarations with a complete set of edges, those edges, and
//! uses that it cannot resolve. One evaluator ([`evaluate`]) for all languages compares SSCG's graph of the same
//! directory with the facts. The module of each oracle documents the source of its facts.

mod c;
mod callers;
pub(crate) mod check;
mod csharp;
mod deprecated;
mod evaluate;
mod fact;
mod go;
mod java;
mod places;
mod pycg;
mod python;
mod report;
mod rust;
mod script;
mod ts;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use sscg::{Engine, EngineOptions, Storage};
use sscg_core::Relation;
use sscg_index::Snapshot;

use self::evaluate::Evaluation;
use self::fact::Fact;
use self::places::Rules;
use crate::workspace::rerun_optimized;

/// Measure the graph's edges against a compiler's
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Oracle to use
    #[arg(value_enum)]
    oracle: Oracle,
    /// Package or project
    dir: PathBuf,
    /// Maximum number of examples of each kind of miss
    #[arg(long, default_value_t = 10)]
    examples: usize,
    /// Show only this relation
    #[arg(long)]
    relation: Option<Relation>,
    /// Write the figures to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// The directory holds the cases of PyCG's micro-benchmark (with `python`)
    #[arg(long)]
    pycg: bool,
    /// Number of exact calls shown that no test made, for manual review (with `python`)
    #[arg(long, default_value_t = 0)]
    sample: usize,
    /// Also judge the edges of another program: JSON facts, one per line, as `xtask/peers/codegraph.py` writes them
    #[arg(long)]
    peer: Option<PathBuf>,
    /// Extra package for running the tests (with `python`); may be given more than once
    #[arg(long)]
    require: Vec<String>,
    /// Pass this to `cargo check` instead of `--workspace --all-targets` (with `lists`); may be given more than once
    #[arg(long, allow_hyphen_values = true)]
    cargo: Vec<String>,
    /// Number of parts in which functions are marked in turn (with `lists`)
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..))]
    parts: u32,
    /// Pass this to pytest (with `python`); may be given more than once
    #[arg(long, allow_hyphen_values = true)]
    pytest: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Oracle {
    /// rustc, by the calls in its MIR, and rustdoc
    Rust,
    /// rustc, by its warnings for uses of functions marked as deprecated: completeness of caller lists
    Lists,
    /// The TypeScript checker
    Ts,
    /// Go's type checker
    Go,
    /// The Java compiler
    Java,
    /// Python itself, by the calls that a package's tests make
    Python,
    /// libclang, for C and C++
    C,
    /// Roslyn
    Csharp,
}

impl Oracle {
    fn facts(self, dir: &Path) -> Result<Vec<Fact>> {
        match self {
            Oracle::Rust => rust::facts(dir),
            Oracle::Ts => ts::facts(dir),
            Oracle::Go => go::facts(dir),
            Oracle::Java => java::facts(dir),
            Oracle::C => c::facts(dir),
            Oracle::Csharp => csharp::facts(dir),
            Oracle::Lists => unreachable!("lists are no facts"),
            Oracle::Python => Ok(python::trace(dir, &[], &[])?.facts),
        }
    }

    /// Returns the differences in the oracle's view: Python runs a class's constructor as a call, and its code belongs
    /// only to functions, classes and files; libclang reports expansions of macros.
    fn rules(self) -> Rules {
        let is_python = self == Oracle::Python;
        Rules {
            construction_is_call: is_python,
            variables_are_code: is_python,
            macros_are_targets: self == Oracle::C,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    let dir = args.dir.canonicalize().with_context(|| format!("cannot open {}", args.dir.display()))?;
    if args.pycg {
        return pycg::run(&dir);
    }
    if args.oracle == Oracle::Lists {
        return deprecated::run(&dir, args.parts, &args.cargo, args.examples);
    }
    let mut implicit = Vec::new();
    let facts = match args.oracle {
        Oracle::Python => {
            let trace = python::trace(&dir, &args.require, &args.pytest)?;
            implicit = trace.implicit;
            trace.facts
        }
        other => other.facts(&dir)?,
    };
    ensure!(!facts.is_empty(), "the oracle has nothing to say of {}", dir.display());
    let index = tempfile::tempdir()?;
    let snapshot = snapshot(&dir, index.path())?;
    let evaluation = Evaluation::new(&snapshot.project, &snapshot.graph, &facts, args.oracle.rules());
    print!("{}", report::text(&snapshot, &evaluation, args.relation, args.examples));
    if let Some(path) = &args.peer {
        let printed = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let facts_of_peer = script::parse(&printed)?;
        let rules = args.oracle.rules();
        let peers = Evaluation::peer(&snapshot.project, &snapshot.graph, &facts, &facts_of_peer, rules);
        print!("{}", report::peers(&peers, args.relation));
    }
    if args.oracle == Oracle::Python {
        python::print_implicit(&snapshot, &evaluation, &implicit);
        python::print_sample(&dir, &snapshot, &evaluation, args.sample)?;
    }
    if let Some(path) = args.json {
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        serde_json::to_writer_pretty(file, &report::rows(&evaluation))?;
    }
    Ok(())
}

/// Returns SSCG's snapshot of the directory.
fn snapshot(dir: &Path, index: &Path) -> Result<Arc<Snapshot>> {
    let options = EngineOptions::stored_in(Storage::Directory(index.to_owned()));
    let (snapshot, _) = Engine::open_with(dir, options)?.refresh()?;
    Ok(snapshot)
}
