//! Detection of undeclared services from deployments, builds and entry points.
//!
//! A directory that is built into a container is certainly a service. A directory with a Dockerfile or a package that
//! serves requests is very likely one. A package that can only be started counts only if the project has none of the
//! former. Sources with the same directory or the same name describe one service.

mod addresses;
mod deployment;
mod dotenv;
mod helm;
mod packages;
mod settings;
mod stack;

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::Confidence;

use super::called;
use super::declared::complete;
use super::interest::{Kind, is_like_aside, kind};
use super::text::{Tree, split};
use crate::{FactEvidence, Problem, Service, ServiceDependency, Setting, Source};
use deployment::{Container, Deployment, StartOrder};
use packages::{Package, Program};

/// Directories that hold services, one each.
const PARENTS: &[&str] = &["apps", "cmd", "microservices", "services"];

/// Directories within a service whose names do not identify it.
const INNER: &[&str] = &["app", "build", "deploy", "docker", "server", "src"];

/// Detected services and libraries.
#[derive(Debug, Default)]
pub(super) struct DetectedServices {
    pub(super) services: Vec<Service>,
    pub(super) libraries: Vec<Box<str>>,
    pub(super) dependencies: Vec<ServiceDependency>,
    pub(super) settings: Vec<Setting>,
}

/// Joins the declared services with those detected in the files of a project. `project` is the name of the project.
pub(super) fn read(
    tree: &Tree<'_>,
    project: &str,
    declared: Vec<Service>,
    libraries: &[Box<str>],
    problems: &mut Vec<Problem>,
) -> DetectedServices {
    let deployment = deployment::read(tree, problems);
    let packages = packages::read(tree, problems);
    let mut site = Site::new(tree, &packages, &deployment, project, libraries);
    site.deployed(&deployment.built);
    site.dockerfiles();
    site.serving();
    site.started(!declared.is_empty());
    let mut services = site.services(declared, &deployment.named);
    addresses::variables(|name| site.key(name), &mut services, &deployment.variables);
    for service in &mut services {
        let name = service.name.clone();
        unique(&mut service.hosts, |host| *host != name);
        unique(&mut service.address_variables, |_| true);
    }
    addresses::no_shared_hosts(&mut services);
    let libraries = site.libraries(&services);
    let dependency = |order: &StartOrder| {
        let (from, to) = (called(&services, &order.from)?, called(&services, &order.to)?);
        let evidence = manifest(Confidence::Ambiguous, &order.file);
        (from != to).then_some(ServiceDependency { from, to, evidence })
    };
    let dependencies = deployment.dependencies.iter().filter_map(dependency).collect();
    let of_container = |name: &str| {
        let key = site.key(name);
        let similar = || services.iter().find(|service| site.key(&service.name) == key);
        called(&services, name).or_else(|| similar().map(|service| service.name.clone()))
    };
    let settings = settings::read(tree, &deployment, &services, of_container);
    DetectedServices { services, libraries, dependencies, settings }
}

/// Facts about the directory of a service.
#[derive(Debug)]
struct Group<'d> {
    containers: Vec<&'d Container>,
    evidence: FactEvidence,
}

/// Project with the directories that are services.
struct Site<'d> {
    packages: &'d BTreeMap<String, Package>,
    /// Dockerfile of each directory that has one.
    dockerfiles: BTreeMap<&'d str, &'d str>,
    /// Entry points of programs.
    entries: Vec<&'d str>,
    project: &'d str,
    /// Prefixes that names have if they start with the project's name.
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

    /// Adds every built container, at the root of its code.
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

    /// Returns the root of a container's code: the directory of its Dockerfile, else its build context, if a package is
    /// in it; else the directory or package with its name; else the first of the two that is not the project root.
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

    /// Adds directories with a Dockerfile and a program, or where services are kept.
    fn dockerfiles(&mut self) {
        for (dir, file) in self.dockerfiles.clone() {
            let root = outer(dir);
            let (parent, name) = split(root);
            let is_kept = is_kept(root) || split(parent).1 == "src" || self.within(root).next().is_some();
            let has_entry = self.entries.iter().any(|entry| split(entry).0 == root);
            if root.is_empty() || stack::is_infrastructure(name) || !(is_kept || has_entry) {
                continue;
            }
            self.add(root, manifest(Confidence::Inferred, file));
        }
    }

    /// Adds packages that serve requests, and packages that can be started where services are kept.
    fn serving(&mut self) {
        for (dir, package) in self.packages {
            let serves =
                package.program == Program::Serves || is_kept(dir) && package.program == Program::Starts;
            if serves && !dir.is_empty() {
                self.add(dir, manifest(Confidence::Inferred, &package.file));
            }
        }
    }

    /// Adds all packages that can be started if no service was found, and the project itself if there are none either.
    fn started(&mut self, is_declared: bool) {
        if !self.groups.is_empty() {
            return;
        }
        let root = self.packages.get("");
        if root.is_none_or(|root| root.program < Program::Serves) {
            for (dir, package) in self.packages {
                if package.program == Program::Starts && !dir.is_empty() && !is_like_aside(dir) {
                    self.add(dir, manifest(Confidence::Inferred, &package.file));
                }
            }
        }
        if self.groups.is_empty() && !is_declared {
            let evidence = match root {
                Some(package) => manifest(Confidence::Inferred, &package.file),
                None => FactEvidence { source: Source::Layout, ..manifest(Confidence::Inferred, "") },
            };
            self.groups.insert(String::new(), Group { containers: Vec::new(), evidence });
        }
    }

    /// Adds a directory unless it is part of a service or declared as a library.
    fn add(&mut self, root: &str, evidence: FactEvidence) {
        let is_part = self.groups.keys().any(|known| !known.is_empty() && is_below(root, known));
        if !is_part && !self.excluded.iter().any(|library| is_below(root, library)) {
            self.groups.insert(root.to_owned(), Group { containers: Vec::new(), evidence });
        }
    }

    /// Returns the packages in a directory.
    fn within<'s>(&'s self, root: &'s str) -> impl Iterator<Item = (&'d str, &'d Package)> + 's {
        let all = self.packages.iter().filter(move |(dir, _)| is_below(dir, root));
        all.map(|(dir, package)| (dir.as_str(), package))
    }

    /// Normalizes a name for comparison: drops the project's prefix and suffixes that only mark services.
    fn key(&self, name: &str) -> String {
        let name = plain(name);
        let own = self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str())).unwrap_or(&name);
        let suffixes = ["-service", "-svc", "-server", "-api", "-backend", "-app", "service"];
        let stem =
            suffixes.iter().find_map(|suffix| own.strip_suffix(suffix)).filter(|stem| !stem.is_empty());
        stem.unwrap_or(own).to_owned()
    }

    /// Returns the services: the declared ones first, each completed by the detected facts.
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
        let container = self.main_container(root, group);
        let package = self.packages.get(root);
        let package_name = package.and_then(|package| package.name.as_deref());
        let package_hosts = package.into_iter().flat_map(|package| &package.hosts).map(String::as_str);
        let containers = group.containers.iter();
        let hosts = containers.flat_map(|it| [&it.name].into_iter().chain(&it.hosts)).map(String::as_str);
        Service {
            name: self.name(root, group, container).into(),
            root: Some(root.into()),
            hosts: hosts.chain(package_name).chain(package_hosts).map(Into::into).collect(),
            stack: self.stack(root),
            evidence: Some(match container {
                Some(container) => manifest(Confidence::Exact, &container.file),
                None => group.evidence.clone(),
            }),
            ..Service::default()
        }
    }

    /// Returns the container that runs the service itself: the one with the name of its directory, else any.
    fn main_container<'g>(&self, root: &str, group: &'g Group<'_>) -> Option<&'g Container> {
        let dir = split(root).1;
        let fits = |it: &&Container| !dir.is_empty() && self.key(&it.name) == self.key(dir);
        // The main one of several files has the shorter path: `compose.yaml`, `compose.tests.yaml`.
        let main = |it: &&Container| (it.file.matches('/').count(), it.file.len());
        let containers = group.containers.iter().copied();
        containers.clone().filter(fits).min_by_key(main).or_else(|| containers.min_by_key(main))
    }

    /// Returns the name of a service: that of its container, its directory, its package or the project.
    fn name<'s>(&'s self, root: &'s str, group: &Group<'_>, container: Option<&'s Container>) -> &'s str {
        if let Some(container) = container {
            let stem = unnumbered(&container.name);
            let mut others = group.containers.iter().filter(|other| other.name != container.name);
            let is_numbered = !stem.is_empty() && others.any(|other| unnumbered(&other.name) == stem);
            return if is_numbered { stem } else { &container.name };
        }
        let package = self.packages.get(root).and_then(|package| package.name.as_deref());
        let names = [split(root).1, package.unwrap_or_default(), self.project];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or("app")
    }

    /// Returns the technology stack of a service: that of its packages, or the language of its entry point.
    fn stack(&self, root: &str) -> BTreeMap<Box<str>, Vec<Box<str>>> {
        let mut stack: BTreeMap<Box<str>, Vec<Box<str>>> = BTreeMap::new();
        let is_other = |dir: &str| self.groups.keys().any(|other| other != root && is_below(dir, other));
        for (_, package) in self.within(root).filter(|(dir, _)| !is_other(dir)) {
            for (of, values) in &package.stack {
                let all = stack.entry(of.clone()).or_default();
                all.extend(values.iter().cloned());
                unique(all, |_| true);
            }
        }
        if !stack.contains_key("language") {
            let entry = self.entries.iter().find(|entry| is_below(split(entry).0, root));
            let language = entry.and_then(|entry| language(entry));
            stack.extend(language.map(|language| ("language".into(), vec![language.into()])));
        }
        stack
    }

    /// Returns the packages that are part of no service.
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

/// Returns the language of an entry point.
fn language(entry: &str) -> Option<&'static str> {
    match entry.rsplit_once('.')?.1 {
        "go" => Some("go"),
        "js" => Some("javascript"),
        "py" => Some("python"),
        "rs" => Some("rust"),
        "ts" => Some("typescript"),
        _ => None,
    }
}

/// Removes duplicates and unwanted names, and keeps the order.
fn unique(names: &mut Vec<Box<str>>, is_wanted: impl Fn(&Box<str>) -> bool) {
    let mut seen = BTreeSet::new();
    names.retain(|name| is_wanted(name) && seen.insert(name.clone()));
}

fn manifest(confidence: Confidence, file: &str) -> FactEvidence {
    FactEvidence { confidence, source: Source::Manifest, file: file.into(), line: 0 }
}

/// Returns a name in lowercase with hyphens, without an npm scope.
fn plain(name: &str) -> String {
    split(name).1.to_lowercase().replace(['_', '.', ' '], "-")
}

/// Returns a name without the number that distinguishes replicas: `worker` for `worker-2`.
fn unnumbered(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit()).trim_end_matches(['-', '_'])
}

/// Returns the directory of the service that contains this inner directory, or the directory itself.
fn outer(dir: &str) -> &str {
    let (parent, name) = split(dir);
    if INNER.contains(&name) && !parent.is_empty() && !is_kept(dir) { parent } else { dir }
}

/// True if the parent of a directory is one where services are kept.
fn is_kept(dir: &str) -> bool {
    PARENTS.contains(&split(split(dir).0).1)
}

fn is_below(dir: &str, root: &str) -> bool {
    root.is_empty() || dir.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
