"""The loop of a model at an endpoint, and the grading of what it returns.

The environment names the endpoint: AGENT_API (`openai` or `anthropic`), AGENT_BASE_URL, AGENT_MODEL, AGENT_KEY, and
optionally AGENT_GRADER_MODEL for the model that grades answers to questions by their rubric.
"""

import json
import os
import re
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from . import edits
from .loop import resident

PROMPT = """You work on a software project through tools. Look at as little as you need, and stop when you are sure.
{task}

{ending}"""
ENDINGS = {
    "question": "Then answer in a few sentences, and end with a block ```json\n"
    '{"answer": "...", "spans": [["path", first, last]]}\n``` that cites the lines that prove it.',
    "localization": "Find every place that has to change; change nothing. End with a block ```json\n"
    '{"answer": "...", "spans": [["path", first, last]]}\n``` with the lines that have to change.',
    "edit": "Make the change in the files with the shell tool, and end with a block ```json\n"
    '{"answer": "...", "spans": [["path", first, last]]}\n``` with the lines that you needed to see.',
}
GRADER = """Grade an answer about source code. For each fact, say whether the answer states it, and quote the words of
the answer that do, or an empty text. Do not use your own knowledge.

Question: {question}

Answer: {answer}

Facts:
{facts}

Reply with JSON only: [{{"fact": 1, "stated": true, "evidence": "..."}}]"""


@dataclass(frozen=True)
class Turn:
    """A reply of a model: its text, calls (id, tool, arguments), and the tokens that the endpoint counted."""

    text: str
    calls: tuple
    input: int
    output: int


def endpoint(environment=os.environ):
    """Returns the endpoint that the environment names."""
    kinds = {"openai": OpenAi, "anthropic": Anthropic}
    missing = [name for name in ("AGENT_BASE_URL", "AGENT_MODEL") if not environment.get(name)]
    kind = environment.get("AGENT_API", "openai")
    if missing or kind not in kinds:
        raise SystemExit(f"set {', '.join(missing) or 'AGENT_API'} to name an endpoint: see README.md")
    return kinds[kind](environment)


class Endpoint:
    """What both kinds of endpoint share: sending, and trying again when busy."""

    def __init__(self, environment):
        self.base = environment["AGENT_BASE_URL"].rstrip("/")
        self.model = environment["AGENT_MODEL"]
        self.grader = environment.get("AGENT_GRADER_MODEL", self.model)
        self.key = environment.get("AGENT_KEY", "")

    def post(self, path, headers, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json", **headers})
        for attempt in range(5):
            try:
                with urllib.request.urlopen(request, timeout=300) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                if error.code not in (429, 500, 502, 503, 529) or attempt == 4:
                    raise RuntimeError(f"{error.code}: {error.read()[:500].decode(errors='replace')}") from error
                time.sleep(2**attempt)


class OpenAi(Endpoint):
    """An endpoint with `/chat/completions`."""

    def start(self, prompt, tools):
        functions = [
            {"name": tool["name"], "description": tool.get("description", ""), "parameters": tool["inputSchema"]}
            for tool in tools
        ]
        self.tools = [{"type": "function", "function": function} for function in functions]
        self.messages = [{"role": "user", "content": prompt}]

    def turn(self, model=None):
        body = {"model": model or self.model, "messages": self.messages}
        if self.tools:
            body["tools"] = self.tools
        reply = self.post("/chat/completions", {"Authorization": f"Bearer {self.key}"}, body)
        message, usage = reply["choices"][0]["message"], reply.get("usage", {})
        self.messages.append(message)
        calls = []
        for call in message.get("tool_calls") or []:
            calls.append((call["id"], call["function"]["name"], arguments_of(call["function"]["arguments"])))
        return Turn(
            message.get("content") or "",
            tuple(calls),
            usage.get("prompt_tokens", 0),
            usage.get("completion_tokens", 0),
        )

    def answer(self, results):
        """Adds the answers of calls: (id, text)."""
        self.messages += [{"role": "tool", "tool_call_id": call, "content": text} for call, text in results]


class Anthropic(Endpoint):
    """An endpoint with `/v1/messages`."""

    def start(self, prompt, tools):
        self.tools = [
            {"name": tool["name"], "description": tool.get("description", ""), "input_schema": tool["inputSchema"]}
            for tool in tools
        ]
        self.messages = [{"role": "user", "content": prompt}]

    def turn(self, model=None):
        body = {"model": model or self.model, "max_tokens": 8000, "messages": self.messages}
        if self.tools:
            body["tools"] = self.tools
        headers = {"x-api-key": self.key, "anthropic-version": "2023-06-01"}
        reply = self.post("/v1/messages", headers, body)
        content, usage = reply["content"], reply.get("usage", {})
        self.messages.append({"role": "assistant", "content": content})
        calls = [(item["id"], item["name"], item["input"]) for item in content if item["type"] == "tool_use"]
        cached = usage.get("cache_read_input_tokens", 0) + usage.get("cache_creation_input_tokens", 0)
        return Turn(
            "".join(item["text"] for item in content if item["type"] == "text"),
            tuple(calls),
            usage.get("input_tokens", 0) + cached,
            usage.get("output_tokens", 0),
        )

    def answer(self, results):
        """Adds the answers of calls: (id, text)."""
        content = [{"type": "tool_result", "tool_use_id": call, "content": text} for call, text in results]
        self.messages.append({"role": "user", "content": content})


def arguments_of(text):
    """Returns the arguments of a call; text that is not a JSON object has none."""
    try:
        arguments = json.loads(text)
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def json_of(text, opening):
    """Returns the last JSON value in a text that begins with `opening` (`{` or `[`), or None."""
    blocks = re.findall(r"```(?:json)?\s*(.*?)```", text, re.S) or [text]
    for block in reversed(blocks):
        start = block.find(opening)
        if start >= 0:
            try:
                return json.JSONDecoder().raw_decode(block[start:])[0]
            except ValueError:
                continue
    return None


def run_task(task, arm, endpoint, sources, counter, limit):
    """Runs a model on a task in an opened arm. Returns its figures with the grade, and the log."""
    ending = ENDINGS[task.kind]
    endpoint.start(PROMPT.format(task=task.text, ending=ending) + _instructions(arm), arm.tools())
    row = {"task": task.id, "kind": task.kind, "project": task.project.name, "arm": arm.name}
    row |= {"calls": 0, "turns": 0, "read": 0, "input": 0, "output": 0, "resident": resident(arm, counter)}
    log, text, start = [], "", time.monotonic()
    while row["turns"] < limit:
        turn = endpoint.turn()
        row["turns"] += 1
        row["input"] += turn.input
        row["output"] += turn.output
        text = turn.text
        if not turn.calls:
            break
        results = []
        for call, name, arguments in turn.calls:
            answer = arm.call(name, arguments)
            read = counter.count(answer)
            row["calls"] += 1
            row["read"] += read
            log.append({"tool": name, "arguments": arguments, "answer": answer, "read": read})
            results.append((call, answer))
        endpoint.answer(results)
    row["seconds"] = round(time.monotonic() - start, 3)
    log.append({"text": text})
    row |= grade(task, arm.root, sources, text, endpoint)
    return row, log


def _instructions(arm):
    return f"\n\nAbout its tools: {arm.instructions()}" if arm.instructions() else ""


def grade(task, root, sources, text, endpoint):
    """Returns a score between 0 and 1, the evidence for it, and how the cited lines compare with the needed ones."""
    result = json_of(text, "{")
    result = result if isinstance(result, dict) else {}
    lines, precision = cited(task, sources, result.get("spans", []))
    grades = {"cited": lines, "precision": precision, "evidence": []}
    if task.kind == "localization":
        return grades | {"score": lines}
    if task.kind == "edit":
        checked = edits.check(task, root)
        return grades | {"score": float(checked.passed), "evidence": [checked.output[-1000:]]}
    evidence = by_rubric(task, str(result.get("answer") or text), endpoint)
    return grades | {"score": sum(item["stated"] for item in evidence) / len(task.rubric), "evidence": evidence}


def cited(task, sources, spans):
    """Returns the share of needed lines that are cited, as a mean over spans, and the share of cited lines needed."""
    given = {}
    for span in spans if isinstance(spans, list) else []:
        try:
            path, first, last = span
            path = str(path).removeprefix("./")
            if not Path(sources, path).is_file():
                path = path.removeprefix(f"{task.project.name}/")
            length = len(Path(sources, path).read_text(errors="replace").split("\n"))
            given.setdefault(path, set()).update(range(max(1, int(first)), min(int(last), length) + 1))
        except (OSError, TypeError, ValueError):
            continue
    needed, shares = {}, []
    for span in task.spans:
        lines = set(range(span.first, span.last + 1))
        shares.append(len(lines & given.get(span.path, set())) / len(lines))
        needed.setdefault(span.path, set()).update(lines)
    total = sum(map(len, given.values()))
    right = sum(len(lines & needed.get(path, set())) for path, lines in given.items())
    return sum(shares) / len(shares), right / total if total else 0.0


def by_rubric(task, answer, endpoint):
    """Asks the grading model about each fact. A fact counts only with a quotation that the answer really has."""
    facts = "\n".join(f"{number}. {fact}" for number, fact in enumerate(task.rubric, 1))
    endpoint.start(GRADER.format(question=task.text, answer=answer, facts=facts), [])
    replies = json_of(endpoint.turn(endpoint.grader).text, "[")
    replies = [reply for reply in replies or [] if isinstance(reply, dict)]
    stated = {reply.get("fact"): str(reply.get("evidence", "")) for reply in replies if reply.get("stated") is True}
    spaces = re.compile(r"\s+")
    flat = spaces.sub(" ", answer)
    graded = []
    for number, fact in enumerate(task.rubric, 1):
        quotation = spaces.sub(" ", stated.get(number, "")).strip()
        graded.append({"fact": fact, "stated": bool(quotation) and quotation in flat, "evidence": quotation})
    return graded


def markdown(rows):
    """Returns the results of models by arm."""
    lines = [
        "| arm | tasks | score | lines cited | precision | calls | turns | read | input | output | resident | s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for arm in dict.fromkeys(row["arm"] for row in rows):
        own = [row for row in rows if row["arm"] == arm]

        def mean(key, own=own):
            return sum(row[key] for row in own) / len(own)

        lines.append(
            f"| {arm} | {len(own)} | {mean('score'):.2f} | {mean('cited'):.2f} | {mean('precision'):.2f} "
            f"| {mean('calls'):.1f} | {mean('turns'):.1f} | {mean('read'):,.0f} | {mean('input'):,.0f} "
            f"| {mean('output'):,.0f} | {mean('resident'):,.0f} | {mean('seconds'):.1f} |"
        )
    return "\n".join(lines) + "\n"
