//! `cargo xtask bench graph`: walks over a large code graph.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::hint;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use sscg_core::{Id, Manifests, NodeId, Project, ProjectFile, SymbolId};
use sscg_graph::traverse::{
    CallTreeOptions, ExpandOptions, ImpactOptions, TraceOptions, call_tree, expand, impact, trace,
};
use sscg_graph::{CodeGraph, LiveGraph, Node, link};
use sscg_parse::project_file;

use super::Random;

/// Walk a synthetic project's graph: functions that call each other across files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// File count
    #[arg(long, default_value_t = 5000)]
    files: usize,
    /// Functions per file
    #[arg(long, default_value_t = 40)]
    functions: usize,
    /// Calls per function
    #[arg(long, default_value_t = 5)]
    calls: usize,
    /// Walks of each kind
    #[arg(long, default_value_t = 1000)]
    walks: usize,
    /// Edits of each kind
    #[arg(long, default_value_t = 50)]
    edits: usize,
}

pub(super) fn run(args: Args) -> Result<()> {
    ensure!(args.files > 0 && args.functions > 0 && args.edits > 0, "a project has files with functions");
    let project = Arc::new(project(&args));
    let start = Instant::now();
    let graph = link(&project);
    println!(
        "{} nodes, {} edges, linked in {:.0} ms on {} threads",
        graph.node_count(),
        graph.edges().len(),
        start.elapsed().as_secs_f64() * 1e3,
        rayon::current_num_threads()
    );
    println!("{:<34} {:>10} {:>10} {:>10}", "walk", "p50", "p95", "worst");
    let mut random = Random(1);
    let mut pick = || graph.id(Node::Symbol(SymbolId::new(random.below(project.symbol_count()))));
    let starts: Vec<NodeId> = (0..args.walks).map(|_| pick()).collect();
    let ends: Vec<NodeId> = (0..args.walks).map(|_| pick()).collect();
    let hub = graph.id(Node::Symbol(SymbolId::new(0)));
    walks("ego graph, radius 2, 50 nodes", &starts, |node| ego(&graph, node))?;
    walks("ego graph of the hub", &[hub; 20], |node| ego(&graph, node))?;
    let deep = TraceOptions::default().with_max_depth(8);
    let mut found = 0;
    let mut end = ends.iter().copied();
    walks("trace, at most 8 calls", &starts, |node| {
        let paths = trace(&graph, node, end.next().unwrap_or(hub), &deep)?;
        found += usize::from(!paths.is_empty());
        Ok(())
    })?;
    println!("{:<34} {found} of {}", "  of which found a path", starts.len());
    let two = CallTreeOptions::default().with_depth(Some(2));
    walks("call tree, depth 2", &starts, |node| {
        hint::black_box(call_tree(&project, &graph, node, &two)?);
        Ok(())
    })?;
    walks("impact, depth 3, 100 nodes", &starts, |node| {
        hint::black_box(impact(&project, &graph, &[node], &ImpactOptions::default())?);
        Ok(())
    })?;
    drop(graph);
    follow(&args, project)
}

fn ego(graph: &CodeGraph, node: NodeId) -> Result<()> {
    hint::black_box(expand(graph, &[node], &ExpandOptions::default())?);
    Ok(())
}

fn walks(name: &str, starts: &[NodeId], mut walk: impl FnMut(NodeId) -> Result<()>) -> Result<()> {
    let mut times: Vec<Duration> = Vec::with_capacity(starts.len());
    for &start in starts {
        let begun = Instant::now();
        walk(start)?;
        times.push(begun.elapsed());
    }
    quantiles(name, &mut times);
    Ok(())
}

/// Prints one line of the table.
pub(super) fn quantiles(name: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: f64| {
        let place = (times.len().saturating_sub(1) as f64 * share) as usize;
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e6)
    };
    println!("{name:<34} {:>7.0} us {:>7.0} us {:>7.0} us", at(0.5), at(0.95), at(1.0));
}

/// Generates functions that call others of their own and of other files; every tenth call is to the same function, the
/// hub.
fn project(args: &Args) -> Project {
    let files = (0..args.files).into_par_iter().map(|at| file(args, at, ""));
    Project::new(files.collect(), Manifests::default())
}

/// Generates one file of the project, with `more` at its end.
fn file(args: &Args, file: usize, more: &str) -> ProjectFile {
    let mut random = Random(file as u64 + 1);
    let mut imports = BTreeSet::from(["import os\n".to_owned()]);
    let mut body = String::new();
    for function in 0..args.functions {
        writeln!(body, "def f{file}_{function}(value):").expect("a string can be written to");
        for call in 0..args.calls {
            let (other, callee) = match (function * args.calls + call) % 10 {
                0 => (0, 0),
                1..=5 => (file, random.below(args.functions)),
                _ => (random.below(args.files), random.below(args.functions)),
            };
            if other != file {
                imports.insert(format!("from m{other} import f{other}_{callee}\n"));
            }
            writeln!(body, "    f{other}_{callee}(value)").expect("a string can be written to");
        }
        // A call of an external symbol, and one that cannot be resolved.
        let name = random.below(args.files);
        writeln!(body, "    os.call{name}(value)\n    value.gone{name}()")
            .expect("a string can be written to");
    }
    let text = imports.into_iter().collect::<String>() + &body + more;
    project_file(&format!("m{file}.py"), &text).expect("Python is parsed")
}

/// Updates the graph after edits of one file each: edits that only affect the file, and edits that affect its
/// importers.
fn follow(args: &Args, project: Arc<Project>) -> Result<()> {
    let mut live = LiveGraph::new(project);
    let mut random = Random(3);
    let mut edits = |live: &mut LiveGraph, name: &str, more: &str| -> Result<()> {
        let (mut times, mut reached) = (Vec::new(), Vec::new());
        for _ in 0..args.edits {
            let mut files: Vec<ProjectFile> = live.project().files().iter().cloned().collect();
            let at = random.below(files.len());
            let number = files[at].path.trim_start_matches('m').trim_end_matches(".py").parse()?;
            files[at] = file(args, number, more);
            let project = Arc::new(Project::new(files, Manifests::default()));
            let begun = Instant::now();
            reached.push(live.update(Arc::clone(&project)));
            times.push(begun.elapsed());
        }
        ensure!(**live.graph() == link(live.project()), "following edits and linking everything differ");
        reached.sort_unstable();
        quantiles(name, &mut times);
        println!("{:<34} {} in the middle", "  files linked", reached[reached.len() / 2]);
        Ok(())
    };
    edits(&mut live, "follow an edit of a body", "    f0_0(value)\n    os.more(value)\n    value.more()\n")?;
    edits(&mut live, "follow an edit that others see", "def more(value):\n    f0_0(value)\n")
}
