//! Language-specific rules for eliding parts of a file.

use sscg_core::{Span, SymbolKind};

/// Grammar of a language, as far as needed to elide parts of a file so that the rest still parses. All methods are pure
/// functions of text. They do not parse the whole file again, only the text passed to them.
pub trait Syntax: Send + Sync {
    /// Returns the marker of a comment that extends to the end of its line.
    fn line_comment(&self) -> &'static str;

    /// Returns the delimiters of bodies.
    fn blocks(&self) -> Blocks;

    /// Returns the replacement for the elided body of a function that is not part of the answer. `head` is its text up
    /// to the body, without leading comments and attributes. `owner` is the kind of the enclosing declaration.
    /// `is_plain` is set if the function is a statement or member of its own and has no attributes.
    fn ending(&self, extension: &str, head: &str, owner: Option<SymbolKind>, is_plain: bool) -> Ending;

    /// Returns the placeholder for the elided value of a constant or variable.
    fn no_value(&self) -> &'static str;

    /// Returns the text to show for a declaration that has no chunk of its own: the statement that contains it
    /// (`u, v = 1, 2`), or the declaration with the separator that follows it in a list. A comment at the end of its
    /// line is included.
    fn statement(&self, source: &str, part: Span) -> Span;

    /// Reduces an import statement to the names for which `keeps` holds. `keeps` receives local names, and [`GLOB`] for
    /// a glob import. The statement is unchanged if all names are kept, otherwise it is on one line; `None` if no name
    /// is kept. Text that is not an import of the language is unchanged.
    fn reduce_import(&self, extension: &str, statement: &str, keeps: &dyn Fn(&str) -> bool)
    -> Option<String>;

    /// Returns the comments of a text in source order, documentation included. A Python docstring counts as a comment
    /// if its body has other statements.
    fn comments(&self, extension: &str, source: &str) -> Vec<Span>;
}

/// Local name of a glob import.
pub const GLOB: &str = "*";

/// Delimiters of the bodies of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Braces.
    Braces,
    /// A colon and deeper indentation.
    Indentation,
}

/// Replacement for the elided body of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Text after the signature, which makes the function a declaration.
    Signature(&'static str),
    /// Text in place of the body, where the language has no functions without one.
    Body(&'static str),
}

/// Extends `part` by the comma or semicolon after it and the comment at the end of its line.
pub(crate) fn with_separator(source: &str, part: Span, line_comment: &str) -> Span {
    let mut end = part.end as usize;
    let rest = &source[end..];
    let after = rest.trim_start_matches([' ', '\t']);
    if after.starts_with([',', ';']) {
        end += rest.len() - after.len() + 1;
    }
    let line = source[end..].lines().next().unwrap_or_default();
    if line.trim_start().starts_with(line_comment) {
        end += line.trim_end().len();
    }
    Span::new(part.start, end as u32)
}

/// Result of filtering a list of names.
pub(crate) enum Kept {
    None,
    All,
    Some(Vec<String>),
}

impl Kept {
    /// Combines the results for the elements of a list: `None` for a dropped element, otherwise its text and true if
    /// the text is unchanged.
    pub(crate) fn of(elements: impl Iterator<Item = Option<(String, bool)>>) -> Self {
        let (mut kept, mut is_whole) = (Vec::new(), true);
        for element in elements {
            match element {
                Some((text, is_as_written)) => {
                    kept.push(text);
                    is_whole &= is_as_written;
                }
                None => is_whole = false,
            }
        }
        match (kept.is_empty(), is_whole) {
            (true, _) => Self::None,
            (false, true) => Self::All,
            (false, false) => Self::Some(kept),
        }
    }
}
