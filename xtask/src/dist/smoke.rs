//! Packages, installed from their files without a network and asked a question.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;
use tiny_http::{Response, Server};

use super::archive::Effort;
use super::product::Product;
use super::target::Target;
use super::{Parts, manifests};
use crate::serving::{Client, build};
use crate::tools::Tools;
use crate::workspace::output;

/// Address of a project that does not exist, for files that contain one.
const REPOSITORY: &str = "https://example.com/owner/sscg";

/// Question, and the name in the answer.
const QUESTION: &str = "reconnect after a delay";
const ANSWER: &str = "reconnect_after_delay";

/// A check of a package: its name and function.
type Check = (&'static str, fn(&Test) -> Result<()>);

/// Packs a program, by default the one that other steps of continuous integration have built, and installs each package
/// on its own.
pub(super) fn check(program: Option<PathBuf>) -> Result<()> {
    let target = Target::of_this_machine()?;
    let program = match program {
        Some(program) => program,
        None => build(false)?,
    };
    let start = Instant::now();
    let test = Test::new(target, &program)?;
    println!("packing: {:.1} s", start.elapsed().as_secs_f64());
    let checks: [Check; 7] = [
        ("archive", Test::archive),
        ("npm", Test::npm),
        ("wheel", Test::wheel),
        ("Debian package", Test::debian),
        ("install script", Test::install_script),
        ("MCP bundle", Test::bundle),
        ("MCP manifests", Test::manifests),
    ];
    for (name, check) in checks {
        let start = Instant::now();
        check(&test).with_context(|| format!("{name} failed"))?;
        println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Packages of a program, and a place to install them. Everything is deleted on drop.
struct Test {
    target: Target,
    version: String,
    packages: Vec<PathBuf>,
    /// Directory of the packages.
    packed: PathBuf,
    /// A project to search.
    project: PathBuf,
    directory: TempDir,
}

impl Test {
    fn new(target: Target, built: &Path) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let [packed, project] = ["packed", "project"].map(|name| directory.path().join(name));
        fs::create_dir(&project)?;
        fs::write(project.join("net.py"), format!("def {ANSWER}(seconds):\n    sleep(seconds)\n"))?;
        let program = directory.path().join(target.program());
        strip(built, &program)?;
        let product = Product::read(Some(REPOSITORY.to_owned()))?;
        let version = product.version.clone();
        let parts = Parts::read(product, target, &program, &packed, Effort::None)?;
        let packages = parts.pack()?;
        manifests::write(&parts.product, &[target], &packed)?;
        fs::remove_file(program)?;
        Ok(Self { target, version, packages, packed, project, directory })
    }

    /// Returns the packages whose name has an ending.
    fn packages(&self, ending: &str) -> Vec<&PathBuf> {
        let fits = |path: &&PathBuf| path.to_string_lossy().ends_with(ending);
        self.packages.iter().filter(fits).collect()
    }

    fn package(&self, ending: &str) -> Result<&PathBuf> {
        self.packages(ending).pop().with_context(|| format!("there is no {ending}"))
    }

    /// Returns a new directory to install to.
    fn place(&self, name: &str) -> Result<PathBuf> {
        let place = self.directory.path().join(name);
        fs::create_dir(&place)?;
        Ok(place)
    }

    /// Runs an installed command: its version, its check of itself, and a question.
    fn ask(&self, command: impl Fn() -> Command) -> Result<()> {
        let version = output(command().arg("--version"))?;
        ensure!(version.starts_with(&format!("sscg {}", self.version)), "the version is {version:?}");
        output(command().arg("self-check"))?;
        let index = tempfile::tempdir()?;
        let mut search = command();
        let answer = output(
            search.args(["search", QUESTION]).arg(&self.project).arg("--index-dir").arg(index.path()),
        )?;
        ensure!(answer.contains(ANSWER), "the answer is {answer:?}");
        Ok(())
    }

    fn ask_program(&self, program: &Path) -> Result<()> {
        self.ask(|| Command::new(program))
    }

    fn archive(&self) -> Result<()> {
        let place = self.place("archive")?;
        let archive = self.package(self.target.archive_ending())?;
        if self.target.is_windows() {
            unzip(archive, &place)?;
        } else {
            tar::Archive::new(GzDecoder::new(fs::File::open(archive)?)).unpack(&place)?;
        }
        let name = archive.file_name().and_then(OsStr::to_str).expect("the archive has a name");
        let directory = place.join(name.trim_end_matches(self.target.archive_ending()));
        for file in
            ["man/sscg.1", "man/sscg-search.1", "completions/_sscg", "LICENSE-MIT", "THIRD-PARTY-NOTICES"]
        {
            ensure!(directory.join(file).exists(), "there is no {file}");
        }
        self.ask_program(&directory.join(self.target.program()))
    }

    fn npm(&self) -> Result<()> {
        let place = self.place("npm")?;
        let npm = |program: &str| {
            let mut command = Command::new(which::which(program).unwrap_or_else(|_| program.into()));
            // Nothing of the developer: no configuration, no packages downloaded before.
            command.current_dir(&place).env("npm_config_cache", place.join("cache"));
            command.envs([("npm_config_offline", "true"), ("npm_config_userconfig", "none")]);
            command
                .env("npm_config_update_notifier", "false")
                .envs([("npm_config_audit", "false"), ("npm_config_fund", "false")]);
            command
        };
        for package in self.packages(".tgz") {
            output(npm("npm").args(["pack", "--dry-run", "--json"]).arg(package))?;
        }
        output(npm("npm").arg("install").args(self.packages(".tgz")))?;
        self.ask(|| {
            let mut command = npm("npx");
            command.args(["--no", "--", "sscg"]);
            command
        })
    }

    fn wheel(&self) -> Result<()> {
        let (place, wheel) = (self.place("wheel")?, self.package(".whl")?);
        output(
            Tools::new()?.python_command().args(["-m", "wheel", "unpack", "--dest"]).arg(&place).arg(wheel),
        )?;
        let environment = place.join("environment");
        output(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let bin = environment.join(if self.target.is_windows() { "Scripts" } else { "bin" });
        let mut install = Command::new(bin.join("python"));
        install.args(["-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check"]);
        output(install.arg(wheel))?;
        self.ask_program(&bin.join(self.target.program()))?;
        self.ask_program(&bin.join("sscg-cli"))
    }

    fn debian(&self) -> Result<()> {
        if self.target.debian.is_none() {
            return Ok(());
        }
        let place = self.place("debian")?;
        output(Command::new("dpkg-deb").arg("--extract").arg(self.package(".deb")?).arg(&place))?;
        let directory = place.join("usr/share");
        for file in ["man/man1/sscg.1.gz", "bash-completion/completions/sscg", "doc/sscg-cli/copyright"] {
            ensure!(directory.join(file).exists(), "there is no {file}");
        }
        self.ask_program(&place.join("usr/bin/sscg"))
    }

    /// Runs the script as a user would, with archives from a local server: once with the right one, once with another.
    fn install_script(&self) -> Result<()> {
        if self.target.is_windows() || ["curl", "wget"].iter().all(|it| which::which(it).is_err()) {
            println!("note: the install script is not tested: it needs a shell, and curl or wget");
            return Ok(());
        }
        let archive = fs::read(self.package(".tar.gz")?)?;
        let place = self.place("script")?;
        let install = |archive: Vec<u8>| {
            let server = Serving::start(archive)?;
            let mut command = Command::new("sh");
            command.arg(self.packed.join("install.sh")).env("SSCG_INSTALL_DIR", &place);
            // The server is on this machine, where no proxy finds it.
            for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
                command.env_remove(proxy);
            }
            let done = command.env("SSCG_DOWNLOAD_URL", &server.url).output()?;
            anyhow::Ok((done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned()))
        };
        let (installed, errors) = install(b"another".to_vec())?;
        ensure!(!installed && errors.contains("checksum"), "a wrong archive was installed: {errors}");
        ensure!(!place.join("sscg").exists(), "a wrong archive left a program");
        let (installed, errors) = install(archive)?;
        ensure!(installed, "{errors}");
        self.ask_program(&place.join("sscg"))
    }

    /// Starts the server as the manifest of the bundle says.
    fn bundle(&self) -> Result<()> {
        let place = self.place("bundle")?;
        unzip(self.package(".mcpb")?, &place)?;
        let manifest: Value = serde_json::from_slice(&fs::read(place.join("manifest.json"))?)?;
        let config = &manifest["server"]["mcp_config"];
        let filled = |value: &Value| {
            let text = value.as_str().unwrap_or_default().replace("${__dirname}", &place.to_string_lossy());
            text.replace("${user_config.directories}", &self.project.to_string_lossy())
        };
        let arguments =
            config["args"].as_array().context("the manifest has no arguments")?.iter().map(filled);
        let mut command = Command::new(filled(&config["command"]));
        command.args(arguments).env("SSCG_INDEX_DIR", place.join("index"));
        let mut client = Client::connect(&mut command)?;
        let answer = client.call(&json!({ "name": "search_code", "arguments": { "query": QUESTION } }))?;
        ensure!(answer.contains(ANSWER), "the answer is {answer:?}");
        Ok(())
    }

    /// Compares the manifests with their schemas, which other packages contain.
    fn manifests(&self) -> Result<()> {
        let tools = Tools::new()?;
        let bundle = self.directory.path().join("bundle/manifest.json");
        output(Command::new("node").arg(tools.bundle_checker()).arg("validate").arg(bundle))?;
        let server = self.packed.join("server.json");
        output(tools.python_command().args(["-c", SERVER_CHECK]).arg(server))?;
        Ok(())
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

/// A server on this machine that answers every request with the same bytes, until it is dropped.
struct Serving {
    server: Arc<Server>,
    url: String,
}

impl Serving {
    fn start(bytes: Vec<u8>) -> Result<Self> {
        let server =
            Server::http("127.0.0.1:0").map_err(|error| anyhow::anyhow!("cannot listen: {error}"))?;
        let server = Arc::new(server);
        let url = format!("http://{}", server.server_addr());
        let listening = server.clone();
        std::thread::spawn(move || {
            for request in listening.incoming_requests() {
                // A client that leaves early fails by itself.
                let _ = request.respond(Response::from_data(bytes.as_slice()));
            }
        });
        Ok(Self { server, url })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.server.unblock();
    }
}
