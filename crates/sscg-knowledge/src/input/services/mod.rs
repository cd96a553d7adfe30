//! Services without anyone declaring them: from what is deployed, built and started.
//!
//! What is built into containers is a service for sure; a directory with a Dockerfile or a package that serves requests
//! most likely; a package that can only be started if the project has nothing of the former. Sources that speak of one
//! directory, or of one name, speak of one service.

mod deployment;
mod packages;
mod stack;

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::Confidence;

use super::declared::complete;
use super::interest::{Kind, kind};
use super::text::{Tree, split};
use crate::{Evidence, Problem, Service, Source};
use deployment::{Container, Deployment, Variable};
use packages::{Package, Program};

/// Directories that hold services, one each.
const PARENTS: &[&str] = &["apps", "cmd", "microservices", "services", "src"];

/// Directories within a service that say nothing of which.
const INNER: &[&str] = &["app", "build", "deploy", "docker", "server", "src"];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) services: Vec<Service>,
    pub(super) libraries: Vec<Box<str>>,
}

/// Joins what is declared with what the files of a project show. `project` is what it may be called.
pub(super) fn read(
    tree: &Tree<'_>,
    project: &str,
    declared: Vec<Service>,
    libraries: &[Box<str>],
    problems: &mut Vec<Problem>,
) -> Found {
    let deployment = deployment::read(tree, problems);
    let packages = packages::read(tree, problems);
    let mut site = Site::new(tree, &packages, &deployment, project, libraries);
    site.deployed(&deployment.built);
    site.dockerfiles();
    site.serving();
    site.started(!declared.is_empty());
    let mut services = site.services(declared, &deployment.named);
    addresses(&site, &mut services, &deployment.variables);
    for service in &mut services {
        let name = service.name.clone();
        unique(&mut service.hosts, |host| *host != name);
        unique(&mut service.address_variables, |_| true);
    }
    shared_hosts(&mut services);
    let libraries = site.libraries(&services);
    Found { services, libraries }
}

/// What is known of the directory of a service.
#[derive(Debug)]
struct Group<'d> {
    containers: Vec<&'d Container>,
    evidence: Evidence,
}

/// The project, and which of its directories are services.
struct Site<'d> {
    packages: &'d BTreeMap<String, Package>,
    /// Directories with a Dockerfile, with its path.
    dockerfiles: BTreeMap<&'d str, &'d str>,
    /// Files that programs start with.
    entries: Vec<&'d str>,
    project: &'d str,
    /// What names start with that have the project's before their own.
    prefixes: BTreeSet<String>,
    groups: BTreeMap<String, Group<'d>>,
    excluded: &'d [Box<str>],
}

impl<'d> Site<'d> {
    fn new(
        tree: &Tree<'d>,
        packages: &'d BTreeMap<String, Package>,
        deployment: &'d Deployment,
        project: &'d str,
        excluded: &'d [Box<str>],
    ) -> Self {
        let of_kind = |wanted: Kind| tree.paths().filter(move |path| kind(path) == Some(wanted));
        let root = packages.get("").and_then(|package| package.name.as_deref());
        let names = deployment.projects.iter().map(String::as_str).chain(root).chain([project]);
        Self {
            packages,
            dockerfiles: of_kind(Kind::Dockerfile).map(|path| (split(path).0, path)).collect(),
            entries: of_kind(Kind::Entry).collect(),
            project,
            prefixes: names.filter(|name| !name.is_empty()).map(|name| format!("{}-", plain(name))).collect(),
            groups: BTreeMap::new(),
            excluded,
        }
    }

    /// Everything that is built into a container, at where its code is.
    fn deployed(&mut self, built: &'d [Container]) {
        for container in built {
            let root = self.root_of(container);
            if stack::is_infrastructure(&container.name) && !self.packages.contains_key(&root) {
                continue;
            }
            let evidence = manifest(Confidence::Exact, &container.file);
            self.groups
                .entry(root)
                .or_insert_with(|| Group { containers: Vec::new(), evidence })
                .containers
                .push(container);
        }
    }

    /// Where the code of a container is: with its Dockerfile or in its context if a package or a Dockerfile of its own is
    /// there, else in a directory or package with its name.
    fn root_of(&self, container: &Container) -> String {
        let context = container.context.as_deref().unwrap_or_default();
        let file = container.dockerfile.as_deref().map_or(context, |file| split(file).0);
        let candidates = [outer(file), outer(context)];
        let is_package = |dir: &&&str| !dir.is_empty() && self.within(dir).next().is_some();
        if let Some(dir) = candidates.iter().find(is_package) {
            return (*dir).to_owned();
        }
        let key = self.key(&container.name);
        let known = self.packages.iter().map(|(dir, package)| (dir.as_str(), package.name.as_deref()));
        let known = known.chain(self.dockerfiles.keys().map(|dir| (outer(dir), None)));
        let called = known.filter(|(dir, name)| {
            let names = [Some(split(dir).1), *name];
            !dir.is_empty() && names.into_iter().flatten().any(|name| self.key(name) == key)
        });
        let nearest = called.map(|(dir, _)| dir).min_by_key(|dir| (dir.matches('/').count(), *dir));
        let elsewhere = || candidates.into_iter().find(|dir| !dir.is_empty()).unwrap_or_default();
        nearest.unwrap_or_else(elsewhere).to_owned()
    }

    /// Directories with a Dockerfile and a program, or where services are kept.
    fn dockerfiles(&mut self) {
        for (dir, file) in self.dockerfiles.clone() {
            let root = outer(dir);
            let (parent, name) = split(root);
            let is_kept = PARENTS.contains(&split(parent).1) || self.within(root).next().is_some();
            let has_entry = self.entries.iter().any(|entry| split(entry).0 == root);
            if root.is_empty() || stack::is_infrastructure(name) || !(is_kept || has_entry) {
                continue;
            }
            self.add(root, manifest(Confidence::Inferred, file));
        }
    }

    /// Packages that serve requests, and what can be started where services are kept.
    fn serving(&mut self) {
        for (dir, package) in self.packages {
            let is_kept = PARENTS[..4].contains(&split(split(dir).0).1);
            let serves = package.program == Program::Serves || is_kept && package.program == Program::Starts;
            if serves && !dir.is_empty() {
                self.add(dir, manifest(Confidence::Inferred, &package.file));
            }
        }
    }

    /// If there is nothing of the kind, whatever can be started; if there is no such thing either, the project itself.
    fn started(&mut self, is_declared: bool) {
        if !self.groups.is_empty() {
            return;
        }
        let root = self.packages.get("");
        if root.is_none_or(|root| root.program < Program::Serves) {
            for (dir, package) in self.packages {
                if package.program == Program::Starts && !dir.is_empty() {
                    self.add(dir, manifest(Confidence::Inferred, &package.file));
                }
            }
        }
        if self.groups.is_empty() && !is_declared {
            let evidence = match root {
                Some(package) => manifest(Confidence::Inferred, &package.file),
                None => Evidence { source: Source::Layout, ..manifest(Confidence::Inferred, "") },
            };
            self.groups.insert(String::new(), Group { containers: Vec::new(), evidence });
        }
    }

    /// Adds a directory unless it is part of a service, or said to be none.
    fn add(&mut self, root: &str, evidence: Evidence) {
        let is_part = self.groups.keys().any(|known| !known.is_empty() && is_below(root, known));
        if !is_part && !self.excluded.iter().any(|library| is_below(root, library)) {
            self.groups.insert(root.to_owned(), Group { containers: Vec::new(), evidence });
        }
    }

    /// The packages in a directory.
    fn within<'s>(&'s self, root: &'s str) -> impl Iterator<Item = (&'d str, &'d Package)> + 's {
        let all = self.packages.iter().filter(move |(dir, _)| is_below(dir, root));
        all.map(|(dir, package)| (dir.as_str(), package))
    }

    /// What is left of a name without the project's before it and without what services are called for being services.
    fn key(&self, name: &str) -> String {
        let name = plain(name);
        let own = self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str())).unwrap_or(&name);
        let suffixes = ["-service", "-svc", "-server", "-api", "-backend", "-app", "service"];
        let stem =
            suffixes.iter().find_map(|suffix| own.strip_suffix(suffix)).filter(|stem| !stem.is_empty());
        stem.unwrap_or(own).to_owned()
    }

    /// The services: those that are declared first, each completed by what was found of it.
    fn services(&self, declared: Vec<Service>, named: &[Container]) -> Vec<Service> {
        let mut services = declared;
        let count = services.len();
        for (root, group) in &self.groups {
            let mut service = self.service(root, group);
            let of_root = |known: &Service| known.root.as_deref() == Some(root.as_str());
            let of_name =
                |known: &Service| known.root.is_none() && self.key(&known.name) == self.key(&service.name);
            let (before, found) = services.split_at_mut(count);
            if let Some(known) = before.iter_mut().find(|known| of_root(known) || of_name(known)) {
                service.hosts.insert(0, service.name.clone());
                complete(known, service);
                continue;
            }
            if before.iter().chain(&*found).any(|known| known.name == service.name) {
                service.name = root.as_str().into();
            }
            services.push(service);
        }
        for container in named {
            let exact = services.iter().position(|service| *service.name == *container.name);
            let key = self.key(&container.name);
            let Some(at) =
                exact.or_else(|| services.iter().position(|service| self.key(&service.name) == key))
            else {
                continue;
            };
            let hosts = [&container.name].into_iter().chain(&container.hosts);
            services[at].hosts.extend(hosts.map(|host| host.as_str().into()));
        }
        services
    }

    fn service(&self, root: &str, group: &Group<'_>) -> Service {
        let dir = split(root).1;
        let package = self.packages.get(root);
        let fits = |container: &&&Container| !dir.is_empty() && self.key(&container.name) == self.key(dir);
        let container = group.containers.iter().find(fits).or(group.containers.first());
        let package_name = package.and_then(|package| package.name.as_deref());
        let name = match container {
            Some(container) => &container.name,
            None if !dir.is_empty() => dir,
            None => [package_name.unwrap_or_default(), self.project]
                .into_iter()
                .find(|it| !it.is_empty())
                .unwrap_or("app"),
        };
        let mut service = Service {
            name: name.into(),
            root: Some(root.into()),
            evidence: Some(group.evidence.clone()),
            ..Service::default()
        };
        for container in &group.containers {
            let hosts = [&container.name].into_iter().chain(&container.hosts);
            service.hosts.extend(hosts.map(|host| host.as_str().into()));
        }
        service.hosts.extend(package_name.map(Into::into));
        let is_other = |dir: &str| self.groups.keys().any(|other| other != root && is_below(dir, other));
        for (_, package) in self.within(root).filter(|(dir, _)| !is_other(dir)) {
            for (of, values) in &package.stack {
                let all = service.stack.entry(of.clone()).or_default();
                all.extend(values.iter().cloned());
                unique(all, |_| true);
            }
        }
        if !service.stack.contains_key("language") {
            let entry = self.entries.iter().find(|entry| is_below(split(entry).0, root));
            let language = entry.and_then(|entry| match entry.rsplit_once('.')?.1 {
                "go" => Some("go"),
                "js" => Some("javascript"),
                "py" => Some("python"),
                "rs" => Some("rust"),
                "ts" => Some("typescript"),
                _ => None,
            });
            service.stack.extend(language.map(|language| ("language".into(), vec![language.into()])));
        }
        service
    }

    /// The packages that are part of no service.
    fn libraries(&self, services: &[Service]) -> Vec<Box<str>> {
        let mut libraries = self.excluded.to_vec();
        let is_part =
            |dir: &str| services.iter().filter_map(|it| it.root.as_deref()).any(|root| is_below(dir, root));
        let others = self
            .packages
            .iter()
            .filter(|(dir, package)| !dir.is_empty() && !package.is_workspace && !is_part(dir));
        libraries.extend(others.map(|(dir, _)| dir.as_str().into()));
        libraries.sort_unstable();
        libraries.dedup();
        libraries
    }
}

/// Notes which variables hold the address of which service: those whose value names its host, and those without a known
/// value that are called like it.
fn addresses(site: &Site<'_>, services: &mut [Service], variables: &BTreeSet<Variable>) {
    let values: BTreeSet<&str> =
        variables.iter().filter(|it| !it.value.is_empty()).map(|it| it.name.as_str()).collect();
    for variable in variables {
        let Some(stem) = address_of(&variable.name) else { continue };
        let at = match host(&variable.value) {
            Some(host) => services
                .iter()
                .position(|it| *it.name == *host || it.hosts.iter().any(|known| **known == *host)),
            None if variable.value.is_empty() && !values.contains(variable.name.as_str()) => {
                let key = site.key(&stem);
                services.iter().position(|service| site.key(&service.name) == key)
            }
            None => None,
        };
        if let Some(at) = at {
            services[at].address_variables.push(variable.name.as_str().into());
        }
    }
}

/// What a variable for addresses is called without what says that it is one: `ORDERS_URL`, `CART_ADDR`.
fn address_of(name: &str) -> Option<String> {
    let suffixes = [
        "_BASE_URL",
        "_SERVICE_URL",
        "_SERVICE_ADDR",
        "_SERVICE_HOST",
        "_SERVICE",
        "_URL",
        "_URI",
        "_ADDR",
        "_ADDRESS",
        "_HOST",
        "_ENDPOINT",
        "_API",
    ];
    let name = name.to_uppercase();
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).map(str::to_owned)
}

/// The host of `http://orders:3001/v1`, `orders:3001` or `orders.shop.svc.cluster.local`.
fn host(value: &str) -> Option<&str> {
    let rest = match value.split_once("://") {
        Some(("http" | "https" | "grpc" | "ws" | "wss" | "tcp", rest)) => rest,
        Some(_) => return None,
        None => value,
    };
    let host = rest.split(['/', '?', ':']).next()?;
    let host = host.split_once(".svc").map_or(host, |(name, _)| name.split('.').next().unwrap_or(name));
    let is_host = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    (!host.is_empty() && host.chars().all(is_host)).then_some(host)
}

/// Takes names away that several services are said to have: they name none of them.
fn shared_hosts(services: &mut [Service]) {
    let mut counts: BTreeMap<Box<str>, usize> = BTreeMap::new();
    for host in services.iter().flat_map(|service| service.hosts.iter().chain([&service.name])) {
        *counts.entry(host.clone()).or_default() += 1;
    }
    for service in services {
        service.hosts.retain(|host| counts[host] == 1);
    }
}

/// Takes away what stands there twice or is not wanted, and keeps the order.
fn unique(names: &mut Vec<Box<str>>, is_wanted: impl Fn(&Box<str>) -> bool) {
    let mut seen = BTreeSet::new();
    names.retain(|name| is_wanted(name) && seen.insert(name.clone()));
}

fn manifest(confidence: Confidence, file: &str) -> Evidence {
    Evidence { confidence, source: Source::Manifest, file: file.into(), line: 0 }
}

/// A name in lower case with hyphens, without the scope of npm.
fn plain(name: &str) -> String {
    split(name).1.to_lowercase().replace(['_', '.', ' '], "-")
}

/// The directory of a service of whose insides this is one.
fn outer(dir: &str) -> &str {
    let (parent, name) = split(dir);
    if INNER.contains(&name) && !parent.is_empty() && !PARENTS.contains(&split(parent).1) {
        parent
    } else {
        dir
    }
}

fn is_below(dir: &str, root: &str) -> bool {
    root.is_empty() || dir.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
