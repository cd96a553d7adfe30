"""Client of MCP servers over standard input and output."""

import json
import os
import queue
import subprocess
import threading

PROTOCOL = "2025-06-18"


class McpError(Exception):
    """Failure of a server, or an error that it returned for a request."""


class McpServer:
    """A running MCP server. `tools` are its tool definitions, `instructions` its text for the agent's context."""

    def __init__(self, command, directory, environment=None, timeout=300):
        self._timeout = timeout
        self._next_id = 0
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._root = directory
        try:
            answer = self._request(
                "initialize",
                {
                    "protocolVersion": PROTOCOL,
                    "capabilities": {"roots": {}},
                    "clientInfo": {"name": "bench-agents", "version": "1"},
                },
            )
            self.instructions = answer.get("instructions", "")
            self._send({"method": "notifications/initialized"})
            self.tools = self._request("tools/list", {})["tools"]
        except McpError:
            self.close()
            raise

    def call(self, name, arguments):
        """Calls a tool and returns its text."""
        answer = self._request("tools/call", {"name": name, "arguments": arguments})
        return "\n".join(item["text"] for item in answer.get("content", []) if item.get("type") == "text")

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _send(self, message):
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise McpError("the server has ended") from error

    def _request(self, method, parameters):
        self._next_id += 1
        self._send({"id": self._next_id, "method": method, "params": parameters})
        while True:
            try:
                line = self._lines.get(timeout=self._timeout)
            except queue.Empty:
                raise McpError(f"no answer to {method} in {self._timeout} s") from None
            if line is None:
                raise McpError("the server has ended")
            try:
                message = json.loads(line)
            except ValueError:
                continue  # Some servers print notes to standard output.
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == self._next_id:
                if "error" in message:
                    raise McpError(message["error"].get("message", "unknown error"))
                return message["result"]

    def _answer(self, request):
        """Answers a request of the server; it may ask for the roots."""
        if request["method"] == "roots/list":
            uri = "file://" + os.path.abspath(self._root)
            self._send({"id": request["id"], "result": {"roots": [{"uri": uri}]}})
        else:
            error = {"code": -32601, "message": "method not found"}
            self._send({"id": request["id"], "error": error})
