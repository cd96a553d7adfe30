//! Clients of Java and C#, known by their types, and interfaces whose annotations describe requests.

use std::collections::BTreeMap;

use sscg_core::wiring::{Call, Expression};
use sscg_core::{FileId, ModuleSystem, SymbolKind};

use super::asked::{Asked, asked, below, method_of};
use crate::derive::annotation::{Annotation, annotations, paths, text, verb};
use crate::derive::code::{At, Code};
use crate::derive::passed::LibraryUse;
use crate::derive::value::{ExternalValue, Piece, TextPattern};

/// Packages with clients, and with annotations of interfaces.
pub(super) const LIBRARIES: &[&str] = &[
    "feign",
    "io.micronaut.http.client",
    "java.net.http",
    "okhttp3",
    "org.eclipse.microprofile.rest.client",
    "org.springframework.cloud.netflix.feign",
    "org.springframework.cloud.openfeign",
    "org.springframework.web.client",
    "org.springframework.web.reactive.function.client",
    "org.springframework.web.service",
    "Refit",
    "retrofit2",
];

/// Names that only code with requests of .NET has. Its packages are imported for whole projects.
pub(super) const DOTNET_NAMES: &[&str] =
    &["AddRefitClient", "HttpClient", "HttpRequestMessage", "IHttpClientFactory", "RestService"];

/// Types of clients, and the package of each; empty for .NET.
const CLIENTS: &[(&str, &str)] = &[
    ("HttpClient", ""),
    ("HttpRequest", "java.net.http"),
    ("HttpRequestMessage", ""),
    ("IHttpClientFactory", ""),
    ("Request", "okhttp3"),
    ("RestClient", "org.springframework"),
    ("RestTemplate", "org.springframework"),
    ("WebClient", "org.springframework"),
];

/// Methods of clients that send a request to their first argument, and the method of the request.
const METHODS: &[(&str, &str)] = &[
    ("DeleteAsync", "DELETE"),
    ("DeleteFromJsonAsync", "DELETE"),
    ("GetAsync", "GET"),
    ("GetByteArrayAsync", "GET"),
    ("GetFromJsonAsAsyncEnumerable", "GET"),
    ("GetFromJsonAsync", "GET"),
    ("GetStreamAsync", "GET"),
    ("GetStringAsync", "GET"),
    ("PatchAsJsonAsync", "PATCH"),
    ("PatchAsync", "PATCH"),
    ("PostAsJsonAsync", "POST"),
    ("PostAsync", "POST"),
    ("PutAsJsonAsync", "PUT"),
    ("PutAsync", "PUT"),
    ("delete", "DELETE"),
    ("getForEntity", "GET"),
    ("getForObject", "GET"),
    ("headForHeaders", "HEAD"),
    ("patchForObject", "PATCH"),
    ("postForEntity", "POST"),
    ("postForLocation", "POST"),
    ("postForObject", "POST"),
    ("put", "PUT"),
];

/// True if calls by this name may send a request of a typed client.
pub(super) fn is_method(name: &str) -> bool {
    method(name).is_some() || matches!(name, "HttpRequestMessage" | "exchange" | "newBuilder" | "uri" | "url")
}

fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
}

/// Returns the request that a call of a typed client sends.
pub(super) fn sent_by<'c>(
    code: &'c Code<'_>,
    callee: At<'c>,
    call: &'c Call,
    client: &ExternalValue<'c>,
) -> Option<Asked> {
    let (package, ty, steps) = client.typed();
    let is_client = |(known, of): &&(&str, &str)| {
        *known == ty && (package.is_empty() || package.starts_with(of) && !of.is_empty())
    };
    let (ty, _) = CLIENTS.iter().find(is_client)?;
    let name = call.callee.last_name()?;
    let first = callee.with(call.positional(0)?);
    let known = |method: &str| vec![vec![Piece::Text(method.into())]];
    let (method, url) = match (*ty, name) {
        ("RestTemplate", "exchange") => (method_of(code, callee, call.positional(1))?, first),
        ("HttpRequestMessage", "HttpRequestMessage") => {
            (method_of(code, callee, call.positional(0))?, callee.with(call.positional(1)?))
        }
        ("WebClient" | "RestClient", "uri") => (known(verb_in(steps)), first),
        ("HttpRequest", "uri" | "newBuilder") | ("Request", "url") => (vec![vec![Piece::Unknown]], first),
        ("RestTemplate" | "HttpClient" | "IHttpClientFactory", name) => (known(method(name)?), first),
        _ => return None,
    };
    let (method, urls, is_sure) = asked(code, client, method, url, true);
    let urls: Vec<TextPattern> = urls.iter().map(|url| with_open_parameters(url)).collect();
    let bases = base_address(code, callee, client);
    let is_relative =
        |url: &TextPattern| matches!(url.first(), Some(Piece::Text(text)) if !text.contains("://"));
    let urls = urls.into_iter().flat_map(|url| match is_relative(&url) && !bases.is_empty() {
        true => bases.iter().map(|base| below(base, &url)).collect(),
        false => vec![url],
    });
    Some((method, urls.collect(), is_sure))
}

/// Returns the method that a step before `uri` chooses: `get().uri(..)`.
fn verb_in(steps: &str) -> &'static str {
    let verbs = [
        ("get()", "GET"),
        ("post()", "POST"),
        ("put()", "PUT"),
        ("patch()", "PATCH"),
        ("delete()", "DELETE"),
    ];
    let of_step = |step: &str| verbs.iter().find(|(verb, _)| *verb == step).map(|(_, method)| *method);
    steps.split('.').rev().find_map(of_step).unwrap_or("ANY")
}

/// Returns a text with unknown pieces for its parameters in braces: `/owners/{ownerId}`.
fn with_open_parameters(text: &[Piece]) -> TextPattern {
    let mut pieces = TextPattern::new();
    for piece in text {
        let Piece::Text(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        let mut rest = &**text;
        while let Some((before, (_, after))) =
            rest.split_once('{').and_then(|(before, open)| Some((before, open.split_once('}')?)))
        {
            if !before.is_empty() {
                pieces.push(Piece::Text(before.into()));
            }
            pieces.push(Piece::Unknown);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.into()));
        }
    }
    pieces
}

/// Returns the addresses that `HttpClient`s of .NET are made with: those that the class sets, or those of the
/// registration of the class or of the client's name.
fn base_address(code: &Code<'_>, callee: At<'_>, client: &ExternalValue<'_>) -> Vec<TextPattern> {
    let wired = code.wired(callee.file);
    let set = wired.bindings_of("BaseAddress").filter(|it| it.target.receiver().is_some());
    let classes = code.symbol_at(callee.file, callee.offset).into_iter();
    let classes = classes.flat_map(|symbol| code.project.self_and_ancestors(symbol));
    let mut keys: Vec<String> = classes.map(|symbol| code.project.symbol_name(symbol).to_owned()).collect();
    let made = client.made_by.and_then(|made| code.wired(made.file).call(made.expression));
    if let Some(Expression::Text(name)) = made.and_then(|made| made.positional(0)) {
        keys.push(name.to_string());
    }
    let mut bases = registered_bases(code, &keys);
    if bases.is_empty() && wired.calls().all(|call| call.callee.last_name() != Some("AddHttpClient")) {
        for binding in set {
            let at = At { file: callee.file, offset: binding.span.start, expression: &binding.value };
            bases.extend(code.texts(at));
        }
    }
    bases
}

/// Returns the addresses in the registrations of clients with one of these names of a type or client:
/// `AddHttpClient<Orders>(it => it.BaseAddress = ..)`, `AddRefitClient<IOrders>().ConfigureHttpClient(..)`.
fn registered_bases(code: &Code<'_>, keys: &[String]) -> Vec<TextPattern> {
    let is_key = |name: &str| keys.iter().any(|key| key == name);
    let registers = |call: &Call| {
        let by_type = call.types.iter().any(|ty| ty.last_name().is_some_and(is_key));
        let by_name = matches!(call.positional(0), Some(Expression::Text(name)) if is_key(name));
        call.callee.last_name().is_some_and(|name| name.starts_with("Add")) && (by_type || by_name)
    };
    let mut bases = Vec::new();
    for file in code.base_addresses() {
        let wired = code.wired(*file);
        for binding in wired.bindings_of("BaseAddress") {
            let before = |call: &&Call| call.callee.receiver().and_then(|receiver| wired.call(receiver));
            let around = wired.calls().filter(|call| call.span.contains(binding.span));
            let mut chains = around.flat_map(|call| std::iter::successors(Some(call), before).take(CHAIN));
            if chains.any(registers) {
                let at = At { file: *file, offset: binding.span.start, expression: &binding.value };
                bases.extend(code.texts(at));
            }
        }
    }
    bases
}

/// Maximum number of calls in the chain of a registration.
const CHAIN: usize = 16;

/// Moves a request in code of no service to the services that register its class as a client, which the runtime then
/// makes: `AddHttpClient<CatalogService>()`.
pub(super) fn registered(code: &Code<'_>, sent: LibraryUse<()>) -> Vec<LibraryUse<()>> {
    let language = code.project.files()[sent.file].language;
    if language.modules != ModuleSystem::Namespaces || code.service_of(sent.file).is_some() {
        return vec![sent];
    }
    let around = code.symbol_at(sent.file, sent.offset).into_iter();
    let around = around.flat_map(|symbol| code.project.self_and_ancestors(symbol));
    let classes: Vec<&str> = around.map(|symbol| code.project.symbol_name(symbol)).collect();
    let is_class = |ty: &Expression| ty.last_name().is_some_and(|name| classes.contains(&name));
    let registers = |call: &&Call| {
        matches!(call.callee.last_name(), Some("AddHttpClient" | "AddRefitClient"))
            && call.types.iter().any(is_class)
    };
    let files = code.base_addresses().iter();
    let calls = files.flat_map(|file| code.wired(*file).calls().filter(registers).map(|call| (*file, call)));
    let moved = calls.map(|(file, call)| LibraryUse {
        file,
        offset: call.span.start,
        line: call.line,
        ..sent.clone()
    });
    moved.collect()
}

/// Annotations of interfaces whose methods send requests.
const INTERFACES: &[&str] = &["Client", "FeignClient", "HttpExchange", "RegisterRestClient"];

/// Returns the requests that the methods of a file's interfaces describe.
pub(super) fn described(code: &Code<'_>, file: FileId) -> Vec<LibraryUse<()>> {
    let all: BTreeMap<_, Vec<Annotation<'_>>> = annotations(code, file);
    let mut uses = Vec::new();
    for (symbol, own) in &all {
        let Some(class) = code.project.parent(*symbol) else { continue };
        let of_class = all.get(&class).map_or(&[][..], Vec::as_slice);
        let client = of_class.iter().find(|it| INTERFACES.contains(&it.name));
        let bases = match client.map(|client| client_address(code, client, of_class)) {
            Some(address) => address.map(|base| vec![Piece::Text(base.into())]).into_iter().collect(),
            // Interfaces of Refit have annotations only at their methods.
            None if code.project.symbol_kind(class) == SymbolKind::Interface => {
                registered_bases(code, &[code.project.symbol_name(class).to_owned()])
            }
            None => continue,
        };
        for annotation in own {
            for method in verb(code, annotation) {
                let mut own_paths = paths(code, annotation);
                let beside = own.iter().filter(|it| it.name == "Path");
                own_paths.extend(beside.flat_map(|it| paths(code, it)));
                let path = own_paths.into_iter().next().map(|path| path.text).unwrap_or_default();
                let path = with_open_parameters(&[Piece::Text(path.into())]);
                let urls = bases.iter().map(|base| below(base, &path)).collect();
                let method = vec![vec![Piece::Text(method.into())]];
                let mut found = LibraryUse::each(file, annotation.call, &(), true, vec![method, urls]);
                found.iter_mut().for_each(|found| found.offset = code.project.symbol(*symbol).span.start);
                uses.extend(found);
            }
        }
    }
    uses
}

/// Returns the address of the service that an interface is a client of.
fn client_address(code: &Code<'_>, client: &Annotation<'_>, of_class: &[Annotation<'_>]) -> Option<String> {
    let prefix = text(code, client, "path");
    let beside = of_class.iter().filter(|it| matches!(it.name, "RequestMapping" | "Path"));
    let prefix = prefix.or_else(|| beside.flat_map(|it| paths(code, it)).next().map(|path| path.text));
    let url = ["url", "baseUri"].iter().find_map(|name| text(code, client, name));
    let url = url.filter(|url| !url.is_empty() && !url.starts_with("${"));
    let named = ["name", "value", "serviceId", "configKey"].iter().find_map(|name| text(code, client, name));
    let first = || {
        let first = client.call.positional(0)?;
        code.texts(client.place.with(first)).iter().find_map(|text| crate::derive::value::literal(text))
    };
    // A path without a host stands before those of the methods.
    let given = [url, named, first()].into_iter().flatten();
    let (paths, hosts): (Vec<String>, Vec<String>) = given.partition(|given| given.starts_with('/'));
    let host = hosts.into_iter().next()?;
    let prefix = prefix.or_else(|| paths.into_iter().next());
    let base = if host.contains("://") { host } else { format!("http://{host}") };
    Some(format!(
        "{}{}",
        base.trim_end_matches('/'),
        prefix.map(|prefix| format!("/{}", prefix.trim_matches('/'))).unwrap_or_default()
    ))
}
