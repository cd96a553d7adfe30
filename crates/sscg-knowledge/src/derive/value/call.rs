//! Results of calls that pass on a text, read the environment or make an object.

use sscg_core::wiring::{Call, Expression};
use sscg_core::{SymbolId, SymbolKind, TypeHint};

use super::external::is_environment;
use super::text::joined;
use super::{Evaluation, Piece, TextPattern, Value};
use crate::derive::code::At;

/// Methods whose result is treated as their receiver.
const SAME: &[&str] = &[
    "as_deref",
    "as_mut",
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "cloned",
    "context",
    "copied",
    "expect",
    "into",
    "into_string",
    "lock",
    "ok",
    "ok_or",
    "ok_or_else",
    "parse",
    "rstrip",
    "strip",
    "toString",
    "to_owned",
    "to_string",
    "trim",
    "trim_end_matches",
    "trimEnd",
    "try_into",
    "unwrap",
    "unwrap_or_default",
    "with_context",
];

/// Methods whose result is their receiver or their argument.
const OR_ELSE: &[&str] = &["unwrap_or", "unwrap_or_else", "or", "or_else"];

/// Functions whose result is their argument.
const GIVEN: &[&str] = &[
    "Arc.new",
    "Box.new",
    "Lazy.new",
    "LazyLock.new",
    "Mutex.new",
    "Ok",
    "Rc.new",
    "RwLock.new",
    "Some",
    "String",
    "String.from",
    "URI",
    "URI.create",
    "Uri",
    "Uri.from_str",
    "Url.parse",
    "httpx.URL",
    // `new(..)` of C#, whose type follows from the assigned field.
    "new",
    "reqwest.Url.parse",
    "std.sync.Arc.new",
    "std.sync.LazyLock.new",
    "str",
    "url.Url.parse",
    "yarl.URL",
];

impl<'c> Evaluation<'c> {
    /// Returns the results of a value that is a kept call; any other value as it is.
    pub(super) fn opened(&self, value: Value<'c>) -> Vec<Value<'c>> {
        let Value::Call(at) = value else { return vec![value] };
        let Some(call) = self.code.wired(at.file).call(at.expression) else { return Vec::new() };
        let results = || self.result(at, call).into_iter().flat_map(|value| self.opened(value)).collect();
        self.bounded(at.expression, results)
    }

    pub(super) fn result(&self, at: At<'c>, call: &'c Call) -> Vec<Value<'c>> {
        let name = call.callee.last_name().unwrap_or_default();
        let receiver = call.callee.receiver().map(|receiver| at.with(receiver));
        if let Some(values) = self.environment(at, call, name) {
            return values;
        }
        let path = call.callee.path().map(|path| path.join(".")).unwrap_or_default();
        if GIVEN.contains(&&*path) {
            return call.positional(0).map(|given| self.result_of(at.with(given))).unwrap_or_default();
        }
        if let Some(receiver) = receiver {
            if SAME.contains(&name) {
                return self.values(receiver);
            }
            if OR_ELSE.contains(&name) {
                let given =
                    call.positional(0).map(|other| self.result_of(at.with(other))).unwrap_or_default();
                return self.values(receiver).into_iter().chain(given).collect();
            }
        }
        if matches!(&*path, "URL" | "urljoin" | "urllib.parse.urljoin" | "parse.urljoin") {
            return self.url(at, call, path == "URL");
        }
        let callees = self.values(at.with(&call.callee));
        callees.into_iter().flat_map(|callee| self.returned(at, callee)).collect()
    }

    /// Returns the values of an expression, or of its result if it is a closure whose body is a single call.
    fn result_of(&self, at: At<'c>) -> Vec<Value<'c>> {
        let Expression::Function(span) = at.expression else { return self.values(at) };
        let wired = self.code.wired(at.file);
        let body = wired.calls().find(|call| span.contains(call.span) && call.span.end == span.end);
        body.map(|body| self.call(At { offset: body.span.start, ..at }, body)).unwrap_or_default()
    }

    fn returned(&self, at: At<'c>, callee: Value<'c>) -> Vec<Value<'c>> {
        match callee {
            Value::External(external) => vec![Value::External(external.called(Some(at)))],
            Value::Symbol(symbol) => self.made(at, symbol),
            _ => Vec::new(),
        }
    }

    /// Returns the result of calling a class or function of the project: an instance of the class or of the declared
    /// return type.
    fn made(&self, at: At<'c>, symbol: SymbolId) -> Vec<Value<'c>> {
        let project = self.code.project;
        let declared = project.symbol(symbol);
        if declared.kind.is_type() {
            return vec![Value::Instance(symbol, Some(at))];
        }
        let owner = project.parent(symbol);
        match &declared.ty {
            Some(hint) if returns_self(hint) => {
                owner.map(|owner| Value::Instance(owner, Some(at))).into_iter().collect()
            }
            Some(hint) => self.of_type(project.symbol_file(symbol), hint),
            None if declared.kind == SymbolKind::Constructor => {
                owner.map(|owner| Value::Instance(owner, Some(at))).into_iter().collect()
            }
            None => Vec::new(),
        }
    }

    /// Evaluates `new URL(path, base)` and `urljoin(base, path)`.
    fn url(&self, at: At<'c>, call: &'c Call, path_first: bool) -> Vec<Value<'c>> {
        let (base, path) = match (call.positional(0), call.positional(1)) {
            (Some(url), None) => return self.values(at.with(url)),
            (Some(path), Some(base)) if path_first => (base, path),
            (Some(base), Some(path)) => (base, path),
            _ => return Vec::new(),
        };
        let paths = self.texts(at.with(path)).into_iter().map(|path| match path.first() {
            Some(Piece::Text(text)) if !text.starts_with('/') => {
                [vec![Piece::Text("/".into())], path].concat()
            }
            _ => path,
        });
        let texts = joined([self.texts(at.with(base)), paths.collect::<Vec<TextPattern>>()]);
        texts.into_iter().map(Value::Text).collect()
    }

    /// Returns the environment variable or setting that a call reads, with its default: `env("ORDERS_URL", "http://orders")`,
    /// `std::env::var("ORDERS_URL")`, `os.environ.get("ORDERS_URL")`, `config.get("orders.url")`,
    /// `configuration.GetValue<string>("Orders:Url")`.
    fn environment(&self, at: At<'c>, call: &'c Call, name: &str) -> Option<Vec<Value<'c>>> {
        let Expression::Text(variable) = call.positional(0)? else { return None };
        let lower = name.to_lowercase();
        let is_read = if is_variable(variable) {
            let reads = lower.contains("env") || matches!(&*lower, "var" | "var_os" | "config");
            let is_get = matches!(name, "get" | "getOrThrow" | "pop" | "setdefault" | "GetValue");
            reads || is_get && is_of_settings(call, &["env", "config", "settings"])
        } else {
            let is_get = matches!(name, "get" | "getOrThrow" | "getString" | "GetString" | "GetValue");
            is_get && is_setting(variable) && is_of_settings(call, &["config", "viper"])
        };
        if !is_read {
            return None;
        }
        let default = call.positional(1).or_else(|| call.named("default")).or_else(|| call.named("fallback"));
        let default = default.map(|default| self.values(at.with(default))).unwrap_or_default();
        let default = default.into_iter().filter(|value| matches!(value, Value::Text(_)));
        Some([Value::Text(vec![Piece::Variable(variable.clone())])].into_iter().chain(default).collect())
    }
}

/// True if the receiver of a call is the environment, or has one of these words in its name.
fn is_of_settings(call: &Call, words: &[&str]) -> bool {
    call.callee.receiver().is_some_and(|receiver| {
        let named = receiver.last_name().unwrap_or_default().to_lowercase();
        words.iter().any(|word| named.contains(word))
            || receiver.path().is_some_and(|path| is_environment(&path.join(".")))
    })
}

/// True if the text has the form of the key of a setting: `orders.url`, `Orders:Url`.
fn is_setting(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".:_-".contains(char);
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// True if the text has the form of an environment variable's name.
fn is_variable(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')
}

fn returns_self(hint: &TypeHint) -> bool {
    match hint.named() {
        Some((name, _)) if name.name() == "Self" => true,
        Some((_, arguments)) => arguments.first().is_some_and(returns_self),
        None => false,
    }
}
