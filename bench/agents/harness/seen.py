"""Which needed lines an agent has seen, from the text of answers alone.

The formats of tools differ: numbers before lines, paths in several places, source code in JSON. So a line counts as seen
if its text stands in an answer, and the text is unique in the project or stands beside the text of its neighbor.
Blank lines, lone brackets and comments are not needed.
"""

import json
import re
from pathlib import Path

SOURCES = {".py", ".rs", ".js", ".cjs", ".mjs", ".ts", ".java", ".go", ".kt", ".c", ".h", ".cpp"}
# A number before a line, as printed by sscg, codegraph, cat -n, rg and grep, perhaps after a path.
NUMBER = re.compile(r"^\s*(?:[^\s:]+:)?\d+(?:\t|[:-]|\s?[|│] ?)")
COMMENT = re.compile(r"^(?://|/\*|\*/|\*(?:\s|$)|#(?!\[|!\[|include|define|if|endif)|--\s|\"\"\"|''')")


def text_of(line):
    """Returns the text of a line that can be recognized elsewhere, or None."""
    text = line.strip()
    if len(text) < 4 or not re.search(r"\w\w", text) or COMMENT.match(text):
        return None
    return text


def texts_of(answer):
    """Returns the recognizable lines of an answer, in order. Gaps between them are lost, which is harmless."""
    lines = []
    for line in _with_code_of_json(answer).split("\n"):
        text = text_of(NUMBER.sub("", line, count=1))
        if text:
            lines.append(text)
    return lines


def _with_code_of_json(answer):
    """Returns the text of an answer; if it is JSON, with its strings one after the other."""
    stripped = answer.strip()
    if not stripped.startswith(("{", "[")):
        return answer
    try:
        content = json.loads(stripped)
    except ValueError:
        return answer
    strings = []

    def walk(value):
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for item in value.values():
                walk(item)

    walk(content)
    return "\n".join(strings)


class Index:
    """The lines of a project, to know which texts are unique."""

    def __init__(self, root):
        self.root = Path(root)
        self.counts = {}
        for path in sorted(self.root.rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                for line in path.read_text(errors="replace").split("\n"):
                    text = text_of(line)
                    if text:
                        self.counts[text] = self.counts.get(text, 0) + 1

    def texts(self, span):
        """Returns the needed lines of a span: (text, text before, text after)."""
        lines = Path(self.root, span.path).read_text(errors="replace").split("\n")
        texts = [(number, text) for number, line in enumerate(lines, 1) if (text := text_of(line))]
        needed = []
        for position, (number, text) in enumerate(texts):
            if span.first <= number <= span.last:
                before = texts[position - 1][1] if position else None
                after = texts[position + 1][1] if position + 1 < len(texts) else None
                needed.append((text, before, after))
        return needed


class Seen:
    """What has been seen of the spans of a task."""

    def __init__(self, task, index):
        self._index = index
        self._spans = [index.texts(span) for span in task.spans]
        self._missing = [set(range(len(span))) for span in self._spans]

    def add(self, answer):
        """Notes the lines of an answer."""
        texts = texts_of(answer)
        alone = set(texts)
        pairs = set(zip(texts, texts[1:]))
        for span, missing in zip(self._spans, self._missing):
            for position in list(missing):
                text, before, after = span[position]
                if text not in alone:
                    continue
                if self._index.counts[text] == 1 or (before, text) in pairs or (text, after) in pairs:
                    missing.discard(position)

    def coverage(self):
        """Returns the share of needed lines seen, as a mean over the spans."""
        shares = [1 - len(missing) / len(span) for span, missing in zip(self._spans, self._missing)]
        return sum(shares) / len(shares)

    def complete(self):
        return not any(self._missing)

    def missing(self):
        """Returns the needed texts that have not been seen."""
        return [
            span[position][0]
            for span, missing in zip(self._spans, self._missing)
            for position in sorted(missing)
        ]
