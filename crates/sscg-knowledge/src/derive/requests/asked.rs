//! Method and address of a request, and the base address of its client.

use sscg_core::wiring::Expression;

use crate::derive::code::{At, Code};
use crate::derive::value::{ExternalValue, Piece, TextPattern, Value, literal};

/// Alternative methods and addresses of a request, and true if they are certain.
pub(super) type Asked = (Vec<TextPattern>, Vec<TextPattern>, bool);

const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// Names of the option for the base address of a client.
const BASES: &[&str] = &["baseURL", "baseUrl", "base_url", "prefixUrl", "prefix"];

/// Maximum number of calls in the chain that makes a client.
const CHAIN: usize = 64;

/// True if a method of a client is named after an HTTP method: `get`, in Go `Get`.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.iter().any(|method| name.eq_ignore_ascii_case(method))
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
