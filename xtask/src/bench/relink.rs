//! `cargo xtask bench relink`: a graph that is updated after edits of a real project.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use sscg_core::{Manifests, Project, ProjectFile};
use sscg_graph::{LiveGraph, link};
use sscg_parse::project_file;

use super::Random;
use super::graph::quantiles;
use crate::corpus::sources;

/// Edit files of a real project one at a time, in memory, and update its graph
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Project
    dir: PathBuf,
    /// Edit count
    #[arg(long, default_value_t = 200)]
    edits: usize,
    /// Number of edits between comparisons of the graph with a full link; 0 for never
    #[arg(long, default_value_t = 10)]
    compare: usize,
}

pub(super) fn run(args: Args) -> Result<()> {
    let sources = sources(&args.dir)?;
    let mut texts = sources.iter().map(|source| source.text()).collect::<Result<Vec<_>>>()?;
    ensure!(!texts.is_empty(), "no source files in {}", args.dir.display());
    let file = |at: usize, text: &str| {
        let path = sources[at].path.strip_prefix(&args.dir).expect("sources lie below the directory");
        let path = path.to_string_lossy().replace('\\', "/");
        project_file(&path, text).expect("a source has a language")
    };
    let mut files: Vec<ProjectFile> = texts.par_iter().enumerate().map(|(at, text)| file(at, text)).collect();
    let start = Instant::now();
    let mut live = LiveGraph::new(Arc::new(Project::new(files.clone(), Manifests::default())));
    let full = start.elapsed();
    println!(
        "{} files, {} nodes, {} edges, {} unresolved: linked in {:.0} ms on {} threads",
        files.len(),
        live.graph().node_count(),
        live.graph().edges().len(),
        live.graph().unresolved_references().len(),
        full.as_secs_f64() * 1e3,
        rayon::current_num_threads()
    );

    let mut random = Random(1);
    let (mut bodies, mut interfaces): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    let mut reached = Vec::new();
    for edit in 1..=args.edits {
        let at = random.below(texts.len());
        texts[at] = edited(&texts[at], &mut random);
        files[at] = file(at, &texts[at]);
        let project = Arc::new(Project::new(files.clone(), Manifests::default()));
        let start = Instant::now();
        let linked = live.update(Arc::clone(&project));
        let time = start.elapsed();
        if linked > 1 {
            interfaces.push(time);
            reached.push(linked);
        } else {
            bodies.push(time);
        }
        if args.compare > 0 && edit % args.compare == 0 {
            ensure!(
                **live.graph() == link(&project),
                "edit {edit} left another graph than linking everything makes"
            );
        }
    }
    reached.sort_unstable();
    println!("{:<34} {:>10} {:>10} {:>10}", "following one edit", "p50", "p95", "worst");
    quantiles("that one file sees", &mut bodies);
    quantiles("that others see", &mut interfaces);
    if let (Some(middle), Some(most)) = (reached.get(reached.len() / 2), reached.last()) {
        println!("{:<34} {middle} in the middle, {most} at most", "  files linked for those");
    }
    Ok(())
}

/// Returns the text with a line removed, a line duplicated, or a word replaced.
fn edited(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return "\n".to_owned();
    }
    let at = random.below(lines.len());
    let word = |line: &str| {
        let mut words = line.split(|char: char| !char.is_alphanumeric() && char != '_');
        words.find(|word| word.len() > 2).map(str::to_owned)
    };
    match random.below(3) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at]),
        _ => {
            if let (Some(old), Some(new)) = (word(lines[at]), word(lines[random.below(lines.len())])) {
                return text.replacen(&old, &new, 2);
            }
        }
    }
    lines.join("\n")
}
