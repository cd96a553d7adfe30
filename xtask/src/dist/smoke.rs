//! Packages, installed as a user does, in an environment without anything else, and asked a question.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::archive::Effort;
use super::product::Product;
use super::registry::{self, Contents, Registry};
use super::target::Target;
use super::{Parts, manifests};
use crate::serving::{Client, build};
use crate::tools::Tools;
use crate::workspace::output;

/// Address of a project that does not exist, for files that contain one.
const REPOSITORY: &str = "https://example.com/owner/sscg";

/// Author with a mail address, until the manifest names one.
const CONTACT: &str = "The SSCG developers <sscg@example.com>";

/// Question, and the name in the answer.
const QUESTION: &str = "reconnect after a delay";
const ANSWER: &str = "reconnect_after_delay";

/// Programs that the install script calls.
const SCRIPT_PROGRAMS: &[&str] =
    &["chmod", "cp", "curl", "gzip", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "tar", "uname"];

/// A check of a package: its name and function.
type Check = (&'static str, fn(&Test) -> Result<Vec<Figures>>);

/// Packs a program, by default the one that other steps of continuous integration have built, and installs each package
/// on its own. Prints a table of what was downloaded and how long it took.
pub(super) fn check(program: Option<PathBuf>, effort: Effort) -> Result<()> {
    let target = Target::of_this_machine()?;
    let program = match program {
        Some(program) => program,
        None => build(false)?,
    };
    let start = Instant::now();
    let test = Test::new(target, &program, effort)?;
    println!("packing: {:.1} s\n", start.elapsed().as_secs_f64());
    println!("| command | download | time to the answer |\n| --- | --- | --- |");
    let checks: [Check; 8] = [
        ("archive", Test::archive),
        ("npm", Test::npm),
        ("Python", Test::python),
        ("Debian package", Test::debian),
        ("install script", Test::install_script),
        ("MCP bundle", Test::bundle),
        ("metadata", Test::metadata),
        ("MCP manifests", Test::manifests),
    ];
    for (name, check) in checks {
        for figures in check(&test).with_context(|| format!("{name} failed"))? {
            println!("{figures}");
        }
    }
    Ok(())
}

/// A way to install, and its cost: a row of the printed table.
struct Figures {
    /// Command as a user types it.
    command: &'static str,
    /// Size of the downloaded files, in bytes.
    download: u64,
    /// Time to install, start, index and answer, in seconds.
    seconds: f64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, download, seconds } = self;
        write!(f, "| `{command}` | {:.1} MB | {seconds:.1} s |", *download as f64 / 1e6)
    }
}

/// An environment without anything of this machine but some programs, with a home directory of its own.
struct Root(PathBuf);

impl Root {
    /// Makes the environment in a new directory, with some programs of this machine.
    fn new(directory: PathBuf, names: &[&'static str]) -> Result<Self> {
        for place in ["home", "bin"] {
            fs::create_dir(directory.join(place))?;
        }
        let find =
            |&name| Ok((name, which::which(name).with_context(|| format!("{name} is not installed"))?));
        let root = Self(directory);
        root.add(&names.iter().map(find).collect::<Result<Vec<_>>>()?)?;
        Ok(root)
    }

    /// Adds programs: name and path. On systems without links, all of the machine are found anyway.
    fn add(&self, programs: &[(&str, PathBuf)]) -> Result<()> {
        #[cfg(unix)]
        for (name, program) in programs {
            std::os::unix::fs::symlink(program, self.0.join("bin").join(name))?;
        }
        #[cfg(not(unix))]
        let _ = programs;
        Ok(())
    }

    fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        if cfg!(unix) {
            command.env_clear().env("PATH", self.0.join("bin"));
        }
        command.env("HOME", self.home()).current_dir(self.home());
        command
    }
}

/// Packages of a program, and a place to install them. Everything is deleted on drop.
struct Test {
    target: Target,
    product: Product,
    packages: Vec<PathBuf>,
    /// Directory of the packages.
    packed: PathBuf,
    /// A project to search.
    project: PathBuf,
    directory: TempDir,
}

impl Test {
    fn new(target: Target, built: &Path, effort: Effort) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let [packed, project] = ["packed", "project"].map(|name| directory.path().join(name));
        fs::create_dir(&project)?;
        fs::write(project.join("net.py"), format!("def {ANSWER}(seconds):\n    sleep(seconds)\n"))?;
        let program = directory.path().join(target.program());
        strip(built, &program)?;
        let mut product = Product::read(Some(REPOSITORY.to_owned()))?;
        if !product.has_email {
            (product.contact, product.has_email) = (CONTACT.to_owned(), true);
        }
        let parts = Parts::read(product, target, &program, &packed, effort)?;
        let packages = parts.pack()?;
        manifests::write(&parts.product, &[target], &packed)?;
        fs::remove_file(program)?;
        Ok(Self { target, product: parts.product, packages, packed, project, directory })
    }

    /// Returns the packages whose name has an ending.
    fn packages(&self, ending: &str) -> Vec<&Path> {
        let fits = |path: &&PathBuf| path.to_string_lossy().ends_with(ending);
        self.packages.iter().filter(fits).map(PathBuf::as_path).collect()
    }

    fn package(&self, ending: &str) -> Result<&Path> {
        self.packages(ending).pop().with_context(|| format!("there is no {ending}"))
    }

    /// Returns a new directory to install to.
    fn place(&self, name: &str) -> Result<PathBuf> {
        let place = self.directory.path().join(name);
        fs::create_dir(&place)?;
        Ok(place)
    }

    /// Asks a command the question, and returns the figures since the start of its installation.
    fn ask(
        &self,
        shown: &'static str,
        ending: &str,
        start: Instant,
        mut command: Command,
    ) -> Result<Figures> {
        let answer = output(command.args(["search", QUESTION]).arg(&self.project))?;
        ensure!(answer.contains(ANSWER), "the answer is {answer:?}");
        self.figures(shown, ending, start)
    }

    fn figures(&self, command: &'static str, ending: &str, start: Instant) -> Result<Figures> {
        let seconds = start.elapsed().as_secs_f64();
        let sizes = self.packages(ending).into_iter().map(|package| Ok(fs::metadata(package)?.len()));
        Ok(Figures { command, download: sizes.sum::<Result<u64>>()?, seconds })
    }

    /// Runs an installed program: its version, and its check of itself.
    fn inspect(&self, root: &Root, program: &Path) -> Result<()> {
        let version = output(root.command(program).arg("--version"))?;
        ensure!(version.starts_with(&format!("sscg {}", self.product.version)), "the version is {version:?}");
        output(root.command(program).arg("self-check"))?;
        Ok(())
    }

    fn archive(&self) -> Result<Vec<Figures>> {
        let root = Root::new(self.place("archive")?, &[])?;
        let archive = self.package(self.target.archive_ending())?;
        let start = Instant::now();
        if self.target.is_windows() {
            unzip(archive, &root.0)?;
        } else {
            tar::Archive::new(GzDecoder::new(fs::File::open(archive)?)).unpack(&root.0)?;
        }
        let directory = root.0.join(self.product.archive_stem(self.target.triple));
        for file in
            ["man/sscg.1", "man/sscg-search.1", "completions/_sscg", "LICENSE-MIT", "THIRD-PARTY-NOTICES"]
        {
            ensure!(directory.join(file).exists(), "there is no {file}");
        }
        let program = directory.join(self.target.program());
        let figures = self.ask(
            "tar -xzf sscg-VERSION-TARGET.tar.gz",
            self.target.archive_ending(),
            start,
            root.command(&program),
        )?;
        self.inspect(&root, &program)?;
        Ok(vec![figures])
    }

    /// Runs and installs the package of npm with nothing but Node and a shell, from a registry and from files.
    fn npm(&self) -> Result<Vec<Figures>> {
        let packages = self.packages(".tgz");
        let registry = Registry::start(|url| registry::npm_contents(&self.product, &packages, url))?;
        let mut rows = Vec::new();

        let root = Root::new(self.place("npx")?, &["node", "npm", "npx", "sh"])?;
        let start = Instant::now();
        let mut once = root.command("npx");
        once.args(["--yes", "--registry", &registry.url, &self.product.package]);
        rows.push(self.ask("npx --yes sscg-cli search \"...\"", ".tgz", start, once)?);
        let requested = registry.requested();
        for package in &packages {
            ensure!(
                requested.contains(&registry::file_path(package)),
                "{} was not downloaded",
                package.display()
            );
        }
        let others = requested.iter().find(|path| path.starts_with("/absent/"));
        ensure!(others.is_none(), "npm downloaded the program of another target: {others:?}");

        let root = Root::new(self.place("npm")?, &["node", "npm", "sh"])?;
        let start = Instant::now();
        let mut install = root.command("npm");
        install.args(["install", "--global", "--offline", "--prefix"]).arg(root.home()).args(&packages);
        output(&mut install)?;
        let program = root.home().join(if self.target.is_windows() { "sscg.cmd" } else { "bin/sscg" });
        let command = root.command(&program);
        rows.push(self.ask("npm install --global --offline ./FILES.tgz", ".tgz", start, command)?);
        self.inspect(&root, &program)?;
        Ok(rows)
    }

    /// Runs and installs the wheel with nothing but Python, or uv and Python, from a registry.
    fn python(&self) -> Result<Vec<Figures>> {
        let (tools, wheel) = (Tools::new()?, self.package(".whl")?);
        let place = self.place("wheel")?;
        output(tools.python_command().args(["-m", "wheel", "unpack", "--dest"]).arg(place).arg(wheel))?;
        let registry = Registry::start(|_| registry::python_contents(&self.product, wheel))?;
        let index = format!("{}/simple/", registry.url);
        let path = output(Command::new("python3").args(["-c", "import sys; print(sys.executable, end='')"]))?;
        let python = ("python3", PathBuf::from(path));
        let mut rows = Vec::new();

        let root = Root::new(self.place("pip")?, &[])?;
        root.add(std::slice::from_ref(&python))?;
        let environment = root.home().join("environment");
        output(root.command("python3").args(["-m", "venv"]).arg(&environment))?;
        let bin = environment.join(if self.target.is_windows() { "Scripts" } else { "bin" });
        let start = Instant::now();
        let mut install = root.command(bin.join("python"));
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--index-url",
            &index,
        ]);
        output(install.arg(&self.product.package))?;
        let program = bin.join(self.target.program());
        rows.push(self.ask("pip install sscg-cli", ".whl", start, root.command(&program))?);
        self.inspect(&root, &program)?;
        self.inspect(&root, &bin.join("sscg-cli"))?;

        // The scripts that uv writes find their Python with two programs.
        let root = Root::new(self.place("uvx")?, &["dirname", "realpath"])?;
        let uv = ["uv", "uvx"].map(|name| (name, tools.python_program(name)));
        root.add(&[&uv[..], &[python]].concat())?;
        let start = Instant::now();
        let mut once = root.command("uvx");
        once.args(["--quiet", "--no-python-downloads", "--default-index", &index, &self.product.package]);
        rows.push(self.ask("uvx sscg-cli search \"...\"", ".whl", start, once)?);
        Ok(rows)
    }

    /// Installs and removes the package in an empty file system, if that is permitted, and checks it with lintian, if that
    /// is installed.
    fn debian(&self) -> Result<Vec<Figures>> {
        if self.target.debian.is_none() {
            return Ok(Vec::new());
        }
        let (package, root) = (self.package(".deb")?, Root::new(self.place("debian")?, &[])?);
        let place = root.0.join("system");
        fs::create_dir(&place)?;
        let start = Instant::now();
        let is_superuser = output(Command::new("id").arg("-u"))?.trim() == "0";
        let dpkg = |action: &str| {
            let mut command = Command::new("dpkg");
            command.arg(format!("--root={}", place.display())).args(["--log=/dev/null", action]);
            command
        };
        if is_superuser {
            output(dpkg("--install").arg(package))?;
            output(dpkg("--verify").arg(&self.product.package))?;
        } else {
            println!("note: dpkg needs a superuser to install; the package is only extracted");
            output(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&place))?;
        }
        let directory = place.join("usr/share");
        for file in ["man/man1/sscg.1.gz", "bash-completion/completions/sscg", "doc/sscg-cli/copyright"] {
            ensure!(directory.join(file).exists(), "there is no {file}");
        }
        let program = place.join("usr/bin/sscg");
        let figures = self.ask("dpkg -i sscg-cli_VERSION_ARCH.deb", ".deb", start, root.command(&program))?;
        self.inspect(&root, &program)?;
        if is_superuser {
            output(dpkg("--remove").arg(&self.product.package))?;
            ensure!(!place.join("usr").exists(), "dpkg left files of the package");
        }
        self.lintian(package)?;
        Ok(vec![figures])
    }

    fn lintian(&self, package: &Path) -> Result<()> {
        let Ok(lintian) = which::which("lintian") else {
            println!("note: lintian is not installed; the Debian package is not checked");
            return Ok(());
        };
        // A development build is linked with the libraries of this machine, the published one with none; the check may pack
        // without compression.
        let suppressed = "undeclared-elf-prerequisites,uses-no-compression-for-control-tarball,\
                          uses-no-compression-for-data-tarball";
        let mut check = Command::new(lintian);
        check.args(["--allow-root", "--fail-on", "error,warning", "--suppress-tags", suppressed]);
        let found = check.arg(package).output()?;
        ensure!(found.status.success(), "lintian: {}", String::from_utf8_lossy(&found.stdout));
        Ok(())
    }

    /// Runs the script as a user would, with archives from a local server: once with the right one, once with another, and
    /// once without any.
    fn install_script(&self) -> Result<Vec<Figures>> {
        if self.target.is_windows() {
            println!("note: the install script is not tested: it needs a shell");
            return Ok(Vec::new());
        }
        let root = Root::new(self.place("script")?, SCRIPT_PROGRAMS)?;
        let archive = self.package(".tar.gz")?;
        let install = |contents: Contents| {
            let server = Registry::start(|_| Ok(contents))?;
            let mut command = root.command("sh");
            let command = command.arg(self.packed.join("install.sh")).env("SSCG_DOWNLOAD_URL", &server.url);
            let done = command.output()?;
            anyhow::Ok((done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned()))
        };
        let path = registry::file_path(archive);
        let program = root.home().join(".local/bin/sscg");
        for (contents, expected) in [
            (Contents::new(), "error: cannot download"),
            (Contents::from([(path.clone(), b"another".to_vec())]), "has another checksum than expected"),
        ] {
            let (installed, errors) = install(contents)?;
            ensure!(!installed && errors.contains(expected), "a wrong archive is not refused: {errors}");
            ensure!(!program.exists(), "a wrong archive left a program");
        }
        let contents = Contents::from([(path, fs::read(archive)?)]);
        let start = Instant::now();
        let (installed, errors) = install(contents)?;
        ensure!(installed, "{errors}");
        let command = root.command(&program);
        let figures = self.ask("curl -fsSL .../install.sh \\| sh", ".tar.gz", start, command)?;
        self.inspect(&root, &program)?;
        Ok(vec![figures])
    }

    /// Starts the server as the manifest of the bundle says, and calls a tool.
    fn bundle(&self) -> Result<Vec<Figures>> {
        let root = Root::new(self.place("bundle")?, &[])?;
        let start = Instant::now();
        unzip(self.package(".mcpb")?, &root.0)?;
        let manifest: Value = serde_json::from_slice(&fs::read(root.0.join("manifest.json"))?)?;
        let config = &manifest["server"]["mcp_config"];
        let filled = |value: &Value| {
            let text = value.as_str().unwrap_or_default().replace("${__dirname}", &root.0.to_string_lossy());
            text.replace("${user_config.directories}", &self.project.to_string_lossy())
        };
        let arguments =
            config["args"].as_array().context("the manifest has no arguments")?.iter().map(filled);
        let mut client = Client::connect(root.command(filled(&config["command"])).args(arguments))?;
        let answer = client.call(&json!({ "name": "search_code", "arguments": { "query": QUESTION } }))?;
        ensure!(answer.contains(ANSWER), "the answer is {answer:?}");
        Ok(vec![self.figures("open sscg-VERSION-TARGET.mcpb", ".mcpb", start)?])
    }

    /// Publishes the packages of npm without uploading, to a registry without them, and checks the metadata of the wheel.
    fn metadata(&self) -> Result<Vec<Figures>> {
        let registry = Registry::start(|_| Ok(Contents::new()))?;
        let root = Root::new(self.place("metadata")?, &["node", "npm", "sh"])?;
        for package in self.packages(".tgz") {
            let mut publish = root.command("npm");
            publish.args(["publish", "--dry-run", "--registry", &registry.url]).arg(package);
            let done = publish.output()?;
            let messages = String::from_utf8_lossy(&done.stderr);
            let is_clean = !messages.contains("auto-corrected") && !messages.contains("errors corrected");
            ensure!(done.status.success() && is_clean, "npm publish: {messages}");
        }
        let tools = Tools::new()?;
        output(tools.python_command().args(["-m", "twine", "check", "--strict"]).arg(self.package(".whl")?))?;
        Ok(Vec::new())
    }

    /// Compares the manifests with their schemas, which other packages contain.
    fn manifests(&self) -> Result<Vec<Figures>> {
        let tools = Tools::new()?;
        let bundle = self.directory.path().join("bundle/manifest.json");
        output(Command::new("node").arg(tools.bundle_checker()).arg("validate").arg(bundle))?;
        let server = self.packed.join("server.json");
        output(tools.python_command().args(["-c", SERVER_CHECK]).arg(server))?;
        Ok(Vec::new())
    }
}

/// Checks the file `server.json` in the first argument.
const SERVER_CHECK: &str = "\
import importlib.resources as resources, json, jsonschema, sys
server = json.load(open(sys.argv[1]))
version = 'v' + server['$schema'].split('/')[-2].replace('-', '_')
schema = resources.files('skillsaw.schemas.mcp_registry') / version / 'server.schema.json'
jsonschema.validate(server, json.loads(schema.read_text()))
";

/// Copies a program without its symbols, which are most of a development build.
fn strip(program: &Path, to: &Path) -> Result<()> {
    let stripped = Command::new("strip").arg("-o").arg(to).arg(program).status();
    if !stripped.is_ok_and(|status| status.success()) {
        fs::copy(program, to).with_context(|| format!("cannot copy {}", program.display()))?;
    }
    Ok(())
}

fn unzip(archive: &Path, to: &Path) -> Result<()> {
    Ok(zip::ZipArchive::new(fs::File::open(archive)?)?.extract(to)?)
}
