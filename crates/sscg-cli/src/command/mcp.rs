//! `sscg mcp`

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use sscg_mcp::{HttpServerOptions, ProjectOptions, Recorder, Server, ServerOptions, Toolset};

use super::{answering_for, options, published_projects, run_server};
use crate::configuration::Flag;
use crate::failure::Failure;
use crate::model::Model;
use crate::rerank::{self, Rerank};
use crate::{CommandResult, Global, log, note};

/// Serve agents over the Model Context Protocol: one tool, `search_code`, and more if asked for.
///
/// Uses standard input and output unless --http gives an address. Without a path, the roots of the client are searched,
/// or the current directory if it names none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sscg mcp
  sscg mcp ~/src/shop --tools search,docs
  sscg mcp --http 127.0.0.1:7700
  SSCG_TOKEN=... sscg mcp --http 0.0.0.0:7700 --token-env SSCG_TOKEN")]
pub(crate) struct Mcp {
    /// Directories that clients may search; each is a project. With a shared index, names of projects in it.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Directories that clients may search.
    #[arg(long = "directory", short = 'C', value_name = "DIR", conflicts_with = "paths", hide = true)]
    directories: Vec<PathBuf>,
    /// Sets of tools to offer: search, index, docs, graph, knowledge, or all.
    #[arg(long, value_name = "SETS", default_value = "search")]
    tools: String,
    /// Listen at this address and port instead, for clients at http://ADDRESS/mcp; a port alone is local.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,
    /// Environment variable with the token that HTTP clients must send as `Authorization: Bearer`. Needed for an
    /// address that other machines can reach.
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,
    /// List every argument of each tool. By default only those that most calls need are listed, and all are accepted.
    #[arg(long)]
    all_arguments: bool,
    /// Do not send the same code twice in a session: `... 40-62 sent before` stands for it. Not for agents that share a
    /// connection.
    #[arg(long)]
    session_memory: bool,
    /// Send answers as `structuredContent`, too: typed data without source code. Several clients show an agent only
    /// that where it is present.
    #[arg(long)]
    structured: bool,
    /// Append a line of JSON to this file after each call: the tool, the time, sizes of arguments and result, number of
    /// results. No text of questions or answers.
    #[arg(long, value_name = "FILE", env = "SSCG_RECORD", hide_env_values = true)]
    record: Option<PathBuf>,
    /// Estimated memory of all open projects in MB; the least recently used ones are closed [default: 1024, or half of
    /// --max-memory if that is less]
    #[arg(long, value_name = "MB")]
    open_memory: Option<usize>,
    #[command(flatten)]
    model: Model,
    #[command(flatten)]
    rerank: Rerank,
}

/// Returns a recorder that appends each call to a file, as a line of JSON.
fn recorder(path: &Path) -> Result<Recorder, Failure> {
    let file = Mutex::new(log::append_to(path)?);
    let path = path.to_owned();
    Ok(Arc::new(move |record| {
        let line = serde_json::to_string(record).expect("it is plain data") + "\n";
        let written = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written {
            tracing::warn!("cannot write {}: {error}", path.display());
        }
    }))
}

/// Returns the options of a project, as `sscg search` opens it. With a shared index, `root` is its name, and the current
/// directory has the configuration.
fn open(root: &Path, global: &Global, flags: &[Flag]) -> Result<ProjectOptions, Failure> {
    let config = global.configure(if root.is_absolute() { root } else { Path::new(".") }, flags)?;
    let mut engine = answering_for(options(&config)?, root, global, &config)?;
    engine.reranker = rerank::open(&config.rerank)?;
    engine.rerank = config.rerank.options;
    Ok(ProjectOptions::default()
        .with_engine(engine)
        .with_search(config.search)
        .with_graph(config.graph)
        .with_knowledge(config.knowledge))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "write ADDRESS:PORT, such as 127.0.0.1:7700".to_owned())
}

impl Mcp {
    /// True if the server searches the directory that it is started in, or that the client names.
    pub(crate) fn searches_current_directory(&self) -> bool {
        self.paths.is_empty() && self.directories.is_empty()
    }

    pub(crate) fn run(self, global: Global) -> Result<CommandResult, Failure> {
        let token = self.token()?;
        let Self {
            paths,
            directories,
            tools,
            http,
            all_arguments,
            session_memory,
            structured,
            record,
            open_memory,
            model,
            rerank,
            ..
        } = self;
        let paths = if directories.is_empty() { paths } else { directories };
        let flags = [model.flag(), rerank.flag()];
        let published = published_projects(&global, &paths)?;
        let follow_client = paths.is_empty() && published.is_none();
        let roots = match &published {
            Some(_) => Vec::new(),
            None if paths.is_empty() => vec![PathBuf::from(".")],
            None => paths,
        };
        // Errors in the configuration are reported when a project is opened.
        let layers = global.read_layers(Path::new("."), &[]).ok();
        let max_memory = layers.and_then(|layers| layers.config().index.max_memory());
        let default = ServerOptions::default();
        let memory = open_memory.map(|megabytes| megabytes.saturating_mul(1 << 20));
        // The other half is for projects that are being indexed.
        let memory =
            memory.unwrap_or_else(|| max_memory.map_or(default.memory, |most| default.memory.min(most / 2)));
        let mut options = default
            .with_roots(roots)
            .with_published(published.unwrap_or_default())
            .with_follow_client(follow_client)
            .with_toolsets(Toolset::parse_list(&tools).map_err(sscg::Error::from)?)
            .with_all_arguments(all_arguments)
            .with_session_memory(session_memory)
            .with_structured(structured)
            .with_memory(memory)
            .with_open(Arc::new(move |root: &Path| open(root, &global, &flags).map_err(Failure::into_error)));
        options.recorder = record.as_deref().map(recorder).transpose()?;
        let server = Server::new(options)?;
        run_server(async |stop| {
            let Some(address) = http else { return server.serve_stdio(stop.notified()).await };
            let mut options = HttpServerOptions::new(address);
            options.token = token;
            let listening = server.listen(options).await?;
            note(&format!("listening at {}", listening.url()));
            listening.serve(stop.notified()).await;
            Ok(())
        })??;
        Ok(CommandResult::Found)
    }

    /// Returns the token that clients must send.
    fn token(&self) -> Result<Option<String>, Failure> {
        let Some(variable) = &self.token_env else { return Ok(None) };
        match std::env::var(variable) {
            Ok(token) if !token.trim().is_empty() => Ok(Some(token)),
            _ => {
                let message = format!("the environment variable {variable} holds no token");
                let hint = format!("set it to a long random text: export {variable}=$(openssl rand -hex 32)");
                Err(sscg::Error::project(message, hint).into())
            }
        }
    }
}
