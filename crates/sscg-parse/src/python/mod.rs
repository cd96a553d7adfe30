//! Python, through tree-sitter.
//!
//! One walk over the tree in source order declares symbols, imports and scopes, and records every reference as
//! written ([`walk`]). Names are resolved after the walk ([`resolve`]), because Python binds a name for the whole of
//! its scope.
//!
//! A second walk follows values in execution order ([`flow`]), from which linking determines call targets.
//!
//! Declared symbols are functions and classes anywhere; variables at their first assignment in a file or class,
//! except in loops and under `if __name__`, where they are temporary; and attributes of `self` at their first
//! assignment in the methods of a class ([`field`]). An annotation holds regardless of later assignments. Without
//! one, a variable has the type of its value only if nothing else is assigned.

mod annotation;
mod assignment;
mod decorator;
mod definition;
mod docstring;
mod elide;
mod export;
mod expression;
mod field;
mod flow;
mod grammar;
mod import;
mod parameter;
mod pattern;
mod readable;
mod resolve;
mod statement;
mod syntax_error;
mod type_alias;
mod type_parameter;
mod walk;

use std::cell::RefCell;
use std::sync::LazyLock;

use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, LanguageDef, ModuleSystem, NO_LIBRARY, Span};
use tree_sitter::Parser;

use self::readable::readable;
use crate::builder::{FactsBuilder, undivided};
use crate::frontend::LanguageFrontend;
use crate::highlight::{Highlight, Highlighting};
use crate::nesting::{TOO_DEEP, levelled};
use crate::signature::{Order, SignatureSyntax};
use crate::syntax::Syntax;
use crate::tree::{ParseTime, TOO_SLOW, parser};
use crate::wiring;

/// Python, including stub files.
pub(crate) static PYTHON: LanguageDef = LanguageDef {
    name: "python",
    aliases: &["py"],
    extensions: &["py", "pyi"],
    version: 2,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::PythonPackages,
    family: "python",
    library: &NO_LIBRARY,
    stub: ": ...",
};

/// Python frontend.
pub(crate) struct Python;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(parser(&grammar::LANGUAGE));
}

impl LanguageFrontend for Python {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&PYTHON)];
        LANGUAGES
    }

    fn syntax(&self) -> Option<&dyn Syntax> {
        Some(self)
    }

    fn signature_syntax(&self) -> Option<SignatureSyntax> {
        Some(SignatureSyntax { order: Order::NameColonType, quotes: b"\"'" })
    }

    fn grammar(&self, _extension: &str, _source: &str) -> Option<&'static tree_sitter::Language> {
        Some(&grammar::LANGUAGE)
    }

    fn highlights(&self, _extension: &str, source: &str) -> Vec<(Span, Highlight)> {
        static PYTHON: LazyLock<Highlighting> = LazyLock::new(|| {
            Highlighting::new(tree_sitter_python::LANGUAGE, &[tree_sitter_python::HIGHLIGHTS_QUERY])
        });
        PYTHON.of(&readable(source).0)
    }

    fn wiring(&self, _extension: &str, source: &str) -> Wiring {
        let text = readable(source).0;
        let time = ParseTime::for_text(source);
        let tree = time.parse_with(&grammar::LANGUAGE, &text);
        wiring::read::<wiring::python::Python>(source, tree.as_ref(), &time)
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        let time = ParseTime::for_text(source);
        let parse = |text: &str| PARSER.with_borrow_mut(|parser| time.parse(parser, text));
        let (text, mut left_out) = readable(source);
        let levelled = levelled(&text, parse);
        if time.is_exceeded() {
            return undivided(source, TOO_SLOW);
        }
        let Some(tree) = parse(levelled.as_ref().map_or(&*text, |(text, _)| text)) else {
            return undivided(source, TOO_SLOW);
        };
        let mut builder = FactsBuilder::new(source);
        left_out.extend(levelled.map(|(_, at)| (at, TOO_DEEP)));
        for (at, message) in left_out {
            builder.diagnostic(at, message);
        }
        syntax_error::report(&tree, &mut builder);
        let mut walked = walk::Walk::over(&tree, builder);
        flow::follow(&tree, &mut walked);
        let mut facts = resolve::finish(walked);
        facts.limit_nesting();
        facts
    }
}

#[cfg(test)]
mod tests;
