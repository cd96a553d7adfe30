//! Declarations in single lines.

use sscg_core::SymbolKind;

use super::languages::{Form, Plain};

/// Declaration that a line begins.
pub(super) struct Declared<'s> {
    pub(super) name: &'s str,
    /// Offset of the name in the line.
    pub(super) at: u32,
    pub(super) kind: SymbolKind,
    pub(super) exported: bool,
}

impl Declared<'_> {
    /// Returns the line without the start of the body.
    pub(super) fn signature<'l>(&self, line: &'l str) -> &'l str {
        line.trim_end_matches(['{', ' ', '\t', ':', '=']).trim_end_matches(" do").trim_end()
    }
}

/// Words that may precede the keyword of a declaration.
const MODIFIERS: &[&str] = &[
    "abstract",
    "actual",
    "async",
    "case",
    "companion",
    "const",
    "create",
    "data",
    "declare",
    "default",
    "deferred",
    "dynamic",
    "expect",
    "export",
    "extern",
    "external",
    "factory",
    "fileprivate",
    "final",
    "global",
    "implicit",
    "indirect",
    "infix",
    "inline",
    "inner",
    "internal",
    "lateinit",
    "lazy",
    "local",
    "mutating",
    "native",
    "nonisolated",
    "open",
    "operator",
    "or",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "replace",
    "required",
    "sealed",
    "static",
    "suspend",
    "tailrec",
    "temp",
    "temporary",
    "unique",
    "unsafe",
    "value",
    "virtual",
    "materialized",
];

/// Words between the keyword and the name.
const FILLERS: &[&str] = &["if", "not", "exists", "class"];

/// Returns the declaration that a line begins, if it has a keyword of one.
pub(super) fn declared<'s>(plain: &Plain, line: &'s str) -> Option<Declared<'s>> {
    let named = |name: &'s str, kind| {
        let name = name.trim_end_matches(['.', ':']);
        let last =
            if plain.form == Form::Quoted { name } else { name.rsplit(['.', ':']).next().unwrap_or(name) };
        let at = last.as_ptr() as usize - line.as_ptr() as usize;
        let is_private = line.starts_with("private ") || line.starts_with("local ") || last.starts_with('_');
        (!last.is_empty()).then_some(Declared { name: last, at: at as u32, kind, exported: !is_private })
    };
    if plain.form == Form::Shell
        && let Some((name, rest)) = line.split_once("()")
        && is_name(name)
        && matches!(rest.trim_start().chars().next(), None | Some('{' | '#'))
    {
        return named(name, SymbolKind::Function);
    }
    if plain.form == Form::Lisp {
        let rest = line.strip_prefix("(def")?;
        let (_, rest) = rest.split_once(' ')?;
        let end = rest.find([' ', ')', '(']).unwrap_or(rest.len());
        return named(&rest[..end], SymbolKind::Function);
    }
    let mut rest = line;
    loop {
        let (word, after) = rest.split_once([' ', '\t'])?;
        rest = after.trim_start();
        let lower = word.to_ascii_lowercase();
        let word = if plain.form == Form::Sql { &*lower } else { word };
        if let Some((_, kind)) = plain.keywords.iter().find(|(keyword, _)| *keyword == word) {
            return match plain.form {
                Form::Quoted => quoted(line, rest).and_then(|name| named(name, *kind)),
                _ => named(name_in(plain, rest)?, *kind),
            };
        }
        let is_annotation = word.starts_with('@') && plain.form != Form::Quoted;
        if !is_annotation && !MODIFIERS.contains(&word) && !word.starts_with("private[") {
            return None;
        }
    }
}

/// Returns the name at the start of a text, after words that belong to the keyword and type parameters.
fn name_in<'s>(plain: &Plain, mut rest: &'s str) -> Option<&'s str> {
    while let Some((word, after)) = rest.split_once(' ') {
        let lower = word.to_ascii_lowercase();
        if !FILLERS.contains(&&*lower) {
            break;
        }
        rest = after.trim_start();
    }
    if rest.starts_with('<') {
        rest = rest.split_once("> ")?.1.trim_start();
    }
    // `fun List<T>.of()`
    if let (Some(open), Some(close)) = (rest.find('<'), rest.find(">."))
        && open < close
        && is_name(&rest[..open])
    {
        rest = &rest[close + 2..];
    }
    let rest = rest.trim_start_matches(['"', '`', '&', '(', '$', '*']);
    let is_part = |it: char| {
        it.is_alphanumeric() || matches!(it, '_' | '.' | '$') || it == ':' && plain.form != Form::Sql
    };
    let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches(':');
    name.starts_with(|it: char| it.is_alphabetic() || it == '_' || it == '$').then_some(name)
}

/// Returns the quoted names of a block without the quotes between them: `a.b` for `"a" "b"`.
fn quoted<'s>(line: &'s str, rest: &'s str) -> Option<&'s str> {
    let start = rest.find('"')? + 1;
    let end = rest.rfind('"')?;
    let names = rest.get(start..end)?;
    // The last of several names identifies the block.
    let last = names.rsplit('"').next()?;
    (!last.is_empty() && line.len() >= last.len()).then_some(last)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':'))
}
