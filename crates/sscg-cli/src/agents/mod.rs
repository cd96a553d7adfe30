//! Coding agents: where each keeps its configuration, and what a server looks like there.
//!
//! A new agent is one entry of [`AGENTS`].

mod change;
mod entry;
mod file;
mod instructions;
mod json;
mod record;
mod server;
mod toml;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use serde_json::Value;

pub(crate) use change::{Change, Part, What, put_in, take_out};
pub(crate) use entry::{Entry, Field, Launch, is_own, launch_of};
pub(crate) use file::TextFile;
pub(crate) use instructions::Instructions;
pub(crate) use record::Records;
use server::Place;
pub(crate) use server::{Format, Server};

/// The name under which the server is registered.
pub(crate) const NAME: &str = "sscg";

/// A coding agent.
pub(crate) struct Agent {
    /// As `--agent` takes it.
    pub(crate) name: &'static str,
    /// As people call it.
    pub(crate) title: &'static str,
    /// What starts it on a command line.
    program: &'static str,
    /// Its configuration for all projects of a user: the first of these that is there, otherwise the first.
    user: fn(&Home) -> Vec<PathBuf>,
    /// Its configuration for one project, likewise.
    project: &'static [&'static str],
    format: Format,
    /// The keys on the way to its servers, likewise.
    servers: &'static [Place],
    entry: fn(&Launch) -> Entry,
    /// The file in a project that it reads before it starts.
    pub(crate) instructions: &'static str,
}

/// Every agent that can be told of the server.
pub(crate) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        program: "claude",
        user: |home| vec![home.directory("CLAUDE_CONFIG_DIR", "").join(".claude.json")],
        project: &[".mcp.json"],
        format: Format::Json,
        servers: &[&["mcpServers"]],
        entry: |launch| launch.with_type("stdio"),
        instructions: "CLAUDE.md",
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        program: "cursor",
        user: |home| vec![home.path.join(".cursor/mcp.json")],
        project: &[".cursor/mcp.json"],
        format: Format::Json,
        servers: &[&["mcpServers"]],
        entry: |launch| launch.with_type("stdio"),
        instructions: "AGENTS.md",
    },
    Agent {
        name: "codex",
        title: "Codex",
        program: "codex",
        user: |home| vec![home.directory("CODEX_HOME", ".codex").join("config.toml")],
        project: &[".codex/config.toml"],
        format: Format::Toml,
        servers: &[&["mcp_servers"]],
        entry: Launch::plain,
        instructions: "AGENTS.md",
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        program: "code",
        user: |home| vec![home.applications.join("Code/User/mcp.json")],
        project: &[".vscode/mcp.json"],
        format: Format::Json,
        servers: &[&["servers"]],
        entry: |launch| launch.with_type("stdio"),
        instructions: "AGENTS.md",
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        user: |home| vec![home.directory("GEMINI_CLI_HOME", "").join(".gemini/settings.json")],
        project: &[".gemini/settings.json"],
        format: Format::Json,
        servers: &[&["mcpServers"]],
        entry: Launch::plain,
        instructions: "GEMINI.md",
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        program: "opencode",
        user: |home| {
            ["opencode.json", "opencode.jsonc"].map(|name| home.xdg.join("opencode").join(name)).into()
        },
        project: &["opencode.json", "opencode.jsonc"],
        format: Format::Json,
        // Version 2 has a table of its own for servers, and reads what version 1 has.
        servers: &[&["mcp", "servers"], &["mcp"]],
        entry: |launch| {
            let command = [vec![launch.program.clone()], launch.arguments.clone()].concat();
            vec![("type", Field::Text("local".to_owned())), ("command", Field::List(command))]
        },
        instructions: "AGENTS.md",
    },
    Agent {
        name: "zed",
        title: "Zed",
        program: "zed",
        user: |home| vec![home.zed.join("settings.json")],
        project: &[".zed/settings.json"],
        format: Format::Json,
        servers: &[&["context_servers"]],
        entry: Launch::plain,
        instructions: "AGENTS.md",
    },
];

impl Agent {
    /// The file with its configuration for all projects.
    pub(crate) fn user_file(&self, home: &Home) -> PathBuf {
        first_there((self.user)(home))
    }

    /// The file with its configuration for the project in this directory.
    pub(crate) fn project_file(&self, directory: &Path) -> PathBuf {
        first_there(self.project.iter().map(|file| directory.join(file)).collect())
    }

    /// Why this machine seems to have it: its configuration, or its program.
    pub(crate) fn find(&self, home: &Home) -> Option<PathBuf> {
        let file = self.user_file(home);
        let directory = file.parent().filter(|directory| *directory != home.path && directory.is_dir());
        let configured = if file.exists() { Some(file.clone()) } else { directory.map(Path::to_owned) };
        configured.or_else(|| which::which(self.program).ok())
    }

    /// What a configuration of it has under the name of the server.
    pub(crate) fn registered(&self, text: &str) -> Result<Option<Value>, String> {
        self.server(&Launch::default()).registered(text)
    }

    /// What is registered with it.
    pub(crate) fn server(&self, launch: &Launch) -> Server {
        Server { format: self.format, places: self.servers, launch: launch.clone(), entry: self.entry }
    }
}

fn first_there(mut paths: Vec<PathBuf>) -> PathBuf {
    let at = paths.iter().position(|path| path.exists()).unwrap_or(0);
    paths.swap_remove(at)
}

/// The directories of a user in which programs keep their configurations.
pub(crate) struct Home {
    path: PathBuf,
    /// What graphical programs use: `~/.config` on Linux, `~/Library/Application Support` on macOS, `%APPDATA%` on Windows.
    applications: PathBuf,
    /// `~/.config` on every system.
    xdg: PathBuf,
    /// Zed's own.
    zed: PathBuf,
    /// Where SSCG notes what it wrote.
    pub(crate) data: PathBuf,
}

impl Home {
    /// Those of whoever runs this; `None` if the system knows no home directory.
    pub(crate) fn of_user() -> Option<Self> {
        let path = etcetera::home_dir().ok()?;
        let base = etcetera::choose_base_strategy().ok()?;
        let native = etcetera::base_strategy::choose_native_strategy().ok()?;
        let applications = if cfg!(target_os = "macos") { native.data_dir() } else { native.config_dir() };
        let zed = match std::env::consts::OS {
            "windows" => applications.join("Zed"),
            "macos" => path.join(".config/zed"),
            _ => applications.join("zed"),
        };
        let xdg = Xdg::new().ok()?.config_dir();
        Some(Self { applications, xdg, zed, data: base.data_dir().join("sscg"), path })
    }

    /// The directory that an environment variable names, otherwise this one in the home directory.
    fn directory(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named: Option<OsString> = std::env::var_os(variable).filter(|value| !value.is_empty());
        named.map_or_else(|| self.path.join(otherwise), PathBuf::from)
    }
}
