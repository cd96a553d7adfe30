//! Packages of a release that a registry does not have yet, so that a second attempt publishes only these.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::npm;
use super::product::Product;
use super::target::TARGETS;
use crate::workspace::{is_published, metadata, output};

/// A registry whose own client fails if a version is published again.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Registry {
    /// crates.io
    Crates,
    /// npm
    Npm,
    /// The MCP registry
    Mcp,
}

impl Registry {
    /// Returns the address that answers requests for packages.
    pub(super) fn url(self) -> &'static str {
        match self {
            Registry::Crates => "https://index.crates.io",
            Registry::Npm => "https://registry.npmjs.org",
            Registry::Mcp => "https://registry.modelcontextprotocol.io",
        }
    }

    /// Returns the names of all packages, those first that others require.
    fn packages(self, product: &Product) -> Result<Vec<String>> {
        Ok(match self {
            // Cargo finds the order.
            Registry::Crates => {
                let packages = metadata()?.packages;
                packages.iter().filter(|it| is_published(it)).map(|it| it.name.to_string()).collect()
            }
            Registry::Npm => {
                let programs = TARGETS.iter().map(|target| npm::package(&product.package, target));
                programs.chain([product.package.clone()]).collect()
            }
            Registry::Mcp => {
                vec![product.server.clone().context("the project has no address: set `repository`")?]
            }
        })
    }

    /// Returns the path of the document that lists the versions of a package or describes one.
    fn path(self, package: &str, version: &str) -> String {
        match self {
            // Directories by the first letters, as the names have four or more.
            Registry::Crates => format!("{}/{}/{package}", &package[..2], &package[2..4]),
            Registry::Npm => package.to_owned(),
            Registry::Mcp => format!("v0.1/servers/{}/versions/{version}", package.replace('/', "%2F")),
        }
    }

    /// True if the document contains the version.
    fn lists(self, document: &str, version: &str) -> Result<bool> {
        Ok(match self {
            Registry::Crates => {
                let mut lines = document.lines().map(serde_json::from_str::<Value>);
                lines.try_fold(false, |found, line| {
                    Ok::<_, serde_json::Error>(found | (line?["vers"] == version))
                })?
            }
            Registry::Npm => !serde_json::from_str::<Value>(document)?["versions"][version].is_null(),
            Registry::Mcp => true,
        })
    }
}

/// Returns the packages that the registry at an address lacks in the version of the product.
pub(super) fn find(registry: Registry, url: &str, product: &Product) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for package in registry.packages(product)? {
        let url = format!("{url}/{}", registry.path(&package, &product.version));
        let document = get(&url)?;
        let is_there = match document {
            Some(document) => {
                registry.lists(&document, &product.version).with_context(|| format!("cannot read {url}"))?
            }
            None => false,
        };
        if !is_there {
            missing.push(package);
        }
    }
    Ok(missing)
}

/// Returns the document at an address, or none if there is none. Any other failure is an error, so that nothing counts as
/// missing because a registry does not answer.
fn get(url: &str) -> Result<Option<String>> {
    // In curl, because this program has no client for TLS.
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--location", "--retry", "3", "--max-time", "60"]);
    curl.args(["--user-agent", "sscg-xtask", "--write-out", "\n%{http_code}", url]);
    let answer = output(&mut curl)?;
    match answer.rsplit_once('\n') {
        Some((document, "200")) => Ok(Some(document.to_owned())),
        // The index of crates.io answers 410 or 451 for a name that was removed, which is for people to look at.
        Some((_, "404")) => Ok(None),
        Some((_, status)) => bail!("{url} answers with status {status}"),
        None => bail!("{url} answers nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::registry::{Contents, Registry as Served};
    use super::*;

    fn product() -> Product {
        Product::of_version("1.2.0").expect("it is a version")
    }

    fn served(registry: Registry, documents: &[(&str, &str)]) -> Served {
        let path = |package: &str| format!("/{}", registry.path(package, "1.2.0"));
        let documents = documents.iter().map(|(package, text)| (path(package), text.as_bytes().to_vec()));
        Served::start(|_| Ok(documents.collect::<Contents>())).expect("it can listen")
    }

    fn missing(registry: Registry, documents: &[(&str, &str)]) -> Vec<String> {
        let served = served(registry, documents);
        find(registry, &served.url, &product()).expect("it answers")
    }

    #[test]
    fn crates_of_an_earlier_attempt_are_not_published_again() {
        let index = "{\"name\":\"x\",\"vers\":\"1.1.0\"}\n{\"name\":\"x\",\"vers\":\"1.2.0\"}\n";
        let old = "{\"name\":\"x\",\"vers\":\"1.2.0-rc.1\"}\n";
        let left = missing(Registry::Crates, &[("sscg-core", index), ("sscg-parse", old)]);
        assert!(!left.contains(&"sscg-core".to_owned()), "{left:?}");
        assert!(left.contains(&"sscg-parse".to_owned()) && left.contains(&"sscg-cli".to_owned()), "{left:?}");
        assert!(!left.contains(&"xtask".to_owned()), "{left:?}");
    }

    #[test]
    fn packages_of_npm_that_are_left_end_with_the_one_that_requires_the_others() {
        let there = "{\"versions\":{\"1.2.0\":{}}}";
        let old = "{\"versions\":{\"1.1.0\":{}}}";
        let left = missing(Registry::Npm, &[("sscg-cli-linux-x64", there), ("sscg-cli-darwin-x64", old)]);
        assert_eq!(left.len(), TARGETS.len());
        assert_eq!(left.last().map(String::as_str), Some("sscg-cli"));
        assert!(!left.contains(&"sscg-cli-linux-x64".to_owned()), "{left:?}");
    }

    #[test]
    fn the_mcp_registry_has_a_document_for_each_version() {
        let server = product().server.expect("it has an address");
        assert_eq!(missing(Registry::Mcp, &[(&server, "{}")]), [""; 0]);
        assert_eq!(missing(Registry::Mcp, &[]), [server]);
    }

    #[test]
    fn a_registry_that_does_not_answer_has_no_missing_packages() {
        let registry = Registry::Npm;
        let served = served(registry, &[("sscg-cli-linux-x64", "an error page")]);
        assert!(find(registry, &served.url, &product()).is_err());
        let gone = served.url.clone();
        drop(served);
        assert!(find(registry, &format!("{gone}0"), &product()).is_err());
    }
}
