//! Non-code inputs: service maps, interfaces, contracts and manifests.

pub(crate) mod contract;
mod declared;
mod interest;
mod interfaces;
mod services;
mod text;

use crate::{Model, Problem, Service};
use contract::Read;
use declared::{Declared, nearest};
use derive_setters::Setters;
use interest::{Kind, kind, looks_like_contract};
use text::Tree;

pub(crate) use interest::has_tests;
pub use interest::input_limit;
pub(crate) use text::without_version;

/// File that may describe services, as it was read.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Path relative to the project root, with forward slashes.
    pub path: String,
    /// Content in bytes, or the reason why it could not be read.
    pub content: Result<Vec<u8>, String>,
}

/// Inputs given beside the files of the tree.
#[derive(Clone, Debug, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct GivenInputs {
    /// Name of the project: the name of its directory. Service names may have it as a prefix, and the service of a
    /// single-program project falls back to it.
    #[setters(into)]
    pub project: String,
    /// Service map: a name, whose extension selects the format, and its text.
    pub service_map: Option<(String, String)>,
    /// Domain model, as a name and text like `service_map`.
    pub domain_model: Option<(String, String)>,
    /// Interfaces of services as JSON, by service.
    #[setters(into)]
    pub service_interfaces_json: Option<String>,
}

/// Reads all facts about services from the files of a project and the given inputs.
///
/// Unreadable input becomes a problem in [`Model::errors`] and does not stop the rest. Given inputs take precedence
/// over the service map of the tree, and both take precedence over manifests.
///
/// ```
/// use sscg_knowledge::{GivenInputs, InputFile, read_inputs};
///
/// let compose = "services:\n  shop: {build: shop, depends_on: [stock]}\n  stock: {build: stock}\n";
/// let files = [("compose.yaml", compose), ("shop/cart.py", ""), ("contracts/openapi.yaml", "openapi: [")];
/// let files = files.map(|(path, text)| InputFile { path: path.into(), content: Ok(text.into()) });
/// let model = read_inputs(&files, &GivenInputs::default());
///
/// let services: Vec<_> = model.services.iter().map(|it| (&*it.name, it.root.as_deref())).collect();
/// assert_eq!(services, [("shop", Some("shop")), ("stock", Some("stock"))]);
/// assert_eq!((&*model.dependencies[0].from, &*model.dependencies[0].to), ("shop", "stock"));
/// // The damaged contract is reported, and the other files are read.
/// assert_eq!(&*model.errors[0].input, "contracts/openapi.yaml");
/// ```
pub fn read_inputs(files: &[InputFile], given: &GivenInputs) -> Model {
    let tree = Tree::new(files);
    tree.parse(|path| match kind(path) {
        Some(Kind::Contract | Kind::Compose) => true,
        Some(Kind::Candidate) => looks_like_contract(tree.text(path)),
        _ => false,
    });
    let mut model = Model::default();
    let mut declared = Declared::default();
    for (name, text) in [&given.service_map, &given.domain_model].into_iter().flatten() {
        declared::read(name, text, &mut declared, &mut model.errors);
    }
    for path in tree.paths().filter(|path| kind(path) == Some(Kind::ServiceMap)) {
        match tree.readable(path) {
            Ok(text) => declared::read(path, text, &mut declared, &mut model.errors),
            Err(problem) => model.errors.push(problem),
        }
    }
    if let Some(text) = &given.service_interfaces_json {
        interfaces::read(text, &mut model);
    }
    let contracts = contract::read(&tree, &mut model.errors);
    let found =
        services::read(&tree, &given.project, declared.services, &declared.libraries, &mut model.errors);
    model.services = found.services;
    model.libraries = found.libraries;
    model.dependencies = found.dependencies;
    model.settings = found.settings;
    model.entities = declared.entities;
    model.references = declared.references;
    model.relationships = declared.relationships;
    of_interfaces(&mut model);
    provided(contracts, &declared.contracts, &mut model);
    unknown_services(&mut model);
    model.errors.sort();
    model.errors.dedup();
    model
}

/// Returns the name of the service with this name or host.
fn called(services: &[Service], name: &str) -> Option<Box<str>> {
    let is_called = |it: &&Service| *it.name == *name || it.hosts.iter().any(|host| **host == *name);
    services.iter().find(is_called).map(|service| service.name.clone())
}

/// Resolves the service names of interfaces to known services, and adds services that only interfaces name.
fn of_interfaces(model: &mut Model) {
    let endpoints =
        model.named_endpoints.iter_mut().map(|endpoint| (&mut endpoint.service, &endpoint.evidence));
    let events = model.events.iter_mut().map(|event| (&mut event.service, &event.evidence));
    for (name, evidence) in endpoints.chain(events) {
        match called(&model.services, name) {
            Some(service) => *name = service,
            None => model.services.push(Service {
                name: name.clone(),
                evidence: Some(evidence.clone()),
                ..Service::default()
            }),
        }
    }
}

/// Adds the contracts to the model, each with its providing service. The declared provider takes precedence, then the
/// service that the contract names, then a service with one of its hosts.
fn provided(read: Vec<Read>, declared: &[(Box<str>, Box<str>)], model: &mut Model) {
    let called = |name: &str| called(&model.services, name);
    for Read { mut contract, hosts } in read {
        let by_declaration = declared.iter().find(|(file, _)| *file == contract.file);
        contract.service = match (by_declaration, contract.service) {
            (Some((_, service)), _) => Some(service.clone()),
            (None, Some(named)) => Some(called(&named).unwrap_or(named)),
            (None, None) => hosts.iter().find_map(|host| called(host)),
        };
        model.contracts.push(contract);
    }
    for (file, service) in declared {
        if model.contracts.iter().all(|contract| contract.file != *file) {
            let message =
                format!("{service} is declared to provide it, but no contract of that name could be read");
            model.errors.push(Problem::new(&**file, message));
        }
    }
}

/// Reports references to services that do not exist.
fn unknown_services(model: &mut Model) {
    let names: Vec<&str> = model.services.iter().map(|service| &*service.name).collect();
    let mut problems = Vec::new();
    let mut check = |input: &str, what: String, service: &str| {
        if !service.is_empty() && !names.contains(&service) {
            let near = nearest(service, names.iter().copied());
            let meant = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            problems.push(Problem::new(input, format!("{what} {service}, which is no service{meant}")));
        }
    };
    for entity in &model.entities {
        check(&entity.evidence.file, format!("{} is owned by", entity.name), &entity.owning_service);
    }
    for contract in &model.contracts {
        check(&contract.file, "is provided by".to_owned(), contract.service.as_deref().unwrap_or_default());
    }
    for reference in &model.references {
        check(&reference.evidence.file, format!("{} is referenced by", reference.entity), &reference.service);
    }
    model.errors.append(&mut problems);
}
