//! Time from nothing to the first answer.

use anyhow::Result;

use super::Subject;
use super::peers::Semble;
use super::sscg::Sscg;
use crate::bench::times::{Times, median};

/// Times the first answer about each tree, and prints a row per tree.
pub(super) fn run(subjects: &[Subject], sscg: &Sscg, semble: &mut Semble, rounds: usize) -> Result<()> {
    println!(
        "\nFrom nothing to the first answer, median in ms; what semble takes in a process that has imported"
    );
    println!("and read all it needs, with and without more processes, whichever is faster\n");
    println!("| repository | sscg | semble | ratio | semble in process | ratio |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let (mut whole, mut inner) = (Vec::new(), Vec::new());
    for Subject { name, root, questions } in subjects {
        let question = &questions[0];
        let (mut ours, mut theirs) = (Times::default(), Times::default());
        let mut in_process = [0, rayon::current_num_threads()].map(|workers| (workers, Times::default()));
        for round in 0..=rounds {
            let store = tempfile::tempdir()?;
            let our_time = sscg.answer(question, root, store.path())?;
            let their_time = semble.first_answer(question, root)?;
            if round > 0 {
                ours.push(our_time);
                theirs.push(their_time);
            }
            for (workers, times) in &mut in_process {
                let opened = semble.open(question, root, *workers)?;
                times.extend((round > 0).then_some(opened.ms));
            }
        }
        let (ours, theirs) = (ours.median(), theirs.median());
        let in_process =
            in_process.map(|(_, times)| times.median()).into_iter().fold(f64::INFINITY, f64::min);
        whole.push(ours / theirs);
        inner.push(ours / in_process);
        println!(
            "| {name} | {ours:.0} | {theirs:.0} | {:.2} | {in_process:.0} | {:.2} |",
            ours / theirs,
            ours / in_process
        );
    }
    println!("| median | | | {:.2} | | {:.2} |", median(&whole), median(&inner));
    Ok(())
}
