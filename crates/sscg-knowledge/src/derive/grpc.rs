//! Servers and clients of gRPC services, by the names of the code that is generated from their contracts.
//!
//! The generated code often is not part of the tree. Its names follow from that of the service: `RegisterCartServer` in
//! Go, `CartGrpc.CartImplBase` in Java, `Cart.CartBase` in C#, `add_CartServicer_to_server` in Python,
//! `CartServer::new` in Rust, `Cart.service` in JavaScript.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sscg_core::wiring::{Call, Expression};
use sscg_core::{Confidence, FileId, ModuleSystem, Relation, SymbolId};

use super::code::{At, Code};
use super::value::Value;
use crate::input::contract::protobuf::METHOD;
use crate::{ContractType, Endpoint, Model, Request, Site};

/// Packages of gRPC for JavaScript.
const LIBRARIES: &[&str] = &["@grpc/grpc-js", "@grpc/proto-loader", "grpc"];

/// Service that a contract declares.
struct Declared<'m> {
    /// Name without its package.
    name: &'m str,
    /// Paths of its calls, by their names.
    calls: BTreeMap<&'m str, &'m str>,
}

/// Adds the endpoints of servers and the requests of clients. The model must already contain the contracts.
pub(super) fn derive(code: &Code<'_>, model: &mut Model) {
    let contracts = std::mem::take(&mut model.contracts);
    let operations = contracts.iter().filter(|it| it.contract_type == ContractType::Protobuf);
    let mut declared: BTreeMap<&str, Declared<'_>> = BTreeMap::new();
    for operation in operations.flat_map(|contract| &contract.operations) {
        let Some((service, call)) = operation.path.trim_start_matches('/').split_once('/') else { continue };
        let name = service.rsplit('.').next().unwrap_or(service);
        let known = declared.entry(service).or_insert_with(|| Declared { name, calls: BTreeMap::new() });
        known.calls.insert(call, &operation.path);
    }
    let services: Vec<Declared<'_>> = declared.into_values().collect();
    if !services.is_empty() {
        let names: FxHashSet<String> = services.iter().flat_map(|service| generated(service.name)).collect();
        let mut files =
            code.files_naming(|modules| modules != ModuleSystem::None, |name| names.contains(name));
        // JavaScript loads contracts at run time, so that its names are those of members.
        files.extend(code.files_using(LIBRARIES));
        files.sort_unstable();
        files.dedup();
        files.retain(|file| !is_generated(&code.project.files()[*file].path));
        code.wire(&files);
        for service in &services {
            let servers = servers(code, &files, service);
            model.endpoints.extend(endpoints(code, service, &servers));
            let providers: BTreeSet<&str> = servers.keys().copied().collect();
            model.requests.extend(requests(code, &files, service, &providers));
        }
    }
    model.contracts = contracts;
}

/// True if a file is generated from a contract.
fn is_generated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".pb.") || name.contains("_pb2") || name.contains("_pb.") || name.ends_with("Grpc.java")
}

/// Returns the names that generated code has for a service.
fn generated(service: &str) -> Vec<String> {
    let formed = [
        ("", ""),
        ("Register", "Server"),
        ("New", "Client"),
        ("add_", "Servicer_to_server"),
        ("", "Servicer"),
        ("", "Stub"),
        ("", "Grpc"),
        ("", "ImplBase"),
        ("", "Base"),
        ("", "Client"),
        ("", "Server"),
    ];
    formed.iter().map(|(before, after)| format!("{before}{service}{after}")).collect()
}

/// Server of a gRPC service: the class that handles its calls, or a record of functions, and the registration.
struct Server<'c> {
    class: Option<SymbolId>,
    handlers: Option<At<'c>>,
    site: Site,
}

/// Returns the servers of a gRPC service by the service of the project that they are part of.
fn servers<'c>(code: &'c Code<'_>, files: &[FileId], of: &Declared<'_>) -> BTreeMap<&'c str, Server<'c>> {
    let mut servers: BTreeMap<&str, Server<'_>> = BTreeMap::new();
    for file in files {
        let Some(service) = code.service_of(*file) else { continue };
        for call in code.wired(*file).calls() {
            let Some(handler) = registered(call, of.name) else { continue };
            let at = At { file: *file, offset: call.span.start, expression: handler };
            let class = code.values(at).into_iter().find_map(|value| match value {
                Value::Instance(class, _) | Value::Symbol(class) => Some(class),
                _ => None,
            });
            let handlers = matches!(handler, Expression::Record(_)).then_some(at);
            let site = code.site(*file, call.span.start, call.line);
            let server = Server { class, handlers, site };
            let known = servers.entry(service).or_insert(server);
            known.class = known.class.or(class);
        }
        for class in subclasses(code, *file, of.name) {
            let line = code.project.symbol(class).name_line;
            let site = Site { file: *file, symbol: Some(class), line };
            let server = Server { class: Some(class), handlers: None, site };
            let known = servers.entry(service).or_insert(server);
            known.class = known.class.or(Some(class));
        }
    }
    servers
}

/// Returns the handler that a call registers for a service.
fn registered<'c>(call: &'c Call, service: &str) -> Option<&'c Expression> {
    let name = call.callee.last_name()?;
    let owner = || call.callee.receiver().and_then(Expression::last_name);
    if is_formed(name, "Register", service, "Server") {
        return call.positional(1);
    }
    if is_formed(name, "add_", service, "Servicer_to_server") {
        return call.positional(0);
    }
    if matches!(name, "new" | "with_interceptor")
        && owner().is_some_and(|it| is_formed(it, "", service, "Server"))
    {
        return call.positional(0);
    }
    let is_of = |path: Vec<&str>| matches!(path[..], [.., name, "service"] if name == service);
    let first = call.positional(0).and_then(Expression::path);
    (name == "addService" && first.is_some_and(is_of)).then(|| call.positional(1))?
}

fn is_formed(name: &str, before: &str, service: &str, after: &str) -> bool {
    name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) == Some(service)
}

/// Returns the classes of a file that extend the generated base class of a service.
fn subclasses(code: &Code<'_>, file: FileId, service: &str) -> Vec<SymbolId> {
    let facts = &code.project.files()[file].facts;
    let bases = facts.references.iter().filter(|reference| {
        matches!(reference.relation, Relation::Inherits | Relation::Implements)
            && ["ImplBase", "Base", "Servicer"]
                .iter()
                .any(|after| is_formed(reference.target.name(), "", service, after))
    });
    bases.filter_map(|reference| Some(code.project.symbol_id(file, reference.from?))).collect()
}

fn endpoints(code: &Code<'_>, of: &Declared<'_>, servers: &BTreeMap<&str, Server<'_>>) -> Vec<Endpoint> {
    let mut endpoints = Vec::new();
    for (service, server) in servers {
        for (call, path) in &of.calls {
            endpoints.push(Endpoint {
                service: (*service).into(),
                method: METHOD.into(),
                path: (*path).into(),
                handler: Some(handler(code, server, call).unwrap_or(server.site)),
                evidence: code.evidence(server.site, Confidence::Exact),
            });
        }
    }
    endpoints
}

/// Returns the code of a server that handles a call.
fn handler(code: &Code<'_>, server: &Server<'_>, call: &str) -> Option<Site> {
    let of = |symbol: SymbolId| Site {
        file: code.project.symbol_file(symbol),
        symbol: Some(symbol),
        line: code.project.symbol(symbol).name_line,
    };
    let names = spellings(call);
    let in_record = |at: At<'_>| {
        let function = names.iter().find_map(|name| code.field(at, name))?;
        let bound = code.wired(function.file).call(function.expression);
        let bound = bound.filter(|call| call.callee.last_name() == Some("bind"));
        let function = bound.and_then(|call| call.callee.receiver()).map_or(function, |it| function.with(it));
        code.declaration(function).map(of)
    };
    let in_class = |class: SymbolId| names.iter().find_map(|name| code.child(class, name)).map(of);
    server.class.and_then(in_class).or_else(|| server.handlers.and_then(in_record))
}

/// Returns the names of a call in the languages: `AddItem`, `addItem`, `add_item`, `AddItemAsync`.
fn spellings(call: &str) -> [String; 4] {
    let first = call.chars().next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let lower = format!("{first}{}", call.get(1..).unwrap_or_default());
    let mut snake = String::new();
    for char in call.chars() {
        if char.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(char.to_lowercase());
    }
    [call.to_owned(), lower, snake, format!("{call}Async")]
}

/// Returns the requests of the services that are clients of a gRPC service.
fn requests(
    code: &Code<'_>,
    files: &[FileId],
    of: &Declared<'_>,
    providers: &BTreeSet<&str>,
) -> Vec<Request> {
    let mut by_service: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        if let Some(service) = code.service_of(*file).filter(|service| !providers.contains(service)) {
            by_service.entry(service).or_default().push(*file);
        }
    }
    let mut requests = Vec::new();
    for (from, files) in by_service {
        let made: Vec<Site> = files.iter().flat_map(|file| clients(code, *file, of.name)).collect();
        let Some(first) = made.first() else { continue };
        let mut sent: Vec<(Site, &str, Confidence)> = Vec::new();
        for file in &files {
            for call in code.wired(*file).calls() {
                let Some(path) = called(code, *file, call, of) else { continue };
                sent.push((code.site(*file, call.span.start, call.line), path, Confidence::Exact));
            }
        }
        let any = of
            .calls
            .values()
            .next()
            .and_then(|path| path.rsplit_once('/'))
            .map(|(service, _)| format!("{service}/{{}}"));
        let any = any.unwrap_or_default();
        if sent.is_empty() {
            sent.push((*first, &any, Confidence::Inferred));
        }
        for to in providers {
            requests.extend(sent.iter().map(|(site, path, confidence)| Request {
                from: from.into(),
                site: *site,
                to: (*to).into(),
                method: METHOD.into(),
                path: (*path).into(),
                evidence: code.evidence(*site, *confidence),
            }));
        }
    }
    requests
}

/// Returns the calls of a file that make a client of a service, and the first use of the client's type.
fn clients(code: &Code<'_>, file: FileId, service: &str) -> Vec<Site> {
    let is_type =
        |name: &str| ["Client", "Stub", "Grpc"].iter().any(|after| is_formed(name, "", service, after));
    let makes = |call: &&Call| {
        let Some(name) = call.callee.last_name() else { return false };
        let owner = call.callee.receiver().and_then(Expression::last_name);
        is_formed(name, "New", service, "Client")
            || is_type(name)
            || owner.is_some_and(is_type)
            || call.types.iter().any(|ty| ty.last_name().is_some_and(is_type))
            || name == service && owner.is_some() && call.arguments.len() >= 2
    };
    let made = code.wired(file).calls().filter(makes);
    let mut sites: Vec<Site> = made.map(|call| code.site(file, call.span.start, call.line)).collect();
    let references = code.project.files()[file].facts.references.iter();
    let typed = references.filter(|reference| is_type(reference.target.name()));
    sites.extend(typed.take(1).map(|reference| Site {
        file,
        symbol: reference.from.map(|symbol| code.project.symbol_id(file, symbol)),
        line: reference.line,
    }));
    sites
}

/// Returns the path of the call of a service that a call in a file of a client makes.
fn called<'m>(code: &Code<'_>, file: FileId, call: &Call, of: &Declared<'m>) -> Option<&'m str> {
    let name = call.callee.last_name()?;
    call.callee.receiver()?;
    let (_, path) =
        of.calls.iter().find(|(known, _)| spellings(known).iter().any(|spelling| spelling == name))?;
    let at = At { file, offset: call.span.start, expression: &call.callee };
    let declared = code.declaration(at).map(|symbol| code.project.symbol_file(symbol));
    // A method of the project's own code has the same name.
    declared.is_none_or(|file| is_generated(&code.project.files()[file].path)).then_some(*path)
}
