//! Answers of a separate process for each question, from an existing index.

use anyhow::Result;

use super::Subject;
use super::peers::Ck;
use super::sscg::Sscg;
use crate::bench::times::Times;

/// Times each question about each tree, and prints a row per tree.
pub(super) fn run(subjects: &[Subject], sscg: &Sscg, ck: Option<&Ck>, rounds: usize) -> Result<()> {
    println!("\nLater answers, a process for each, in ms: median / 95% within\n");
    println!("| repository | sscg | ck | ratio |");
    println!("| --- | --- | --- | --- |");
    for Subject { name, root, questions } in subjects {
        let store = tempfile::tempdir()?;
        sscg.answer(&questions[0], root, store.path())?;
        let ck =
            ck.map(|ck| Ok::<_, anyhow::Error>((ck, ck.index(name, root, &questions[0])?))).transpose()?;
        let (mut ours, mut theirs) = (Times::default(), Times::default());
        for round in 0..=rounds {
            for question in questions {
                let our_time = sscg.answer(question, root, store.path())?;
                let their_time = ck.as_ref().map(|(ck, copy)| ck.answer(question, copy)).transpose()?;
                if round > 0 {
                    ours.push(our_time);
                    their_time.into_iter().for_each(|time| theirs.push(time));
                }
            }
        }
        if ck.is_some() {
            println!("| {name} | {ours} | {theirs} | {:.2} |", ours.median() / theirs.median());
        } else {
            println!("| {name} | {ours} | - | - |");
        }
    }
    Ok(())
}
