//! What showing parts of a file takes of its language's grammar.

use sscg_core::{Span, SymbolKind};

/// What has to be known of a language's grammar to cut a file down so that what is left still parses. Everything is a
/// pure function of text; files are not parsed again for it, only what is asked about.
pub trait Syntax: Send + Sync {
    /// What starts a comment that goes on to the end of its line.
    fn line_comment(&self) -> &'static str;

    /// How bodies are told from what is around them.
    fn blocks(&self) -> Blocks;

    /// How a function that takes no part in what is shown ends where its body would be. `head` is its text up to the
    /// body, without comments and attributes before it; `owner` is what it stands in, and `is_plain` says that it is a
    /// statement or member of its own and has no attributes.
    fn ending(&self, extension: &str, head: &str, owner: Option<SymbolKind>, is_plain: bool) -> Ending;

    /// What stands for the value of a constant or variable that is left out.
    fn no_value(&self) -> &'static str;

    /// What has to be shown with a declaration that has no chunk of its own: the statement of which it may be a part
    /// (`u, v = 1, 2`), or what separates it from the next in a list. A comment that ends its line belongs to it.
    fn statement(&self, source: &str, part: Span) -> Span;

    /// An import statement with those names alone for which `keeps` holds; it is asked about local names, and about
    /// [`GLOB`]. As written if all are kept, else on one line; `None` if none is. Text that is no import of the language
    /// stays.
    fn reduce_import(&self, extension: &str, statement: &str, keeps: &dyn Fn(&str) -> bool)
    -> Option<String>;

    /// The comments of a text in source order, documentation included. Python's docstrings are comments where the
    /// body is more than that.
    fn comments(&self, extension: &str, source: &str) -> Vec<Span>;
}

/// The name of what a glob import binds.
pub const GLOB: &str = "*";

/// How the bodies of declarations are told from what is around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// By braces.
    Braces,
    /// By a colon, and by how far they are indented.
    Indentation,
}

/// The end of a function whose body is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This behind its signature: it is a declaration.
    Signature(&'static str),
    /// This in the place of its body: the language has no functions without one there.
    Body(&'static str),
}

/// `part` with the comma or semicolon that ends it and the comment on the rest of its line.
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

/// What came of a list of names of which some are kept.
pub(crate) enum Kept {
    None,
    All,
    Some(Vec<String>),
}

impl Kept {
    /// Sums up what came of each element: `None` if it goes, else its text and whether that is as written.
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
