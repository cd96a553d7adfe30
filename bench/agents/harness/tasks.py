"""Tasks and projects, as the files in `tasks/` describe them."""

import json
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("question", "localization", "edit")


@dataclass(frozen=True)
class Span:
    """Lines of a file that a reader has to see, first and last counted from 1, and the reason."""

    path: str
    first: int
    last: int
    why: str


@dataclass(frozen=True)
class Project:
    """A pinned package of a registry, or a directory of this repository (`registry` is `directory`)."""

    name: str
    registry: str
    package: str
    version: str
    language: str


@dataclass(frozen=True)
class Task:
    """A request to an agent, the spans it needs, and what grades the result."""

    id: str
    kind: str
    text: str
    project: Project
    spans: tuple
    rubric: tuple = ()
    check: tuple = ()
    patch: str = ""
    guesses: tuple = ()
    edits: Path = field(default=Path("edits"), compare=False)


def load(directory, edits, guesses=None):
    """Returns the tasks of all files in `directory`, by file name; with the guesses at names that a file has for them."""
    guessed = json.loads(Path(guesses).read_text()) if guesses else {}
    tasks = []
    for path in sorted(Path(directory).glob("*.json")):
        content = json.loads(path.read_text())
        project = Project(**content["project"])
        for item in content["tasks"]:
            item = dict(item)
            spans = tuple(Span(**span) for span in item.pop("spans"))
            lists = {key: tuple(item.pop(key, ())) for key in ("rubric", "check")}
            lists["guesses"] = tuple(guessed.get(item["id"], ()))
            tasks.append(Task(project=project, spans=spans, edits=Path(edits), **lists, **item))
    return tasks


def problems(task, root):
    """Returns what is wrong with a task whose project lies at `root`."""
    found = []
    if task.kind not in KINDS:
        found.append(f"unknown kind {task.kind}")
    if not task.spans:
        found.append("no spans")
    for span in task.spans:
        path = Path(root, span.path)
        count = len(path.read_text(errors="replace").split("\n")) if path.is_file() else 0
        if not 1 <= span.first <= span.last <= count:
            found.append(f"no lines {span.first}-{span.last} in {span.path}")
        if not span.why:
            found.append(f"no reason for {span.path}:{span.first}")
    if task.kind == "question" and not task.rubric:
        found.append("a question needs a rubric")
    if task.kind == "edit" and not (task.check and Path(task.edits, task.patch).is_file()):
        found.append("an edit needs a check and a patch")
    return found
