//! Human-readable listing of a file's imports and references.

use std::fmt::Write;

use sscg_core::{FileFacts, Head, LocalSymbol, NameRef, Part, TypeHint};

/// Renders the diagnostics, types of declarations, imports, exports and references of a file, one per line, for golden
/// tests and debugging. The format is for people and may change in any release.
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
        let name = facts.qualified_name(id);
        for (at, parameter) in symbol.parameters.iter().enumerate() {
            if *parameter != TypeHint::Unknown {
                writeln!(out, "  {}: {name}, parameter {at} : {}", symbol.name_line, ty(facts, parameter))?;
            }
        }
        if let Some(hint) = &symbol.ty {
            writeln!(out, "  {}: {name} : {}", symbol.name_line, ty(facts, hint))?;
        }
        for bound in &symbol.bounds {
            let ty = ty(facts, &bound.ty);
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
        if reference.in_macro {
            write!(out, " in macro")?;
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

fn hint(facts: &FileFacts, hint: Option<&TypeHint>) -> String {
    match hint {
        None => String::new(),
        Some(written) if written.named().is_some() => format!(": {}", ty(facts, written)),
        Some(hint @ (TypeHint::Function(..) | TypeHint::Object(_) | TypeHint::OneOf(_))) => {
            format!(": {}", ty(facts, hint))
        }
        Some(value) => format!(" = {}", ty(facts, value)),
    }
}

fn ty(facts: &FileFacts, hint: &TypeHint) -> String {
    let list = |hints: &[TypeHint], separator: &str| {
        hints.iter().map(|hint| ty(facts, hint)).collect::<Vec<_>>().join(separator)
    };
    match hint {
        TypeHint::Unknown => "?".to_owned(),
        TypeHint::Named(name) => name_ref(facts, name),
        TypeHint::Generic(name, arguments) => format!("{}<{}>", name_ref(facts, name), list(arguments, ", ")),
        TypeHint::Function(parameters, result) => {
            format!("({}) => {}", list(parameters, ", "), ty(facts, result))
        }
        TypeHint::Object(members) => {
            let members = members.iter().map(|(name, hint)| format!("{name}: {}", ty(facts, hint)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        TypeHint::OneOf(hints) => list(hints, " | "),
        TypeHint::Value(name) => name_ref(facts, name),
        TypeHint::Result(name) => format!("call {}", name_ref(facts, name)),
        TypeHint::Part(part, whole) => {
            let whole = ty(facts, whole);
            match part {
                Part::Success => format!("success of {whole}"),
                Part::Failure => format!("failure of {whole}"),
                Part::Element => format!("element of {whole}"),
                Part::Indexed => format!("indexed {whole}"),
                Part::Place(place) => format!("part {place} of {whole}"),
            }
        }
        TypeHint::Argument(name, at) => format!("argument {at} of {}", name_ref(facts, name)),
        TypeHint::Parameter(hint, at) => format!("parameter {at} of {}", ty(facts, hint)),
        TypeHint::ClosureParameter(name, place) => {
            format!("parameter {place} from {}", name_ref(facts, name))
        }
    }
}
