//! Elision in Rust code; see [`Syntax`].

use sscg_core::{Span, SymbolKind};
use tree_sitter::Node;

use super::Rust;
use super::kind::{FIELDS, Kind, child, kind};
use super::name::identifier;
use super::syntax::parse;
use crate::syntax::{Blocks, Ending, GLOB, Kept, Syntax, with_separator};
use crate::tree::{ParseTime, span, text};

impl Syntax for Rust {
    fn line_comment(&self) -> &'static str {
        "//"
    }

    fn blocks(&self) -> Blocks {
        Blocks::Braces
    }

    fn ending(&self, _: &str, _: &str, _: Option<SymbolKind>, _: bool) -> Ending {
        Ending::Signature(";")
    }

    fn no_value(&self) -> &'static str {
        "{ /* value omitted */ }"
    }

    fn statement(&self, source: &str, part: Span) -> Span {
        with_separator(source, part, "//")
    }

    fn reduce_import(
        &self,
        _extension: &str,
        statement: &str,
        keeps: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let Some(tree) = parse(statement, &ParseTime::for_text(statement)) else {
            return Some(statement.to_owned());
        };
        let root = tree.root_node();
        let mut cursor = root.walk();
        let item = root.named_children(&mut cursor).last();
        let whole = || Some(statement.to_owned());
        let Some(item) = item else { return whole() };
        if kind(item) != Kind::UseDeclaration {
            let name = child(item, FIELDS.alias).or_else(|| child(item, FIELDS.name));
            return match name {
                Some(name) if !keeps(identifier(text(name, statement))) => None,
                _ => whole(),
            };
        }
        let mut cursor = item.walk();
        let tree = item.named_children(&mut cursor).filter(|part| !kind(*part).is_comment()).last();
        let Some(tree) = tree else { return whole() };
        let (reduced, is_whole) = reduce(tree, statement, "", keeps)?;
        if is_whole {
            return whole();
        }
        let (before, after) = (&statement[..tree.start_byte()], &statement[tree.end_byte()..]);
        Some(format!("{before}{reduced}{after}"))
    }

    fn comments(&self, _extension: &str, source: &str) -> Vec<Span> {
        let Some(tree) = parse(source, &ParseTime::for_text(source)) else { return Vec::new() };
        let mut comments = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if kind(node).is_comment() {
                // The grammar includes the line break in a documentation comment.
                let here = span(node);
                let end = here.start + here.text(source).trim_end().len() as u32;
                comments.push(Span::new(here.start, end));
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return comments;
                }
            }
        }
    }
}

/// Reduces a branch of a use tree to the leaves that are kept; the flag is true if the text is unchanged. `last` is the
/// last segment of the path before the branch.
fn reduce(
    branch: Node<'_>,
    source: &str,
    last: &str,
    keeps: &dyn Fn(&str) -> bool,
) -> Option<(String, bool)> {
    let leaf = |local: &str| keeps(local).then(|| (text(branch, source).to_owned(), true));
    match kind(branch) {
        Kind::ScopedUseList => {
            let path = child(branch, FIELDS.path).map_or("", |path| text(path, source));
            let list = child(branch, FIELDS.list)?;
            let (reduced, is_whole) = reduce(list, source, last_segment(path), keeps)?;
            if is_whole {
                return Some((text(branch, source).to_owned(), true));
            }
            // `io::{self as x}` is `io as x`.
            let alone = reduced.strip_prefix("{self").and_then(|alias| alias.strip_suffix('}'));
            let alone = alone.filter(|alias| !alias.contains(','));
            Some((
                match alone {
                    Some(alias) => format!("{path}{alias}"),
                    None => format!("{}{reduced}", &source[branch.start_byte()..list.start_byte()]),
                },
                false,
            ))
        }
        Kind::UseList => {
            let mut cursor = branch.walk();
            let branches = branch.named_children(&mut cursor).filter(|part| !kind(*part).is_comment());
            match Kept::of(branches.map(|part| reduce(part, source, last, keeps))) {
                Kept::None => None,
                Kept::All => Some((text(branch, source).to_owned(), true)),
                Kept::Some(kept) => Some((
                    match kept.as_slice() {
                        [one] if !one.starts_with("self") => one.clone(),
                        kept => format!("{{{}}}", kept.join(", ")),
                    },
                    false,
                )),
            }
        }
        Kind::UseWildcard => leaf(GLOB),
        Kind::UseAsClause => leaf(identifier(text(child(branch, FIELDS.alias)?, source))),
        Kind::SelfValue => leaf(last),
        _ => leaf(last_segment(text(branch, source))),
    }
}

fn last_segment(path: &str) -> &str {
    identifier(path.rsplit("::").next().unwrap_or(path).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(statement: &str, kept: &[&str]) -> Option<String> {
        Rust.reduce_import("rs", statement, &|name| kept.contains(&name))
    }

    #[test]
    fn use_trees_are_reduced_to_what_is_kept() {
        let tree = "pub(crate) use std::{\n    fmt, // why\n    io::{self, Read as R, Write as _},\n    sync::*,\n};";
        assert_eq!(reduced(tree, &["fmt", "io", "R", "_", "*"]).as_deref(), Some(tree));
        assert_eq!(reduced(tree, &["io"]).as_deref(), Some("pub(crate) use std::io;"));
        assert_eq!(reduced(tree, &["R"]).as_deref(), Some("pub(crate) use std::io::Read as R;"));
        let two = Some("pub(crate) use std::{fmt, io::{self, Read as R}};");
        assert_eq!(reduced(tree, &["fmt", "io", "R"]).as_deref(), two);
        assert_eq!(reduced(tree, &["*"]).as_deref(), Some("pub(crate) use std::sync::*;"));
        assert_eq!(reduced(tree, &["Read"]), None);
        assert_eq!(reduced("use {a, b::c};", &["c"]).as_deref(), Some("use b::c;"));
        assert_eq!(reduced("use ::a::{b, c};", &["b"]).as_deref(), Some("use ::a::b;"));
        assert_eq!(reduced("use a::b::{self as x, c};", &["x"]).as_deref(), Some("use a::b as x;"));
        assert_eq!(reduced("use super::*;", &["super"]), None);
        assert_eq!(reduced("#[macro_use]\nextern crate a as b;", &["a"]), None);
        assert_eq!(reduced("mod r#type;", &["type"]).as_deref(), Some("mod r#type;"));
    }

    #[test]
    fn comments_are_found_wherever_they_stand() {
        let source = "//! A\n/// B\nfn f(/* C */) { let s = \"// no\"; m!(/* D */ x); } // E\n";
        let comments = Rust.comments("rs", source);
        let texts: Vec<&str> = comments.iter().map(|comment| comment.text(source)).collect();
        assert_eq!(texts, ["//! A", "/// B", "/* C */", "/* D */", "// E"]);
    }
}
