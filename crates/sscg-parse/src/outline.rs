//! A file's facts as an indented outline that people can read.

use std::fmt::Write;

use sscg_core::{FileFacts, Head, Language, LocalSymbol, NameRef, TypeHint};

/// Renders facts for golden tests and for looking at what the parser saw. The format is for people and may
/// change with any release.
pub fn outline(facts: &FileFacts, language: Language, source: &str) -> String {
    let mut out = String::new();
    write_outline(facts, language, source, &mut out).expect("writing to a string does not fail");
    out
}

fn write_outline(facts: &FileFacts, language: Language, source: &str, out: &mut String) -> std::fmt::Result {
    writeln!(out, "lines {}", facts.lines)?;
    if let Some(doc) = &facts.doc {
        writeln!(out, "doc {doc:?}")?;
    }
    for diagnostic in &facts.diagnostics {
        writeln!(out, "! {}: {}", diagnostic.line, diagnostic.message)?;
    }
    writeln!(out, "\nsymbols")?;
    for (id, symbol) in facts.symbols.iter_enumerated() {
        let indent = "  ".repeat(facts.depth(id) + 1);
        let (start, end) = (symbol.lines.start, symbol.lines.end);
        write!(out, "{indent}{} {} [{start}-{end}]", symbol.kind, symbol.name)?;
        if symbol.exported {
            write!(out, " exported")?;
        }
        for (name, _) in symbol.modifiers.iter_names() {
            write!(out, " {}", name.to_lowercase())?;
        }
        if let Some(ty) = &symbol.ty {
            write!(out, " : {}", name_ref(facts, ty))?;
        }
        writeln!(out, "\n{indent}    | {}", symbol.signature)?;
        if let Some(doc) = &symbol.doc {
            writeln!(out, "{indent}    doc {doc:?}")?;
        }
    }
    writeln!(out, "\nimports")?;
    for import in facts.imports.iter() {
        write!(out, "  {}: {:?} {:?} from {:?}", import.line, import.kind, import.name, import.module)?;
        write!(out, " as {:?}", import.local)?;
        if import.reexport {
            write!(out, " reexport")?;
        }
        if let Some(scope) = import.scope {
            write!(out, " in {}", facts.qualified_name(scope))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\nreferences")?;
    for reference in &facts.references {
        let from = reference.from.map_or_else(|| "(file)".to_owned(), |from| facts.qualified_name(from));
        let target = name_ref(facts, &reference.target);
        writeln!(out, "  {}: {from} {} {target}", reference.line, reference.relation)?;
    }
    writeln!(out, "\nchunks")?;
    for (id, chunk) in facts.chunks.iter_enumerated() {
        let (start, end) = (chunk.lines.start, chunk.lines.end);
        write!(out, "  {start}-{end} {} {:?}", chunk.kind, chunk.name)?;
        if !chunk.imports.is_empty() {
            let names: Vec<&str> =
                chunk.imports.iter().map(|import| &*facts.imports[*import].local).collect();
            write!(out, " uses {}", names.join(", "))?;
        }
        writeln!(out)?;
        for line in facts.chunk_text(id, source, language.stub).lines() {
            writeln!(out, "    |{line}")?;
        }
    }
    Ok(())
}

fn name_ref(facts: &FileFacts, name: &NameRef) -> String {
    let path = name.path.join(".");
    let symbol = |symbol: LocalSymbol| facts.qualified_name(symbol);
    match &name.head {
        Head::Free => format!("{path} (free)"),
        Head::Symbol(target) => format!("{path} (symbol {})", symbol(*target)),
        Head::Import(import) => format!("{path} (import {})", facts.imports[*import].module),
        Head::SelfType => format!("{path} (self)"),
        Head::Super => format!("{path} (super)"),
        Head::TypeParameter => format!("{path} (type parameter)"),
        Head::Local(ty) => format!("{path} (local{})", hint(facts, ty.as_deref())),
        Head::Value(ty) => format!("_.{path} (value{})", hint(facts, ty.as_deref())),
    }
}

fn hint(facts: &FileFacts, hint: Option<&TypeHint>) -> String {
    match hint {
        None => String::new(),
        Some(TypeHint::Named(name)) => format!(": {}", name_ref(facts, name)),
        Some(TypeHint::Result(name)) => format!(" = call {}", name_ref(facts, name)),
    }
}
