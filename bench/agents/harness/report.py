"""Reports of scripted runs: totals per arm with bootstrap intervals, as JSON and Markdown."""

import random

ROUNDS = 2000


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    if not values:
        return 0.0
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def interval(tasks, measure, seed=1):
    """Returns the 95 % bootstrap interval of a measure over resampled tasks."""
    chance = random.Random(seed)
    tasks = list(tasks)
    found = sorted(measure([chance.choice(tasks) for _ in tasks]) for _ in range(ROUNDS))
    return found[int(ROUNDS * 0.025)], found[int(ROUNDS * 0.975)]


def summarize(rows, baseline=("shell", "grep-first")):
    """Returns the figures of each arm and policy, and their ratios to the baseline.

    `ratio` compares the tokens of all tasks, where a run that ended at a limit counts with what it read until then.
    `ratio_equal` compares only tasks that both finished.
    """
    by_arm = {}
    for row in rows:
        by_arm.setdefault((row["arm"], row["policy"]), {})[row["task"]] = row
    base = by_arm.get(baseline, {})
    summary = []
    for (arm, policy), runs in by_arm.items():
        tasks = sorted(runs)
        figures = {
            "arm": arm,
            "policy": policy,
            "tasks": len(tasks),
            "complete": sum(runs[task]["complete"] for task in tasks),
            "coverage": mean(runs[task]["coverage"] for task in tasks),
            "calls": mean(runs[task]["calls"] for task in tasks),
            "tokens": mean(runs[task]["tokens"] for task in tasks),
            "tokens_median": median(runs[task]["tokens"] for task in tasks),
            "resident": mean(runs[task]["resident"] for task in tasks),
            "billed": mean(runs[task]["billed"] for task in tasks),
            "seconds": mean(runs[task]["seconds"] for task in tasks),
        }
        figures["tokens_interval"] = interval(tasks, lambda drawn: mean(runs[task]["tokens"] for task in drawn))
        shared = [task for task in tasks if task in base]
        if shared and (arm, policy) != baseline:
            equal = [task for task in shared if runs[task]["complete"] and base[task]["complete"]]

            def ratio(drawn, key="tokens"):
                return sum(runs[task][key] for task in drawn) / sum(base[task][key] for task in drawn)

            figures["ratio"] = ratio(shared)
            figures["ratio_interval"] = interval(shared, ratio)
            figures["ratio_billed"] = ratio(shared, "billed")
            figures["equal"] = len(equal)
            if equal:
                figures["ratio_equal"] = ratio(equal)
                figures["ratio_equal_interval"] = interval(equal, ratio)
                figures["ratio_median"] = median(runs[task]["tokens"] / base[task]["tokens"] for task in equal)
        summary.append(figures)
    return summary


def dearest(rows, arm, policy, count=10, baseline=("shell", "grep-first")):
    """Returns the tasks that cost an arm most relative to the baseline: (ratio, row, row of the baseline)."""
    base = {row["task"]: row for row in rows if (row["arm"], row["policy"]) == baseline}
    found = []
    for row in rows:
        if (row["arm"], row["policy"]) == (arm, policy) and row["task"] in base:
            other = base[row["task"]]
            found.append((row["tokens"] / max(1, other["tokens"]), row, other))
    return sorted(found, key=lambda item: -item[0])[:count]


def markdown(rows, counter, skipped=()):
    """Returns the report as Markdown."""
    summary = summarize(rows)
    lines = [f"Tokens are counted as {counter}. Intervals are 95 % bootstrap intervals over tasks.", ""]
    lines += [f"Arm `{name}` was left out: {reason}." for name, reason in skipped]
    lines += [
        "",
        "| arm | policy | complete | coverage | calls | tokens | 95 % | median | resident | billed | s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in summary:
        low, high = row["tokens_interval"]
        lines.append(
            f"| {row['arm']} | {row['policy']} | {row['complete']}/{row['tasks']} | {row['coverage']:.3f} "
            f"| {row['calls']:.1f} | {row['tokens']:,.0f} | {low:,.0f} to {high:,.0f} | {row['tokens_median']:,.0f} "
            f"| {row['resident']:,.0f} | {row['billed']:,.0f} | {row['seconds']:.2f} |"
        )
    lines += [
        "",
        "| relative to shell, grep-first | policy | all tasks | 95 % | tasks both finished | ratio there | 95 % "
        "| median of ratios | billed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in summary:
        if "ratio" not in row:
            continue
        equal = ["", "", ""]
        if "ratio_equal" in row:
            low, high = row["ratio_equal_interval"]
            equal = [f"{row['ratio_equal']:.2f}", f"{low:.2f} to {high:.2f}", f"{row['ratio_median']:.2f}"]
        low, high = row["ratio_interval"]
        lines.append(
            f"| {row['arm']} | {row['policy']} | {row['ratio']:.2f} | {low:.2f} to {high:.2f} | {row['equal']} "
            f"| {equal[0]} | {equal[1]} | {equal[2]} | {row['ratio_billed']:.2f} |"
        )
    for kind in sorted({row["kind"] for row in rows}):
        own = summarize([row for row in rows if row["kind"] == kind])
        lines += ["", f"{kind}: | complete | calls | tokens | ratio", "--- | --- | --- | --- | ---"]
        for row in own:
            ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
            name = f"{row['arm']}, {row['policy']}"
            lines.append(
                f"{name} | {row['complete']}/{row['tasks']} | {row['calls']:.1f} | {row['tokens']:,.0f} | {ratio}"
            )
    if any(row["arm"] == "sscg" for row in rows):
        lines += ["", "Tasks that cost `sscg`, search-first, most relative to grep-first:", ""]
        lines += ["| task | ratio | tokens | calls | grep-first | calls |", "| --- | --- | --- | --- | --- | --- |"]
        for ratio, row, other in dearest(rows, "sscg", "search-first"):
            marks = ["" if one["complete"] else " (incomplete)" for one in (row, other)]
            lines.append(
                f"| {row['task']} | {ratio:.2f} | {row['tokens']:,}{marks[0]} | {row['calls']} "
                f"| {other['tokens']:,}{marks[1]} | {other['calls']} |"
            )
    return "\n".join(lines) + "\n"
