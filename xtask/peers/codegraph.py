"""Prints the calls in an index of codegraph as facts of an oracle: `codegraph.py DIR`, for `cargo xtask oracle --peer`.

`codegraph init DIR` makes the index. Each line is a JSON object:

    {"kind": "edge", "relation": "calls", "source": PLACE, "target": PLACE, "at": LINE}

with PLACE = {"path": .., "line": .., "name": ..}; the name is empty for the top-level code of a file. A construction is an
edge of the relation `instantiates`.
"""

import json
import sqlite3
import sys
from pathlib import Path

QUERY = """
SELECT edges.kind, edges.line,
       source.kind, source.file_path, source.start_line, source.name,
       target.kind, target.file_path, target.start_line, target.name
FROM edges
JOIN nodes AS source ON source.id = edges.source
JOIN nodes AS target ON target.id = edges.target
WHERE edges.kind IN ('calls', 'instantiates')
"""


def place(kind, path, line, name):
    return {"path": path, "line": line, "name": "" if kind == "file" else name}


def main():
    index = Path(sys.argv[1]) / ".codegraph" / "codegraph.db"
    for relation, line, *ends in sqlite3.connect(f"file:{index}?mode=ro", uri=True).execute(QUERY):
        edge = {"kind": "edge", "relation": relation, "source": place(*ends[:4]), "target": place(*ends[4:])}
        print(json.dumps({**edge, "at": line or ends[2]}))


if __name__ == "__main__":
    main()
