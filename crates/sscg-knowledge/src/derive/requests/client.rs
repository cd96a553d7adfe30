//! Libraries that send requests, and the methods and addresses of their calls.

use sscg_core::FileId;
use sscg_core::wiring::{Call, Expression};

use super::typed;
use crate::derive::code::{At, Code, is_of};
use crate::derive::passed::LibraryUse;
use crate::derive::value::{ExternalValue, Piece, TextPattern, Value, literal};

/// Packages and globals whose calls send requests.
pub(super) const LIBRARIES: &[&str] = &[
    "@angular/common",
    "@nestjs/axios",
    "aiohttp",
    "awc",
    "axios",
    "cross-fetch",
    "fetch",
    "github.com/go-resty/resty",
    "got",
    "httpx",
    "isomorphic-fetch",
    "ky",
    "needle",
    "net/http",
    "node-fetch",
    "ofetch",
    "request",
    "request-promise",
    "request-promise-native",
    "requests",
    "reqwest",
    "resty.dev",
    "superagent",
    "undici",
    "ureq",
    // Other modules of `urllib` parse addresses, in many more files.
    "urllib.request",
];

/// Maximum number of calls in the chain that makes a client.
const CHAIN: usize = 64;

const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// Libraries that are called with the address and options, directly or through a client.
const CALLABLE: &[&str] = &[
    "axios",
    "cross-fetch",
    "fetch",
    "got",
    "isomorphic-fetch",
    "ky",
    "needle",
    "node-fetch",
    "ofetch",
    "request",
    "request-promise",
    "request-promise-native",
    "undici",
];

/// Names of the option for the base address of a client.
const BASES: &[&str] = &["baseURL", "baseUrl", "base_url", "prefixUrl", "prefix"];

/// Returns the requests that a call sends, as a method and an address; empty if it sends none.
pub(super) fn sent(code: &Code<'_>, file: FileId, call: &Call) -> Vec<LibraryUse<()>> {
    let may_send =
        |name: &str| is_method(name) || typed::is_method(name) || may_be_callable(name, &call.callee);
    if call.arguments.is_empty() || !call.callee.last_name().is_some_and(may_send) {
        return Vec::new();
    }
    let callee = At { file, offset: call.span.start, expression: &call.callee };
    let clients = code.external(callee).into_iter();
    let asked = clients.filter_map(|client| sent_by(code, callee, call, &client));
    asked
        .flat_map(|(method, url, is_sure)| LibraryUse::each(file, call, &(), is_sure, vec![method, url]))
        .collect()
}

/// Returns the request that a call of an external value sends.
fn sent_by<'c>(
    code: &'c Code<'_>,
    callee: At<'c>,
    call: &'c Call,
    client: &ExternalValue<'c>,
) -> Option<Asked> {
    if let Some(asked) = typed::sent_by(code, callee, call, client) {
        return Some(asked);
    }
    let (library, rest) = client.split();
    let library = if is_global_fetch(client) { "fetch" } else { library };
    if library != "fetch" && !(client.is_imported && is_of(LIBRARIES, &client.path)) {
        return None;
    }
    let steps: Vec<&str> = rest.split('.').filter(|step| !step.is_empty()).collect();
    let last = steps.split_last();
    let is_client = last.is_some_and(|(_, before)| is_client(before));
    let method = match last.map(|(last, _)| *last) {
        Some("request") if is_client => return request(code, callee, call, client),
        Some(method) if is_client && is_method(method) => vec![vec![Piece::Text(method.into())]],
        Some("PostForm") if is_client => vec![vec![Piece::Text("POST".into())]],
        Some(name @ ("NewRequest" | "NewRequestWithContext")) => {
            let first = usize::from(name != "NewRequest");
            let method = method_of(code, callee, call.positional(first))?;
            return Some(asked(code, client, method, callee.with(call.positional(first + 1)?), true));
        }
        Some("urlopen" | "Request") if library == "urllib" => method_of(code, callee, call.named("method"))?,
        _ if CALLABLE.contains(&library) && is_callable(last) => return called(code, callee, call, client),
        _ => return None,
    };
    Some(asked(code, client, method, callee.with(address(call, 0)?), true))
}

/// True if a method of a client is named after an HTTP method: `get`, in Go `Get`.
fn is_method(name: &str) -> bool {
    METHODS.iter().any(|method| name.eq_ignore_ascii_case(method))
}

/// Alternative methods and addresses of a request, and true if they are certain.
pub(super) type Asked = (Vec<TextPattern>, Vec<TextPattern>, bool);

/// True if a call by a name that is not a method can send a request.
fn may_be_callable(name: &str, callee: &Expression) -> bool {
    matches!(name, "PostForm" | "request" | "urlopen" | "Request" | "fetch" | "$fetch")
        || matches!(callee, Expression::Name(_))
        || matches!(callee, Expression::Member(base, _) if matches!(**base, Expression::Name(_)))
}

fn is_global_fetch(client: &ExternalValue<'_>) -> bool {
    matches!(&*client.path, "fetch" | "window.fetch" | "globalThis.fetch" | "self.fetch" | "global.fetch")
}

/// True if the steps lead from a library to one of its clients. The result of a request is not a client, nor is a part
/// of a client.
fn is_client(steps: &[&str]) -> bool {
    let calls = steps.iter().filter(|step| step.ends_with("()"));
    let sends = |step: &str| {
        let name = step.trim_end_matches("()");
        is_method(name) || matches!(name, "send" | "request" | "json" | "text" | "execute")
    };
    let last_call = steps.iter().rposition(|step| step.ends_with("()"));
    let is_whole = last_call.is_none_or(|at| steps[at + 1..].iter().all(|step| *step == "axiosRef"));
    calls.clone().all(|step| !sends(step)) && is_whole && !steps.contains(&"headers")
}

/// True if a path ends in a client that is called itself.
fn is_callable(steps: Option<(&&str, &[&str])>) -> bool {
    match steps {
        None => true,
        Some((last, before)) => {
            before.is_empty()
                && matches!(
                    *last,
                    "default" | "fetch" | "create()" | "extend()" | "ofetch" | "$fetch" | "instance()"
                )
                || before.is_empty() && matches!(*last, "AxiosInstance()")
        }
    }
}

fn address(call: &Call, position: usize) -> Option<&Expression> {
    call.named("url").or_else(|| call.positional(position))
}

/// Reads `client.request(method, url)`, `axios.request({ method, url })`, `undici.request(url, { method })`.
fn request<'c>(
    code: &'c Code<'_>,
    callee: At<'c>,
    call: &'c Call,
    client: &ExternalValue<'c>,
) -> Option<Asked> {
    let first = callee.with(call.positional(0).or_else(|| call.named("url"))?);
    if CALLABLE.contains(&client.split().0) {
        return called(code, callee, call, client);
    }
    let method = method_of(code, callee, call.named("method").or(Some(first.expression)))?;
    Some(asked(code, client, method, callee.with(address(call, 1)?), true))
}

/// Reads `axios({ method, url })`, `fetch(url, { method })`.
fn called<'c>(
    code: &'c Code<'_>,
    callee: At<'c>,
    call: &'c Call,
    client: &ExternalValue<'c>,
) -> Option<Asked> {
    let first = callee.with(call.positional(0)?);
    if let Some(url) = code.field(first, "url") {
        let method = code.field(first, "method");
        let method = method_of(code, method.unwrap_or(first), method.map(|at| at.expression))?;
        return Some(asked(code, client, method, url, true));
    }
    let options = call.positional(1).map(|options| callee.with(options));
    let method = options.and_then(|options| code.field(options, "method"));
    // Options made elsewhere can hold any method.
    let is_sure = method.is_some()
        || options.is_none_or(|options| {
            code.values(options).iter().all(|value| match value {
                Value::Record(record) => match record.expression {
                    Expression::Record(fields) => fields.iter().all(|(name, _)| !name.is_empty()),
                    _ => false,
                },
                // Callback for the response.
                Value::Function(_) | Value::Symbol(_) => true,
                _ => false,
            })
        });
    let method = method_of(code, method.unwrap_or(first), method.map(|at| at.expression))?;
    Some(asked(code, client, method, first, is_sure))
}

/// Returns the alternatives of a method: a text, or a constant such as `Method::POST`; `GET` if none is given.
pub(super) fn method_of<'c>(
    code: &'c Code<'_>,
    at: At<'c>,
    method: Option<&'c Expression>,
) -> Option<Vec<TextPattern>> {
    let Some(method) = method else { return Some(vec![vec![Piece::Text("GET".into())]]) };
    let values = code.values(at.with(method));
    let mut methods: Vec<TextPattern> = values
        .into_iter()
        .filter_map(|value| match value {
            Value::Text(text) => Some(text),
            Value::External(external) => {
                // `http.MethodGet` in Go.
                let name = external.path.rsplit('.').next()?.trim_start_matches("Method");
                is_method(name).then(|| vec![Piece::Text(name.into())])
            }
            _ => None,
        })
        .collect();
    if methods.is_empty() {
        methods.push(vec![Piece::Unknown]);
    }
    Some(methods)
}

/// Returns a request, with the base address of the client prepended to a relative address.
pub(super) fn asked<'c>(
    code: &'c Code<'_>,
    client: &ExternalValue<'c>,
    method: Vec<TextPattern>,
    url: At<'c>,
    is_sure: bool,
) -> Asked {
    let urls = code.texts(url);
    let bases = base(code, client);
    let urls = urls.into_iter().flat_map(|url| {
        let is_whole = match url.first() {
            Some(Piece::Text(text)) => text.contains("://"),
            Some(Piece::Variable(_)) => true,
            _ => false,
        };
        if is_whole || bases.is_empty() {
            return vec![url];
        }
        bases.iter().map(|base| below(base, &url)).collect()
    });
    (method, urls.collect(), is_sure)
}

/// Returns the base addresses that a client was made with.
fn base(code: &Code<'_>, client: &ExternalValue<'_>) -> Vec<TextPattern> {
    let Some(made) = client.made_by else { return Vec::new() };
    let Some(call) = code.wired(made.file).call(made.expression) else { return Vec::new() };
    let named = BASES.iter().find_map(|name| call.named(name)).map(|base| made.with(base));
    let in_chain = || base_in_chain(code, made);
    let in_options = || {
        let options = call.positional(0).map(|options| made.with(options))?;
        BASES.iter().find_map(|name| code.field(options, name))
    };
    let first = || {
        let is_session = client.path.contains("ClientSession()");
        is_session.then(|| call.positional(0).map(|base| made.with(base)))?
    };
    named
        .or_else(in_options)
        .or_else(first)
        .or_else(in_chain)
        .map(|base| code.texts(base))
        .unwrap_or_default()
}

/// Returns the address that a builder sets in the chain of calls that makes a client: `builder().baseUrl(url).build()`.
fn base_in_chain<'c>(code: &'c Code<'_>, made: At<'c>) -> Option<At<'c>> {
    let mut at = made;
    for _ in 0..CHAIN {
        let Some(call) = code.wired(at.file).call(at.expression) else {
            at = code.denoted(at).into_iter().find_map(|value| match value {
                Value::Call(call) => Some(call),
                _ => None,
            })?;
            continue;
        };
        if matches!(call.callee.last_name(), Some("SetBaseURL" | "SetHostURL" | "baseUrl")) {
            return call.positional(0).map(|base| at.with(base));
        }
        at = at.with(call.callee.receiver()?);
    }
    None
}

/// Joins a relative address to a base address.
pub(super) fn below(base: &[Piece], path: &[Piece]) -> TextPattern {
    let mut text = base.to_vec();
    if let Some(Piece::Text(last)) = text.last_mut() {
        *last = last.trim_end_matches('/').into();
    }
    let has_slash = matches!(path.first(), Some(Piece::Text(first)) if first.starts_with('/'));
    if !has_slash && literal(path).is_none_or(|path| !path.is_empty()) {
        text.push(Piece::Text("/".into()));
    }
    text.extend_from_slice(path);
    text
}
