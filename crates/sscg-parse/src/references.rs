//! A file's imports and uses of names as lines that people can read.

use std::fmt::Write;

use sscg_core::{FileFacts, Head, LocalSymbol, NameRef, Part, TypeHint, TypeRef};

/// Renders what a file says of names, for golden tests and for looking at what the parser saw: diagnostics,
/// types of declarations, imports and references, a line each. The format is for people and may change with any
/// release.
pub fn references(facts: &FileFacts) -> String {
    let mut out = String::new();
    write_references(facts, &mut out).expect("writing to a string does not fail");
    out
}

fn write_references(facts: &FileFacts, out: &mut String) -> std::fmt::Result {
    writeln!(out, "diagnostics")?;
    for diagnostic in &facts.diagnostics {
        writeln!(out, "  {}: {}", diagnostic.line, diagnostic.message)?;
    }
    writeln!(out, "\ntypes")?;
    for (id, symbol) in facts.symbols.iter_enumerated() {
        if let Some(ty) = &symbol.ty {
            let name = facts.qualified_name(id);
            writeln!(out, "  {}: {name} : {}", symbol.name_line, type_ref(facts, ty))?;
        }
        for bound in &symbol.bounds {
            let name = facts.qualified_name(id);
            let ty = type_ref(facts, &bound.ty);
            writeln!(out, "  {}: {name} where {} : {ty}", symbol.name_line, bound.parameter)?;
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
    if !facts.exports.is_empty() {
        writeln!(out, "\nexports")?;
    }
    for export in &facts.exports {
        writeln!(out, "  {} is {}", export.name, facts.qualified_name(export.symbol))?;
    }
    writeln!(out, "\nreferences")?;
    for reference in &facts.references {
        let from = reference.from.map_or_else(|| "(file)".to_owned(), |from| facts.qualified_name(from));
        let target = name_ref(facts, &reference.target);
        write!(out, "  {}: {from} {} {target}", reference.line, reference.relation)?;
        if let Some(arguments) = reference.arguments {
            write!(out, " with {arguments}")?;
        }
        writeln!(out)?;
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

/// A type with its arguments in brackets.
fn type_ref(facts: &FileFacts, ty: &TypeRef) -> String {
    let name = name_ref(facts, &ty.name);
    let arguments: Vec<String> = ty.arguments.iter().map(|argument| type_ref(facts, argument)).collect();
    if arguments.is_empty() { name } else { format!("{name} <{}>", arguments.join(", ")) }
}

fn hint(facts: &FileFacts, hint: Option<&TypeHint>) -> String {
    match hint {
        None => String::new(),
        Some(TypeHint::Named(ty)) => format!(": {}", type_ref(facts, ty)),
        Some(value) => format!(" = {}", value_hint(facts, value)),
    }
}

fn value_hint(facts: &FileFacts, hint: &TypeHint) -> String {
    match hint {
        TypeHint::Named(ty) => type_ref(facts, ty),
        TypeHint::Result(name) => format!("call {}", name_ref(facts, name)),
        TypeHint::Value(name) => name_ref(facts, name),
        TypeHint::Part(part, whole) => {
            let whole = value_hint(facts, whole);
            match part {
                Part::Success => format!("success of {whole}"),
                Part::Failure => format!("failure of {whole}"),
                Part::Element => format!("element of {whole}"),
                Part::Indexed => format!("indexed {whole}"),
                Part::Place(place) => format!("part {place} of {whole}"),
            }
        }
        TypeHint::Handed(name, place) => format!("parameter {place} from {}", name_ref(facts, name)),
    }
}
