//! Servers and clients of gRPC services, by the names of the code that is generated from their contracts.
//!
//! The generated code often is not part of the tree. Its names follow from that of the service: `RegisterCartServer` in
//! Go, `CartGrpc.CartImplBase` in Java, `Cart.CartBase` in C#, `add_CartServicer_to_server` in Python,
//! `CartServer::new` in Rust, `Cart.service` in JavaScript.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sscg_core::wiring::{Call, Expression};
use sscg_core::{Confidence, FileId, ModuleSystem, Relation, SymbolId};

use super::code::{At, Code, is_of};
use super::value::{Piece, Value};
use crate::input::contract::protobuf::METHOD;
use crate::{ContractType, Endpoint, Model, Request, Site};

/// Packages of gRPC for JavaScript.
const LIBRARIES: &[&str] = &["@grpc/grpc-js", "@grpc/proto-loader", "grpc"];

/// Service that a contract declares.
struct Declared<'m> {
    package: &'m str,
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
        let (package, name) = service.rsplit_once('.').unwrap_or(("", service));
        let known = declared.entry(service);
        let known = known.or_insert_with(|| Declared { package, name, calls: BTreeMap::new() });
        known.calls.insert(call, &operation.path);
    }
    let services: Vec<Declared<'_>> = declared.into_values().collect();
    if !services.is_empty() {
        let names: FxHashSet<String> = services.iter().flat_map(|service| generated(service.name)).collect();
        let mut files =
            code.files_naming(|modules| modules != ModuleSystem::None, |name| names.contains(name));
        // JavaScript loads contracts at run time, so that its names are those of members.
        let mut loading = code.files_using(LIBRARIES);
        loading.retain(|file| code.project.files()[*file].language.modules == ModuleSystem::EsModules);
        files.extend(&loading);
        files.sort_unstable();
        files.dedup();
        files.retain(|file| !is_generated(code, *file));
        code.wire(&files);
        for service in &services {
            let meaning =
                files.iter().filter_map(|file| Some((*file, meant(code, *file, service, &services)?)));
            let files: Vec<(FileId, Confidence)> = meaning.collect();
            let servers = servers(code, &files, service);
            model.endpoints.extend(endpoints(code, service, &servers));
            let providers: BTreeSet<&str> = servers.keys().copied().collect();
            model.requests.extend(requests(code, &files, &loading, service, &providers));
        }
    }
    model.contracts = contracts;
}

/// True if a file is generated from a contract. A directory `gen` has such files, or a generator, which names no service.
fn is_generated(code: &Code<'_>, file: FileId) -> bool {
    let path = &*code.project.files()[file].path;
    path.split('/').any(|directory| directory == "gen") || code.is_generated(file)
}

/// True if a declaration is the project's own code, not generated from a contract.
fn is_own(code: &Code<'_>, symbol: SymbolId) -> bool {
    // Generated code of Rust can have any file name.
    let is_module = |name: &str| name.ends_with("_client") || name.ends_with("_server");
    let mut around = code.project.self_and_ancestors(symbol).skip(1);
    !is_generated(code, code.project.symbol_file(symbol))
        && !around.any(|symbol| is_module(code.project.symbol_name(symbol)))
}

/// Returns how surely a file with the names of a service means that service, by the imports of the file; `None` if it
/// means another one of the same name.
fn meant(code: &Code<'_>, file: FileId, of: &Declared<'_>, all: &[Declared<'_>]) -> Option<Confidence> {
    let same: Vec<&Declared<'_>> = all.iter().filter(|it| it.name == of.name).collect();
    if same.len() == 1 {
        return Some(Confidence::Exact);
    }
    let facts = &code.project.files()[file].facts;
    let imported = facts.imports.iter().flat_map(|import| [&import.module, &import.name]);
    let named = facts.references.iter().flat_map(|reference| reference.target.path.iter());
    let texts = imported.chain(named).map(|text| text.to_lowercase());
    let words: FxHashSet<String> = texts
        .flat_map(|text| {
            text.split(|char: char| !char.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let parts = |service: &Declared<'_>| -> Vec<String> {
        service.package.split('.').map(str::to_lowercase).collect()
    };
    let is_shared = |part: &String| same.iter().all(|other| parts(other).contains(part));
    // Number of the parts of the package that tell it from the others, if the file names all of them.
    let fit = |service: &Declared<'_>| {
        let own: Vec<String> =
            parts(service).into_iter().filter(|part| !part.is_empty() && !is_shared(part)).collect();
        own.iter().all(|part| words.contains(part)).then_some(own.len())
    };
    let best = same.iter().filter_map(|service| fit(service)).max();
    match same.iter().filter(|service| fit(service) == best).count() {
        1 => (fit(of) == best).then_some(Confidence::Exact),
        _ => Some(Confidence::Ambiguous),
    }
}

/// Returns the names that generated code has for a service.
fn generated(service: &str) -> Vec<String> {
    let formed = [
        ("", ""),
        ("Register", "Server"),
        ("New", "Client"),
        ("add_", "Servicer_to_server"),
        ("", "Servicer"),
        ("", "BlockingStub"),
        ("", "FutureStub"),
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
    confidence: Confidence,
}

/// Returns the servers of a gRPC service by the service of the project that they are part of.
fn servers<'c>(
    code: &'c Code<'_>,
    files: &[(FileId, Confidence)],
    of: &Declared<'_>,
) -> BTreeMap<&'c str, Server<'c>> {
    let mut servers: BTreeMap<&str, Server<'_>> = BTreeMap::new();
    for (file, confidence) in files {
        let Some(service) = code.service_of(*file) else { continue };
        for call in code.wired(*file).calls() {
            let Some(handler) = registered(code, *file, call, of.name) else { continue };
            let at = At { file: *file, offset: call.span.start, expression: handler };
            let class = code.values(at).into_iter().find_map(|value| match value {
                Value::Instance(class, _) | Value::Symbol(class) => Some(class),
                _ => None,
            });
            let handlers = matches!(handler, Expression::Record(_)).then_some(at);
            let site = code.site(*file, call.span.start, call.line);
            let server = Server { class, handlers, site, confidence: *confidence };
            let known = servers.entry(service).or_insert(server);
            known.class = known.class.or(class);
        }
        for class in subclasses(code, *file, of.name) {
            let line = code.project.symbol(class).name_line;
            let site = Site { file: *file, symbol: Some(class), line };
            let server = Server { class: Some(class), handlers: None, site, confidence: *confidence };
            let known = servers.entry(service).or_insert(server);
            known.class = known.class.or(Some(class));
        }
    }
    servers
}

/// Returns the handler that a call registers for a service.
fn registered<'c>(code: &Code<'_>, file: FileId, call: &'c Call, service: &str) -> Option<&'c Expression> {
    let name = call.callee.last_name()?;
    let is_server = |it: &&Expression| it.last_name().is_some_and(|it| is_formed(it, "", service, "Server"));
    let (named, handler) = if is_formed(name, "Register", service, "Server") {
        (&call.callee, call.positional(1)?)
    } else if is_formed(name, "add_", service, "Servicer_to_server") {
        (&call.callee, call.positional(0)?)
    } else if matches!(name, "new" | "with_interceptor") {
        (call.callee.receiver().filter(is_server)?, call.positional(0)?)
    } else {
        let is_of = |path: Vec<&str>| matches!(path[..], [.., name, "service"] if name == service);
        let first = call.positional(0).filter(|_| name == "addService")?;
        (first, first.path().is_some_and(is_of).then(|| call.positional(1))??)
    };
    is_of_contract(code, file, call, named).then_some(handler)
}

/// True if a name of generated code at a call is not a declaration of the project's own, nor in a test.
fn is_of_contract(code: &Code<'_>, file: FileId, call: &Call, named: &Expression) -> bool {
    let declared = code.declaration(At { file, offset: call.span.start, expression: named });
    !declared.is_some_and(|symbol| is_own(code, symbol)) && !code.is_test_code(file, call.span.start)
}

fn is_formed(name: &str, before: &str, service: &str, after: &str) -> bool {
    name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) == Some(service)
}

/// Returns the classes of a file that extend the generated base class of a service.
fn subclasses(code: &Code<'_>, file: FileId, service: &str) -> Vec<SymbolId> {
    let after = match code.project.files()[file].language.modules {
        ModuleSystem::DeclaredPackages => "ImplBase",
        ModuleSystem::Namespaces => "Base",
        ModuleSystem::PythonPackages => "Servicer",
        _ => return Vec::new(),
    };
    let facts = &code.project.files()[file].facts;
    let bases = facts.references.iter().filter(|reference| {
        matches!(reference.relation, Relation::Inherits | Relation::Implements)
            && is_formed(reference.target.name(), "", service, after)
    });
    let classes = bases.filter_map(|reference| {
        let class = code.project.symbol_id(file, reference.from?);
        let start = code.project.symbol(class).span.start;
        let base = code.declared_or_linked(file, start, reference.target.name());
        let is_base = !base.is_some_and(|base| is_own(code, base));
        (is_base && !code.is_test_code(file, start)).then_some(class)
    });
    classes.collect()
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
                evidence: code.evidence(server.site, server.confidence),
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
    files: &[(FileId, Confidence)],
    loading: &[FileId],
    of: &Declared<'_>,
    providers: &BTreeSet<&str>,
) -> Vec<Request> {
    let mut by_service: BTreeMap<&str, Vec<(FileId, Confidence)>> = BTreeMap::new();
    for (file, confidence) in files {
        if let Some(service) = code.service_of(*file).filter(|service| !providers.contains(service)) {
            by_service.entry(service).or_default().push((*file, *confidence));
        }
    }
    let mut requests = Vec::new();
    for (from, files) in by_service {
        let made = files.iter().map(|(file, _)| clients(code, *file, of.name, loading.contains(file)));
        let made: Vec<Vec<Site>> = made.collect();
        let Some((first, meant)) =
            made.iter().zip(&files).find_map(|(made, (_, meant))| Some((made.first()?, *meant)))
        else {
            continue;
        };
        let mut sent: Vec<(Site, &str, Confidence)> = Vec::new();
        for ((file, meant), made) in files.iter().zip(&made) {
            for call in code.wired(*file).calls() {
                let Some((path, confidence)) = called(code, *file, call, of, !made.is_empty()) else {
                    continue;
                };
                sent.push((code.site(*file, call.span.start, call.line), path, confidence.min(*meant)));
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
            sent.push((*first, &any, meant.min(Confidence::Inferred)));
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

/// Returns the ends of the names that the clients of a service have in the generated code of a language.
fn client_ends(modules: ModuleSystem) -> &'static [&'static str] {
    match modules {
        ModuleSystem::DeclaredPackages => &["BlockingStub", "FutureStub", "Grpc", "Stub"],
        ModuleSystem::PythonPackages => &["Stub"],
        _ => &["Client"],
    }
}

/// Returns the calls of a file that make a client of a service, and the first use of the client's type. A file of
/// JavaScript that uses a package of gRPC can load contracts at run time, whose clients are named like the services.
fn clients(code: &Code<'_>, file: FileId, service: &str, loads_contracts: bool) -> Vec<Site> {
    let entry = &code.project.files()[file];
    let ends = client_ends(entry.language.modules);
    let is_type = |name: &str| ends.iter().any(|after| is_formed(name, "", service, after));
    let makes = |call: &&Call| {
        let Some(name) = call.callee.last_name() else { return false };
        let owner = call.callee.receiver();
        let types = call.types.iter().chain(owner);
        let named = types.filter(|ty| ty.last_name().is_some_and(is_type));
        let is_loaded = || loads_contracts && name == service && owner.is_some() && call.arguments.len() >= 2;
        let is_made = is_formed(name, "New", service, "Client") || is_type(name) || is_loaded();
        let made = is_made.then_some(&call.callee);
        made.into_iter().chain(named).any(|named| is_of_contract(code, file, call, named))
    };
    let made = code.wired(file).calls().filter(makes);
    let mut sites: Vec<Site> = made.map(|call| code.site(file, call.span.start, call.line)).collect();
    let typed = entry.facts.references.iter().filter(|reference| {
        let from = reference.from.map_or(0, |from| entry.facts.symbols[from].span.start);
        let name = reference.target.name();
        is_type(name)
            && !code.declared_or_linked(file, from, name).is_some_and(|symbol| is_own(code, symbol))
            && !code.is_test_code(file, from)
    });
    sites.extend(typed.take(1).map(|reference| Site {
        file,
        symbol: reference.from.map(|symbol| code.project.symbol_id(file, symbol)),
        line: reference.line,
    }));
    sites
}

/// Returns the path of the call of a service that a call in a file of a client makes. In a file that makes a client, an
/// unknown receiver can be that client.
fn called<'m>(
    code: &Code<'_>,
    file: FileId,
    call: &Call,
    of: &Declared<'m>,
    makes_client: bool,
) -> Option<(&'m str, Confidence)> {
    let name = call.callee.last_name()?;
    let receiver = call.callee.receiver()?;
    let (_, path) = of.calls.iter().find(|(known, _)| spellings(known).iter().any(|it| it == name))?;
    if !is_of_contract(code, file, call, &call.callee) {
        return None;
    }
    let values = code.values(At { file, offset: call.span.start, expression: receiver });
    let is_unknown =
        |value: &Value<'_>| matches!(value, Value::Text(text) if matches!(text[..], [Piece::Parameter(_)]));
    if values.iter().any(|value| is_client(code, file, value, of)) {
        Some((path, Confidence::Exact))
    } else {
        (makes_client && values.iter().all(is_unknown)).then_some((*path, Confidence::Inferred))
    }
}

/// True if a value in a file is a client of a service, by the names of the generated code that lead to it.
fn is_client(code: &Code<'_>, file: FileId, value: &Value<'_>, of: &Declared<'_>) -> bool {
    let ends = client_ends(code.project.files()[file].language.modules);
    let is_named = |name: &str| {
        is_formed(name, "New", of.name, "Client") || ends.iter().any(|end| is_formed(name, "", of.name, end))
    };
    match value {
        Value::External(external) => {
            let is_loaded = is_of(LIBRARIES, &external.path);
            let names = external.path.split(['.', '/', ':']).map(|name| name.trim_end_matches("()"));
            let names: Vec<&str> = names.collect();
            let made = names.iter().rposition(|name| is_named(name) || is_loaded && *name == of.name);
            // The result of a call of the service is no client.
            let is_call =
                |name: &&str| of.calls.keys().any(|call| spellings(call).iter().any(|it| it == name));
            // A container can make it: `GetRequiredService<Cart.CartClient>()`.
            let call = external.made_by.and_then(|made| code.wired(made.file).call(made.expression));
            let is_type = |ty: &Expression| ty.last_name().is_some_and(is_named);
            made.is_some_and(|made| !names[made + 1..].iter().any(is_call))
                || call.is_some_and(|call| call.types.iter().any(is_type))
        }
        Value::Instance(class, _) | Value::Symbol(class) => {
            let mut around = code.project.self_and_ancestors(*class);
            !is_own(code, *class) && around.any(|symbol| is_named(code.project.symbol_name(symbol)))
        }
        _ => false,
    }
}
