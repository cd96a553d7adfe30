//! Programs that embed SSCG, in `examples/`. Run one with `cargo run -p sscg-examples --example quickstart -- [PATH]`.
//!
//! Programs that judge findings are called as `FINDINGS [PATH] [--server COMMAND]`.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, io};

use serde::de::DeserializeOwned;
use sscg_mcp::client::Client;
use sscg_mcp::{Server, ServerOptions, Toolset};

/// Input of a program: findings, and a client of the server that has more information on them than their linter.
pub struct Given<F> {
    /// Findings, one JSON object after another.
    pub findings: Vec<F>,
    /// Client of the server that `--server` starts, or of one within the program, on the directory PATH.
    pub client: Client,
}

impl<F: DeserializeOwned> Given<F> {
    /// Reads the arguments of the program, and the file of findings; `-` is standard input.
    ///
    /// # Errors
    /// If an argument is missing or unknown, the findings cannot be read, or PATH is not a directory. The text names
    /// the cause.
    pub fn from_arguments() -> Result<Self, String> {
        let (mut names, mut command) = (Vec::new(), None);
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--server" => command = Some(arguments.next().ok_or("--server wants a command")?),
                option if option.starts_with("--") => return Err(format!("there is no option {option}")),
                _ => names.push(argument),
            }
        }
        let mut names = names.into_iter();
        let findings =
            names.next().ok_or("usage: FINDINGS [PATH] [--server COMMAND]; FINDINGS is a file, or -")?;
        let path = PathBuf::from(names.next().unwrap_or_else(|| ".".to_owned()));
        let client = match command {
            Some(command) => of_command(&command)?,
            None => of_directory(path)?,
        };
        Ok(Self { findings: read(&findings)?, client })
    }
}

fn read<F: DeserializeOwned>(name: &str) -> Result<Vec<F>, String> {
    let text = if name == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(name) };
    let text = text.map_err(|error| format!("{name} cannot be read: {error}"))?;
    let findings = serde_json::Deserializer::from_str(&text).into_iter().zip(1..);
    findings
        .map(|(finding, number)| finding.map_err(|error| format!("{name}: finding {number}: {error}")))
        .collect()
}

fn of_command(command: &str) -> Result<Client, String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("--server wants a command")?;
    Ok(Client::of_command(program, words))
}

fn of_directory(path: PathBuf) -> Result<Client, String> {
    // The client reads data, not text, and no user is waiting: a late answer is better than none.
    let options = ServerOptions::default()
        .with_roots(vec![path])
        .with_toolsets(vec![Toolset::Knowledge])
        .with_structured(true)
        .with_max_wait(Duration::from_secs(100));
    Ok(Client::of_server(Server::new(options).map_err(|error| error.to_string())?))
}
