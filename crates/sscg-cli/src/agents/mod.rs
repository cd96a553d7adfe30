//! Coding agents: the location of their configurations, and the form of a server in them.
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
use server::KeyPath;
pub(crate) use server::{Format, Server};

/// Name under which the server is registered.
pub(crate) const NAME: &str = "sscg";

/// Coding agent.
pub(crate) struct Agent {
    /// Name for `--agent`.
    pub(crate) name: &'static str,
    /// Name for people.
    pub(crate) title: &'static str,
    /// Program on a command line.
    program: &'static str,
    /// Configuration files for all projects of a user: the first existing one is used, otherwise the first.
    user: fn(&Home) -> Vec<PathBuf>,
    /// Configuration files for one project, likewise.
    project: &'static [&'static str],
    format: Format,
    /// Key paths to its servers: the first existing one is used, otherwise the last.
    servers: &'static [KeyPath],
    entry: fn(&Launch) -> Entry,
    /// File in a project that it reads before it starts.
    pub(crate) instructions: &'static str,
}

/// Agents that the server can be registered with.
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
        // Version 2 has a separate table for servers, and also reads that of version 1.
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
    /// Returns the configuration file for all projects.
    pub(crate) fn user_file(&self, home: &Home) -> PathBuf {
        first_there((self.user)(home))
    }

    /// Returns the configuration file for the project in this directory.
    pub(crate) fn project_file(&self, directory: &Path) -> PathBuf {
        first_there(self.project.iter().map(|file| directory.join(file)).collect())
    }

    /// Returns a sign that the agent is installed: its configuration, or its program.
    pub(crate) fn find(&self, home: &Home) -> Option<PathBuf> {
        let file = self.user_file(home);
        let directory = file.parent().filter(|directory| *directory != home.path && directory.is_dir());
        let configured = if file.exists() { Some(file.clone()) } else { directory.map(Path::to_owned) };
        configured.or_else(|| which::which(self.program).ok())
    }

    /// Returns the entry under the name of the server in a configuration.
    pub(crate) fn registered(&self, text: &str) -> Result<Option<Value>, String> {
        self.server(&Launch::default()).registered(text)
    }

    /// Returns the server to register with the agent.
    pub(crate) fn server(&self, launch: &Launch) -> Server {
        Server { format: self.format, places: self.servers, launch: launch.clone(), entry: self.entry }
    }
}

fn first_there(mut paths: Vec<PathBuf>) -> PathBuf {
    let at = paths.iter().position(|path| path.exists()).unwrap_or(0);
    paths.swap_remove(at)
}

/// Directories of a user with the configurations of programs.
pub(crate) struct Home {
    path: PathBuf,
    /// Directory of graphical programs: `~/.config` on Linux, `~/Library/Application Support` on macOS, `%APPDATA%` on
    /// Windows.
    applications: PathBuf,
    /// `~/.config` on every system.
    xdg: PathBuf,
    /// Zed's own directory.
    zed: PathBuf,
    /// Directory of the record of SSCG's changes.
    pub(crate) data: PathBuf,
}

impl Home {
    /// Returns the directories of the current user; `None` without a home directory.
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

    /// Returns the directory in an environment variable, otherwise this one in the home directory.
    fn directory(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named: Option<OsString> = std::env::var_os(variable).filter(|value| !value.is_empty());
        named.map_or_else(|| self.path.join(otherwise), PathBuf::from)
    }
}
