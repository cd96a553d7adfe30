//! Human-readable listing of a file's imports and references.

use sscg_core::{FileFacts, Head, Import, LocalSymbol, NameRef, Part, Reference, TypeHint};

/// Renders the diagnostics, types of declarations, imports, exports and references of a file, one per line, for golden
/// tests and debugging. The format is for people and may change in any release.
pub fn references(facts: &FileFacts) -> String {
    let mut lines = vec!["diagnostics".to_owned()];
    lines.extend(facts.diagnostics.iter().map(|it| format!("  {}: {}", it.line, it.message)));
    lines.push("\ntypes".to_owned());
    for (id, symbol) in facts.symbols.iter_enumerated() {
        let (line, name) = (symbol.name_line, facts.qualified_name(id));
        for (at, parameter) in symbol.parameters.iter().enumerate() {
            if *parameter != TypeHint::Unknown {
                lines.push(format!("  {line}: {name}, parameter {at} : {}", ty(facts, parameter)));
            }
        }
        lines.extend(symbol.ty.iter().map(|hint| format!("  {line}: {name} : {}", ty(facts, hint))));
        for bound in &symbol.bounds {
            lines.push(format!("  {line}: {name} where {} : {}", bound.parameter, ty(facts, &bound.ty)));
        }
    }
    lines.push("\nimports".to_owned());
    for Import { line, kind, name, module, local, reexport, scope, .. } in facts.imports.iter() {
        let reexport = if *reexport { " reexport" } else { "" };
        let scope = scope.map_or_else(String::new, |scope| format!(" in {}", facts.qualified_name(scope)));
        lines.push(format!("  {line}: {kind:?} {name:?} from {module:?} as {local:?}{reexport}{scope}"));
    }
    if !facts.exports.is_empty() {
        lines.push("\nexports".to_owned());
    }
    for export in &facts.exports {
        lines.push(format!("  {} is {}", export.name, facts.qualified_name(export.symbol)));
    }
    lines.push("\nreferences".to_owned());
    for Reference { line, from, relation, target, arguments, in_macro, .. } in &facts.references {
        let from = from.map_or_else(|| "(file)".to_owned(), |from| facts.qualified_name(from));
        let target = name_ref(facts, target);
        let arguments = arguments.map_or_else(String::new, |arguments| format!(" with {arguments}"));
        let in_macro = if *in_macro { " in macro" } else { "" };
        lines.push(format!("  {line}: {from} {relation} {target}{arguments}{in_macro}"));
    }
    lines.push(String::new());
    lines.join("\n")
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
        TypeHint::Unknown => unknown(),
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
        TypeHint::Part(part, whole) => of_part(*part, &ty(facts, whole)),
        TypeHint::Argument(name, at) => format!("argument {at} of {}", name_ref(facts, name)),
        TypeHint::Parameter(hint, at) => format!("parameter {at} of {}", ty(facts, hint)),
        TypeHint::ClosureParameter(name, place) => {
            format!("parameter {place} from {}", name_ref(facts, name))
        }
        TypeHint::Call(call) => called(facts, *call).map_or_else(unknown, |it| format!("call {it}")),
        TypeHint::Passed(call, at) => {
            called(facts, *call).map_or_else(unknown, |it| format!("argument {at} of {it}"))
        }
    }
}

fn unknown() -> String {
    "?".to_owned()
}

fn of_part(part: Part, whole: &str) -> String {
    match part {
        Part::Success => format!("success of {whole}"),
        Part::Failure => format!("failure of {whole}"),
        Part::Element => format!("element of {whole}"),
        Part::Indexed => format!("indexed {whole}"),
        Part::Place(place) => format!("part {place} of {whole}"),
        Part::Asserted => format!("asserted by {whole}"),
    }
}

/// Returns the name and line of a call.
fn called(facts: &FileFacts, call: u32) -> Option<String> {
    let call = facts.references.get(call as usize)?;
    Some(format!("{} in line {}", call.target.name(), call.line))
}
