//! Body facts as readable lines.

use std::fmt::Write;

use expect_test::Expect;
use sscg_core::Span;
use sscg_core::wiring::{Call, Expression, Wiring};

use crate::{FileFacts, FileType};

fn read(path: &str, source: &str) -> (FileFacts, Wiring) {
    let file_type = FileType::of_path(path).expect("a known extension");
    (file_type.extract(source), file_type.wiring(source))
}

/// Returns a line for each call, each decorator with its declaration, each binding and each function.
pub(super) fn check(path: &str, source: &str, expected: Expect) {
    let (facts, wiring) = read(path, source);
    let mut out = String::new();
    for call in &wiring.calls {
        writeln!(out, "{}: {}", call.line, show_call(&wiring, call)).unwrap();
    }
    for decorator in &wiring.decorators {
        let start = Span::new(decorator.target.start, decorator.target.start);
        let around = facts.symbols.iter().filter(|symbol| symbol.span.contains(start));
        let name = around.min_by_key(|symbol| symbol.span.len()).map_or("?", |symbol| &*symbol.name);
        writeln!(out, "{}: @{} on {name}", decorator.call.line, show_call(&wiring, &decorator.call)).unwrap();
    }
    for binding in &wiring.bindings {
        let (target, value) = (show(&wiring, &binding.target), show(&wiring, &binding.value));
        writeln!(out, "{}: {target} = {value}", binding.line).unwrap();
    }
    for function in &wiring.functions {
        let names = function.parameters.iter().map(|name| name.as_deref().unwrap_or("_"));
        writeln!(out, "fn {}({})", function.name, names.collect::<Vec<_>>().join(", ")).unwrap();
    }
    expected.assert_eq(&out);
}

fn show_call(wiring: &Wiring, call: &Call) -> String {
    let arguments = call.arguments.iter().map(|argument| match &argument.name {
        Some(name) => format!("{name}={}", show(wiring, &argument.value)),
        None => show(wiring, &argument.value),
    });
    format!("{}({})", show(wiring, &call.callee), arguments.collect::<Vec<_>>().join(", "))
}

fn show(wiring: &Wiring, value: &Expression) -> String {
    let all = |values: &[Expression], separator: &str| {
        values.iter().map(|value| show(wiring, value)).collect::<Vec<_>>().join(separator)
    };
    match value {
        Expression::Text(text) => format!("{text:?}"),
        Expression::Join(pieces) => format!("<{}>", all(pieces, " ")),
        Expression::Name(name) => name.to_string(),
        Expression::Member(base, name) => format!("{}.{name}", show(wiring, base)),
        Expression::Call(place) => {
            let call = &wiring.calls[*place as usize];
            format!("{}()", show(wiring, &call.callee))
        }
        Expression::Record(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", show(wiring, value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Expression::List(values) => format!("[{}]", all(values, ", ")),
        Expression::Either(values) => format!("({})", all(values, " | ")),
        Expression::Function(_) => {
            let known = wiring.function(value).expect("every function is listed");
            format!("fn/{}", known.parameters.len())
        }
        Expression::Other => "_".to_owned(),
    }
}

#[test]
fn any_cut_of_a_text_has_wiring_with_spans_in_it() {
    let source = "#[a(\"é\")] fn é(x: &'a u8) { m!(\"ü{}\", g(h)); } // ö\n@d('ä')\nclass A { b = `ë${c('d')}` }\n\
                  x: 'é' = f('{}{y!r}'.format(a(), *b) % c) # ñ\nfor (const [t] of [{ u: 'ï' }]) new S(t).v`w`;\n\
                  func (s *T) é() { x := &T{a: fmt.Sprintf(\"ä%s\", s.y)} }\n\
                  [A(\"ß\", B = 1)] class C { @D(e = {\"ö\"}) int f = new G { h = $\"ü{i}\" }.J<K>(\"%1$s\"); }\n";
    for language in crate::languages() {
        for extension in language.extensions {
            for (cut, _) in source.char_indices() {
                for text in [&source[..cut], &source[cut..]] {
                    check_spans(text, &FileType { language: *language, extension }.wiring(text));
                }
            }
        }
    }
}

fn check_spans(text: &str, wiring: &Wiring) {
    let calls = wiring.calls.iter().map(|call| call.span);
    let decorators = wiring.decorators.iter().flat_map(|decorator| [decorator.call.span, decorator.target]);
    let bindings = wiring.bindings.iter().map(|binding| binding.span);
    let functions = wiring.functions.iter().map(|function| function.span);
    for span in calls.clone().chain(decorators).chain(bindings).chain(functions) {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    }
    assert!(calls.map(|span| span.start).is_sorted(), "{text:?}");
}

#[test]
fn nesting_and_chains_without_end_are_read() {
    for (path, open, close, chained) in [
        ("a.rs", "m!(f(", "))", ".b(c)"),
        ("a.py", "f([", "])", ".b(c)"),
        ("a.ts", "f([`${", "}`])", ".b(c)"),
        ("a.py", "'{}{0}'.format(", ")", " + 'a'"),
        #[cfg(feature = "lang-go")]
        ("a.go", "package a\nvar x = f(T{a: ", "})", ".b(c)"),
        #[cfg(feature = "lang-java")]
        ("A.java", "f(new T(", "))", " + \"a\""),
        #[cfg(feature = "lang-csharp")]
        ("a.cs", "f(new T { a = $\"{", "}\" })", "?.b(c)"),
    ] {
        let nested = format!("{}x{}", open.repeat(5_000), close.repeat(5_000));
        let chain = format!("a{}", chained.repeat(10_000));
        for text in [nested, chain] {
            check_spans(&text, &FileType::of_path(path).expect("a known extension").wiring(&text));
        }
    }
}
