//! What is learned from files that are no code: service maps, interfaces, contracts and manifests.

mod contract;
mod declared;
mod interest;
mod interfaces;
mod services;
mod text;

use crate::{Model, Problem, Service};
use contract::Read;
use declared::{Declared, nearest};
use interest::{Kind, kind, looks_like_contract};
use text::Tree;

pub use interest::input_limit;

/// A file that may tell of services, as it was read.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Its path relative to the project's root, with forward slashes.
    pub path: String,
    /// Its bytes, or why there are none.
    pub content: Result<Vec<u8>, String>,
}

/// What is handed in beside the files of the tree.
#[derive(Clone, Debug, Default)]
pub struct GivenInputs {
    /// What the project may be called: the name of its directory. Names of services may start with it, and a project of
    /// one program has no better one.
    pub project: String,
    /// A service map: a name, whose ending says the format, and its text.
    pub service_map: Option<(String, String)>,
    /// A domain model, likewise.
    pub domain_model: Option<(String, String)>,
    /// The interfaces of services as JSON, by service.
    pub service_interfaces_json: Option<String>,
}

/// Everything that the files of a project and what is handed in say of its services. What cannot be read becomes a
/// problem in [`Model::errors`], and the rest is read all the same. What is handed in comes before the service map of the
/// tree, and both before what manifests show.
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

/// The service of this name or host.
fn called(services: &[Service], name: &str) -> Option<Box<str>> {
    let is_called = |it: &&Service| *it.name == *name || it.hosts.iter().any(|host| **host == *name);
    services.iter().find(is_called).map(|service| service.name.clone())
}

/// Gives what interfaces say to the services that it is said of, and makes those that are known from nowhere else.
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

/// The contracts with the service that is declared to provide them, that they name, or that their hosts name.
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

/// Notes what is said of services that there are none of.
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
