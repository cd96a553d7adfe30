//! Annotations of Java and attributes of C# on declarations, by their names.
//!
//! A file can import all names of a package, and C# can import them for a whole project. So an annotation has the
//! meaning of its name, unless the file imports that name from another package or the project declares it.

use std::collections::BTreeMap;

use sscg_core::wiring::{Call, Expression};
use sscg_core::{FileId, SymbolId};

use super::code::{At, Code};
use super::endpoints::PathText;
use super::value::{Value, literal};

/// Annotation of a declaration.
#[derive(Clone)]
pub(super) struct Annotation<'c> {
    /// Name without its package.
    pub(super) name: &'c str,
    /// Dotted name of its package; empty if the file imports all names of its packages.
    package: String,
    pub(super) call: &'c Call,
    pub(super) place: At<'c>,
}

impl Annotation<'_> {
    /// True if the annotation is from a package, or may be.
    pub(super) fn is_of(&self, package: &str) -> bool {
        self.package.is_empty() || self.package.starts_with(package)
    }
}

/// Returns the external annotations of a file by declaration.
pub(super) fn annotations<'c>(code: &'c Code<'_>, file: FileId) -> BTreeMap<SymbolId, Vec<Annotation<'c>>> {
    let mut by_symbol: BTreeMap<SymbolId, Vec<Annotation<'c>>> = BTreeMap::new();
    for decorator in code.wired(file).decorators() {
        let call = &decorator.call;
        let place = At { file, offset: call.span.start, expression: &call.callee };
        let external = code.denoted(place).into_iter().find_map(|value| match value {
            Value::External(external) => Some(external.path),
            _ => None,
        });
        let (Some(path), Some(name)) = (external, call.callee.last_name()) else { continue };
        let Some(symbol) = code.symbol_at(file, decorator.target.start) else { continue };
        let package = path.rsplit_once('.').map_or("", |(package, _)| package).to_owned();
        let name = name.strip_suffix("Attribute").unwrap_or(name);
        by_symbol.entry(symbol).or_default().push(Annotation { name, package, call, place });
    }
    by_symbol
}

/// Packages with annotations for the methods of requests, besides those of ASP.NET Core and Refit.
const PACKAGES: &[&str] = &[
    "feign",
    "io.micronaut.http.annotation",
    "jakarta.ws.rs",
    "javax.ws.rs",
    "org.springframework.web",
    "retrofit2.http",
];

/// Returns the methods of requests that an annotation stands for; `ANY` for all.
pub(super) fn verb(code: &Code<'_>, annotation: &Annotation<'_>) -> Vec<String> {
    if !annotation.package.is_empty() && !PACKAGES.iter().any(|package| annotation.is_of(package)) {
        return Vec::new();
    }
    let name = annotation.name;
    let named = name
        .strip_suffix("Mapping")
        .or_else(|| name.strip_suffix("Exchange"))
        .or_else(|| name.strip_prefix("Http"));
    let of_name = match named {
        Some("Request") => return listed(code, annotation),
        Some(verb) => verb,
        None => name,
    };
    let is_verb = ["Get", "Post", "Put", "Patch", "Delete", "Head", "Options"]
        .iter()
        .any(|verb| of_name == *verb || of_name == verb.to_uppercase());
    if is_verb { vec![of_name.to_uppercase()] } else { Vec::new() }
}

/// Returns the methods in `@RequestMapping(method = RequestMethod.GET)`.
fn listed(code: &Code<'_>, annotation: &Annotation<'_>) -> Vec<String> {
    let Some(methods) = annotation.call.named("method") else { return vec!["ANY".to_owned()] };
    let methods = code.elements(annotation.place.with(methods)).into_iter();
    methods.filter_map(|method| Some(method.expression.last_name()?.to_owned())).collect()
}

/// Returns the paths in an annotation: its first argument, or the ones named `value` and `path`.
pub(super) fn paths(code: &Code<'_>, annotation: &Annotation<'_>) -> Vec<PathText> {
    let call = annotation.call;
    let named =
        ["value", "path", "url", "uri", "Template", "template"].iter().find_map(|name| call.named(name));
    let Some(paths) = call.positional(0).or(named) else { return Vec::new() };
    let elements = code.elements(annotation.place.with(paths)).into_iter();
    elements.filter_map(|path| PathText::of(code, path)).collect()
}

/// Returns the text of an argument of an annotation by its name.
pub(super) fn text(code: &Code<'_>, annotation: &Annotation<'_>, name: &str) -> Option<String> {
    let argument: &Expression = annotation.call.named(name)?;
    code.texts(annotation.place.with(argument)).iter().find_map(|text| literal(text))
}
