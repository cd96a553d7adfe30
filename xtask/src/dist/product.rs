//! The published product: names and texts from the manifests, and the templates that take them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_metadata::Package;
use cargo_metadata::semver::Version;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use super::version;
use crate::workspace::{metadata, root};

/// Package of the program. Packages on every registry have the same name.
const PACKAGE: &str = "sscg-cli";

/// Names and texts of the product, all of which come from the manifest of [`PACKAGE`].
#[derive(Debug, Serialize)]
pub(super) struct Product {
    /// Name of the packages.
    pub(super) package: String,
    /// Version in the spelling of Rust, npm, and the names of files.
    pub(super) version: String,
    pub(super) python_version: String,
    pub(super) debian_version: String,
    /// Name on npm by which users get the version: `latest` without asking, `next` for one before a release.
    pub(super) npm_tag: &'static str,
    /// True for a version before a release, which only those get who ask for it.
    pub(super) is_prerelease: bool,
    pub(super) description: String,
    pub(super) license: String,
    pub(super) keywords: Vec<String>,
    /// First author of the manifest without a mail address, or the holder of the copyright.
    pub(super) author: String,
    /// Author with the mail address, as Debian and Python write it; the same as `author` while the manifest has no address.
    pub(super) contact: String,
    pub(super) has_email: bool,
    /// Year and holder of the copyright.
    pub(super) copyright: String,
    /// Address of the project; none until it has one.
    pub(super) repository: Option<String>,
    /// Directory of the published files, on the web.
    pub(super) downloads: Option<String>,
    /// Name of the server in the MCP registry, which contains the place of the project.
    pub(super) server: Option<String>,
}

impl Product {
    /// Reads the manifests; `repository` overrides theirs.
    pub(super) fn read(repository: Option<String>) -> Result<Self> {
        let package = package()?;
        Self::new(&package, &package.version, repository.or(package.repository.clone()))
    }

    /// Returns another version of the product, at the address of a project that does not exist.
    #[cfg(test)]
    pub(super) fn of_version(version: &str) -> Result<Self> {
        Self::new(&package()?, &version.parse()?, Some("https://github.com/owner/sscg".to_owned()))
    }

    fn new(package: &Package, version: &Version, repository: Option<String>) -> Result<Self> {
        let repository = repository.map(|url| url.trim_end_matches('/').to_owned());
        let text =
            |text: &Option<String>| text.clone().context("the manifest lacks a description or a license");
        let license = fs::read_to_string(root()?.join("LICENSE-MIT"))?;
        let (copyright, holder) = copyright(&license)?;
        let contact = package.authors.first().map_or(holder, String::as_str);
        let author = contact.split(" <").next().unwrap_or(contact);
        Ok(Self {
            package: PACKAGE.to_owned(),
            version: version.to_string(),
            python_version: version::python(version)?,
            debian_version: version::debian(version),
            npm_tag: if version.pre.is_empty() { "latest" } else { "next" },
            is_prerelease: !version.pre.is_empty(),
            description: text(&package.description)?,
            license: text(&package.license)?,
            keywords: package.keywords.clone(),
            author: author.to_owned(),
            contact: contact.to_owned(),
            has_email: author != contact,
            copyright: copyright.to_owned(),
            downloads: repository.as_ref().map(|url| format!("{url}/releases/download/v{version}")),
            server: repository.as_deref().map(server_name).transpose()?,
            repository,
        })
    }

    /// Returns the name of an archive without its ending, which is also the name of the directory in it.
    pub(super) fn archive_stem(&self, triple: &str) -> String {
        format!("sscg-{}-{triple}", self.version)
    }
}

/// Returns the manifest of the program.
fn package() -> Result<Package> {
    let packages = metadata()?.packages;
    packages.into_iter().find(|package| package.name == PACKAGE).context("no such package")
}

/// Returns year and holder of the copyright that a license names, and the holder alone.
fn copyright(license: &str) -> Result<(&str, &str)> {
    let line = license.lines().find_map(|line| line.strip_prefix("Copyright (c) "));
    let found = line.and_then(|line| Some((line, line.split_once(' ')?.1)));
    found.context("the license names no holder of the copyright")
}

/// Returns the name of the server: the host of the project in reverse, its owner, and its name.
fn server_name(repository: &str) -> Result<String> {
    let path = repository.split_once("://").map_or(repository, |(_, path)| path);
    let parts: Vec<&str> = path.split('/').collect();
    let [host, owner, .., _] = parts.as_slice() else { bail!("{repository} has no owner") };
    // The registry gives out names for accounts of GitHub as `io.github.OWNER`.
    let host = if *host == "github.com" { "github.io" } else { host };
    let reversed = host.rsplit('.').collect::<Vec<_>>().join(".");
    Ok(format!("{reversed}.{owner}/sscg"))
}

/// Templates in `packaging/`. A name that ends with `.json` escapes its values as JSON.
pub(super) struct Templates {
    directory: PathBuf,
    environment: Environment<'static>,
}

impl Templates {
    pub(super) fn new() -> Result<Self> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // A line with nothing but a statement leaves no empty line.
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build()?);
        Ok(Self { directory: root()?.join("packaging"), environment })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn read(&self, name: &str) -> Result<String> {
        let path: &Path = &self.path(name);
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Fills a template.
    pub(super) fn render(&self, name: &str, values: &impl Serialize) -> Result<String> {
        let text = self.environment.render_named_str(name, &self.read(name)?, Serde(values));
        text.with_context(|| format!("cannot fill the template packaging/{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_server_contains_the_place_of_the_project() -> Result<()> {
        assert_eq!(server_name("https://github.com/owner/sscg")?, "io.github.owner/sscg");
        assert_eq!(server_name("https://code.example.com/owner/group/sscg")?, "com.example.code.owner/sscg");
        assert!(server_name("https://example.com").is_err());
        Ok(())
    }

    #[test]
    fn the_holder_of_the_copyright_follows_the_year() -> Result<()> {
        assert_eq!(
            copyright("MIT License\n\nCopyright (c) 2026 Some developers\n")?,
            ("2026 Some developers", "Some developers")
        );
        assert!(copyright("Public domain").is_err());
        Ok(())
    }
}
