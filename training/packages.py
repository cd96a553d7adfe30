#!/usr/bin/env python3
"""The packages that the model is trained on.

packages.py fetch WORK             download what the frozen lists name into WORK/archives and check the hashes
packages.py unpack WORK BENCH..    take the source files out of them into WORK/packages, one directory a package,
                                   without files that one of the benchmark checkouts has too
packages.py freeze WORK            write the lists anew from what lies in WORK/archives

Archives come from the registries' own clients, which are told never to build or run a package. A list has a
package a line: name, version, SHA-256 of the archive, license.
"""
import concurrent.futures
import email
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).parent
LISTS = {"pypi": ".whl", "npm": ".tgz", "crates": ".crate"}
SOURCES = (".py", ".pyi", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".rs")
LICENSES = {"MIT", "MIT-0", "BSD", "0BSD", "BSD-1-Clause", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "Zlib", "Unlicense"}
# What people write in the place of the identifiers of SPDX, lower case.
SPELLINGS = {
    "mit license": "MIT", "the mit license": "MIT", "mit": "MIT", "expat": "MIT", "bsd": "BSD", "bsd license": "BSD",
    "new bsd": "BSD-3-Clause", "new bsd license": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "3-clause bsd": "BSD-3-Clause",
    "bsd-3-clause license": "BSD-3-Clause", "bsd 3-clause license": "BSD-3-Clause", "apache 2.0": "Apache-2.0",
    "apache 2": "Apache-2.0", "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0", "apache-2": "Apache-2.0", "apache license": "Apache-2.0", "isc license": "ISC",
    "isc license (iscl)": "ISC", "the unlicense (unlicense)": "Unlicense", "zlib/libpng license": "Zlib",
    "apache 2.0 license": "Apache-2.0", "apache license version 2.0": "Apache-2.0", "asl 2.0": "Apache-2.0",
}


def excluded_words():
    lines = (HERE / "excluded.txt").read_text().splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def is_excluded(name, words):
    """Whether a package belongs to a project that must not be trained on."""
    parts = [part for part in re.split(r"[^a-z0-9]+", name.lower()) if part]
    pairs = [f"{a}-{b}" for a, b in zip(parts, parts[1:])]
    scope = [name.split("/")[0]] if name.startswith("@") else []
    return not words.isdisjoint([name.lower(), *parts, *pairs, *scope])


def allowed_license(expression):
    """The first alternative of an SPDX expression of which every part is allowed; None if there is none."""
    for alternative in re.split(r"\s+OR\s+|/(?!libpng)", expression.strip().strip("()")):
        parts = [part.strip(" ()") for part in re.split(r"\s+AND\s+", alternative)]
        parts = [SPELLINGS.get(part.lower(), part) for part in parts]
        if all(part in LICENSES for part in parts):
            return " AND ".join(parts)
    return None


def describe(archive):
    """(name, version, license or None) as the archive itself tells."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as files:
            path = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = email.message_from_bytes(files.read(path))
        classifiers = [c.split(" :: ")[-1] for c in metadata.get_all("Classifier", []) if c.startswith("License :: OSI")]
        told = metadata.get("License-Expression") or " AND ".join(classifiers) or metadata.get("License", "")
        return metadata["Name"], metadata["Version"], allowed_license(told)
    with tarfile.open(archive) as files:
        if archive.suffix == ".crate":
            package = tomllib.load(files.extractfile(f"{archive.stem}/Cargo.toml"))["package"]
            return package["name"], package["version"], allowed_license(package.get("license", ""))
        path = next(name for name in files.getnames() if re.fullmatch(r"[^/]+/package\.json", name))
        package = json.load(files.extractfile(path))
    told = package.get("license", "")
    return package["name"], package["version"], allowed_license(told if isinstance(told, str) else "")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(work):
    words = excluded_words()
    for kind, ending in LISTS.items():
        newest = {}
        for archive in sorted((work / "archives" / kind).glob(f"*{ending}")):
            try:
                name, version, terms = describe(archive)
            except (StopIteration, KeyError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
                print(f"{archive.name}: left out, {error!r}")
                continue
            if terms and not is_excluded(name, words):
                newest[name] = (name, version, sha256(archive), terms)
        lines = ["\t".join(newest[name]) + "\n" for name in sorted(newest)]
        (HERE / "packages" / f"{kind}.tsv").write_text("".join(lines))
        print(f"{kind}: {len(lines)} packages")


def frozen(kind):
    return [line.split("\t") for line in (HERE / "packages" / f"{kind}.tsv").read_text().splitlines()]


def fetch(work):
    for kind in LISTS:
        (work / "archives" / kind).mkdir(parents=True, exist_ok=True)
    rows = {kind: frozen(kind) for kind in LISTS}
    batches = lambda kind, size: [rows[kind][at : at + size] for at in range(0, len(rows[kind]), size)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(fetch_pypi, work, batch) for batch in batches("pypi", 32)]
        jobs += [pool.submit(fetch_npm, work, batch) for batch in batches("npm", 16)]
        for job in jobs:
            job.result()
    for number, batch in enumerate(batches("crates", 64)):
        fetch_crates(work, number, batch)
    for kind, ending in LISTS.items():
        there = {sha256(archive) for archive in (work / "archives" / kind).glob(f"*{ending}")}
        missing = [name for name, _, digest, _ in rows[kind] if digest not in there]
        print(f"{kind}: {len(rows[kind]) - len(missing)} fetched; missing or changed: {' '.join(missing) or 'none'}")


def fetch_pypi(work, rows):
    requirements = "".join(f"{name}=={version} --hash=sha256:{digest}\n" for name, version, digest, _ in rows)
    path = work / f"{rows[0][0]}.requirements"
    path.write_text(requirements)
    # Wheels only: to look into a source distribution, pip would run its code.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command += ["--python-version", "3.11", "--implementation", "py", "--abi", "none", "--platform", "any"]
    subprocess.run([*command, "-d", work / "archives" / "pypi", "-r", path], check=False)
    path.unlink()


def fetch_npm(work, rows):
    specs = [f"{name}@{version}" for name, version, _, _ in rows]
    command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", work / "archives" / "npm"]
    subprocess.run([*command, *specs], check=False, stdout=subprocess.DEVNULL)


def fetch_crates(work, number, rows):
    """cargo fetches what a manifest depends on; the archives then lie in its cache."""
    manifest = work / "manifests" / str(number)
    (manifest / "src").mkdir(parents=True, exist_ok=True)
    (manifest / "src" / "lib.rs").write_text("")
    needs = "".join(f'{name} = {{ version = "={version}", default-features = false }}\n' for name, version, _, _ in rows)
    package = '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
    (manifest / "Cargo.toml").write_text(package + needs)
    home = work / "cargo"
    environment = {**os.environ, "CARGO_HOME": str(home.resolve())}
    subprocess.run(["cargo", "fetch"], cwd=manifest, env=environment, check=False)
    for name, version, _, _ in rows:
        for archive in home.glob(f"registry/cache/*/{name}-{version}.crate"):
            shutil.copy(archive, work / "archives" / "crates")


def unpack(work, benchmark):
    words = excluded_words()
    known = {sha256(path) for tree in benchmark for path in tree.rglob("*") if path.is_file() and path.name.endswith(SOURCES)}
    shutil.rmtree(work / "packages", ignore_errors=True)
    for kind, ending in LISTS.items():
        archives = {sha256(archive): archive for archive in sorted((work / "archives" / kind).glob(f"*{ending}"))}
        count = 0
        for name, version, digest, _ in frozen(kind):
            target = work / "packages" / f"{kind}-{name.replace('/', '-').lstrip('@')}"
            for path, content in sources_in(archives[digest]):
                # What stands in a directory of another project's name is likely a copy of it.
                is_copy = not words.isdisjoint(part.lower() for part in path.parts[:-1])
                if not is_copy and hashlib.sha256(content).hexdigest() not in known:
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    (target / path).write_bytes(content)
                    count += 1
        print(f"{kind}: {count} files")


def sources_in(archive):
    """(path, content) of each source file; an archive's one top directory is left out of the path."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as files:
            found = [(name, files.read(name)) for name in files.namelist() if name.endswith(SOURCES)]
    else:
        with tarfile.open(archive) as files:
            members = [member for member in files if member.isfile() and member.name.endswith(SOURCES)]
            found = [(member.name.split("/", 1)[1], files.extractfile(member).read()) for member in members]
    for name, content in found:
        path = pathlib.PurePosixPath(name)
        if not path.is_absolute() and ".." not in path.parts:
            yield path, content


def main():
    match sys.argv[1:]:
        case ["fetch", work]:
            fetch(pathlib.Path(work))
        case ["unpack", work, *benchmark]:
            unpack(pathlib.Path(work), [pathlib.Path(tree) for tree in benchmark])
        case ["freeze", work]:
            freeze(pathlib.Path(work))
        case _:
            sys.exit(__doc__)


main()
