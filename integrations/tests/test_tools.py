"""Tests of the tools for SDKs: all shapes agree, and calls reach the program that `SSCG` names."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent / "fixtures/projects/parcel"
sys.path.insert(0, str(HERE.parent))

from sscg_tools import DEFINITIONS, Tools

SSCG = os.environ.get("SSCG")
CALLS = [
    ("search_code", {"query": "how is the total of an invoice computed", "terms": ["gross_total"], "budget": 600}, "gross_total"),
    ("search_code", {"query": "how is the total of an invoice computed", "budget": 900, "after": 300}, "sent before"),
    ("show_code", {"names": ["Invoice > gross_total"]}, "def gross_total"),
    ("list_callers", {"names": ["Invoice > gross_total"]}, "Complete."),
    ("search_code", {}, "error: search_code takes"),
    ("show_code", {"names": ["nothing_like_it"]}, "nothing_like_it"),
    ("sing", {}, "error: no tool sing"),
]


def setUpModule():
    """Keeps the index of the project out of the user's cache."""
    cache = tempfile.mkdtemp()
    os.environ["XDG_CACHE_HOME"] = cache
    unittest.addModuleCleanup(shutil.rmtree, cache)


def in_node(expression):
    """Returns the value of a JavaScript expression about `tools`."""
    source = f"""
        import {{ Tools, DEFINITIONS }} from {json.dumps((HERE.parent / "sscg-tools.mjs").as_uri())};
        const tools = new Tools({json.dumps(str(PROJECT))});
        console.log(JSON.stringify(await ({expression})));
    """
    run = subprocess.run(["node", "--input-type=module", "-e", source], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class Shapes(unittest.TestCase):
    def test_all_apis_get_the_same_tools(self):
        tools = Tools()
        expected = [(it["name"], it["description"], it["parameters"]) for it in DEFINITIONS]
        anthropic = [(it["name"], it["description"], it["input_schema"]) for it in tools.anthropic()]
        openai = [(it["name"], it["description"], it["parameters"]) for it in tools.openai()]
        chat = [(it["name"], it["description"], it["parameters"]) for it in (it["function"] for it in tools.openai_chat())]
        self.assertEqual([anthropic, openai, chat], [expected] * 3)

    @unittest.skipUnless(shutil.which("node"), "Node.js is not installed")
    def test_javascript_has_the_tools_of_python(self):
        self.assertEqual(in_node("tools.anthropic()"), Tools().anthropic())
        self.assertEqual(in_node("tools.openai()"), Tools().openai())
        found = in_node("tools.vercel((it) => it, (schema) => schema)")
        self.assertEqual({name: it["inputSchema"] for name, it in found.items()}, {it["name"]: it["parameters"] for it in DEFINITIONS})


@unittest.skipUnless(SSCG, "SSCG names no program")
class Calls(unittest.TestCase):
    def test_calls_are_answered_with_text(self):
        tools = Tools(PROJECT)
        for name, arguments, part in CALLS:
            self.assertIn(part, tools.call(name, arguments), (name, arguments))
            self.assertIn(part, tools.call(name, json.dumps(arguments)), (name, arguments))

    @unittest.skipUnless(shutil.which("node"), "Node.js is not installed")
    def test_javascript_answers_the_same(self):
        calls = json.dumps([[name, arguments] for name, arguments, _ in CALLS])
        texts = in_node(f"Promise.all({calls}.map((call) => tools.call(...call)))")
        for (name, arguments, part), text in zip(CALLS, texts):
            self.assertIn(part, text, (name, arguments))

    def test_a_missing_program_is_an_error_in_words(self):
        self.assertIn("error:", Tools(PROJECT, program="no-such-program").call("show_code", {"names": ["Invoice"]}))


if __name__ == "__main__":
    unittest.main()
