//! TOML, YAML and JSON: one section for each key with a multi-line value, and for the keys inside it if it is long.

use std::sync::LazyLock;

use sscg_core::Span;
use tree_sitter::{Language, Node};

use super::layout::{Breaks, DocumentLayout, PASSAGE_BYTES, Section, one_line};
use super::nesting::{TOO_DEEP, yaml_is_deep};
use super::plain::with_comments_above;
use crate::highlight::Highlighting;
use crate::tree::{ParseTime, TOO_SLOW_DOCUMENT, span, text};

/// Maximum number of keys that enclose a section.
const MAX_DEPTH: usize = 4;

pub(super) static JSON_HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    // The grammar's own query highlights keys as strings.
    let keys = "(pair key: (string) @property)";
    Highlighting::new(tree_sitter_json::LANGUAGE, &[tree_sitter_json::HIGHLIGHTS_QUERY, keys])
});

pub(super) static TOML_HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    // The grammar's own query highlights whole pairs as keys.
    let keys = "(pair) @embedded (bare_key) @property";
    Highlighting::new(tree_sitter_toml_ng::LANGUAGE, &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY, keys])
});

pub(super) static YAML_HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    Highlighting::new(tree_sitter_yaml::LANGUAGE, &[tree_sitter_yaml::HIGHLIGHTS_QUERY]).but(yaml_is_deep)
});

pub(super) fn json(source: &str) -> DocumentLayout {
    find(tree_sitter_json::LANGUAGE.into(), source)
}

pub(super) fn toml(source: &str) -> DocumentLayout {
    find(tree_sitter_toml_ng::LANGUAGE.into(), source)
}

pub(super) fn yaml(source: &str) -> DocumentLayout {
    if yaml_is_deep(source) {
        return DocumentLayout { breaks: Breaks::Indentation, ..DocumentLayout::without_sections(TOO_DEEP) };
    }
    find(tree_sitter_yaml::LANGUAGE.into(), source)
}

fn find(grammar: Language, source: &str) -> DocumentLayout {
    let breaks = Breaks::Indentation;
    let Some(tree) = ParseTime::for_text(source).parse_with(&grammar, source) else {
        return DocumentLayout { breaks, ..DocumentLayout::without_sections(TOO_SLOW_DOCUMENT) };
    };
    let mut keys = Keys { source, sections: Vec::new(), last: Vec::new() };
    keys.visit(tree.root_node(), 0);
    DocumentLayout { sections: keys.sections, breaks, ..DocumentLayout::default() }
}

struct Keys<'s> {
    source: &'s str,
    sections: Vec<Section>,
    /// Index of the last section at each depth.
    last: Vec<usize>,
}

impl Keys<'_> {
    /// Adds the sections among the children of a node that is `depth` keys below the root.
    fn visit(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "table" | "table_array_element" => self.table(child, depth),
                "pair" | "block_mapping_pair" | "flow_pair" => self.pair(child, depth),
                // Containers of pairs, without a key of their own.
                "document" | "block_node" | "flow_node" | "block_mapping" | "flow_mapping" | "object"
                | "inline_table" | "ERROR" => self.visit(child, depth),
                _ => {}
            }
        }
    }

    /// Adds the section of a TOML table, named by its header.
    fn table(&mut self, node: Node<'_>, depth: usize) {
        let Some(key) = node.named_child(0) else { return };
        let start = span(node).start;
        let header = self.source[start as usize..].lines().next().unwrap_or_default().trim_end();
        let head = Span::new(start, start + header.len() as u32);
        self.section(node, key, head, head.end, depth);
    }

    fn pair(&mut self, node: Node<'_>, depth: usize) {
        let Some(key) = node.child_by_field_name("key").or_else(|| node.named_child(0)) else { return };
        let value = node.child_by_field_name("value").or_else(|| node.named_child(1));
        if let Some(value) = value.filter(|_| node.start_position().row < node.end_position().row) {
            let head = Span::new(span(node).start, span(key).end);
            self.section(node, key, head, span(value).start, depth);
        }
    }

    fn section(&mut self, node: Node<'_>, key: Node<'_>, head: Span, body: u32, depth: usize) {
        let span = span(node);
        let name = one_line(text(key, self.source).trim_matches(['"', '\'']));
        if body > span.end || name.is_empty() || key.is_error() {
            return;
        }
        let floor = self.sections.last().map_or(0, |last| last.span.start.max(last.body));
        let start = with_comments_above(self.source, span.start);
        let start = if start < floor { span.start } else { start };
        // The grammar attaches comments above a key to the end of the preceding element. Only the preceding section
        // on this level, and its descendants, can reach that far.
        let last = self.last.get(depth).copied().unwrap_or_default();
        let before =
            self.sections[last..].iter_mut().rev().take_while(|before| before.span.end <= span.start);
        before.for_each(|before| before.span.end = before.span.end.min(start));
        self.last.resize(depth + 1, self.sections.len());
        self.last[depth] = self.sections.len();
        self.sections.push(Section { name, head, body, span: Span::new(start, span.end) });
        if depth < MAX_DEPTH && span.len() > PASSAGE_BYTES {
            // In a mapping this is the value, in a table its pairs.
            self.visit(node, depth + 1);
        }
    }
}
