//! Deployments by docker-compose and Kubernetes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{dotenv, helm};
use crate::Problem;
use crate::input::interest::{Kind, kind};
use crate::input::text::{Format, Tree, join, parse, split, strings, text_of};

/// Deployed program with a name.
#[derive(Clone, Debug, Default)]
pub(super) struct Container {
    /// Name in the deployment.
    pub(super) name: String,
    /// File that declares the container.
    pub(super) file: String,
    /// Directory of the build context, if the image is built in this project.
    pub(super) context: Option<String>,
    /// Path of the Dockerfile, if given.
    pub(super) dockerfile: Option<String>,
    /// Other names in the network, and addresses on the developer's machine.
    pub(super) hosts: Vec<String>,
}

/// Environment variable; its value is empty if it is set elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: String,
    /// Container or workload that has the variable; `None` if any may.
    pub(super) owner: Option<String>,
    /// File that sets the variable.
    pub(super) file: String,
}

/// Deployment of a project.
#[derive(Debug, Default)]
pub(super) struct Deployment {
    /// Containers that the project builds and runs.
    pub(super) built: Vec<Container>,
    /// Containers that run an image built elsewhere, and Kubernetes services and workloads.
    pub(super) named: Vec<Container>,
    /// Variables of all environments.
    pub(super) variables: BTreeSet<Variable>,
    /// Project names in compose files.
    pub(super) projects: Vec<String>,
    /// Containers that start after others, in compose files.
    pub(super) dependencies: BTreeSet<StartOrder>,
}

/// Container that starts after another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartOrder {
    pub(super) from: String,
    pub(super) to: String,
    /// File that declares the order.
    pub(super) file: String,
}

/// Reads all compose files and Kubernetes manifests.
pub(super) fn read(tree: &Tree<'_>, problems: &mut Vec<Problem>) -> Deployment {
    let mut deployment = Deployment::default();
    for path in tree.paths() {
        match kind(path) {
            Some(Kind::Compose) => match tree.documents(path) {
                Ok(documents) => {
                    documents.iter().for_each(|document| compose(tree, path, document, &mut deployment))
                }
                Err(problem) => problems.push(problem),
            },
            Some(Kind::Candidate) if is_kubernetes(tree.text(path)) => {
                // Templates of other generators look like manifests, too, and are not YAML before they are rendered.
                let rendered = helm::rendered(tree, path);
                let rendered = rendered.and_then(|text| parse(Format::Yaml, &text).ok());
                let documents = rendered.as_deref().or_else(|| tree.documents(path).ok());
                for document in documents.unwrap_or_default() {
                    kubernetes(path, document, &mut deployment);
                }
            }
            _ => {}
        }
    }
    deployment
}

fn compose(tree: &Tree<'_>, path: &str, document: &Value, deployment: &mut Deployment) {
    let dir = split(path).0;
    let file = if dir.is_empty() { ".env".to_owned() } else { format!("{dir}/.env") };
    let set = &dotenv::read(tree.text(&file));
    let expand = |text: &str| dotenv::expand(text, set).unwrap_or_default();
    deployment.projects.extend(document.get("name").and_then(Value::as_str).map(Into::into));
    for (name, service) in document.get("services").and_then(Value::as_object).into_iter().flatten() {
        let service = &extended(tree, path, service, MAX_BASES);
        let mut container = Container { name: name.clone(), file: path.to_owned(), ..Container::default() };
        for key in ["container_name", "hostname"] {
            container.hosts.extend(Some(expand(&text_of(service, key))).filter(|host| !host.is_empty()));
        }
        for network in service.get("networks").and_then(Value::as_object).into_iter().flatten() {
            container.hosts.extend(strings(network.1.get("aliases")).into_iter().map(Into::into));
        }
        let before = match service.get("depends_on") {
            Some(Value::Object(conditions)) => conditions.keys().map(String::as_str).collect(),
            list => strings(list),
        };
        deployment.dependencies.extend(before.into_iter().map(|to| StartOrder {
            from: name.clone(),
            to: to.to_owned(),
            file: path.to_owned(),
        }));
        container.hosts.extend(ports(service, expand));
        let variable = |name: &str, value: &str| Variable {
            name: name.to_owned(),
            value: value.to_owned(),
            owner: Some(container.name.clone()),
            file: path.to_owned(),
        };
        for (key, value) in environment(service) {
            // A variable without a value has that of the environment of the deployment.
            let value =
                value.map_or_else(|| set.get(&key).cloned().unwrap_or_default(), |value| expand(&value));
            deployment.variables.insert(variable(&key, &value));
        }
        for file in env_files(service).into_iter().filter_map(|file| join(dir, file)) {
            let of_file = dotenv::read(tree.text(&file));
            deployment.variables.extend(of_file.iter().map(|(name, value)| variable(name, value)));
        }
        let Some(build) = service.get("build") else {
            deployment.named.push(container);
            continue;
        };
        let context = build.as_str().map_or_else(|| text_of(build, "context"), Into::into);
        let context = match expand(&context) {
            context if context.is_empty() => ".".to_owned(),
            context => context,
        };
        container.context = join(dir, &context);
        let dockerfile = expand(&text_of(build, "dockerfile"));
        container.dockerfile = container
            .context
            .as_deref()
            .filter(|_| !dockerfile.is_empty())
            .and_then(|it| join(it, &dockerfile));
        if container.context.is_some() {
            deployment.built.push(container);
        }
    }
}

/// Maximum length of a chain of `extends`; no real file has longer ones.
const MAX_BASES: usize = 8;

/// Returns a service of a compose file merged with the service that it `extends`.
fn extended(tree: &Tree<'_>, path: &str, service: &Value, bases: usize) -> Value {
    let extends = service.get("extends").filter(|_| bases > 0);
    let base = extends.and_then(|extends| {
        let name = extends.as_str().map_or_else(|| text_of(extends, "service"), Into::into);
        let file = match extends.get("file").and_then(Value::as_str) {
            Some(file) => join(split(path).0, file)?,
            None => path.to_owned(),
        };
        let base = tree.value(&file)?.get("services")?.get(&*name)?;
        // Directories are relative to the file that declares them.
        let is_near = split(&file).0 == split(path).0;
        is_near.then(|| extended(tree, &file, base, bases - 1))
    });
    let (Some(Value::Object(mut all)), Value::Object(own)) = (base, service) else { return service.clone() };
    all.extend(own.clone());
    Value::Object(all)
}

/// Returns the addresses of published ports on the host machine: `localhost:8080`.
fn ports(service: &Value, expand: impl Fn(&str) -> String) -> Vec<String> {
    let ports = service.get("ports").and_then(Value::as_array).into_iter().flatten();
    let published = ports.filter_map(|port| match port {
        // `8080:80`, `127.0.0.1:8080:80/tcp`
        Value::String(port) => expand(port).rsplit(':').nth(1).map(Into::into),
        Value::Object(_) => Some(text_of(port, "published").into_owned()),
        _ => None,
    });
    let is_number = |port: &String| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    published.filter(is_number).map(|port| format!("localhost:{port}")).collect()
}

/// Returns the environment of a container; `None` stands for the value in the environment of the deployment.
fn environment(service: &Value) -> Vec<(String, Option<String>)> {
    match service.get("environment") {
        Some(Value::Object(table)) => {
            let value = |name: &String, value: &Value| match value {
                Value::Null => None,
                _ => Some(text_of(&Value::Object(table.clone()), name).into_owned()),
            };
            table.iter().map(|(name, of_name)| (name.clone(), value(name, of_name))).collect()
        }
        list => {
            let parts = |entry: &str| match entry.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (entry.to_owned(), None),
            };
            strings(list).into_iter().map(parts).collect()
        }
    }
}

/// Returns the files of variables that a container has.
fn env_files(service: &Value) -> Vec<&str> {
    let files = service.get("env_file");
    let long = files.and_then(Value::as_array).into_iter().flatten();
    let long = long.filter_map(|file| file.get("path").and_then(Value::as_str));
    strings(files).into_iter().chain(long).collect()
}

fn is_kubernetes(text: &str) -> bool {
    let starts = |key| text.lines().any(|line: &str| line.starts_with(key));
    starts("apiVersion:") && starts("kind:")
}

/// Kinds of Kubernetes objects that run pods.
const WORKLOADS: &[&str] = &["Deployment", "StatefulSet", "DaemonSet", "Pod", "ReplicaSet", "Rollout"];

fn kubernetes(path: &str, document: &Value, deployment: &mut Deployment) {
    let kind = text_of(document, "kind");
    if kind == "List" {
        for item in document.get("items").and_then(Value::as_array).into_iter().flatten() {
            kubernetes(path, item, deployment);
        }
    }
    let name = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let mut container = Container { name: name.to_owned(), file: path.to_owned(), ..Container::default() };
    if kind == "ConfigMap" {
        let data = document.get("data").and_then(Value::as_object).into_iter().flatten();
        let text = |(name, value): (&String, &Value)| {
            let value = value.as_str()?.trim().to_owned();
            Some(Variable { name: name.clone(), value, owner: None, file: path.to_owned() })
        };
        deployment.variables.extend(data.filter_map(text));
    } else if name.is_empty() {
    } else if kind == "Service" {
        // A `Service` routes to the pods with these labels, whose workload usually has the name of one of them.
        let labels = document.pointer("/spec/selector").and_then(Value::as_object).into_iter().flatten();
        let app = labels
            .filter(|(key, _)| matches!(key.as_str(), "app" | "app.kubernetes.io/name" | "service" | "name"));
        if let Some(app) = app.filter_map(|(_, value)| value.as_str()).next().filter(|app| *app != name) {
            container.hosts = vec![name.to_owned()];
            container.name = app.to_owned();
        }
        deployment.named.push(container);
    } else if WORKLOADS.contains(&&*kind) {
        let pod = document.pointer("/spec/template/spec").or_else(|| document.get("spec"));
        let containers = pod.and_then(|pod| pod.get("containers")).and_then(Value::as_array);
        for part in containers.into_iter().flatten() {
            for variable in part.get("env").and_then(Value::as_array).into_iter().flatten() {
                let (name, value) = (text_of(variable, "name"), text_of(variable, "value"));
                let (name, value) = (name.into_owned(), value.into_owned());
                let owner = Some(container.name.clone());
                let variable = Variable { name, value, owner, file: path.to_owned() };
                deployment.variables.extend(Some(variable).filter(|variable| !variable.name.is_empty()));
            }
        }
        deployment.named.push(container);
    }
}
