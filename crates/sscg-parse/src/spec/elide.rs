//! Elision; see [`Syntax`].

use sscg_core::{Span, SymbolKind};

use super::SpecFrontend;
use crate::syntax::{Blocks, Ending, Syntax, with_separator};
use crate::tree::{ParseTime, span};

impl Syntax for SpecFrontend {
    fn line_comment(&self) -> &'static str {
        self.0.spec().line_comment
    }

    fn blocks(&self) -> Blocks {
        Blocks::Braces
    }

    fn ending(&self, _: &str, _: &str, _: Option<SymbolKind>, _: bool) -> Ending {
        self.0.spec().ending
    }

    fn no_value(&self) -> &'static str {
        self.0.spec().no_value
    }

    fn statement(&self, source: &str, part: Span) -> Span {
        with_separator(source, part, self.line_comment())
    }

    fn reduce_import(
        &self,
        _extension: &str,
        statement: &str,
        keeps: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        self.0.reduce_import(statement, keeps)
    }

    fn comments(&self, extension: &str, source: &str) -> Vec<Span> {
        let Some(tree) = self.tree(extension, source, &ParseTime::for_text(source)) else {
            return Vec::new();
        };
        let mut comments = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if self.0.is_comment(node) {
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
