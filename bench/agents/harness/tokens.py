"""Counts of tokens: of `o200k_base` with the npm package gpt-tokenizer, else estimated."""

import json
import subprocess

SCRIPT = """
const { countTokens } = require('gpt-tokenizer/encoding/o200k_base');
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log(countTokens(JSON.parse(line), { allowedSpecial: 'all' })));
"""


class Estimate:
    """An estimate: four characters are a token."""

    name = "characters / 4"

    def count(self, text):
        return (len(text) + 3) // 4

    def close(self):
        pass


class O200k:
    """Exact counts, by a process of Node.js that has gpt-tokenizer in its directory."""

    name = "o200k_base"

    def __init__(self, directory):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self._process = subprocess.Popen(["node", "-e", SCRIPT], cwd=directory, encoding="utf-8", **pipes)
        if self.count("two tokens") != 2:
            self.close()
            raise OSError("gpt-tokenizer is not installed")

    def count(self, text):
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline() or -1)

    def close(self):
        self._process.communicate()


def counter(directory):
    """Returns an exact counter if gpt-tokenizer is installed in `directory`, else an estimate."""
    try:
        return O200k(directory)
    except (OSError, ValueError):
        return Estimate()
