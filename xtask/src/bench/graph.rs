//! `cargo xtask bench graph`: walks over a large code graph.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::hint;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use sscg_core::{Id, NodeId, Project, ProjectFile, SymbolId};
use sscg_graph::traverse::{
    CallTreeOptions, ExpandOptions, ImpactOptions, TraceOptions, call_tree, expand, impact, trace,
};
use sscg_graph::{CodeGraph, Node, link};

/// Walk a made-up project's graph: functions that call each other over many files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many files
    #[arg(long, default_value_t = 2000)]
    files: usize,
    /// How many functions in each
    #[arg(long, default_value_t = 100)]
    functions: usize,
    /// How many calls in each function
    #[arg(long, default_value_t = 5)]
    calls: usize,
    /// How many walks of each kind
    #[arg(long, default_value_t = 1000)]
    walks: usize,
}

pub(super) fn run(args: Args) -> Result<()> {
    ensure!(args.files > 0 && args.functions > 0, "a project has files with functions");
    let project = project(&args);
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
    let deep = TraceOptions { max_depth: 8, ..TraceOptions::default() };
    let mut found = 0;
    let mut end = ends.iter().copied();
    walks("trace, at most 8 calls", &starts, |node| {
        let paths = trace(&graph, node, end.next().unwrap_or(hub), &deep)?;
        found += usize::from(!paths.is_empty());
        Ok(())
    })?;
    println!("{:<34} {found} of {}", "  of which found a path", starts.len());
    let two = CallTreeOptions { depth: Some(2), ..CallTreeOptions::default() };
    walks("call tree, depth 2", &starts, |node| {
        hint::black_box(call_tree(&project, &graph, node, &two)?);
        Ok(())
    })?;
    walks("impact, depth 3, 100 nodes", &starts, |node| {
        hint::black_box(impact(&project, &graph, node, &ImpactOptions::default())?);
        Ok(())
    })?;
    Ok(())
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
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    println!("{name:<34} {:>7.0} us {:>7.0} us {:>7.0} us", at(0.5), at(0.95), at(1.0));
    Ok(())
}

/// Functions that call others of their own and of other files, every tenth call the same one: the hub.
fn project(args: &Args) -> Project {
    let language = sscg_parse::by_name("python").expect("a language of the registry");
    let file = |file: usize| {
        let mut random = Random(file as u64 + 1);
        let mut imports = BTreeSet::new();
        let mut body = String::new();
        for function in 0..args.functions {
            writeln!(body, "def f{file}_{function}():").expect("a string can be written to");
            for call in 0..args.calls {
                let (other, callee) = match (function * args.calls + call) % 10 {
                    0 => (0, 0),
                    1..=5 => (file, random.below(args.functions)),
                    _ => (random.below(args.files), random.below(args.functions)),
                };
                if other != file {
                    imports.insert(format!("from m{other} import f{other}_{callee}\n"));
                }
                writeln!(body, "    f{other}_{callee}()").expect("a string can be written to");
            }
        }
        let text = imports.into_iter().collect::<String>() + &body;
        let facts = Arc::new(sscg_parse::extract(language, "py", &text));
        ProjectFile { path: format!("m{file}.py").into(), language, facts }
    };
    Project::new((0..args.files).into_par_iter().map(file).collect(), Vec::new())
}

/// Numbers that look random and are the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end as u64) as usize
    }
}
