"""Sources of projects, fetched by the ordinary clients of their registries."""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


def fetch(project, cache, repository):
    """Returns the directory with the sources of a project; fetches them on the first use."""
    if project.registry == "directory":
        return Path(repository, project.package)
    target = Path(cache, "projects", f"{project.name}-{project.version}")
    if target.is_dir():
        return target
    part = target.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    sources = {"PyPI": _pypi, "npm": _npm, "crates.io": _crate}[project.registry](project, part)
    shutil.copytree(sources, target)
    shutil.rmtree(part)
    return target


def _run(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def _pypi(project, directory):
    wheel = ["--quiet", "--no-deps", "--only-binary", ":all:", f"{project.package}=={project.version}"]
    _run([sys.executable, "-m", "pip", "download", *wheel], directory)
    sources = Path(directory, "sources")
    with zipfile.ZipFile(next(Path(directory).glob("*.whl"))) as archive:
        archive.extractall(sources)
    return sources


def _npm(project, directory):
    name = _run(["npm", "pack", "--silent", f"{project.package}@{project.version}"], directory).strip()
    with tarfile.open(Path(directory, name.split("\n")[-1])) as archive:
        archive.extractall(directory, filter="data")
    return Path(directory, "package")


def _crate(project, directory):
    """Lets cargo fetch the crate into its registry cache, and returns its directory there."""
    dependency = f'{project.package} = {{ version = "={project.version}", default-features = false }}'
    manifest = f'[package]\nname = "fetch"\nedition = "2021"\n[workspace]\n[dependencies]\n{dependency}\n'
    Path(directory, "Cargo.toml").write_text(manifest)
    Path(directory, "src").mkdir()
    Path(directory, "src/lib.rs").write_text("")
    packages = json.loads(_run(["cargo", "metadata", "--quiet", "--format-version", "1"], directory))["packages"]
    found = next(package for package in packages if package["name"] == project.package)
    return Path(found["manifest_path"]).parent


def copy(sources, target):
    """Makes a fresh copy of a project, for an arm that writes into it or an edit."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sources, target, ignore=shutil.ignore_patterns(".git", "node_modules", "target"))
    return Path(target)
