//! Coding agents: the location of their configurations, and the form of a server in them.
//!
//! A new agent is one entry of [`AGENTS`].

mod change;
mod document;
mod entry;
mod file;
mod hook;
mod instructions;
mod json;
mod record;
mod server;
mod settings;
mod toml;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use serde_json::Value;

pub(crate) use change::{Change, Part, What, put_in, take_out};
pub(crate) use document::Document;
pub(crate) use entry::{Entry, Field, Launch, is_own, launch_of};
pub(crate) use file::TextFile;
use hook::Nesting;
pub(crate) use hook::{Hook, HookForm};
pub(crate) use instructions::Instructions;
pub(crate) use record::Records;
use server::KeyPath;
pub(crate) use server::{Format, Server};
use settings::Settings;

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
    /// Directories of its skills.
    skills: Directory,
    /// Directories of its subagents, and the lines that a subagent has in its head besides a description.
    subagents: Option<(Directory, &'static str)>,
    /// Settings for all projects with its hooks, and the form of a hook there.
    hooks: Option<(UserFile, HookForm)>,
}

/// File or directory for all projects of a user.
type UserFile = fn(&Home) -> PathBuf;

/// Directory of an agent: for all projects of a user, and in a project.
struct Directory {
    user: UserFile,
    project: &'static str,
}

/// Projects that something is installed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// All projects.
    User,
    /// This one, for everyone on the project.
    Project,
}

/// Files of our own in the directories of an agent, by their names for people.
pub(crate) type Documents = Vec<(&'static str, PathBuf, Document)>;

/// Directories that several agents read.
const SHARED_SKILLS: Directory =
    Directory { user: |home| home.path.join(".agents/skills"), project: ".agents/skills" };

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
        skills: Directory { user: |home| home.claude().join("skills"), project: ".claude/skills" },
        subagents: Some((
            Directory { user: |home| home.claude().join("agents"), project: ".claude/agents" },
            "name: sscg\ntools: mcp__sscg__search_code, mcp__sscg__look_up, mcp__sscg__impact, Read, Grep, Glob\n",
        )),
        hooks: Some((
            |home| home.claude().join("settings.json"),
            HookForm {
                event: "PreToolUse",
                tools: "Grep|Glob|Bash|Read",
                timeout: "5",
                nesting: Nesting::Groups,
            },
        )),
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
        skills: Directory { user: |home| home.path.join(".cursor/skills"), project: ".cursor/skills" },
        subagents: Some((
            Directory { user: |home| home.path.join(".cursor/agents"), project: ".cursor/agents" },
            "name: sscg\nmodel: inherit\nreadonly: true\n",
        )),
        // Its hooks before a call can only allow or refuse it.
        hooks: Some((
            |home| home.path.join(".cursor/hooks.json"),
            HookForm {
                event: "postToolUse",
                tools: "Shell|Grep|Glob|Read",
                timeout: "5",
                nesting: Nesting::Commands,
            },
        )),
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
        skills: SHARED_SKILLS,
        subagents: None,
        hooks: Some((
            |home| home.directory("CODEX_HOME", ".codex").join("hooks.json"),
            HookForm { event: "PreToolUse", tools: "Bash", timeout: "5", nesting: Nesting::Groups },
        )),
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
        skills: Directory { user: |home| home.path.join(".copilot/skills"), project: ".github/skills" },
        subagents: None,
        // They are a preview. It also reads those of Claude Code.
        hooks: None,
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        user: |home| vec![home.gemini().join("settings.json")],
        project: &[".gemini/settings.json"],
        format: Format::Json,
        servers: &[&["mcpServers"]],
        entry: Launch::plain,
        instructions: "GEMINI.md",
        skills: Directory { user: |home| home.gemini().join("skills"), project: ".gemini/skills" },
        subagents: None,
        // Its hooks before a call can only allow, change or refuse it.
        hooks: Some((
            |home| home.gemini().join("settings.json"),
            HookForm {
                event: "AfterTool",
                tools: "grep_search|search_file_content|glob|read_file|run_shell_command",
                timeout: "5000",
                nesting: Nesting::Groups,
            },
        )),
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
        skills: Directory { user: |home| home.xdg.join("opencode/skills"), project: ".opencode/skills" },
        subagents: Some((
            Directory { user: |home| home.xdg.join("opencode/agents"), project: ".opencode/agents" },
            "mode: subagent\n",
        )),
        // They are programs in JavaScript, whose interface differs between its versions 1 and 2.
        hooks: None,
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
        skills: SHARED_SKILLS,
        subagents: None,
        hooks: None,
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

    /// Returns the part of its configuration for all projects: the server, and the hook if both are in one file.
    pub(crate) fn configuration(
        &'static self,
        launch: &Launch,
        has_hook: bool,
        home: &Home,
    ) -> Box<dyn Part> {
        let server = self.server(launch);
        match self.hook(launch, home) {
            Some((path, hook)) if path == self.user_file(home) => {
                Box::new(Settings { server, hook, has_hook })
            }
            _ => Box::new(server),
        }
    }

    /// Returns its hook, and the file for it if the [configuration](Self::configuration) does not have it.
    pub(crate) fn separate_hook(&'static self, launch: &Launch, home: &Home) -> Option<(PathBuf, Hook)> {
        self.hook(launch, home).filter(|(path, _)| *path != self.user_file(home))
    }

    fn hook(&'static self, launch: &Launch, home: &Home) -> Option<(PathBuf, Hook)> {
        let (path, form) = self.hooks.as_ref()?;
        Some((path(home), Hook { form, command: Hook::command(&launch.program, self.name) }))
    }

    /// Returns the files of our own for the agent.
    pub(crate) fn documents(&self, scope: Scope, home: &Home, root: &Path) -> Documents {
        let place = |directory: &Directory| match scope {
            Scope::User => (directory.user)(home),
            Scope::Project => root.join(directory.project),
        };
        let skill = place(&self.skills).join(NAME).join("SKILL.md");
        let mut documents = vec![("skill", skill, Document::skill())];
        documents.extend(self.subagents.as_ref().map(|(directory, head)| {
            ("subagent", place(directory).join(format!("{NAME}.md")), Document::subagent(head))
        }));
        documents
    }

    /// Returns true if the configuration has our server.
    pub(crate) fn has_server(&self, scope: Scope, home: &Home, root: &Path) -> bool {
        let path = match scope {
            Scope::User => self.user_file(home),
            Scope::Project => self.project_file(root),
        };
        let registered =
            TextFile::read(&path).ok().and_then(|file| self.registered(file.text()).ok().flatten());
        registered.is_some_and(|server| is_own(&server))
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

    fn claude(&self) -> PathBuf {
        self.directory("CLAUDE_CONFIG_DIR", ".claude")
    }

    fn gemini(&self) -> PathBuf {
        self.directory("GEMINI_CLI_HOME", "").join(".gemini")
    }

    /// Returns the directory in an environment variable, otherwise this one in the home directory.
    fn directory(&self, variable: &str, otherwise: &str) -> PathBuf {
        let named: Option<OsString> = std::env::var_os(variable).filter(|value| !value.is_empty());
        named.map_or_else(|| self.path.join(otherwise), PathBuf::from)
    }
}
