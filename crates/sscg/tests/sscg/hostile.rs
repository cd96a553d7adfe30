//! Files with nesting or repetition without bounds.

use sscg::SearchRequest;

use crate::tree::Tree;

/// Number of bytes of each file.
const BYTES: usize = 40_000;

/// Checks that a declaration is found in a file that nests up to [`BYTES`] bytes.
fn check(extension: &str, before: &str, open: &str, middle: &str, close: &str, after: &str) {
    let levels = BYTES / (open.len() + close.len());
    let text = format!("{before}{}{middle}{}{after}\n", open.repeat(levels), close.repeat(levels));
    let mut tree = Tree::of(&[(&format!("deep.{extension}"), &text), ("flat.py", "def flat():\n    pass\n")]);
    for question in ["symbol = x", "symbol = flat"] {
        let answer = tree.answer(&SearchRequest::new(question));
        assert!(!answer.results.is_empty(), "{question}: {before}{open}");
    }
}

#[test]
fn code_that_nests_without_end_stops_nothing() {
    for (before, open, middle, close, after) in [
        ("const x = ", "[", "1", "]", ";"),
        ("const x = ", "(", "1", ")", ";"),
        ("const x = ", "{a:", "1", "}", ";"),
        ("const x = ", "`${", "1", "}`", ";"),
        ("const x = ", "f(", "1", ")", ";"),
        ("const x = ", "a?b:", "c", "", ";"),
        ("const x = ", "a=>", "1", "", ";"),
        ("const x = ", "!", "1", "", ";"),
        ("const x = a", ".b()", "", "", ";"),
        ("type x = ", "(a:", "b", ")=>c", ";"),
        ("type x = ", "A extends B?C:", "D", "", ";"),
        ("type x = ", "A<", "B", ">", ";"),
        ("function x() ", "{", "", "}", ""),
        ("function x() {", "if(a){}else ", "{}", "", "}"),
    ] {
        check("ts", before, open, middle, close, after);
    }
    check("tsx", "const x = ", "<a>", "", "</a>", ";");
}

#[test]
fn rust_that_nests_without_end_stops_nothing() {
    for (before, open, middle, close, after) in [
        ("type x = ", "(", "", ")", ";"),
        ("fn x() -> ", "A<", "B", ">", " {}"),
        ("fn x() ", "{", "", "}", ""),
        ("const x: u8 = ", "(", "1", ")", ";"),
        ("const x: u8 = ", "!", "1", "", ";"),
        ("fn x() { a", ".b()", "", "", " }"),
    ] {
        check("rs", before, open, middle, close, after);
    }
}

#[test]
fn python_that_nests_without_end_stops_nothing() {
    for (before, open, middle, close, after) in [
        ("x = ", "(", "1", ")", ""),
        ("x = ", "[", "1", "]", ""),
        ("x = ", "not ", "1", "", ""),
        ("x = a", ".b()", "", "", ""),
    ] {
        check("py", before, open, middle, close, after);
    }
}

/// Guards against cubic time in the number of declarations, which would take minutes.
#[test]
fn names_that_are_declared_without_end_stop_nothing() {
    for (path, line) in [
        ("a.rs", "impl A { fn x(&self) { self.x() } }\n"),
        ("a.py", "class A(A):\n    x = A.x\n"),
        ("a.py", "def x(x):\n    return x(x)\n"),
        ("a.js", "var x = x;\n"),
        ("a.ts", "interface A { x: A['x'] }\n"),
        ("a.ts", "function x(a: 1): 2;\n"),
    ] {
        let text = line.repeat(BYTES / line.len());
        let mut tree = Tree::of(&[(path, &text), ("flat.py", "def flat():\n    pass\n")]);
        let answer = tree.answer(&SearchRequest::new("symbol = flat"));
        assert_eq!(answer.results.len(), 1, "{line}");
        assert!(!tree.answer(&SearchRequest::new("x")).results.is_empty(), "{line}");
    }
}
