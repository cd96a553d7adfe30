"""The loop of a scripted policy: calls, counts, and stops as soon as every needed span has been seen."""

import json
import time
from dataclasses import asdict, dataclass, field


@dataclass
class Limits:
    calls: int = 100
    tokens: int = 60_000


@dataclass
class Run:
    """A finished run. Tokens are those of calls (`written`) and answers (`read`); `resident` stands in every turn."""

    task: str
    kind: str
    project: str
    arm: str
    policy: str
    calls: int = 0
    read: int = 0
    written: int = 0
    resident: int = 0
    billed: int = 0
    seconds: float = 0.0
    coverage: float = 0.0
    complete: bool = False
    missing: list = field(default_factory=list)
    log: list = field(default_factory=list, repr=False)

    @property
    def tokens(self):
        return self.read + self.written

    def row(self):
        """Returns the figures without the log."""
        row = asdict(self)
        del row["log"]
        row["tokens"] = self.tokens
        return row


def resident(arm, counter):
    """Returns the tokens that the arm's tools and instructions take in every turn."""
    tools = [{key: tool.get(key) for key in ("name", "description", "inputSchema")} for tool in arm.tools()]
    return counter.count(json.dumps(tools)) + (counter.count(arm.instructions()) if arm.instructions() else 0)


def run_policy(task, arm, name, policy, seen, counter, limits):
    """Runs a policy on a task until every needed span has been seen, it gives up, or a limit is reached."""
    run = Run(task.id, task.kind, task.project.name, arm.name, name)
    run.resident = resident(arm, counter)
    context = run.resident + counter.count(task.text)
    steps = policy(task, arm.tool)
    answer = None
    while run.calls < limits.calls and run.tokens < limits.tokens and not seen.complete():
        try:
            tool, arguments = steps.send(answer)
        except StopIteration:
            break
        start = time.monotonic()
        answer = arm.call(tool, arguments)
        run.seconds += time.monotonic() - start
        written, read = counter.count(json.dumps(arguments, ensure_ascii=False)), counter.count(answer)
        run.calls += 1
        run.written += written
        run.read += read
        run.billed += context + written
        context += written + read
        seen.add(answer)
        run.log.append({
            "tool": tool,
            "arguments": arguments,
            "answer": answer,
            "written": written,
            "read": read,
            "coverage": round(seen.coverage(), 4),
        })
    run.coverage = round(seen.coverage(), 4)
    run.complete = seen.complete()
    run.missing = seen.missing()[:8]
    run.seconds = round(run.seconds, 3)
    return run
