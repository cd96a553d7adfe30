//! Elision in TypeScript and JavaScript code; see [`Syntax`].

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use sscg_core::{Span, SymbolKind};

use super::name::span_of;
use super::{JAVASCRIPT, TypeScript, parse};
use crate::stack::with_stack_for;
use crate::syntax::{Blocks, Ending, Kept, Syntax, with_separator};

/// Placeholder for the elided body of a function where the language requires one.
const NO_BODY: &str = "{ /* body omitted */ }";

impl Syntax for TypeScript {
    fn line_comment(&self) -> &'static str {
        "//"
    }

    fn blocks(&self) -> Blocks {
        Blocks::Braces
    }

    fn ending(&self, extension: &str, head: &str, owner: Option<SymbolKind>, is_plain: bool) -> Ending {
        let is_javascript = JAVASCRIPT.extensions.contains(&extension);
        let is_member =
            matches!(owner, Some(SymbolKind::Class | SymbolKind::Component | SymbolKind::Interface));
        let before_parameters = head.split(['(', '<']).next().unwrap_or(head);
        let is_declaration = if is_member {
            !before_parameters.contains(['=', '*']) && !head.trim_end().ends_with("=>")
        } else {
            let mut words = before_parameters.split_whitespace();
            let is_modifier = |word: &&str| matches!(*word, "export" | "default" | "declare" | "async");
            words.find(|word| !is_modifier(word)) == Some("function") && !before_parameters.contains('*')
        };
        // A signature without a body cannot be an expression or have decorators.
        if is_declaration && !is_javascript && is_plain {
            Ending::Signature(";")
        } else {
            Ending::Body(NO_BODY)
        }
    }

    fn no_value(&self) -> &'static str {
        "{ /* value omitted */ }"
    }

    fn statement(&self, source: &str, part: Span) -> Span {
        with_separator(source, part, "//")
    }

    fn reduce_import(
        &self,
        extension: &str,
        statement: &str,
        keeps: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let arena = Allocator::default();
        let parsed = with_stack_for(statement.len(), || parse::parse(&arena, extension, statement));
        let is_whole = match parsed.as_ref().and_then(|parsed| parsed.program.body.first()) {
            Some(Statement::ImportDeclaration(import)) => {
                return reduce_declaration(import, statement, keeps);
            }
            Some(Statement::VariableDeclaration(variables)) => {
                return reduce_variables(&variables.declarations, statement, keeps);
            }
            Some(Statement::TSImportEqualsDeclaration(import)) => keeps(&import.id.name),
            _ => true,
        };
        is_whole.then(|| statement.to_owned())
    }

    fn comments(&self, extension: &str, source: &str) -> Vec<Span> {
        let arena = Allocator::default();
        let parsed = with_stack_for(source.len(), || parse::parse(&arena, extension, source));
        let all = parsed.iter().flat_map(|parsed| &parsed.program.comments);
        all.map(|comment| Span::new(comment.span.start, comment.span.end)).collect()
    }
}

/// Reduces `import D, { a, type b as c } from "m"` to the names that are kept.
fn reduce_declaration(
    import: &ImportDeclaration<'_>,
    source: &str,
    keeps: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let specifiers = import.specifiers.as_ref()?;
    let (mut plain, mut braced) = (Vec::new(), Vec::new());
    for specifier in specifiers.iter().filter(|specifier| keeps(&specifier.local().name)) {
        let is_braced = matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(_));
        let parts = if is_braced { &mut braced } else { &mut plain };
        parts.push(span_of(specifier).text(source));
    }
    match plain.len() + braced.len() {
        0 => return None,
        kept if kept == specifiers.len() => return Some(source.to_owned()),
        _ => {}
    }
    let braced = (!braced.is_empty()).then(|| format!("{{ {} }}", braced.join(", ")));
    let parts: Vec<&str> = plain.into_iter().chain(braced.as_deref()).collect();
    let kind = if import.import_kind.is_type() { "type " } else { "" };
    let module = &source[import.source.span.start as usize..];
    Some(format!("import {kind}{} from {module}", parts.join(", ")))
}

/// Reduces `const { a, b: c } = require("m"), d = require("n")` to the names that are kept.
fn reduce_variables(
    variables: &[VariableDeclarator<'_>],
    source: &str,
    keeps: &dyn Fn(&str) -> bool,
) -> Option<String> {
    match Kept::of(variables.iter().map(|variable| reduce_variable(variable, source, keeps))) {
        Kept::None => None,
        Kept::All => Some(source.to_owned()),
        Kept::Some(kept) => {
            let (first, last) = (variables.first()?, variables.last()?);
            let before = &source[..first.span.start as usize];
            let after = &source[last.span.end as usize..];
            Some(format!("{before}{}{after}", kept.join(", ")))
        }
    }
}

fn reduce_variable(
    variable: &VariableDeclarator<'_>,
    source: &str,
    keeps: &dyn Fn(&str) -> bool,
) -> Option<(String, bool)> {
    let keeps_any =
        |pattern: &BindingPattern<'_>| pattern.get_binding_identifiers().iter().any(|name| keeps(&name.name));
    let whole = (span_of(variable).text(source).to_owned(), true);
    let BindingPattern::ObjectPattern(pattern) = &variable.id else {
        return keeps_any(&variable.id).then_some(whole);
    };
    let written = |span: Span| (span.text(source).to_owned(), true);
    let properties = pattern.properties.iter();
    let properties =
        properties.map(|property| keeps_any(&property.value).then(|| written(span_of(property))));
    let rest = pattern.rest.iter();
    let rest = rest.map(|rest| keeps_any(&rest.argument).then(|| written(span_of(&**rest))));
    match Kept::of(properties.chain(rest)) {
        Kept::None => None,
        Kept::All => Some(whole),
        Kept::Some(kept) => {
            let after = &source[pattern.span.end as usize..variable.span.end as usize];
            Some((format!("{{ {} }}{after}", kept.join(", ")), false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(statement: &str, kept: &[&str]) -> Option<String> {
        TypeScript.reduce_import("ts", statement, &|name| kept.contains(&name))
    }

    #[test]
    fn imports_are_reduced_to_what_is_kept() {
        let import = "import D, {\n  a, // why\n  type b as c,\n  \"x-y\" as z,\n} from 'm';";
        assert_eq!(reduced(import, &["D", "a", "c", "z"]).as_deref(), Some(import));
        assert_eq!(reduced(import, &["D"]).as_deref(), Some("import D from 'm';"));
        assert_eq!(reduced(import, &["D", "c"]).as_deref(), Some("import D, { type b as c } from 'm';"));
        assert_eq!(reduced(import, &["z"]).as_deref(), Some("import { \"x-y\" as z } from 'm';"));
        assert_eq!(reduced(import, &["b"]), None);
        let types = "import type { A, B } from './t' with { type: 'json' }";
        let expected = Some("import type { B } from './t' with { type: 'json' }");
        assert_eq!(reduced(types, &["B"]).as_deref(), expected);
        assert_eq!(reduced("import * as n from 'n';", &["n"]).as_deref(), Some("import * as n from 'n';"));
        assert_eq!(reduced("import D, * as n from 'n';", &["n"]).as_deref(), Some("import * as n from 'n';"));
        assert_eq!(reduced("import './effects';", &[]), None);
        assert_eq!(reduced("import x = require('m');", &["x"]).as_deref(), Some("import x = require('m');"));
    }

    #[test]
    fn what_is_required_is_reduced_to_what_is_kept() {
        let required = "const { a, b: c = 1, ...rest } = require('m'), d = require('n').x;";
        assert_eq!(reduced(required, &["c"]).as_deref(), Some("const { b: c = 1 } = require('m');"));
        assert_eq!(reduced(required, &["d"]).as_deref(), Some("const d = require('n').x;"));
        let two = Some("const { a, ...rest } = require('m'), d = require('n').x;");
        assert_eq!(reduced(required, &["a", "rest", "d"]).as_deref(), two);
        assert_eq!(reduced(required, &["b"]), None);
    }

    #[test]
    fn a_function_without_its_body_is_a_declaration_where_there_are_such() {
        let ending = |extension, head, owner| TypeScript.ending(extension, head, owner, true);
        let class = Some(SymbolKind::Class);
        let (declared, no_body) = (Ending::Signature(";"), Ending::Body(NO_BODY));
        assert_eq!(ending("ts", "export default async function f(a = 1): A ", None), declared);
        assert_eq!(ending("ts", "private async m<T>(): T ", class), declared);
        assert_eq!(ending("ts", "handler = (e: Event): void => ", class), no_body);
        assert_eq!(ending("ts", "static create: (a: A) => B = (a) => ", class), no_body);
        assert_eq!(ending("ts", "export const f = (a: A) => ", None), no_body);
        assert_eq!(ending("ts", "function* f() ", None), no_body);
        assert_eq!(ending("ts", "m() ", Some(SymbolKind::Constant)), no_body);
        assert_eq!(TypeScript.ending("ts", "m() ", class, false), no_body);
        assert_eq!(ending("js", "function f() ", None), no_body);
        assert_eq!(ending("mjs", "m() ", class), no_body);
    }

    #[test]
    fn comments_are_no_strings() {
        let source = "#!/x\n/** A */\nconst a = '// no' + `/* no ${/* B */ 1}`; // C\nf(<a>{/* D */} // no</a>, /\\/*/);\n";
        let comments = TypeScript.comments("tsx", source);
        let texts: Vec<&str> = comments.iter().map(|comment| comment.text(source)).collect();
        assert_eq!(texts, ["/** A */", "/* B */", "// C", "/* D */"]);
    }
}
