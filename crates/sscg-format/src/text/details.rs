//! Graph data of each result.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::graph::is_deep;
use super::{Page, count, places, thousands};
use crate::{
    CallTreeNode, Contribution, Details, ResultItem, SignatureType, SymbolRef, TypeParameter, WordMatch,
};

/// Maximum number of names in a list; further ones are only counted.
const MOST_NAMES: usize = 3;

/// Maximum number of type parameters, of types of parameters, and of results.
const MOST_TYPES: usize = 6;

/// Maximum number of results of an answer that names all known callers of each.
pub const FEW_RESULTS: usize = 3;

/// Maximum number of characters of a signature that is repeated although the code shows it.
const SHORT_SIGNATURE: usize = 80;

/// Maximum number of listed members of a type.
const MOST_MEMBERS: usize = 12;

impl Page<'_> {
    pub(super) fn write_details(&self, result: &ResultItem, out: &mut String) -> fmt::Result {
        let ResultItem { file, kind, modifiers, shown, details, .. } = result;
        let lines = result.parts.first().unwrap_or(&result.lines);
        writeln!(out)?;
        let is_found = result.source.is_search();
        if is_found && self.answer.results.len() > 1 {
            write!(out, "{} ", self.number(&result.chunk_id))?;
        }
        writeln!(out, "{} — {file}:{lines}", title(result))?;

        let (exported, mut words): (Vec<&str>, Vec<&str>) =
            modifiers.iter().map(String::as_str).partition(|modifier| *modifier == "exported");
        words.push(kind);
        if !result.trusted {
            words.extend(["of", "an", "untrusted", "document"]);
        }
        let mut facts = vec![words.join(" ")];
        facts.extend(exported.iter().map(|modifier| (*modifier).to_owned()));
        if details.references > 0 {
            facts.push(format!("refs: {}", count(details.references, "file")));
        }
        if shown != "full" {
            facts.push(shown.replace('_', " "));
        }
        if !is_found {
            facts.push("neighbor".to_owned());
        }
        facts.extend(self.structure(result));
        writeln!(out, "    {}", facts.join(" | "))?;
        self.write_explanation(result, out)?;
        if is_found { self.write_declaration(result, out) } else { Ok(()) }
    }

    fn write_declaration(&self, result: &ResultItem, out: &mut String) -> fmt::Result {
        let is_only = self.places.len() == 1;
        let ResultItem { signature, shown, details, copies, .. } = result;
        let Details { extends, implements, subtypes, calls, type_parameters, types_in, types_out, .. } =
            details;
        let is_code_shown = !matches!(shown.as_str(), "signature" | "name");
        let is_value = !details.value_type.is_empty() || !details.value.is_empty();
        let is_short = signature.chars().count() <= SHORT_SIGNATURE;
        let mut line = |name: &str, value: String| {
            if value.is_empty() { Ok(()) } else { writeln!(out, "    {name}: {value}") }
        };
        if result.trusted && !is_value && if is_code_shown { is_short } else { shown != "name" } {
            line("Signature", signature.clone())?;
        }
        line("Extends", self.symbols(extends))?;
        line("Implements", self.symbols(implements))?;
        line("Subtypes", self.symbols(subtypes))?;
        // The code shows the callees; the graph shows the callers among the results.
        let is_in_graph = is_deep(calls);
        if (is_only || !is_code_shown) && !is_in_graph {
            line("Calls", self.calls(calls))?;
        }
        line("Copies", named_copies(copies))?;
        line("Declared in", list(details.declared_in.iter().cloned(), MOST_NAMES, 0))?;
        let known = if details.called_by.is_empty() { "none known" } else { "only itself" };
        let callers = match details.unresolved_uses {
            Some(0) => known.to_owned(),
            Some(uses) => {
                let name = result.name.rsplit('.').next().unwrap_or(&result.name);
                let places = places(&details.unresolved_at, uses);
                format!("{known}; {} of `{name}` may call it{places}", count(uses, "unresolved use"))
            }
            None => self.callers(result, is_only),
        };
        line("Called by", callers)?;
        // A lifetime without a bound is no more than its name in the signature.
        let is_known = |it: &&TypeParameter| !it.name.starts_with('\'') || !it.constraint.is_empty();
        let type_parameters = type_parameters.iter().filter(is_known).map(TypeParameter::to_string);
        line("Type parameters", list(type_parameters, MOST_TYPES, 0))?;
        let is_inferred = types_out.iter().any(|it| it.inferred);
        let out_name = if is_inferred { "Types out (inferred)" } else { "Types out" };
        let types: Vec<String> = [("Types in", types_in), (out_name, types_out)]
            .into_iter()
            .filter(|(_, types)| !types.is_empty())
            .map(|(name, types)| format!("{name}: {}", self.types(types)))
            .collect();
        if !types.is_empty() {
            writeln!(out, "    {}", types.join(" | "))?;
        }
        if !is_code_shown {
            write_list(out, "Members", details.members.iter().cloned(), MOST_MEMBERS)?;
        }
        match (details.value_type.as_str(), details.value.as_str()) {
            ("", "") => Ok(()),
            ("", value) => writeln!(out, "    Value: {value}"),
            (ty, "") => writeln!(out, "    Type: {ty}"),
            (ty, value) => writeln!(out, "    Type: {ty} (value: {value})"),
        }
    }

    fn write_explanation(&self, result: &ResultItem, out: &mut String) -> fmt::Result {
        let Some(longest) = result.explanation.iter().map(|it| it.signal.len()).max() else { return Ok(()) };
        writeln!(out, "    score {:.4} =", result.score)?;
        for Contribution { signal, rank, score, contribution } in &result.explanation {
            let place = if *rank == 0 { String::new() } else { format!("#{rank}, ") };
            writeln!(out, "      {contribution:.4}  {signal:longest$}  {place}scored {score:.4}")?;
        }
        if !result.words.is_empty() {
            let words: Vec<String> = result.words.iter().map(word).collect();
            writeln!(out, "    words: {}", words.join("; "))?;
        }
        Ok(())
    }

    fn symbols(&self, symbols: &[SymbolRef]) -> String {
        list(symbols.iter().map(|symbol| self.symbol(symbol)), MOST_NAMES, 0)
    }

    /// Formats the types in a signature, each once: the declared ones with their origin, then the parameters of other
    /// types as `token (string)`.
    fn types(&self, types: &[SignatureType]) -> String {
        let (declared, others): (Vec<_>, Vec<_>) = types.iter().partition(|it| !it.ty.file.is_empty());
        let declared = declared.into_iter().map(|it| self.symbol_at(&it.ty, it.line));
        let others = others.into_iter().map(|it| match it.parameter.as_str() {
            "" => it.ty.name.clone(),
            parameter => format!("{parameter} ({})", it.ty.name),
        });
        let mut known = HashSet::new();
        list(declared.chain(others).filter(|it| known.insert(it.clone())), MOST_TYPES, 0)
    }

    /// Formats the callees of a result.
    fn calls(&self, calls: &[CallTreeNode]) -> String {
        list(calls.iter().map(|call| self.symbol(&call.symbol)), MOST_NAMES, 0)
    }

    /// Formats the callees of a result that are not shown, with their lines.
    pub(super) fn callees(&self, calls: &[CallTreeNode]) -> String {
        self.declared(calls.iter().map(|call| &call.symbol))
    }

    /// Formats declarations with their lines, except results.
    pub(super) fn declared<'s>(&self, symbols: impl Iterator<Item = &'s SymbolRef>) -> String {
        let declared = |SymbolRef { name, file, id, confidence, .. }: &SymbolRef| {
            // `path:first-last:kind:name`
            let lines = id.strip_prefix(file.as_str()).and_then(|rest| rest.split(':').nth(1));
            let doubt = if confidence.is_exact() { String::new() } else { format!(" ({confidence})") };
            format!("{name} ({file}:{}){doubt}", lines.unwrap_or_default())
        };
        let others = symbols.filter(|symbol| !self.places.contains_key(&*symbol.id));
        list(others.map(declared), usize::MAX, 0)
    }

    /// Formats the callers of a result with the lines of the calls; those that are results only if `with_results`.
    pub(super) fn callers(&self, result: &ResultItem, with_results: bool) -> String {
        let Details { called_by, omitted_callers, .. } = &result.details;
        let shown = called_by.iter().filter(|it| with_results || !self.places.contains_key(&*it.symbol.id));
        let most = if self.places.len() <= FEW_RESULTS { usize::MAX } else { MOST_NAMES };
        list(shown.map(|call| self.symbol_at(&call.symbol, call.line)), most, *omitted_callers)
    }
}

/// Formats a word of the question with its place: `limit (name, line 12)`, `"too big" ~ limit (doc, line 3)`.
fn word(found: &WordMatch) -> String {
    let WordMatch { asked, word, field, line } = found;
    let asked = if asked.contains(' ') { format!("\"{asked}\"") } else { asked.clone() };
    let other = if word.is_empty() { String::new() } else { format!(" ~ {word}") };
    let line = if *line == 0 { String::new() } else { format!(", line {line}") };
    format!("{asked}{other} ({}{line})", field.as_str())
}

fn write_list(
    out: &mut String,
    name: &str,
    items: impl ExactSizeIterator<Item = String>,
    most: usize,
) -> fmt::Result {
    if items.len() == 0 { Ok(()) } else { writeln!(out, "    {name}: {}", list(items, most, 0)) }
}

/// Joins the first `most` items, and appends the number of further ones plus `omitted`.
fn list(items: impl Iterator<Item = String>, most: usize, omitted: usize) -> String {
    let mut items: Vec<String> = items.collect();
    let more = items.len().saturating_sub(most) + omitted;
    items.truncate(most);
    let mut out = items.join(", ");
    if out.is_empty() && more > 0 {
        return format!("{} not named", thousands(more));
    }
    if more > 0 {
        let _ = write!(out, " and {} more", thousands(more));
    }
    out
}

/// Maximum number of copies that are named.
const MOST_COPIES: usize = 3;

/// Formats the locations of a result's copies: `dist/a.js:4-9, dist/b.js:4-9 and 2 more`.
pub(super) fn named_copies(copies: &[String]) -> String {
    let more = copies.len().saturating_sub(MOST_COPIES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", copies[..copies.len() - more].join(", "))
}

/// Returns the title of a result: the name of a declaration, or the headings above a part of a document.
pub(super) fn title(result: &ResultItem) -> String {
    let ResultItem { name, heading_path, .. } = result;
    match heading_path.last() {
        None => name.clone(),
        Some(own) if own == name => heading_path.join(" > "),
        Some(_) => format!("{} > \"{name} ...\"", heading_path.join(" > ")),
    }
}
