//! Syntax highlighting.
//!
//! Each grammar comes with a query that names its tokens, run by `tree-sitter-highlight`. The many capture names are
//! reduced to a few distinguishable classes.

use sscg_core::Span;
use tree_sitter::Language;
use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

use crate::tree::ParseTime;

/// Class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Highlight {
    /// Attribute, also of an HTML element; lifetime, label or anchor.
    Attribute,
    /// Comment.
    Comment,
    /// Number, Boolean, or name in the style of constants.
    Constant,
    /// Function in a declaration or call; decorator.
    Function,
    /// Keyword; HTML tag.
    Keyword,
    /// Field or other member; key of data.
    Property,
    /// Quoted text.
    String,
    /// Type, or name in the style of types.
    Type,
}

/// Classes of the capture names in queries. A dotted name also matches by each of its parts. Names without a class are
/// listed so that they override an enclosing class.
const CLASSES: &[(&str, Option<Highlight>)] = &[
    ("attribute", Some(Highlight::Attribute)),
    ("boolean", Some(Highlight::Constant)),
    ("comment", Some(Highlight::Comment)),
    ("constant", Some(Highlight::Constant)),
    ("constructor", Some(Highlight::Type)),
    ("embedded", None),
    ("escape", Some(Highlight::String)),
    ("function", Some(Highlight::Function)),
    ("keyword", Some(Highlight::Keyword)),
    ("label", Some(Highlight::Attribute)),
    ("number", Some(Highlight::Constant)),
    ("operator", None),
    ("property", Some(Highlight::Property)),
    ("punctuation", None),
    ("string", Some(Highlight::String)),
    ("tag", Some(Highlight::Keyword)),
    ("type", Some(Highlight::Type)),
    ("variable", None),
];

/// Grammar with its highlight queries.
pub(crate) struct Highlighting {
    configuration: HighlightConfiguration,
    /// True for a text that the grammar cannot handle, which stays plain.
    is_refused: fn(&str) -> bool,
}

impl Highlighting {
    /// Creates the highlighting of a grammar. If several queries name the same token, the last one wins.
    ///
    /// # Panics
    /// If a query does not fit the grammar.
    pub(crate) fn new(grammar: impl Into<Language>, queries: &[&str]) -> Self {
        // Embedded languages stay plain: a macro nested in macros would be parsed once per level.
        let (injections, locals) = ("", "");
        let queries = queries.join("\n");
        let mut configuration = HighlightConfiguration::new(grammar.into(), "", &queries, injections, locals)
            .expect("the queries are those of the grammar");
        configuration.configure(&CLASSES.iter().map(|(name, _)| name).collect::<Vec<_>>());
        Self { configuration, is_refused: |_| false }
    }

    /// Leaves texts plain for which `is_refused` holds.
    pub(crate) fn but(self, is_refused: fn(&str) -> bool) -> Self {
        Self { is_refused, ..self }
    }

    /// Returns the classified spans of a text, in order and disjoint.
    pub(crate) fn of(&self, source: &str) -> Vec<(Span, Highlight)> {
        let mut pieces: Vec<(Span, Highlight)> = Vec::new();
        let grammar = &self.configuration.language;
        // The highlighter parses without a limit.
        if (self.is_refused)(source) || ParseTime::for_text(source).parse_with(grammar, source).is_none() {
            return pieces;
        }
        let mut around: Vec<Option<Highlight>> = Vec::new();
        let mut highlighter = Highlighter::new();
        let events = highlighter.highlight(&self.configuration, source.as_bytes(), None, None, |_| None);
        for event in events.into_iter().flatten().map_while(Result::ok) {
            match event {
                HighlightEvent::HighlightStart(class) => around.push(CLASSES[class.0].1),
                HighlightEvent::HighlightEnd => {
                    around.pop();
                }
                HighlightEvent::Source { start, end } => {
                    let Some(&Some(class)) = around.last() else { continue };
                    let span = Span::new(start as u32, end as u32);
                    match pieces.last_mut() {
                        Some((last, known)) if *known == class && last.end == span.start => {
                            last.end = span.end;
                        }
                        _ => pieces.push((span, class)),
                    }
                }
            }
        }
        pieces
    }
}

#[cfg(all(test, feature = "all-languages", feature = "documents"))]
mod tests;
