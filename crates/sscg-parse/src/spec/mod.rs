//! Frontends for languages with declared types.
//!
//! A language is a [`Spec`], which is data, and a [`Grammar`], which dispatches the nodes of its tree-sitter grammar to
//! the operations of a [`Walk`]: declare, bind, refer. Everything that languages share is in the walk: comments that
//! document what follows, scopes, owners, chunks at the root, the order of resolution.
//!
//! Queries in the notation of tree-sitter were the alternative. A query takes twice as long as a walk over all nodes,
//! and its matches have to be nested again to know the scope and owner of each.

mod elide;
mod walk;

use std::borrow::Cow;
use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{FileFacts, Language, Span};
use tree_sitter::Node;

use crate::builder::undivided;
use crate::frontend::LanguageFrontend;
use crate::highlight::{Highlight, Highlighting};
use crate::nesting::{TOO_DEEP, cut_deep, levelled, unchained};
use crate::scope::{RawHint, RawName, RawType};
use crate::signature::{Order, SignatureSyntax};
use crate::syntax::{Ending, Syntax};
use crate::text::{comment_text, without_line_comments};
use crate::tree::{ParseTime, TOO_SLOW};
use crate::wiring;

pub(crate) use self::walk::{Item, MAX_CHAIN, Walk, argument_count, generic, member, parameter};

/// Language as data.
pub(crate) struct Spec {
    pub(crate) languages: &'static [Language],
    /// Tree-sitter grammar.
    pub(crate) grammar: &'static LazyLock<tree_sitter::Language>,
    pub(crate) highlighting: &'static LazyLock<Highlighting>,
    /// Marker of a comment that extends to the end of its line.
    pub(crate) line_comment: &'static str,
    /// Order of the names and types of parameters.
    pub(crate) order: Order,
    /// Delimiters of strings and characters.
    pub(crate) quotes: &'static [u8],
    /// Replacement for the body of a function that is not shown.
    pub(crate) ending: Ending,
    /// Placeholder for the elided value of a constant or variable.
    pub(crate) no_value: &'static str,
}

/// Dispatch of the nodes of a grammar. Implementations have no state.
pub(crate) trait Grammar: Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// Returns the tree-sitter grammar for a text, where the extension alone does not determine it.
    fn grammar_for(&self, _extension: &str, _source: &str) -> &'static tree_sitter::Language {
        self.spec().grammar
    }

    /// Returns the text to parse: with parts that the grammar does not know blanked, so that all offsets stay.
    fn repaired<'s>(&self, source: &'s str) -> Cow<'s, str> {
        Cow::Borrowed(source)
    }

    /// Visits a node: adds its declarations and references, and those of its children.
    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>);

    /// Returns true for comments.
    fn is_comment(&self, node: Node<'_>) -> bool;

    /// Returns the name that an expression denotes. `depth` is the number of nested calls to follow.
    fn name<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>>;

    /// Returns the type of an expression as far as the text gives it. `depth` is the number of nested calls to follow.
    fn hint<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>>;

    /// Returns a written type.
    fn ty<'t>(&self, walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>>;

    /// Reduces an import statement; see [`Syntax::reduce_import`]. By default, each statement imports one name or one
    /// file and stays whole.
    fn reduce_import(&self, statement: &str, _keeps: &dyn Fn(&str) -> bool) -> Option<String> {
        Some(statement.to_owned())
    }

    /// Returns a text of the same length of which less may fail to parse; `None` if there is no such.
    fn simplified(&self, _text: &str) -> Option<String> {
        None
    }

    /// Returns the text of the comments that document a declaration, without markers.
    fn documentation(&self, comments: &str) -> String {
        comment_text(comments)
    }

    /// Returns the reader of body facts; `None` if the language has none.
    fn wiring(&self) -> Option<wiring::Read> {
        None
    }

    /// Returns code without the comments that extend to the ends of its lines.
    fn without_comments<'c>(&self, code: &'c str) -> Cow<'c, str> {
        without_line_comments(code, self.spec().quotes)
    }
}

/// Frontend of a language.
pub(crate) struct SpecFrontend(pub(crate) &'static dyn Grammar);

impl SpecFrontend {
    fn tree(&self, extension: &str, source: &str, time: &ParseTime) -> Option<tree_sitter::Tree> {
        time.parse_with(self.0.grammar_for(extension, source), source)
    }
}

impl LanguageFrontend for SpecFrontend {
    fn languages(&self) -> &[Language] {
        self.0.spec().languages
    }

    fn syntax(&self) -> Option<&dyn Syntax> {
        Some(self)
    }

    fn signature_syntax(&self) -> Option<SignatureSyntax> {
        let Spec { order, quotes, .. } = *self.0.spec();
        Some(SignatureSyntax { order, quotes })
    }

    fn grammar(&self, extension: &str, source: &str) -> Option<&'static tree_sitter::Language> {
        Some(self.0.grammar_for(extension, source))
    }

    fn highlights(&self, _extension: &str, source: &str) -> Vec<(Span, Highlight)> {
        self.0.spec().highlighting.of(&readable(source).0)
    }

    fn wiring(&self, extension: &str, source: &str) -> Wiring {
        let Some(read) = self.0.wiring() else { return Wiring::default() };
        let time = ParseTime::for_text(source);
        let repaired = self.0.repaired(source);
        let tree = self.tree(extension, &readable(&repaired).0, &time);
        read(source, tree.as_ref(), &time)
    }

    fn extract(&self, extension: &str, source: &str) -> FileFacts {
        let time = ParseTime::for_text(source);
        let repaired = self.0.repaired(source);
        let (text, left_out) = readable(&repaired);
        let levelled = levelled(&text, |text| self.tree(extension, text, &time));
        if time.is_exceeded() {
            return undivided(source, TOO_SLOW);
        }
        let text = levelled.as_ref().map_or(&*text, |(text, _)| text);
        let Some(mut tree) = self.tree(extension, text, &time) else {
            return undivided(source, TOO_SLOW);
        };
        if tree.root_node().has_error()
            && let Some(simplified) =
                self.0.simplified(text).and_then(|text| self.tree(extension, &text, &time))
            && broken_bytes(simplified.root_node()) < broken_bytes(tree.root_node())
        {
            tree = simplified;
        }
        let mut walk = Walk::new(self.0, source);
        for at in left_out.into_iter().chain(levelled.map(|(_, at)| at)) {
            walk.facts.diagnostic(at, TOO_DEEP);
        }
        diagnose(tree.root_node(), &mut walk);
        walk.list(tree.root_node());
        let mut facts = walk.finish();
        facts.limit_nesting();
        facts
    }
}

/// Returns the text to parse, and the offset of a blanked part.
fn readable(source: &str) -> (Cow<'_, str>, Option<u32>) {
    let (text, at) = match unchained(source) {
        Some((text, at)) => (Cow::Owned(text), Some(at)),
        None => (Cow::Borrowed(source), None),
    };
    match cut_deep(&text) {
        Some((text, deep)) => (Cow::Owned(text), at.or(Some(deep))),
        None => (text, at),
    }
}

/// Maximum number of syntax errors that are reported for a file.
const MOST_ERRORS: usize = 10;

/// Reports the first syntax errors of a file.
fn diagnose(root: Node<'_>, walk: &mut Walk<'_>) {
    for node in errors(root, MOST_ERRORS) {
        let what =
            if node.is_missing() { format!("missing {}", node.kind()) } else { "syntax error".to_owned() };
        walk.facts.diagnostic(node.start_byte() as u32, what);
    }
}

/// Returns the number of bytes that do not parse; a missing token counts as one.
fn broken_bytes(root: Node<'_>) -> usize {
    errors(root, usize::MAX).iter().map(|node| node.byte_range().len().max(1)).sum()
}

/// Returns the first `most` nodes that stand for text that does not parse.
fn errors(root: Node<'_>, most: usize) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            found.push(node);
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while found.len() == most || !cursor.goto_next_sibling() {
            if found.len() == most || !cursor.goto_parent() {
                return found;
            }
        }
    }
}
