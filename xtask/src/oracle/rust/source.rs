//! The text that the compiler's spans point into.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::path::is_identifier;
use crate::oracle::fact::Place;

/// A place in a file, as the compiler prints it: lines and columns from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A stretch of a file: `src/a.rs:1:2: 3:4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: At,
    pub(super) end: (u32, u32),
}

impl Stretch {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (start, end) = text.trim().rsplit_once(": ")?;
        let mut start = start.rsplitn(3, ':');
        let column = start.next()?.parse().ok()?;
        let line = start.next()?.parse().ok()?;
        let path = start.next()?.to_owned();
        let (end_line, end_column) = end.split_once(':')?;
        let end_column = end_column.split_whitespace().next()?.parse().ok()?;
        Some(Self { start: At { path, line, column }, end: (end_line.parse().ok()?, end_column) })
    }
}

/// The sources below a directory, read when first asked for.
pub(super) struct Sources {
    root: PathBuf,
    texts: RefCell<HashMap<String, Option<Rc<Text>>>>,
}

/// One file.
pub(super) struct Text {
    lines: Vec<String>,
    /// The lines of each `macro_rules!`.
    rules: Vec<(u32, u32)>,
    /// The lines of each function.
    functions: Vec<(u32, u32)>,
    /// The lines of code in functions that stands under a condition of its own.
    conditions: Vec<(u32, u32)>,
}

impl Sources {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), texts: RefCell::default() }
    }

    /// A file below the directory.
    pub(super) fn text(&self, path: &str) -> Option<Rc<Text>> {
        if Path::new(path).is_absolute() {
            return None;
        }
        let mut texts = self.texts.borrow_mut();
        let read = || fs::read_to_string(self.root.join(path)).ok().map(|text| Rc::new(Text::new(&text)));
        texts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Where the item `name`, declared by one of `keywords`, has its name: the last such place before `at`. `None`
    /// if a macro's rules spell it.
    pub(super) fn declared_before(&self, at: &At, keywords: &[&str], name: &str) -> Option<Place> {
        let text = self.text(&at.path)?;
        let first = at.line.saturating_sub(60).max(1);
        let line = (first..=at.line).rev().find(|line| text.declares(*line, keywords, name))?;
        text.place(&at.path, line, name)
    }

    /// The first such place from `at` on, up to a line.
    pub(super) fn declared_after(&self, at: &At, last: u32, keywords: &[&str], name: &str) -> Option<Place> {
        let text = self.text(&at.path)?;
        let line = (at.line..=last).find(|line| text.declares(*line, keywords, name))?;
        text.place(&at.path, line, name)
    }

    /// Whether an implementation block is written out at a place, rather than made by a macro or derived.
    pub(super) fn is_block(&self, at: &At) -> bool {
        self.text(&at.path).is_some_and(|text| {
            let rest = text.line(at.line).get(at.column as usize - 1..).unwrap_or_default();
            !text.in_rules(at.line)
                && ["impl", "unsafe impl", "default impl"].iter().any(|start| {
                    // Macros may have names that start like this.
                    let rest = rest.strip_prefix(start);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '<']))
                })
        })
    }

    /// The names of the traits that the sources declare.
    pub(super) fn traits(&self) -> Vec<String> {
        let files = crate::corpus::sources(&self.root).unwrap_or_default();
        let texts = files.into_iter().filter_map(|file| file.text().ok());
        let mut found = Vec::new();
        for text in texts {
            let after = text.match_indices("trait ").map(|(at, keyword)| &text[at + keyword.len()..]);
            let name = |rest: &str| {
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(str::to_owned)
            };
            found.extend(after.filter_map(name).filter(|name| name.starts_with(char::is_uppercase)));
        }
        found.sort();
        found.dedup();
        found
    }

    /// The trait and type of the implementation block that starts at a place.
    pub(super) fn block_at(&self, at: &At) -> Option<(String, String)> {
        let text = self.text(&at.path)?;
        let header: Vec<&str> = (at.line..at.line + 6).map(|line| text.line(line)).collect();
        let header = header.join(" ");
        let (header, _) = header.split_once('{')?;
        let header = header.split(" where ").next()?;
        let (before, ty) = header.split_once(" for ")?;
        let in_trait = before.rsplit(|c: char| c.is_whitespace()).next()?;
        Some((in_trait.to_owned(), ty.trim().to_owned()))
    }

    /// The names in code under a condition in a function, with their lines.
    pub(super) fn conditional_names(&self, function: &Place) -> Vec<(String, u32)> {
        self.text(&function.path).map_or_else(Vec::new, |text| text.conditional_names(function.line))
    }

    /// The path that stands at a stretch of the source, if it is one and no rules of a macro hold it.
    pub(super) fn path_at(&self, stretch: &Stretch) -> Option<String> {
        let text = self.text(&stretch.start.path)?;
        if text.in_rules(stretch.start.line) {
            return None;
        }
        let mut written = text.slice(stretch)?;
        // The arguments of a path may be anything.
        if let Some(at) = written.find("::<") {
            let close = written.rfind('>')?;
            let tail = written[close + 1..].to_owned();
            written.truncate(at);
            written.push_str(&tail);
        }
        let is_path = written.chars().all(|c| c.is_alphanumeric() || "_:<>#'& ,".contains(c));
        is_path.then_some(written)
    }
}

impl Text {
    fn new(source: &str) -> Self {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_rust::LANGUAGE.into()).expect("the grammar fits the library");
        let tree = parser.parse(source, None).expect("parsing is neither cancelled nor limited");
        let lines = source.lines().map(str::to_owned).collect();
        let mut text = Self { lines, rules: vec![], functions: vec![], conditions: vec![] };
        let mut rest = vec![tree.root_node()];
        while let Some(node) = rest.pop() {
            let lines = |node: tree_sitter::Node<'_>| {
                (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1)
            };
            match node.kind() {
                "macro_definition" => text.rules.push(lines(node)),
                "function_item" => text.functions.push(lines(node)),
                "attribute_item" if source[node.byte_range()].starts_with("#[cfg") => {
                    // That of an arm or initializer stands inside it.
                    let around =
                        node.parent().filter(|it| matches!(it.kind(), "match_arm" | "field_initializer"));
                    text.conditions.extend(around.or_else(|| node.next_named_sibling()).map(lines));
                }
                "macro_invocation" if source[node.byte_range()].starts_with("cfg!") => {
                    text.conditions.extend(node.parent().and_then(|it| it.parent()).map(lines));
                }
                _ => {}
            }
            let mut cursor = node.walk();
            rest.extend(node.named_children(&mut cursor));
        }
        text
    }

    fn line(&self, line: u32) -> &str {
        self.lines.get(line as usize - 1).map_or("", String::as_str)
    }

    fn declares(&self, line: u32, keywords: &[&str], name: &str) -> bool {
        let words = |c: char| !(c.is_alphanumeric() || c == '_');
        let mut previous = "";
        self.line(line).split(words).filter(|word| !word.is_empty() && *word != "r").any(|word| {
            word == name && keywords.contains(&previous) || {
                if word != "mut" {
                    previous = word;
                }
                false
            }
        })
    }

    fn place(&self, path: &str, line: u32, name: &str) -> Option<Place> {
        (!self.in_rules(line)).then(|| Place { path: path.to_owned(), line, name: name.to_owned() })
    }

    pub(super) fn in_rules(&self, line: u32) -> bool {
        self.rules.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// The names in code under a condition in the function whose name stands on a line.
    fn conditional_names(&self, line: u32) -> Vec<(String, u32)> {
        let function = self.functions.iter().filter(|(first, last)| (*first..=*last).contains(&line));
        let Some(&(from, to)) = function.min_by_key(|(first, last)| last - first) else { return Vec::new() };
        let inside = self.conditions.iter().filter(|(first, last)| *first > from && *last <= to);
        let lines = inside.flat_map(|(first, last)| *first..=*last);
        let words = |line: u32| {
            let words = self.line(line).split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.filter(|word| is_identifier(word)).map(move |word| (word.to_owned(), line))
        };
        lines.flat_map(words).collect()
    }

    fn slice(&self, stretch: &Stretch) -> Option<String> {
        let (start, (end_line, end_column)) = (&stretch.start, stretch.end);
        let mut out = String::new();
        for line in start.line..=end_line {
            let chars = self.line(line).chars();
            let first = if line == start.line { start.column as usize - 1 } else { 0 };
            let last = if line == end_line { end_column as usize - 1 } else { usize::MAX };
            out.extend(chars.skip(first).take(last.checked_sub(first)?));
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_read() {
        let stretch = Stretch::parse("src/a.rs:29:9: 30:12").expect("a stretch");
        assert_eq!(stretch.start, At { path: "src/a.rs".into(), line: 29, column: 9 });
        assert_eq!(stretch.end, (30, 12));
    }

    #[test]
    fn text_knows_its_rules_conditions_and_declarations() {
        let text = Text::new(
            "macro_rules! m {\n    () => { fn made() {} };\n}\n\nfn f() {\n    #[cfg(unix)]\n    g();\n    h();\n}\n",
        );
        assert!(text.in_rules(2) && !text.in_rules(5));
        assert!(text.declares(5, &["fn"], "f") && !text.declares(7, &["fn"], "g"));
        assert_eq!(text.conditional_names(5), [("g".to_owned(), 7)]);
    }
}
