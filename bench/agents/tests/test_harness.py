"""Tests of the harness, without a network, on a project of this repository."""

import json
import os
import shutil
import sys
import tempfile
import unittest
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCH = HERE.parent
REPOSITORY = BENCH.parent.parent
sys.path[:0] = [str(BENCH), str(HERE)]

import run
from endpoint import Scripted
from harness import edits, model, projects, report, tasks, words
from harness.arms import ARMS, SHELL, Shell
from harness.loop import Limits, run_policy
from harness.policies import POLICIES, Reader, _left_out, _note_results
from harness.seen import Index, Seen, texts_of
from harness.tokens import Estimate

TASKS = {task.id: task for task in tasks.load(HERE / "tasks", HERE / "edits")}
SOURCES = REPOSITORY / "fixtures/eval/projects/stockroom"
SSCG = os.environ.get("SSCG")


class Workplace(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def opened(self, arm):
        arm = arm(Namespace(work=self.directory, sscg=SSCG))
        arm.open(TASKS["stockroom-reminders"].project, SOURCES)
        self.addCleanup(arm.close)
        return arm


class TaskFiles(unittest.TestCase):
    def test_there_are_forty_tasks_of_three_kinds_on_eight_projects(self):
        loaded = tasks.load(BENCH / "tasks", BENCH / "edits")
        kinds = [task.kind for task in loaded]
        self.assertEqual([kinds.count(kind) for kind in tasks.KINDS], [20, 10, 10])
        self.assertEqual(len({task.project for task in loaded}), 8)
        self.assertEqual(len({task.id for task in loaded}), 40)

    def test_guesses_belong_to_tasks(self):
        loaded = tasks.load(BENCH / "tasks", BENCH / "edits", BENCH / "guesses.json")
        named = json.loads((BENCH / "guesses.json").read_text())
        self.assertEqual(sorted(named), sorted(task.id for task in loaded))
        for task in loaded:
            self.assertTrue(6 <= len(task.guesses) <= 14, task.id)

    def test_tasks_have_what_grades_them(self):
        for task in tasks.load(BENCH / "tasks", BENCH / "edits"):
            with self.subTest(task.id):
                wrong = [problem for problem in tasks.problems(task, "nowhere") if "no lines" not in problem]
                self.assertEqual(wrong, [])

    def test_spans_of_the_bundled_project_exist(self):
        for task in TASKS.values():
            self.assertEqual(tasks.problems(task, SOURCES), [])


class SeenLines(unittest.TestCase):
    def setUp(self):
        self.index = Index(SOURCES)

    def seen(self, name="stockroom-reminders"):
        return Seen(TASKS[name], self.index)

    def test_a_printed_span_is_seen_with_and_without_numbers_and_in_json(self):
        lines = (SOURCES / "stockroom/billing/dunning.py").read_text().split("\n")
        plain = "\n".join(lines)
        forms = [
            plain,
            "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1)),
            "\n".join(f"stockroom/billing/dunning.py:{number}:{line}" for number, line in enumerate(lines, 1)),
            "\n".join(f"  {number} | {line}" for number, line in enumerate(lines, 1)),
            json.dumps({"symbols": [{"source": plain}]}),
        ]
        for form in forms:
            seen = self.seen()
            seen.add(form)
            self.assertTrue(seen.complete(), form[:80])

    def test_lines_may_be_seen_in_several_answers(self):
        lines = (SOURCES / "stockroom/billing/dunning.py").read_text().split("\n")
        seen = self.seen()
        seen.add("\n".join(lines[:30]))
        self.assertGreater(seen.coverage(), 0)
        self.assertFalse(seen.complete())
        seen.add("\n".join(lines[30:]))
        self.assertTrue(seen.complete())

    def test_a_line_that_stands_in_many_places_needs_its_neighbor(self):
        seen = self.seen()
        seen.add("        return None")
        self.assertEqual(seen.coverage(), 0)
        seen.add("    if invoice.reminders >= len(LEVELS):\n        return None")
        self.assertNotIn("return None", seen.missing()[:3])

    def test_code_that_begins_with_a_bar_keeps_it_after_its_number(self):
        self.assertEqual(texts_of("461\t        || types_string.is_empty()"), ["|| types_string.is_empty()"])

    def test_signatures_alone_do_not_show_a_body(self):
        seen = self.seen()
        seen.add("def next_letter(invoice: Invoice, today: date) -> Letter | None:")
        self.assertLess(seen.coverage(), 0.5)


class Words(unittest.TestCase):
    def test_quoted_names_and_code_come_before_words(self):
        found = Reader(TASKS["stockroom-negative-split"]).words
        self.assertEqual(found[:2], ["split", "Money"])

    def test_forms_of_a_word_share_a_stem(self):
        self.assertEqual({words.stem(word) for word in ["expired", "expires", "expire"]}, {"expir", "expire"})
        self.assertEqual(words.stem("process"), "process")

    def test_left_out_matches_of_an_answer_are_found_with_their_lines(self):
        answer = (
            "[1] A.run — src/a.py:1-5\n[2] A.turn (20-40) — src/a.py:24-30\n[3] A (1-400) — src/a.py:1-2\n[1] calls: A.stop (src/a.py:7-9)\n\n"
            "4 matches left out. The best of them, for `show`:\nsrc/b.py: B.go 10-20, B.halt 30-35\n\n\n"
            "# src/a.py:1-5\n1\tsrc/c.py: C 1-2\n"
        )
        rests = [("A.turn", "src/a.py", 20, 23), ("A.turn", "src/a.py", 31, 40)]
        matches = [("A.stop", "src/a.py", 7, 9), ("B.go", "src/b.py", 10, 20), ("B.halt", "src/b.py", 30, 35)]
        self.assertEqual(_left_out(answer), (rests, matches))

    def test_results_without_line_numbers_count_as_read(self):
        reader = Reader(TASKS["stockroom-reminders"])
        _note_results(reader, "[1] A.run — src/a.py:11-50\n\n# src/a.py:11-50\ndef run(self):\n")
        self.assertIsNone(reader.unread("src/a.py", 11, 50))
        self.assertEqual(reader.unread("src/a.py", 1, 50), (1, 10))

    def test_guesses_are_searched_before_words(self):
        task = replace(TASKS["stockroom-reminders"], guesses=("LEVELS", "next_letter"))
        self.assertEqual(Reader(task).words[:2], ["LEVELS", "next_letter"])


@unittest.skipUnless(shutil.which("rg"), "ripgrep is not installed")
class GrepFirst(Workplace):
    def runs(self):
        arm, index = self.opened(Shell), Index(SOURCES)
        for task in TASKS.values():
            seen = Seen(task, index)
            yield run_policy(task, arm, "grep-first", POLICIES["grep-first"], seen, Estimate(), Limits())

    def test_every_needed_line_is_found(self):
        for done in self.runs():
            self.assertTrue(done.complete, (done.task, done.missing))

    def test_the_same_task_takes_the_same_calls(self):
        first, second = ([(run.task, run.calls, run.tokens) for run in self.runs()] for _ in range(2))
        self.assertEqual(first, second)

    def test_limits_end_a_run(self):
        task = TASKS["stockroom-expired"]
        arm, seen = self.opened(Shell), Seen(task, Index(SOURCES))
        done = run_policy(task, arm, "grep-first", POLICIES["grep-first"], seen, Estimate(), Limits(calls=1))
        self.assertEqual((done.calls, done.complete), (1, False))


@unittest.skipUnless(SSCG and shutil.which("rg"), "SSCG names no program, or ripgrep is not installed")
class WithSscg(Workplace):
    def test_policies_ask_the_server_and_find_every_needed_line(self):
        arm, index = self.opened(ARMS["sscg"]), Index(SOURCES)
        self.assertIn("search_code", [tool["name"] for tool in arm.tools()])
        for task in TASKS.values():
            for name in ("search-first", "mixed"):
                done = run_policy(task, arm, name, POLICIES[name], Seen(task, index), Estimate(), Limits())
                self.assertTrue(done.complete, (done.task, name, done.missing))
                self.assertIn(done.log[0]["tool"], ("search_code", "look_up", "shell"))

    def test_a_wrong_call_is_an_answer(self):
        arm = self.opened(ARMS["sscg"])
        self.assertIn("error", arm.call("no_such_tool", {}).lower())


class Edits(Workplace):
    def test_a_check_fails_before_the_reference_patch_and_passes_after_it(self):
        task = TASKS["stockroom-negative-split"]
        root = projects.copy(SOURCES, Path(self.directory, "copy"))
        self.assertFalse(edits.check(task, root).passed)
        edits.apply(task, root)
        self.assertTrue(edits.check(task, root).passed)


class Models(Workplace):
    KINDS = ("openai", "anthropic")

    def run_script(self, kind, script, task):
        server = Scripted(kind, script)
        self.addCleanup(server.close)
        named = {"AGENT_API": kind, "AGENT_BASE_URL": server.base, "AGENT_MODEL": "script", "AGENT_KEY": "key"}
        arm = self.opened(Shell)
        row, log = model.run_task(TASKS[task], arm, model.endpoint(named), SOURCES, Estimate(), 10)
        return server, row, log

    def test_a_model_calls_tools_and_its_citations_are_graded(self):
        final = '```json\n{"answer": "x", "spans": [["stockroom/inventory/reservations.py", 16, 23]]}\n```'
        script = [[("shell", {"command": "sed -n 16,19p stockroom/inventory/reservations.py"})], final]
        for kind in self.KINDS:
            server, row, log = self.run_script(kind, script, "stockroom-expired")
            self.assertEqual((row["calls"], row["turns"], row["input"], row["output"]), (1, 2, 200, 20))
            self.assertEqual((row["score"], row["precision"]), (1.0, 0.5))
            self.assertIn("def available", log[0]["answer"])
            self.assertIn("def available", json.dumps(server.requests[1][2]["messages"]))
            self.assertIn(SHELL["name"], json.dumps(server.requests[0][2]["tools"]))

    def test_facts_count_only_with_a_quotation_of_the_answer(self):
        final = '```json\n{"answer": "Letters after 7, 21 and 42 days.", "spans": []}\n```'
        grades = [
            {"fact": 1, "stated": True, "evidence": "after 7, 21 and 42 days"},
            {"fact": 2, "stated": True, "evidence": "the third costs 15 euros"},
        ]
        for kind in self.KINDS:
            _, row, _ = self.run_script(kind, [final, json.dumps(grades)], "stockroom-reminders")
            self.assertEqual(row["score"], 0.5)
            self.assertEqual([item["stated"] for item in row["evidence"]], [True, False])

    def test_an_edit_is_graded_by_its_check(self):
        change = "sed -i 's/total = sum(weights)/if min(weights) < 0: raise ValueError\\n        total = sum(weights)/' stockroom/money.py"
        for script, score in (([[("shell", {"command": change})], "done"], 1.0), (["done"], 0.0)):
            _, row, _ = self.run_script("openai", script, "stockroom-negative-split")
            self.assertEqual(row["score"], score)

    def test_replies_that_are_not_as_asked_get_no_points(self):
        for text in ("no json", '```json\n{"spans": [["a"], 3, ["nowhere.py", 1, 2]]}\n```', "```json\n[1]\n```"):
            _, row, _ = self.run_script("openai", [text], "stockroom-expired")
            self.assertEqual(row["score"], 0.0)

    def test_an_endpoint_has_to_be_named(self):
        with self.assertRaises(SystemExit):
            model.endpoint({})


class Reports(unittest.TestCase):
    def rows(self):
        for task in range(10):
            for arm, policy, used in (("shell", "grep-first", 100 * (task + 1)), ("sscg", "search-first", 50)):
                yield {
                    "task": f"t{task}", "kind": "question", "arm": arm, "policy": policy, "complete": task != 9,
                    "coverage": 1.0, "calls": 1, "tokens": used, "resident": 10, "billed": used, "seconds": 0.1,
                }  # fmt: skip

    def test_ratios_compare_with_the_baseline_on_tasks_that_both_finished(self):
        sscg = next(row for row in report.summarize(list(self.rows())) if row["arm"] == "sscg")
        self.assertEqual(sscg["equal"], 9)
        self.assertAlmostEqual(sscg["ratio"], 500 / 5500)
        self.assertAlmostEqual(sscg["ratio_equal"], 450 / 4500)
        low, high = sscg["ratio_equal_interval"]
        self.assertTrue(low <= sscg["ratio_equal"] <= high)

    def test_the_dearest_task_comes_first(self):
        found = report.dearest(list(self.rows()), "sscg", "search-first")
        self.assertEqual(found[0][1]["task"], "t0")

    def test_the_report_names_arms_that_were_left_out(self):
        text = report.markdown(list(self.rows()), "characters / 4", [("semble", "no model")])
        self.assertIn("Arm `semble` was left out: no model.", text)


class CommandLine(Workplace):
    @unittest.skipUnless(shutil.which("rg"), "ripgrep is not installed")
    def test_a_run_writes_report_and_transcripts(self):
        out = Path(self.directory, "out")
        run.main([
            "scripted", "--tasks", str(HERE / "tasks"), "--arms", "shell", "--out", str(out),
            "--work", self.directory, "--cache", self.directory, "--tokenizer", self.directory,
        ])  # fmt: skip
        figures = json.loads((out / "report.json").read_text())
        self.assertEqual(len(figures["runs"]), 3)
        self.assertTrue((out / "transcripts/shell-grep-first/stockroom-expired.json").is_file())


if __name__ == "__main__":
    unittest.main()
