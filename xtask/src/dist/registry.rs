//! Servers on this machine that answer as registries of packages do, with files from memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};
use tiny_http::{Header, Response, Server};

use super::npm;
use super::product::Product;
use super::target::TARGETS;

/// Contents by path, which begins with `/`.
pub(super) type Contents = BTreeMap<String, Vec<u8>>;

/// A server on this machine, which stops when it is dropped.
pub(super) struct Registry {
    server: Arc<Server>,
    pub(super) url: String,
    requested: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    /// Serves what a function returns for the address of the server.
    pub(super) fn start(contents: impl FnOnce(&str) -> Result<Contents>) -> Result<Self> {
        let server = Server::http("127.0.0.1:0").map_err(|error| anyhow!("cannot listen: {error}"))?;
        let server = Arc::new(server);
        let url = format!("http://{}", server.server_addr());
        let contents = contents(&url)?;
        let requested = Arc::new(Mutex::new(Vec::new()));
        let (listening, log) = (server.clone(), requested.clone());
        let html: Header = "Content-Type: text/html".parse().expect("it is a header");
        std::thread::spawn(move || {
            for request in listening.incoming_requests() {
                let path = request.url().to_owned();
                let response = match contents.get(&path) {
                    Some(content) => Response::from_data(content.as_slice()),
                    None => Response::from_data(b"{}".as_slice()).with_status_code(404),
                };
                // pip reads a page of files only as HTML.
                let is_page = path.ends_with('/');
                let response = if is_page { response.with_header(html.clone()) } else { response };
                log.lock().expect("no thread panics with the log").push(path);
                // A client that leaves early fails by itself.
                let _ = request.respond(response);
            }
        });
        Ok(Self { server, url, requested })
    }

    /// Returns the paths that clients have asked for.
    pub(super) fn requested(&self) -> Vec<String> {
        self.requested.lock().expect("no thread panics with the log").clone()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

/// Returns a registry of npm with some packages, and the packages of all other targets without their contents.
pub(super) fn npm_contents(product: &Product, packages: &[&Path], url: &str) -> Result<Contents> {
    let mut manifests = BTreeMap::new();
    let mut contents = Contents::new();
    for target in TARGETS {
        let name = npm::package(&product.package, target);
        let manifest = json!({
            "name": name, "version": product.version, "os": [target.node_os], "cpu": [target.node_cpu],
            "dist": { "tarball": format!("{url}/absent/{name}.tgz") },
        });
        manifests.insert(name, manifest);
    }
    for package in packages {
        let bytes = fs::read(package)?;
        let mut manifest = npm_manifest(&bytes)?;
        let file = file_path(package);
        let integrity = format!("sha512-{}", STANDARD.encode(Sha512::digest(&bytes)));
        manifest["dist"] = json!({ "tarball": format!("{url}{file}"), "integrity": integrity });
        let name = manifest["name"].as_str().context("a package has no name")?.to_owned();
        manifests.insert(name, manifest);
        contents.insert(file, bytes);
    }
    for (name, manifest) in manifests {
        let document = json!({
            "name": name,
            "dist-tags": { "latest": product.version },
            "versions": { product.version.as_str(): manifest },
        });
        contents.insert(format!("/{name}"), document.to_string().into_bytes());
    }
    Ok(contents)
}

/// Returns `package.json` of a package of npm.
pub(super) fn npm_manifest(package: &[u8]) -> Result<Value> {
    for entry in tar::Archive::new(GzDecoder::new(package)).entries()? {
        let entry = entry?;
        if entry.path()?.ends_with("package.json") {
            return Ok(serde_json::from_reader(entry)?);
        }
    }
    Err(anyhow!("the package has no package.json"))
}

/// Returns a registry of Python (PEP 503) with a wheel.
pub(super) fn python_contents(product: &Product, wheel: &Path) -> Result<Contents> {
    let file = file_path(wheel);
    let page =
        format!("<!DOCTYPE html><a href=\"{file}#sha256={}\">{}</a>\n", super::checksum(wheel)?, &file[1..]);
    Ok(Contents::from([
        (format!("/simple/{}/", product.package), page.into_bytes()),
        (file, fs::read(wheel)?),
    ]))
}

/// Returns the path under which a file is served.
pub(super) fn file_path(file: &Path) -> String {
    format!("/{}", file.file_name().expect("a package has a name").to_string_lossy())
}
