//! `cargo xtask hostile`: pathological files, indexed and queried by the command and the server.

mod families;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::serving::{Client, build, memory};
use families::{FAMILIES, Family};

/// Search projects with one pathological file each, in doubling sizes, by command and server
///
/// Prints for each family the maximum time and memory of the largest file, and the exponent by which time grows with
/// size. Fails if a process ends without an answer or a reported error, takes more than 5 s or 500 MB, or time grows
/// with an exponent above 1.2.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Largest file size (bytes)
    #[arg(long, default_value_t = 1_000_000)]
    bytes: usize,
    /// Number of halvings for smaller files, to measure growth
    #[arg(long, default_value_t = 3)]
    halves: u32,
    /// Use the development build, and ignore its times
    #[arg(long)]
    dev: bool,
    /// Command to test, instead of a fresh build
    #[arg(long, value_name = "SSCG")]
    program: Option<PathBuf>,
    /// Write the files of all families to this directory instead
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Only families with one of these texts in the name
    families: Vec<String>,
}

/// Maximum time of one command or call for one file, in seconds.
const MOST_SECONDS: f64 = 5.0;

/// Maximum memory of a process with one file, in MB.
const MOST_MEMORY: f64 = 500.0;

/// Maximum exponent by which time grows with size.
const MOST_GROWTH: f64 = 1.2;

/// Minimum time for a measurement of growth, in seconds.
const LEAST_SECONDS: f64 = 0.2;

/// Maximum number of measurements of a family whose growth seems too high; the minimum time of each size counts.
const MOST_ROUNDS: usize = 3;

/// Multiple of `MOST_SECONDS` after which a process is killed.
const PATIENCE: f64 = 4.0;

/// File size in continuous integration, in bytes.
const SMALL: usize = 12_000;

/// Time in seconds and memory in MB for one file.
struct Measured {
    seconds: f64,
    memory: f64,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let wanted = |family: &&Family| {
        args.families.is_empty() || args.families.iter().any(|text| family.name.contains(text.as_str()))
    };
    let families: Vec<&Family> = FAMILIES.iter().filter(wanted).collect();
    ensure!(!families.is_empty(), "no family has such a name");
    if let Some(directory) = &args.write {
        return families.iter().try_for_each(|family| write(directory, family, args.bytes));
    }
    let program = match &args.program {
        Some(program) => program.canonicalize()?,
        None => build(!args.dev)?,
    };
    let work = tempfile::tempdir()?;
    let idle = measure(&program, &work.path().join("idle"), "a.js", "const x = 1;\n")?.seconds;
    println!("{:<28} {:>8} {:>8} {:>7}", "family", "s", "MB", "power");
    let mut failures: Vec<String> = Vec::new();
    for (number, family) in families.iter().enumerate() {
        let project = work.path().join(number.to_string());
        let (mut taken, mut failure) = measure_sizes(&args, &program, &project, family, idle)?;
        let growth = growth(&taken, idle);
        let last = taken.pop_last().map_or(Measured { seconds: 0.0, memory: 0.0 }, |(_, last)| last);
        let told = growth.map_or("-".to_owned(), |growth| format!("{growth:.2}"));
        println!("{:<28} {:>8.2} {:>8.0} {told:>7}", family.name, last.seconds, last.memory);
        if failure.is_none() && !args.dev {
            let checks = [
                (last.seconds > MOST_SECONDS, format!("{:.1} s", last.seconds)),
                (last.memory > MOST_MEMORY, format!("{:.0} MB", last.memory)),
                (growth.is_some_and(|growth| growth > MOST_GROWTH), format!("grows by the power of {told}")),
            ];
            let failed: Vec<String> =
                checks.into_iter().filter(|(fails, _)| *fails).map(|(_, text)| text).collect();
            failure = (!failed.is_empty()).then(|| failed.join(", "));
        }
        if let Some(failure) = failure {
            println!("  fails: {failure}");
            failures.push(format!("{}: {failure}", family.name));
        }
    }
    ensure!(
        failures.is_empty(),
        "{} of {} families fail:\n{}",
        failures.len(),
        families.len(),
        failures.join("\n")
    );
    println!("{} families", families.len());
    Ok(())
}

fn write(directory: &Path, family: &Family, bytes: usize) -> Result<()> {
    let ending = family.file.split_once('.').expect("it has an ending").1;
    let file = format!("{}.{ending}", family.name.replace(' ', "_"));
    fs::create_dir_all(directory)?;
    Ok(fs::write(directory.join(file), family.text(bytes))?)
}

/// Measures a family at each size, keyed by the size in bytes, up to the first failure, which is returned as well.
fn measure_sizes(
    args: &Args,
    program: &Path,
    project: &Path,
    family: &Family,
    idle: f64,
) -> Result<(BTreeMap<usize, Measured>, Option<String>)> {
    let mut taken: BTreeMap<usize, Measured> = BTreeMap::new();
    // Repeat, since load by other processes can look like growth.
    for _ in 0..MOST_ROUNDS {
        for halves in (0..=args.halves).rev() {
            let bytes = args.bytes >> halves;
            let measured = match measure(program, project, family.file, &family.text(bytes)) {
                Ok(measured) => measured,
                Err(error) => return Ok((taken, Some(format!("{bytes} bytes: {error:#}")))),
            };
            let known = taken.entry(bytes).or_insert(Measured { seconds: f64::MAX, memory: 0.0 });
            known.seconds = known.seconds.min(measured.seconds);
            known.memory = known.memory.max(measured.memory);
            fs::remove_dir_all(project)?;
        }
        if growth(&taken, idle).is_none_or(|growth| growth <= MOST_GROWTH) {
            break;
        }
    }
    Ok((taken, None))
}

/// Runs all families at one small size, to check in continuous integration that none crashes a process.
pub(crate) fn check_small() -> Result<()> {
    run(Args { bytes: SMALL, halves: 0, dev: true, program: None, write: None, families: Vec::new() })
}

/// Returns the exponent by which time beyond that of an idle process grows with size, from sizes that take long enough
/// to measure.
fn growth(taken: &BTreeMap<usize, Measured>, idle: f64) -> Option<f64> {
    let beyond = taken.iter().map(|(bytes, measured)| (*bytes, measured.seconds - idle));
    let told: Vec<(usize, f64)> = beyond.filter(|(_, seconds)| *seconds >= LEAST_SECONDS).collect();
    let (first, last) = (told.first()?, told.last()?);
    (first.0 < last.0).then(|| (last.1 / first.1).ln() / (last.0 as f64 / first.0 as f64).ln())
}

/// Queries the file's declaration and its callers in all ways, in a project with one other file; returns the maxima.
fn measure(program: &Path, project: &Path, file: &str, text: &str) -> Result<Measured> {
    let (tree, store) = (project.join("tree"), project.join("store"));
    fs::create_dir_all(&tree)?;
    fs::write(tree.join(file), text)?;
    fs::write(tree.join("other.js"), "import { x } from './a';\nexport function other() { return x; }\n")?;
    let is_code = sscg_parse::languages()
        .iter()
        .any(|language| language.extensions.iter().any(|ending| file.strip_prefix("a.") == Some(ending)));
    let asked: &[&[&str]] = if is_code {
        &[
            &["search", "symbol = x"],
            &["search", "what does x do with its members"],
            &["callers", "x"],
            &["outline", file],
            &["show", "x"],
        ]
    } else {
        &[&["docs", "symbol = x"], &["docs", "what is said about x"], &["text", "x"]]
    };
    let mut measured = Measured { seconds: 0.0, memory: 0.0 };
    for words in asked {
        let mut command = Command::new(program);
        command.arg("-C").arg(&tree).args(*words).arg("--index-dir").arg(&store);
        let (seconds, most) = timed(&mut command).with_context(|| words.join(" "))?;
        measured = Measured { seconds: measured.seconds.max(seconds), memory: measured.memory.max(most) };
    }
    let (search, look_up) = if is_code {
        ("search_code", &["callers", "outline", "show"][..])
    } else {
        ("doc_search", &["text"][..])
    };
    let mut client = Client::start(program, &tree, &project.join("served"), "search,docs")?;
    let calls = [json!({ "name": search, "arguments": { "query": "symbol = x" } })].into_iter().chain(look_up.iter().map(
        |mode| json!({ "name": "look_up", "arguments": { "mode": mode, "names": [if *mode == "outline" { file } else { "x" }] } }),
    ));
    for call in calls {
        let start = Instant::now();
        // A lookup may find nothing, but the server must answer.
        let message = client.ask("tools/call", &call).with_context(|| format!("the server, asked {call}"))?;
        let is_answered = message["error"].is_null() && !message.to_string().contains("mistake in SSCG");
        ensure!(is_answered, "the server, asked {call}: {message}");
        measured.seconds = measured.seconds.max(start.elapsed().as_secs_f64());
    }
    measured.memory = measured.memory.max(memory(client.id(), "VmHWM").unwrap_or_default());
    Ok(measured)
}

/// Returns the time in seconds and peak memory in MB of a command, which must end by itself with an answer or a
/// reported error.
fn timed(command: &mut Command) -> Result<(f64, f64)> {
    let start = Instant::now();
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut most = 0.0_f64;
    let status = loop {
        if let Some(status) = process.try_wait()? {
            break status;
        }
        most = most.max(memory(process.id(), "VmHWM").unwrap_or_default());
        if start.elapsed().as_secs_f64() > PATIENCE * MOST_SECONDS {
            process.kill()?;
            process.wait()?;
            bail!("not done after {:.0} s, with {most:.0} MB", PATIENCE * MOST_SECONDS);
        }
        thread::sleep(Duration::from_millis(2));
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut said = String::new();
    process.stderr.take().expect("it is a pipe").read_to_string(&mut said)?;
    // A parser that panics costs its file the declarations, not the command its answer.
    let is_harmless = !said.contains("Usage: ") && !said.contains("panicked at");
    ensure!(status.code().is_some_and(|code| code <= 2) && is_harmless, "{status}: {said}");
    Ok((seconds, most))
}
