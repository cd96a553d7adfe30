//! Libraries that send requests, and the methods and addresses of their calls.

use sscg_core::FileId;
use sscg_core::wiring::{Call, Expression};

use super::asked::{Asked, asked, is_method, method_of};
use super::typed;
use crate::derive::code::{At, Code, is_of};
use crate::derive::passed::LibraryUse;
use crate::derive::value::{ExternalValue, Piece, Value};

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
