//! Answers about a large tree.

use std::time::Instant;

use anyhow::{Context, Result};
use sscg::{Engine, EngineOptions, Storage};

use super::Subject;
use super::warm::{Warm, ask};
use crate::bench::times::Times;

/// Indexes the tree, reads its snapshot from disk, runs each question, and prints the times.
pub(super) fn run(Subject { root, questions, .. }: &Subject, rounds: usize) -> Result<()> {
    let store = tempfile::tempdir()?;
    let options = EngineOptions::stored_in(Storage::Directory(store.path().to_owned()));
    let engine = Engine::open_with(root, options)?;
    let start = Instant::now();
    let (snapshot, _) = engine.refresh()?;
    let index = start.elapsed().as_secs_f64();
    engine.save()?;
    let (mut open, mut warm) = (Times::default(), Warm::default());
    for round in 0..=rounds {
        let stored = engine.store().context("it is kept in a directory")?;
        let start = Instant::now();
        let read = stored.snapshot(&root.to_string_lossy())?.context("it was saved")?;
        let opened = start.elapsed();
        drop(read);
        let asked = ask(&engine, &snapshot, questions)?;
        if round > 0 {
            open.push(opened);
            warm.add(asked);
        }
    }
    let (files, chunks) = (snapshot.project.files().len(), snapshot.project.chunk_count());
    println!(
        "\nA large tree: {files} files, {chunks} chunks, {} questions; indexed in {index:.1} s\n",
        questions.len()
    );
    println!("| in ms | median / 95% within |");
    println!("| --- | --- |");
    println!("| open the snapshot | {open} |");
    println!("| sscg ranking | {} |", warm.rank);
    println!("| sscg answer | {} |", warm.answer);
    Ok(())
}
