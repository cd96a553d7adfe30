//! `cargo xtask dist`: the files of a release, from one list of targets and the manifests.

mod archive;
mod bundle;
mod debian;
mod manifests;
mod notices;
mod npm;
#[cfg(test)]
mod pages;
mod product;
mod registry;
mod smoke;
mod target;
mod unpublished;
mod version;
mod wheel;
#[cfg(test)]
mod workflow;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::workspace::{cargo, metadata, output as output_of, root, run as run_command};
use archive::{Effort, Files};
use product::{Product, Templates};
use target::Target;

/// Build the files of a release for one target, or what names the files of all targets
///
/// Writes an archive, packages of npm, a Python wheel, a Debian package (Linux) and an MCP bundle with the program in it, and
/// the checksum of each. The program must run on this machine, because it writes its manual pages and completions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Target [default: the published target of this machine]
    #[arg(long)]
    target: Option<String>,
    /// Pack this program, instead of a build with the profile `dist`
    #[arg(long, value_name = "SSCG")]
    program: Option<PathBuf>,
    /// Directory of the files [default: `artifacts` in the target directory]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Address of the project, instead of `repository` in the manifest
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Write the files that name those of all targets, which must be in the directory: install scripts, and manifests of
    /// package managers and of the MCP registry
    #[arg(long, conflicts_with_all = ["target", "program"])]
    manifests: bool,
    /// Print the packages that a registry lacks in this version, one on a line, those first that others require
    #[arg(long, value_name = "REGISTRY", conflicts_with_all = ["target", "program", "output", "manifests"])]
    unpublished: Option<unpublished::Registry>,
    /// Install each package of this machine as a user does, but without a network, and ask it a question; of a development
    /// build, without compression
    #[arg(long, conflicts_with_all = ["target", "manifests", "output", "repository", "unpublished"])]
    check: bool,
    /// Compress the packages, so that the check prints the sizes of a release
    #[arg(long, requires = "check")]
    compress: bool,
}

/// Runs the step of continuous integration.
pub(crate) fn check_packages() -> Result<()> {
    smoke::check(None, Effort::None)
}

/// Returns what keeps a version from being packed for all package managers.
pub(crate) fn release_problems(version: &str) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    problems.extend(version::python(&version.parse()?).err().map(|error| error.to_string()));
    let product = Product::read(None)?;
    if !product.has_email {
        problems
            .push(format!("{} has no author with a mail address, which Debian requires", product.package));
    }
    Ok(problems)
}

pub(crate) fn run(args: Args) -> Result<()> {
    if args.check {
        let effort = if args.compress { Effort::Best } else { Effort::None };
        return smoke::check(args.program, effort);
    }
    let product = Product::read(args.repository)?;
    if let Some(registry) = args.unpublished {
        for package in unpublished::find(registry, registry.url(), &product)? {
            println!("{package}");
        }
        return Ok(());
    }
    let output = match args.output {
        Some(output) => output,
        None => metadata()?.target_directory.join("artifacts").into(),
    };
    if args.manifests {
        for file in manifests::write(&product, target::TARGETS, &output)? {
            println!("{}", file.display());
        }
        return Ok(());
    }
    let target = match &args.target {
        Some(triple) => Target::find(triple)?,
        None => Target::of_this_machine()?,
    };
    let program = match args.program {
        Some(program) => {
            program.canonicalize().with_context(|| format!("cannot open {}", program.display()))?
        }
        None => build(target)?,
    };
    println!("{:>7.1} MB  {}", megabytes(&program)?, program.display());
    let parts = Parts::read(product, target, &program, &output, Effort::Best)?;
    for file in parts.pack()? {
        println!("{:>7.1} MB  {}", megabytes(&file)?, file.display());
    }
    Ok(())
}

/// Builds the program for a target and returns its path.
fn build(target: Target) -> Result<PathBuf> {
    let start = Instant::now();
    let mut command = cargo(["build", "--profile", "dist", "--package", "sscg-cli", "--locked", "--target"])?;
    run_command(command.arg(target.triple)).with_context(|| {
        format!("is the target installed? `rustup target add {}`; musl needs musl-tools", target.triple)
    })?;
    println!("{:>7.1} s   build for {}", start.elapsed().as_secs_f64(), target.triple);
    let program = metadata()?.target_directory.join(target.triple).join("dist").join(target.program());
    Ok(program.into())
}

/// Parts that the packages of a target are made of.
struct Parts {
    product: Product,
    target: Target,
    templates: Templates,
    program: Rc<[u8]>,
    /// Manual pages.
    manual: Files,
    /// Completion scripts, by the names that shells expect.
    completions: Files,
    /// Licenses, also of the libraries, which every package contains.
    licenses: Files,
    /// Page that registries show.
    readme: String,
    changelog: String,
    output: PathBuf,
    effort: Effort,
}

/// Completion scripts: shell, file.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "sscg.bash"),
    ("zsh", "_sscg"),
    ("fish", "sscg.fish"),
    ("powershell", "_sscg.ps1"),
    ("elvish", "sscg.elv"),
];

impl Parts {
    fn read(product: Product, target: Target, program: &Path, output: &Path, effort: Effort) -> Result<Self> {
        let root = root()?;
        let text =
            |file: &str| fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"));
        let mut licenses = Files::default();
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            licenses.add(file, text(file)?.into_bytes());
        }
        licenses.add(notices::FILE, notices::text(target)?.into_bytes());
        let mut completions = Files::default();
        for (shell, file) in COMPLETIONS {
            completions
                .add(file, output_of(Command::new(program).args(["completions", shell]))?.into_bytes());
        }
        fs::create_dir_all(output).with_context(|| format!("cannot create {}", output.display()))?;
        Ok(Self {
            manual: manual(program)?,
            completions,
            licenses,
            readme: text("crates/sscg-cli/README.md")?,
            changelog: text("CHANGELOG.md")?,
            program: fs::read(program).with_context(|| format!("cannot read {}", program.display()))?.into(),
            templates: Templates::new()?,
            output: output.to_owned(),
            product,
            target,
            effort,
        })
    }

    /// Writes all packages of the target with their checksums, and returns their paths.
    fn pack(&self) -> Result<Vec<PathBuf>> {
        let mut files = vec![self.archive()?];
        files.extend(npm::pack(self)?);
        files.push(wheel::pack(self)?);
        files.extend(debian::pack(self)?);
        files.push(bundle::pack(self)?);
        files.iter().try_for_each(|file| write_checksum(file))?;
        Ok(files)
    }

    /// Writes the archive with everything in it.
    fn archive(&self) -> Result<PathBuf> {
        let stem = self.product.archive_stem(self.target.triple);
        let mut files = Files::default();
        files.add_program(format!("{stem}/{}", self.target.program()), &self.program);
        files.add_all(&format!("{stem}/man"), &self.manual);
        files.add_all(&format!("{stem}/completions"), &self.completions);
        files.add_all(&stem, &self.licenses);
        files.add(format!("{stem}/README.md"), self.readme.as_bytes());
        files.add(format!("{stem}/CHANGELOG.md"), self.changelog.as_bytes());
        let path = self.output.join(format!("{stem}{}", self.target.archive_ending()));
        if self.target.is_windows() {
            files.write_zip(&path, self.effort)?;
        } else {
            files.write_tar_gz(&path, self.effort)?;
        }
        Ok(path)
    }

    /// Fills a template with the product and the target.
    fn render(&self, template: &str) -> Result<String> {
        self.render_with(template, &serde_json::Value::Null)
    }

    /// Fills a template with the product, the target, and more values under the name `more`.
    fn render_with(&self, template: &str, more: &impl Serialize) -> Result<String> {
        let values = serde_json::json!({ "product": self.product, "target": self.target, "more": more });
        self.templates.render(template, &values)
    }
}

/// Returns the manual pages that a program writes, in the order of their names.
fn manual(program: &Path) -> Result<Files> {
    let directory = tempfile::tempdir()?;
    output_of(Command::new(program).arg("man").arg(directory.path()))?;
    let mut pages =
        fs::read_dir(directory.path())?.map(|page| Ok(page?.path())).collect::<Result<Vec<_>>>()?;
    pages.sort();
    let mut files = Files::default();
    for page in pages {
        let name = page.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        files.add(name, fs::read(&page)?);
    }
    Ok(files)
}

fn megabytes(path: &Path) -> Result<f64> {
    let file = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(file.len() as f64 / 1e6)
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
fn checksum(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes the checksum of a file beside it, as `sha256sum` does.
fn write_checksum(path: &Path) -> Result<()> {
    let name = path.file_name().expect("a package has a name").to_string_lossy();
    let line = format!("{}  {name}\n", checksum(path)?);
    Ok(fs::write(path.with_file_name(format!("{name}.sha256")), line)?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Packs a version of an empty program for Linux.
    fn packed(version: &str, output: &Path) -> Vec<PathBuf> {
        let parts = Parts {
            product: Product::of_version(version).expect("it is a version"),
            target: Target::find("x86_64-unknown-linux-musl").expect("it is published"),
            templates: Templates::new().expect("the directory is there"),
            program: Rc::from(*b""),
            manual: Files::default(),
            completions: Files::default(),
            licenses: Files::default(),
            readme: String::new(),
            changelog: String::new(),
            output: output.to_owned(),
            effort: Effort::None,
        };
        parts.pack().expect("it can be packed")
    }

    fn package<'a>(packages: &'a [PathBuf], ending: &str) -> &'a Path {
        let found = packages.iter().find(|path| path.to_string_lossy().ends_with(ending));
        found.unwrap_or_else(|| panic!("no {ending} in {packages:?}"))
    }

    #[test]
    fn packages_have_the_spellings_of_their_managers_for_a_version_before_a_release() {
        let directory = tempfile::tempdir().expect("there is a directory for temporary files");
        let packages = packed("1.2.0-rc.1", directory.path());

        let wheel = package(&packages, ".whl");
        let name = wheel.file_name().expect("it has a name").to_string_lossy();
        assert!(name.starts_with("sscg_cli-1.2.0rc1-py3-none-"), "{name}");
        let mut wheel =
            zip::ZipArchive::new(fs::File::open(wheel).expect("it is there")).expect("it is a zip");
        let metadata = wheel.by_name("sscg_cli-1.2.0rc1.dist-info/METADATA").expect("it has metadata");
        let metadata = std::io::read_to_string(metadata).expect("it is text");
        assert!(metadata.contains("\nVersion: 1.2.0rc1\n"), "{metadata}");

        let debian = package(&packages, "_amd64.deb");
        let mut field = Command::new("dpkg-deb");
        let version = output_of(field.arg("--field").arg(debian).arg("Version")).expect("it has fields");
        assert_eq!(version, "1.2.0~rc.1\n");

        for name in ["sscg-cli-1.2.0-rc.1.tgz", "sscg-cli-linux-x64-1.2.0-rc.1.tgz"] {
            let bytes = fs::read(package(&packages, name)).expect("it is there");
            let manifest = registry::npm_manifest(&bytes).expect("it has a manifest");
            assert_eq!(manifest["version"], "1.2.0-rc.1");
            assert_eq!(manifest["publishConfig"]["tag"], "next");
        }
    }

    #[test]
    fn a_release_is_what_users_get_without_asking() {
        let directory = tempfile::tempdir().expect("there is a directory for temporary files");
        let packages = packed("1.2.0", directory.path());
        let bytes = fs::read(package(&packages, "sscg-cli-1.2.0.tgz")).expect("it is there");
        let manifest: Value = registry::npm_manifest(&bytes).expect("it has a manifest");
        assert_eq!(manifest["publishConfig"]["tag"], "latest");
        assert_eq!(manifest["optionalDependencies"]["sscg-cli-win32-x64"], "1.2.0");
    }
}
