//! Python, through tree-sitter.
//!
//! One walk over the tree in source order declares symbols, imports and scopes and notes every use of a name
//! as written ([`walk`]); what the names are bound to is looked up after the walk ([`resolve`]), because
//! Python binds a name for the whole of its scope.

mod annotation;
mod assignment;
mod definition;
mod docstring;
mod expression;
mod grammar;
mod import;
mod pattern;
mod resolve;
mod syntax_error;
mod walk;

use std::cell::RefCell;

use sscg_core::{FileFacts, Language, LanguageDef, ModuleSystem};
use tree_sitter::Parser;

use crate::builder::FactsBuilder;
use crate::registry::LanguageFrontend;

/// Python and its stub files.
pub(crate) static PYTHON: LanguageDef = LanguageDef {
    name: "python",
    aliases: &["py"],
    extensions: &["py", "pyi"],
    modules: ModuleSystem::PythonPackages,
    line_comment: "#",
};

/// The Python frontend.
pub(crate) struct Python;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(grammar::parser());
}

impl LanguageFrontend for Python {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&PYTHON)];
        LANGUAGES
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        let mut builder = FactsBuilder::new(source);
        let tree = PARSER.with_borrow_mut(|parser| parser.parse(source, None));
        let tree = tree.expect("a parser with a language and without a time limit returns a tree");
        syntax_error::report(&tree, &mut builder);
        let walked = walk::Walk::over(&tree, builder);
        resolve::finish(walked)
    }
}
