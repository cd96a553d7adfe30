//! Damage to any file of the index directory costs at most a warning.

use std::fs;
use std::path::PathBuf;

use crate::random::Random;
use crate::sandbox::{Run, Sandbox};

const QUESTION: [&str; 4] = ["search", "how is the shortest path found", "--format", "verbose"];

fn ask(sandbox: &Sandbox) -> Run {
    sandbox.run(&QUESTION)
}

/// Change of the bytes of a file.
type Damage = Box<dyn Fn(&mut Vec<u8>)>;

/// Returns every file of the index directory.
fn files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let store = sandbox.store().expect("it was made");
    let entries = fs::read_dir(store.directory()).expect("readable");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() >= 3, "{files:?}");
    files
}

/// Checks that the next run answers with at most a warning, and the one after it without.
fn check_heals(sandbox: &Sandbox, damage: &str) {
    let answer = sandbox.run(&[&QUESTION[..], &["--ephemeral"]].concat());
    let run = ask(sandbox);
    assert_eq!((run.code, &run.stdout), (0, &answer.stdout), "{damage}: {}", run.stderr);
    let is_expected =
        |line: &str| line.starts_with("warning: ") && line.ends_with(" is damaged; it is made anew");
    assert!(run.stderr.lines().all(is_expected), "{damage}: {}", run.stderr);
    assert_eq!(ask(sandbox), answer, "{damage}: the run after it");
}

/// Damages each file in turn, and makes the store write something every other time.
fn check_damage(name: &str, damages: &[Damage]) {
    let sandbox = Sandbox::of_project("parcel");
    let answer = ask(&sandbox);
    assert_eq!((answer.code, &*answer.stderr), (0, ""));
    for file in files(&sandbox) {
        for (at, damage) in damages.iter().enumerate() {
            let mut bytes = fs::read(&file).expect("it was made again");
            damage(&mut bytes);
            fs::write(&file, &bytes).expect("ours");
            if at % 2 == 1 {
                sandbox.write("notes.py", format!("def unrelated_{at}():\n    pass\n"));
                fs::remove_file(sandbox.tree().join("billing/tax.py")).ok();
            }
            check_heals(&sandbox, &format!("{name} {at} of {}", file.display()));
        }
    }
}

#[test]
fn a_flipped_bit_costs_a_warning_at_most() {
    let mut random = Random(1);
    let flip = |_| -> Damage {
        let (place, bit) = (random.fraction(), 1 << random.within(0..8));
        Box::new(move |bytes| {
            let at = (place * bytes.len() as f64) as usize;
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
        })
    };
    check_damage("flip", &(0..8).map(flip).collect::<Vec<_>>());
}

#[test]
fn a_cut_file_costs_a_warning_at_most() {
    let cut =
        |part: f64| -> Damage { Box::new(move |bytes| bytes.truncate((part * bytes.len() as f64) as usize)) };
    check_damage("cut", &[0.0, 0.01, 0.3, 0.5, 0.9, 0.999].map(cut));
}

#[test]
fn noise_in_a_file_costs_a_warning_at_most() {
    let noise = |(from, to): (f64, f64)| -> Damage {
        Box::new(move |bytes| {
            let range = (from * bytes.len() as f64) as usize..(to * bytes.len() as f64) as usize;
            let mut random = Random(2);
            bytes[range].iter_mut().for_each(|byte| *byte = random.within(0..256) as u8);
        })
    };
    check_damage("noise", &[(0.0, 0.1), (0.1, 1.0), (0.0, 1.0), (0.6, 0.7)].map(noise));
}

#[test]
fn a_directory_in_the_place_of_a_file_costs_a_warning_at_most() {
    let sandbox = Sandbox::of_project("parcel");
    ask(&sandbox);
    for file in files(&sandbox) {
        fs::remove_file(&file).expect("ours");
        fs::create_dir(&file).expect("ours");
        fs::write(file.join("inside"), "something").expect("ours");
        // Cause a lock and a write.
        sandbox.write("notes.py", format!("# {}\n", file.display()));
        check_heals(&sandbox, &file.display().to_string());
        assert!(!file.is_dir(), "{}", file.display());
    }
}

#[test]
fn all_files_at_once_may_be_gone() {
    let sandbox = Sandbox::of_project("parcel");
    let answer = ask(&sandbox);
    for file in files(&sandbox) {
        fs::write(&file, "").expect("ours");
    }
    check_heals(&sandbox, "all empty");
    for file in files(&sandbox) {
        fs::remove_file(&file).expect("ours");
    }
    assert_eq!(ask(&sandbox), answer);
}
