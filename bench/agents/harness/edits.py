"""Checks of edits on a copy of a project, and their reference patches."""

import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Checked:
    passed: bool
    output: str


def check(task, root, timeout=600):
    """Runs the check of an edit in a copy of the project."""
    command = [part.replace("{checks}", str(task.edits.resolve())) for part in task.check]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Checked(False, f"no end after {timeout} s")
    return Checked(done.returncode == 0, (done.stdout + done.stderr)[-4000:])


def apply(task, root):
    """Applies the reference patch of an edit."""
    patch = str((task.edits / task.patch).resolve())
    subprocess.run(["patch", "--strip=1", "--silent", f"--input={patch}"], cwd=root, check=True)
