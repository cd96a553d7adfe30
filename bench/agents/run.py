#!/usr/bin/env python3
"""Measures what agents read until they are right. `run.py --help` lists the options; README.md explains them."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import edits, model, projects, report, tasks, tokens
from harness.arms import ARMS, Unavailable
from harness.loop import Limits, run_policy
from harness.policies import POLICIES
from harness.seen import Index, Seen

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


def options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=["scripted", "model", "edits", "list"], help="what to run")
    parser.add_argument("--tasks", default=str(HERE / "tasks"), help="directory with the files of tasks")
    parser.add_argument("--guesses", help="file with guesses at names for each task, for all policies")
    parser.add_argument("--only", default="", help="run only tasks whose id contains this text")
    parser.add_argument("--arms", default="shell,sscg,codegraph,jcodemunch,semble", help="arms, separated by commas")
    parser.add_argument("--policies", default="grep-first,search-first,mixed", help="policies, separated by commas")
    parser.add_argument("--cache", default=str(Path.home() / ".cache/sscg-bench-agents"), help="fetched packages")
    parser.add_argument("--work", help="copies and indexes of projects; default: `work` in the cache")
    parser.add_argument("--out", default="agents-out", help="directory for the report and the transcripts")
    parser.add_argument("--tokenizer", default=".", help="directory in which the npm package gpt-tokenizer is installed")
    parser.add_argument("--calls", type=int, default=Limits.calls, help="limit of calls per task")
    parser.add_argument("--tokens", type=int, default=Limits.tokens, help="limit of tokens per task")
    for name in ("sscg", "codegraph", "jcodemunch", "semble"):
        program = {"jcodemunch": "jcodemunch-mcp"}.get(name, name)
        parser.add_argument(f"--{name}", default=program, help=f"program of the arm {name}")
    chosen = parser.parse_args(arguments)
    chosen.work = str(Path(chosen.work or Path(chosen.cache, "work")).resolve())
    return chosen


def available(names, chosen):
    """Returns the arms that can run here, and those that cannot with the reason."""
    arms, skipped = [], []
    for name in names:
        arm = ARMS[name](chosen)
        try:
            arm.check()
            arms.append(arm)
        except Unavailable as error:
            skipped.append((name, str(error)))
            print(f"arm {name} is left out: {error}", file=sys.stderr)
    return arms, skipped


def by_project(all_tasks):
    groups = {}
    for task in all_tasks:
        groups.setdefault(task.project, []).append(task)
    return groups


def policies_of(arm, names):
    """Returns the policies that make sense for an arm: without a search tool all are the same."""
    return ["grep-first"] if arm.tool is None else [name for name in names if name != "grep-first"]


def scripted(all_tasks, chosen):
    """Runs policies without a model and writes report.md, report.json and transcripts."""
    arms, skipped = available(chosen.arms.split(","), chosen)
    counter = tokens.counter(chosen.tokenizer)
    limits = Limits(chosen.calls, chosen.tokens)
    rows, out = [], Path(chosen.out)
    for project, own in by_project(all_tasks).items():
        sources = projects.fetch(project, chosen.cache, REPOSITORY)
        index = Index(sources)
        for arm in arms:
            arm.open(project, sources)
            try:
                for task in own:
                    for name in policies_of(arm, chosen.policies.split(",")):
                        run = run_policy(task, arm, name, POLICIES[name], Seen(task, index), counter, limits)
                        rows.append(run.row())
                        folder = out / "transcripts" / f"{arm.name}-{name}"
                        folder.mkdir(parents=True, exist_ok=True)
                        (folder / f"{task.id}.json").write_text(json.dumps(run.log, indent=1, ensure_ascii=False))
                        mark = "" if run.complete else f" INCOMPLETE {run.coverage:.2f}"
                        print(f"{task.id:26} {arm.name:10} {name:12} {run.calls:3} {run.tokens:7,}{mark}", flush=True)
            finally:
                arm.close()
    counter.close()
    out.mkdir(parents=True, exist_ok=True)
    figures = {"counter": counter.name, "skipped": skipped, "summary": report.summarize(rows), "runs": rows}
    (out / "report.json").write_text(json.dumps(figures, indent=1))
    (out / "report.md").write_text(report.markdown(rows, counter.name, skipped))
    print((out / "report.md").read_text())
    return 0


def check_edits(all_tasks, chosen):
    """Shows for each edit that its check fails before the reference patch and passes after it."""
    failed = 0
    for task in (task for task in all_tasks if task.kind == "edit"):
        sources = projects.fetch(task.project, chosen.cache, REPOSITORY)
        root = projects.copy(sources, Path(chosen.work, "edits", task.id))
        before = edits.check(task, root)
        edits.apply(task, root)
        after = edits.check(task, root)
        good = not before.passed and after.passed
        failed += not good
        print(f"{task.id}: {'ok' if good else 'WRONG'} (before {before.passed}, after {after.passed})", flush=True)
        if not after.passed:
            print(after.output)
    return failed


def with_model(all_tasks, chosen):
    """Runs a model at an endpoint, named in the environment, and writes its graded results."""
    endpoint = model.endpoint()
    arms, skipped = available(chosen.arms.split(","), chosen)
    counter = tokens.counter(chosen.tokenizer)
    rows, out = [], Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    for project, own in by_project(all_tasks).items():
        sources = projects.fetch(project, chosen.cache, REPOSITORY)
        for task in own:
            for arm in arms:
                arm.open(project, sources)
                try:
                    row, log = model.run_task(task, arm, endpoint, sources, counter, chosen.calls)
                finally:
                    arm.close()
                rows.append(row)
                folder = out / "transcripts" / f"{arm.name}-model"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{task.id}.json").write_text(json.dumps(log, indent=1, ensure_ascii=False))
                print(f"{task.id:26} {arm.name:10} {row['calls']:3} {row['input']:8,} {row['score']:.2f}", flush=True)
    counter.close()
    (out / "model.json").write_text(json.dumps({"skipped": skipped, "runs": rows}, indent=1))
    (out / "model.md").write_text(model.markdown(rows))
    print((out / "model.md").read_text())
    return 0


def main(arguments=None):
    chosen = options(arguments)
    all_tasks = tasks.load(chosen.tasks, HERE / "edits", chosen.guesses)
    all_tasks = [task for task in all_tasks if chosen.only in task.id]
    if chosen.mode == "list":
        wrong = 0
        for project, own in by_project(all_tasks).items():
            sources = projects.fetch(project, chosen.cache, REPOSITORY)
            for task in own:
                found = tasks.problems(task, sources)
                wrong += len(found)
                print(f"{task.id:26} {task.kind:13} {'; '.join(found)}")
        return wrong
    return {"scripted": scripted, "edits": check_edits, "model": with_model}[chosen.mode](all_tasks, chosen)


if __name__ == "__main__":
    sys.exit(main())
