//! Minimal language, an example of all that a frontend needs: this directory and a line in the registry.
//!
//! ```text
//! use numbers            an import
//! # Adds one.            a comment, attached to what follows
//! to increase count      a procedure with parameters
//!   add count 1          a call
//! end
//! increase 41            a statement at the root
//! ```

use sscg_core::{
    ChunkKind, Corpus, FileFacts, Head, Import, ImportKind, Language, LanguageDef, LocalSymbol, Modifiers,
    ModuleSystem, NO_LIBRARY, NameRef, Relation, Span, SymbolKind,
};

use crate::builder::{Declaration, FactsBuilder};
use crate::frontend::LanguageFrontend;
use crate::text::comment_text;

static TOY: LanguageDef = LanguageDef {
    name: "toy",
    aliases: &[],
    extensions: &["toy"],
    version: 1,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::EsModules,
    family: "toy",
    library: &NO_LIBRARY,
    stub: " end",
};

/// Frontend of the toy language.
pub(crate) struct Toy;

impl LanguageFrontend for Toy {
    fn languages(&self) -> &[Language] {
        const LANGUAGES: &[Language] = &[Language::new(&TOY)];
        LANGUAGES
    }

    fn extract(&self, _extension: &str, source: &str) -> FileFacts {
        let mut facts = FactsBuilder::new(source);
        let mut calls: Vec<(Option<LocalSymbol>, &str, u32)> = Vec::new();
        let mut procedures: Vec<(&str, LocalSymbol)> = Vec::new();
        let mut inside = None;
        let mut comment: Option<Span> = None;
        for (span, line) in lines(source) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "use" => {
                    facts.root(ChunkKind::Import, span, rest);
                    facts.import(Import {
                        kind: ImportKind::Module,
                        module: rest.into(),
                        name: "".into(),
                        local: rest.into(),
                        condition: None,
                        reexport: false,
                        scope: None,
                        span,
                        line: facts.line(span.start),
                    });
                }
                "#" => comment = Some(comment.map_or(span, |above| Span::new(above.start, span.end))),
                "to" => {
                    let above = comment.take();
                    let end = source[span.end as usize..]
                        .find("\nend")
                        .map_or(source.len(), |at| span.end as usize + at + "\nend".len());
                    let name = rest.split(' ').next().unwrap_or_default();
                    let symbol = facts.declare(Declaration {
                        name,
                        kind: SymbolKind::Function,
                        parent: None,
                        span: Span::new(above.map_or(span.start, |above| above.start), end as u32),
                        name_at: span.start + 3,
                        body: Some(Span::new(span.end, end as u32)),
                        signature: line,
                        doc: above.map(|above| comment_text(above.text(source))),
                        exported: true,
                        modifiers: Modifiers::empty(),
                        type_parameters: Vec::new(),
                        attributes: Vec::new(),
                    });
                    procedures.push((name, symbol));
                    inside = Some(symbol);
                }
                "end" => inside = None,
                "" => {}
                _ => {
                    if inside.is_none() {
                        facts.root(ChunkKind::Expression, span, line);
                    }
                    calls.push((inside, word, span.start));
                }
            }
        }
        for (from, name, at) in calls {
            let known = procedures.iter().find(|(known, _)| *known == name);
            let head = known.map_or(Head::Free, |(_, symbol)| Head::Symbol(*symbol));
            facts.reference(Relation::Calls, from, NameRef::new(head, [name]), at, None);
        }
        facts.finish()
    }
}

/// Returns the trimmed lines with their spans.
fn lines(source: &str) -> impl Iterator<Item = (Span, &str)> {
    source.lines().map(|line| {
        let text = line.trim();
        let start = (text.as_ptr() as usize - source.as_ptr() as usize) as u32;
        (Span::new(start, start + text.len() as u32), text)
    })
}

#[cfg(test)]
mod tests;
