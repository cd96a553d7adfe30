"""Arms: the tools that an agent has in a project. Every arm has a shell; all but one have a search tool as well."""

import os
import shutil
import subprocess
from pathlib import Path

from . import projects
from .mcp import McpError, McpServer

OUTPUT_LIMIT = 30_000
SHELL = {
    "name": "shell",
    "description": "Runs a bash command in the root directory of the project and returns its output. "
    "Useful: rg (ripgrep), sed -n '40,90p' FILE, ls.",
    "inputSchema": {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "Command."}},
        "required": ["command"],
    },
}


class Unavailable(Exception):
    """An arm that cannot run here, and the reason."""


class Shell:
    """The arm without a search tool, and what the others are made from."""

    name = "shell"
    tool = None

    def __init__(self, options):
        self.options = options
        self.root = None

    def check(self):
        """Raises `Unavailable` if a program that the arm needs is missing."""
        if not shutil.which("rg"):
            raise Unavailable("ripgrep (rg) is not installed")

    def open(self, project, sources):
        """Prepares a fresh copy of a project, with its index. Not measured: an index outlives many tasks."""
        self.root = projects.copy(sources, Path(self.options.work, self.name, project.name))
        self.start(project)

    def start(self, project):
        """Starts the search tool."""

    def close(self):
        """Ends the search tool."""

    def tools(self):
        """Returns the definitions of all tools of this arm, as they stand in an agent's context."""
        return [SHELL]

    def instructions(self):
        """Returns the text that the search tool adds to an agent's context."""
        return ""

    def call(self, name, arguments):
        """Calls a tool and returns the text of its answer; errors are text too."""
        if name != "shell":
            return f"error: there is no tool {name}"
        try:
            done = subprocess.run(
                ["bash", "-c", str(arguments.get("command", ""))],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            return "error: the command took more than 60 s"
        return limited(done.stdout.decode(errors="replace"))


def limited(text):
    """Cuts an answer at the limit that agents have for one result."""
    if len(text) <= OUTPUT_LIMIT:
        return text
    return text[:OUTPUT_LIMIT] + f"\n[{len(text) - OUTPUT_LIMIT} characters cut]"


class WithServer(Shell):
    """An arm with an MCP server."""

    def __init__(self, options):
        super().__init__(options)
        self.server = None

    def check(self):
        super().check()
        run([getattr(self.options, self.tool), "--version"], ".")

    def launch(self, command, environment=None):
        try:
            self.server = McpServer(command, self.root, environment)
        except (McpError, OSError) as error:
            raise Unavailable(f"{command[0]} does not start: {error}") from error

    def close(self):
        if self.server:
            self.server.close()
            self.server = None

    def tools(self):
        return [SHELL, *self.server.tools]

    def instructions(self):
        return self.server.instructions

    def call(self, name, arguments):
        if name == "shell":
            return super().call(name, arguments)
        try:
            return limited(self.server.call(name, arguments))
        except McpError as error:
            return f"error: {error}"


def run(command, directory, environment=None, timeout=300):
    """Runs a preparing command; its failure makes the arm unavailable."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().split("\n")
        raise Unavailable(f"{command[0]} failed: {lines[-1][:300]}")
    return done.stdout


class Sscg(WithServer):
    name = "sscg"
    tool = "sscg"

    def start(self, project):
        index = str(Path(self.options.work, "sscg-index"))
        run([self.options.sscg, "index", "--index-dir", index, str(self.root)], self.root)
        self.launch([self.options.sscg, "mcp", "--index-dir", index, str(self.root)])


class Codegraph(WithServer):
    """The npm package @colbymchenry/codegraph."""

    name = "codegraph"
    tool = "codegraph"

    def start(self, project):
        run([self.options.codegraph, "init", str(self.root)], self.root)
        command = [self.options.codegraph, "serve", "--mcp", "--no-watch", "--path", str(self.root)]
        self.launch(command)


class Jcodemunch(WithServer):
    """The PyPI package jcodemunch-mcp."""

    name = "jcodemunch"
    tool = "jcodemunch"

    def start(self, project):
        environment = {"CODE_INDEX_PATH": str(Path(self.options.work, "jcodemunch-index"))}
        run([self.options.jcodemunch, "index", "--no-ai-summaries", str(self.root)], self.root, environment)
        self.launch([self.options.jcodemunch, "serve"], environment)


class Semble(Shell):
    """The PyPI package semble, by its command. It loads a model from a hub at its first use, so it needs a network."""

    name = "semble"
    tool = "semble"

    def check(self):
        super().check()
        probe = Path(self.options.work, "semble-probe")
        probe.mkdir(parents=True, exist_ok=True)
        (probe / "probe.py").write_text("def probe():\n    return 1\n")
        try:
            run([self.options.semble, "search", "probe", str(probe)], probe)
        except Unavailable as error:
            raise Unavailable(f"{error} (semble downloads its model from a hub at the first use)") from error

    def tools(self):
        schema = {
            "type": "object",
            "properties": {"query": {"type": "string"}, "top_k": {"type": "integer"}},
            "required": ["query"],
        }
        description = "Searches the project's code with a question in plain words or code."
        return [SHELL, {"name": "semble_search", "description": description, "inputSchema": schema}]

    def call(self, name, arguments):
        if name != "semble_search":
            return super().call(name, arguments)
        command = [self.options.semble, "search", str(arguments["query"]), str(self.root)]
        if "top_k" in arguments:
            command += ["--top-k", str(arguments["top_k"])]
        try:
            return limited(run(command, self.root))
        except Unavailable as error:
            return f"error: {error}"


ARMS = {arm.name: arm for arm in (Shell, Sscg, Codegraph, Jcodemunch, Semble)}
