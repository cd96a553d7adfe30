"""Tools of SSCG for agents that are written with an SDK: definitions in the shape of each API, and a function that runs a call.

The command `sscg` does the work, so nothing but Python is needed. `SSCG` in the environment names another program.

    from sscg_tools import Tools

    tools = Tools("path/to/project")
    client.messages.create(tools=tools.anthropic(), ...)           # Anthropic
    client.responses.create(tools=tools.openai(), ...)             # OpenAI, responses
    client.chat.completions.create(tools=tools.openai_chat(), ...)  # OpenAI and compatible servers
    text = tools.call(block.name, block.input)                     # the text of the tool result
"""

import json
import os
import subprocess

NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 1}
BUDGET = {"type": "integer", "minimum": 200, "maximum": 25000}

DEFINITIONS = [
    {
        "name": "search_code",
        "description": "Find the code that answers a question about this project, with its connections, before grep and reading files. Ask in "
        "plain words, with guesses at names as terms, or paste an error message or a line of code. The same question with a larger budget and "
        "`after` (the budget before) returns what follows.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Question, pasted text, or `symbol = Outer > inner`."},
                "terms": {**NAMES, "description": "Six to fourteen guesses at names in the code."},
                "budget": {**BUDGET, "description": "Token budget (default 1000)."},
                "after": {**BUDGET, "description": "Budget of the answer before to the same question."},
            },
            "required": ["query"],
        },
        "command": lambda it: [
            "search", it["query"], "--budget", str(it.get("budget", 1000)),
            *(["--after", str(it["after"])] if "after" in it else []),
            *(argument for term in it.get("terms", []) for argument in ("--term", term)),
        ],
    },
    {
        "name": "show_code",
        "description": "Print the current code of declarations (`Session > close`), lines (`src/a.py:40-90`) or files, with line numbers.",
        "parameters": {"type": "object", "properties": {"names": NAMES}, "required": ["names"]},
        "command": lambda it: ["show", *it["names"]],
    },
    {
        "name": "list_callers",
        "description": "List every use of declarations, with lines; the list says whether it is complete.",
        "parameters": {"type": "object", "properties": {"names": NAMES}, "required": ["names"]},
        "command": lambda it: ["callers", *it["names"]],
    },
]  # fmt: skip


class Tools:
    """Tools on one project."""

    def __init__(self, directory=".", program=None, timeout=60):
        self.directory = directory
        self.program = program or os.environ.get("SSCG", "sscg")
        self.timeout = timeout

    def anthropic(self):
        """Returns the definitions for the Messages API of Anthropic."""
        return [{**_told(it), "input_schema": it["parameters"]} for it in DEFINITIONS]

    def openai(self):
        """Returns the definitions for the Responses API of OpenAI."""
        return [{"type": "function", **_told(it), "parameters": it["parameters"]} for it in DEFINITIONS]

    def openai_chat(self):
        """Returns the definitions for chat completions of OpenAI and compatible servers."""
        return [{"type": "function", "function": {**_told(it), "parameters": it["parameters"]}} for it in DEFINITIONS]

    def call(self, name, arguments):
        """Runs a call and returns its text; what went wrong is text too, so that the model can try again.

        Arguments are an object, or its text, as some APIs send it.
        """
        tool = next((it for it in DEFINITIONS if it["name"] == name), None)
        if tool is None:
            return f"error: no tool {name}; one of: {', '.join(it['name'] for it in DEFINITIONS)}"
        try:
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            command = tool["command"](arguments)
        except (KeyError, TypeError, ValueError) as error:
            return f"error: {name} takes {json.dumps(tool['parameters']['properties'])}: {error!r}"
        try:
            run = subprocess.run(
                [self.program, "-C", str(self.directory), *map(str, command)],
                capture_output=True, text=True, encoding="utf-8", timeout=self.timeout,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"error: {error}"
        # Nothing found is an answer with exit code 1; errors explain themselves on standard error.
        return run.stdout if run.returncode < 2 and run.stdout else run.stdout + run.stderr


def _told(definition):
    return {key: definition[key] for key in ("name", "description")}
