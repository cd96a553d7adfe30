//! `cargo xtask bench serve`: the MCP server's load capacity, start time and memory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use ureq::Agent;

use super::times::{Times, median};
use crate::serving::{Client, Serving, VERSION, answer, build, command, hello, memory};
use crate::workspace::output;

/// Query a server of the released command from many clients at once, and time its start and answers
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Project to serve
    #[arg(long, value_name = "DIR")]
    project: PathBuf,
    /// Number of concurrent clients over HTTP
    #[arg(long, default_value_t = 32)]
    clients: usize,
    /// Duration (s)
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Their query; may be given more than once
    #[arg(long, default_values_t = QUESTIONS.map(str::to_owned))]
    question: Vec<String>,
    /// Number of measurements of the start and warm answers
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Command to measure, instead of a fresh build
    #[arg(long, value_name = "SSCG")]
    program: Option<PathBuf>,
}

/// Questions that apply to code of any kind.
const QUESTIONS: [&str; 8] = [
    "how are errors reported",
    "where is the configuration read",
    "open and close a connection",
    "parse the headers of a message",
    "what happens on a timeout",
    "write data to a stream",
    "cache of results",
    "which tests cover redirects",
];

pub(super) fn run(args: &Args) -> Result<()> {
    let program = match &args.program {
        Some(program) => program.canonicalize()?,
        None => build(true)?,
    };
    let project = args.project.canonicalize()?;
    let store = tempfile::tempdir()?;
    single(args, &program, &project, store.path())?;
    many(args, &program, &project, store.path())
}

/// Measures one client over standard input and output.
fn single(args: &Args, program: &Path, project: &Path, store: &Path) -> Result<()> {
    output(Command::new(program).arg("index").arg(project).arg("--index-dir").arg(store))?;
    let mut starts = Times::default();
    for _ in 0..args.rounds {
        let start = Instant::now();
        let mut client = Client::start(program, project, store, "search")?;
        client.ask("tools/list", &json!({}))?;
        starts.push(start.elapsed());
    }
    let mut client = Client::start(program, project, store, "search")?;
    let text = client.call(&call(&args.question[0]))?;
    let mut warm = Times::default();
    for round in 0..=args.rounds {
        for question in &args.question {
            let start = Instant::now();
            client.call(&call(question))?;
            if round > 0 {
                warm.push(start.elapsed());
            }
        }
    }
    let resident = memory(client.id(), "VmRSS")?;
    println!("{}, first answer: {}", project.display(), text.lines().next().unwrap_or_default());
    println!("\n| over stdio | asked for | median / 95% within |");
    println!("| --- | --- | --- |");
    println!("| start to the answer to tools/list, ms | 50 | {starts} |");
    println!("| search_code, warm, ms | 15 | {warm} |");
    println!("| resident memory after it, MB | 150 | {resident:.0} |");
    Ok(())
}

/// Measures many clients over HTTP.
fn many(args: &Args, program: &Path, project: &Path, store: &Path) -> Result<()> {
    let serving = Serving::start(&mut command(program, project, store, "search"))?;
    let url = &*serving.url;
    // All clients are connected, and each question has run once, before the clock starts.
    let sessions = (0..args.clients).map(|_| Session::start(url)).collect::<Result<Vec<_>>>()?;
    for question in &args.question {
        sessions[0].search(question)?;
    }
    let time = Duration::from_secs(args.seconds);
    let begin = Instant::now();
    let (times, resident) = thread::scope(|scope| {
        let clients: Vec<_> = sessions
            .iter()
            .enumerate()
            .map(|(nth, session)| {
                scope.spawn(move || -> Result<Times> {
                    let mut times = Times::default();
                    for question in args.question.iter().cycle().skip(nth) {
                        if begin.elapsed() >= time {
                            break;
                        }
                        let start = Instant::now();
                        session.search(question)?;
                        times.push(start.elapsed());
                    }
                    Ok(times)
                })
            })
            .collect();
        let mut resident = Vec::new();
        while begin.elapsed() < time {
            thread::sleep(Duration::from_millis(500));
            resident.push(memory(serving.id(), "VmRSS")?);
        }
        let mut all = Times::default();
        for client in clients {
            all.extend(client.join().expect("a client does not panic")?);
        }
        Ok::<_, anyhow::Error>((all, resident))
    })?;
    let took = begin.elapsed().as_secs_f64();
    let (p50, p95, p99) = (times.within(0.5), times.within(0.95), times.within(0.99));
    println!("\n| {} clients over HTTP, {} s | asked for | |", args.clients, args.seconds);
    println!("| --- | --- | --- |");
    println!("| requests, none failed | | {} |", times.count());
    println!("| requests/s | | {:.0} |", times.count() as f64 / took);
    println!("| p50, p95, p99, ms | | {p50:.0}, {p95:.0}, {p99:.0} |");
    println!("| p99 / p50 | 20 | {:.1} |", p99 / p50);
    println!(
        "| resident memory in each fifth of the time, median / highest, MB | flat | {} |",
        fifths(&resident)
    );
    Ok(())
}

/// Returns the median and the highest of values in each fifth of the time. Single values differ by what is answered
/// just then.
fn fifths(values: &[f64]) -> String {
    let parts = (0..5).map(|at| &values[at * values.len() / 5..(at + 1) * values.len() / 5]);
    let parts = parts.filter(|part| !part.is_empty()).map(|part| {
        let highest = part.iter().copied().fold(0.0, f64::max);
        format!("{:.0} / {highest:.0}", median(part))
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn call(question: &str) -> Value {
    json!({ "name": "search_code", "arguments": { "query": question } })
}

/// Client over HTTP.
struct Session<'a> {
    agent: Agent,
    url: &'a str,
    id: String,
}

impl<'a> Session<'a> {
    fn start(url: &'a str) -> Result<Self> {
        let mut session = Self { agent: Agent::new_with_defaults(), url, id: String::new() };
        let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello() });
        let (id, _) = session.post(&begin)?;
        session.id = id;
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Sends a message; returns the session ID, if present, and the response body.
    fn post(&self, message: &Value) -> Result<(String, String)> {
        let mut request = self
            .agent
            .post(self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if !self.id.is_empty() {
            request = request.header("Mcp-Session-Id", &self.id).header("Mcp-Protocol-Version", VERSION);
        }
        let mut response = request.send(message.to_string())?;
        let id = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok());
        let id = id.unwrap_or_default().to_owned();
        Ok((id, response.body_mut().read_to_string()?))
    }

    fn search(&self, question: &str) -> Result<()> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call(question) });
        let (_, text) = self.post(&message)?;
        let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let found = lines
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|message| message.get("id").is_some());
        let text = answer(&found.with_context(|| format!("no message: {text:?}"))?)?;
        ensure!(!text.is_empty(), "an empty answer");
        Ok(())
    }
}
