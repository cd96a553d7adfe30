//! TypeScript and JavaScript frontend, based on oxc.

mod anonymous;
mod callable;
mod comment;
mod commonjs;
mod declare;
mod elide;
mod expect;
mod expression;
mod flow;
mod grammar;
mod hint;
mod member;
mod module;
mod name;
mod narrow;
mod parse;
mod recover;
mod types;
mod variable;
mod walk;

use std::cell::RefCell;

use oxc_allocator::Allocator;
use oxc_semantic::{SemanticBuilder, Stats};
use sscg_core::wiring::Wiring;
use sscg_core::{Corpus, FileFacts, Language, LanguageDef, ModuleSystem, NO_LIBRARY, Span};

use self::comment::Comments;
use self::grammar::Grammar;
use self::name::Names;
use self::walk::Walker;
use crate::builder::{FactsBuilder, undivided};
use crate::frontend::LanguageFrontend;
use crate::highlight::Highlight;
use crate::signature::{Order, SignatureSyntax};
use crate::syntax::Syntax;
use crate::tree::{ParseTime, TOO_SLOW};
use crate::wiring;

/// Definition of TypeScript, with and without JSX.
pub(crate) static TYPESCRIPT: LanguageDef = LanguageDef {
    name: "typescript",
    aliases: &["ts", "tsx"],
    extensions: &["d.ts", "d.mts", "d.cts", "ts", "tsx", "mts", "cts"],
    version: 6,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::EsModules,
    family: "javascript",
    library: &NO_LIBRARY,
    stub: ";",
};

/// Definition of JavaScript, with and without JSX.
pub(crate) static JAVASCRIPT: LanguageDef = LanguageDef {
    name: "javascript",
    aliases: &["js", "jsx"],
    extensions: &["js", "jsx", "mjs", "cjs"],
    version: 6,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::EsModules,
    family: "javascript",
    library: &NO_LIBRARY,
    stub: ";",
};

/// Frontend for both languages.
pub(crate) struct TypeScript;

impl LanguageFrontend for TypeScript {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&JAVASCRIPT), Language::new(&TYPESCRIPT)];
        LANGUAGES
    }

    fn syntax(&self) -> Option<&dyn Syntax> {
        Some(self)
    }

    fn signature_syntax(&self) -> Option<SignatureSyntax> {
        Some(SignatureSyntax { order: Order::NameColonType, quotes: b"\"'`" })
    }

    fn highlights(&self, extension: &str, source: &str) -> Vec<(Span, Highlight)> {
        Grammar::of(extension).highlighting().of(source)
    }

    fn wiring(&self, extension: &str, source: &str) -> Wiring {
        let time = ParseTime::for_text(source);
        let tree = recover::parse(extension, source, &time);
        wiring::read::<wiring::typescript::TypeScript>(source, tree.as_ref(), &time)
    }

    fn extract(&self, extension: &str, source: &str) -> FileFacts {
        ARENA.with_borrow_mut(|arena| {
            // Drops the last file's tree, even after a panic.
            arena.reset();
            let facts = extract(arena, extension, source);
            if arena.capacity() > MAX_KEPT {
                *arena = Allocator::default();
            }
            facts
        })
    }
}

/// Maximum memory that a thread keeps for its next tree, in bytes.
const MAX_KEPT: usize = 16 << 20;

thread_local! {
    /// Memory for trees, which is reused because fresh pages cost more than writing to them.
    static ARENA: RefCell<Allocator> = RefCell::default();
}

fn extract(arena: &Allocator, extension: &str, source: &str) -> FileFacts {
    let Some(parsed) = parse::parse(arena, extension, source) else {
        return undivided(source, TOO_SLOW);
    };
    let mut facts = FactsBuilder::new(source);
    for (at, message) in parsed.diagnostics {
        facts.diagnostic(at, message);
    }
    let program = arena.alloc(parsed.program);
    let semantic =
        SemanticBuilder::new().with_build_nodes(false).with_stats(expected(source)).build(program).semantic;
    let names = Names::new(arena, source, semantic.scoping());
    let comments = Comments { source, all: &program.comments };
    Walker::new(facts, names, comments).run(program)
}

/// Estimates the numbers of declarations and references in a text. oxc would count them in a walk of its own, only to
/// reserve memory.
fn expected(source: &str) -> Stats {
    let bytes = source.len() as u32;
    Stats { nodes: 0, scopes: bytes / 160, symbols: bytes / 80, references: bytes / 40 }
}

#[cfg(test)]
mod tests;
