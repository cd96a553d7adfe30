//! Elision in Python code; see [`Syntax`].

use sscg_core::{Span, SymbolKind};
use tree_sitter::{Node, Tree};

use super::grammar::{FIELDS, Kind, kind};
use super::{PARSER, Python, docstring};
use crate::syntax::{Blocks, Ending, GLOB, Kept, Syntax};
use crate::tree::{ParseTime, span, text};

impl Syntax for Python {
    fn line_comment(&self) -> &'static str {
        "#"
    }

    fn blocks(&self) -> Blocks {
        Blocks::Indentation
    }

    fn ending(&self, _: &str, _: &str, _: Option<SymbolKind>, _: bool) -> Ending {
        Ending::Signature(": ...")
    }

    fn no_value(&self) -> &'static str {
        "..."
    }

    fn statement(&self, source: &str, part: Span) -> Span {
        let mut line = line_start(source, part.start as usize);
        while line > 0 && continues(&source[line_start(source, line - 1)..line]) {
            line = line_start(source, line - 1);
        }
        let indent = source[line..].len() - source[line..].trim_start().len();
        let start = (line + indent).min(part.start as usize);
        let end = (start + logical_line(&source[start..])).max(part.end as usize);
        Span::new(start as u32, end as u32)
    }

    fn reduce_import(
        &self,
        _extension: &str,
        statement: &str,
        keeps: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let Some(tree) = parse(statement) else { return Some(statement.to_owned()) };
        let import = tree.root_node().named_child(0).filter(|import| kind(*import).is_import());
        let Some(import) = import else { return Some(statement.to_owned()) };
        let module = import.child_by_field_id(FIELDS.module_name);
        let mut cursor = import.walk();
        let names = import.named_children(&mut cursor).filter(|name| Some(*name) != module);
        let names = names.filter_map(|name| {
            let local = local_name(name, statement, kind(import) == Kind::ImportStatement)?;
            Some(keeps(local).then(|| (text(name, statement).to_owned(), true)))
        });
        match Kept::of(names) {
            Kept::None => None,
            Kept::All => Some(statement.to_owned()),
            Kept::Some(names) => {
                let names = names.join(", ");
                Some(match (module, kind(import)) {
                    (Some(module), _) => format!("from {} import {names}", text(module, statement)),
                    (None, Kind::FutureImport) => format!("from __future__ import {names}"),
                    (None, _) => format!("import {names}"),
                })
            }
        }
    }

    fn comments(&self, _extension: &str, source: &str) -> Vec<Span> {
        let Some(tree) = parse(source) else { return Vec::new() };
        let mut comments = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let kind = kind(node);
            let is_string = || kind == Kind::ExpressionStatement && is_docstring(node, source);
            if kind == Kind::Comment || is_string() {
                comments.push(span(node));
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

/// Parses a text; `None` if that takes too long.
fn parse(source: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| ParseTime::for_text(source).parse(parser, source))
}

/// Returns the name that a part of an import statement binds; `None` for parts that are not names.
fn local_name<'s>(name: Node<'_>, source: &'s str, is_module: bool) -> Option<&'s str> {
    match kind(name) {
        Kind::WildcardImport => Some(GLOB),
        Kind::AliasedImport => Some(text(name.child_by_field_id(FIELDS.alias)?, source)),
        Kind::DottedName if is_module => text(name, source).split('.').next().map(str::trim),
        Kind::DottedName => Some(text(name, source)),
        _ => None,
    }
}

/// Returns true if a statement is a docstring that may be removed: that of a module, or of a body with other code.
fn is_docstring(statement: Node<'_>, source: &str) -> bool {
    let Some(body) = statement.parent() else { return false };
    let mut cursor = body.walk();
    let mut code = body.named_children(&mut cursor).filter(|part| kind(*part) != Kind::Comment);
    let describes = body
        .parent()
        .is_none_or(|around| matches!(kind(around), Kind::FunctionDefinition | Kind::ClassDefinition));
    let shares_line = source[statement.end_byte()..].trim_start_matches([' ', '\t']).starts_with(';');
    describes
        && !shares_line
        && code.next() == Some(statement)
        && (body.parent().is_none() || code.next().is_some())
        && docstring::of_statement(statement, source).is_some()
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |before| before + 1)
}

/// Returns true if a statement appears to continue after a line.
fn continues(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or(line);
    code.trim_end().ends_with(['(', '[', '{', ',', '\\'])
}

/// Returns the length of the statement at the start of `text`, up to the first line break outside brackets and
/// strings.
fn logical_line(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' if open == 0 => break,
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            b'\\' => at += 1,
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at) - 1,
            quote @ (b'"' | b'\'') => at += string(&text[at..], quote) - 1,
            _ => {}
        }
        at += 1;
    }
    text[..at.min(text.len())].trim_end().len()
}

/// Returns the length of the string literal at the start of `text`.
fn string(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let is_long = bytes.len() > 2 && bytes[1] == quote && bytes[2] == quote;
    let (width, mut at) = if is_long { (3, 3) } else { (1, 1) };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            _ if bytes[at..].iter().take(width).filter(|byte| **byte == quote).count() == width => {
                return at + width;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(statement: &str, kept: &[&str]) -> Option<String> {
        Python.reduce_import("py", statement, &|name| kept.contains(&name))
    }

    #[test]
    fn imports_are_reduced_to_what_is_kept() {
        let many = "from m import (\n    a,\n    b as c,  # why\n    d,\n)";
        assert_eq!(reduced(many, &["a", "c", "d"]).as_deref(), Some(many));
        assert_eq!(reduced(many, &["c", "d"]).as_deref(), Some("from m import b as c, d"));
        assert_eq!(reduced(many, &["b"]), None);
        assert_eq!(reduced("from ..a.b import c, d", &["d"]).as_deref(), Some("from ..a.b import d"));
        assert_eq!(reduced("import a.b, c as d, e", &["a", "d"]).as_deref(), Some("import a.b, c as d"));
        assert_eq!(reduced("from m import *", &[GLOB]).as_deref(), Some("from m import *"));
        assert_eq!(reduced("from m import *", &["m"]), None);
        let future = "from __future__ import annotations, division";
        assert_eq!(reduced(future, &["division"]).as_deref(), Some("from __future__ import division"));
        assert_eq!(reduced("x = 1", &[]).as_deref(), Some("x = 1"));
    }

    #[test]
    fn docstrings_are_comments_where_they_are_not_all() {
        let source = "'''Doc.'''\nx = '# no'  # yes\ndef f():\n    # c\n    'Doc.'\n    return 1\n\
                      def g():\n    'Only.'\nclass A:\n    'Doc.'\n    x = 1\nif x:\n    'no'\n    y = 1\n";
        let comments = Python.comments("py", source);
        let texts: Vec<&str> = comments.iter().map(|comment| comment.text(source)).collect();
        assert_eq!(texts, ["'''Doc.'''", "# yes", "# c", "'Doc.'", "'Doc.'"]);
    }

    #[test]
    fn a_name_belongs_to_its_logical_line() {
        let source = "class A:\n    u, v = f(\n        '#)',  # (\n        \"\"\"\n)\"\"\",\n    ), \\\n  1  # end\n    w = 2\n";
        let at = source.find('v').expect("it is there") as u32;
        let statement = Python.statement(source, Span::new(at, at + 1)).text(source);
        assert!(statement.starts_with("u, v") && statement.ends_with("# end"), "{statement}");

        let source = "def f():\n    x = 1\n    (\n        a,  # one\n        b,\n    ) = g()\n    c = 2\n";
        let at = source.find('b').expect("it is there") as u32;
        let statement = Python.statement(source, Span::new(at, at + 1)).text(source);
        assert_eq!(statement, "(\n        a,  # one\n        b,\n    ) = g()");
    }
}
