"""Times what semble takes to index a directory and to answer: `search.py MODEL`, for `cargo xtask bench search`.

Reads requests and answers them, one JSON object a line; the first line it writes says the versions.

    {"root": DIRECTORY, "question": "how is a task scheduled", "workers": 0}    index it, and answer one question
    {"ms": 412.5, "files": 86, "chunks": 1015}
    {"questions": ["where is a timer kept"]}                                    ask the directory that was indexed last
    {"ms": [1.5]}

Imports and the model's file are read before the first request. Workers are processes that semble cuts files with; 0 is none.
"""

import gc
import importlib.metadata
import json
import os
import platform
import sys
import time

from semble import SembleIndex
from semble.index.dense import load_model


class Peer:
    def __init__(self, model):
        self.model = model
        self.index = None
        load_model(model)

    def open(self, root, question, workers):
        os.environ["SEMBLE_INDEX_WORKERS"] = str(workers)
        # What was indexed before is no part of this.
        self.index = None
        gc.collect()
        start = time.perf_counter()
        self.index = SembleIndex.from_path(root, model_path=self.model)
        self.index.search(question)
        ms = (time.perf_counter() - start) * 1e3
        stats = self.index.stats
        return {"ms": ms, "files": stats.indexed_files, "chunks": stats.total_chunks}

    def ask(self, questions):
        return {"ms": [self.time(question) for question in questions]}

    def time(self, question):
        start = time.perf_counter()
        self.index.search(question)
        return (time.perf_counter() - start) * 1e3


def main():
    peer = Peer(sys.argv[1])
    versions = {name: importlib.metadata.version(name) for name in ["semble", "model2vec"]}
    answer({"Python": platform.python_version(), **versions})
    for line in sys.stdin:
        request = json.loads(line)
        answer(peer.open(**request) if "root" in request else peer.ask(**request))


def answer(values):
    print(json.dumps(values), flush=True)


# Workers of semble import this file, too.
if __name__ == "__main__":
    main()
