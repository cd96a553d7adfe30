use super::*;
use crate::tree::ParseTime;

fn tree_of(text: &str) -> Option<Tree> {
    ParseTime::for_text(text).parse_with(&tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), text)
}

#[test]
fn what_stands_too_deep_is_left_out_and_the_rest_parses() {
    for (before, open, middle, close, after) in [
        ("const x = ", "[", "1", "]", ";"),
        ("const x = ", "(", "1", ")", ";"),
        ("const x = ", "f(", "1", ")", ";"),
        ("const x = ", "a[", "1", "]", ";"),
        ("const x = ", "{ a: ", "1", "}", ";"),
        ("const x = ", "`${", "1", "}`", ";"),
        ("type X = ", "A<", "B", ">", ";"),
        ("function x() ", "{", "f()", "}", ""),
    ] {
        let text = |levels| {
            format!("{before}{}{middle}{}{after}\nconst y = 1;\n", open.repeat(levels), close.repeat(levels))
        };
        assert_eq!(levelled(&text(100), tree_of), None);
        let deep = text(20_000);
        let (level, at) = levelled(&deep, tree_of).expect("it is too deep");
        assert_eq!(level.len(), deep.len());
        assert!(deep[at as usize..].starts_with(['[', '(', '{', '<', '$']), "{open}");
        assert!(level.ends_with("const y = 1;\n"));
        let facts = crate::extract("a.ts", &deep).expect("it is read");
        assert!(facts.symbols.iter().any(|symbol| &*symbol.name == "y"), "{open}: {:?}", facts.diagnostics);
        let said = facts.diagnostics.iter().any(|it| it.message.contains("too deeply"));
        assert!(said && facts.diagnostics.len() == 1, "{open}: {:?}", facts.diagnostics);
    }
}

#[test]
fn chains_of_operands_are_cut_at_the_end_of_their_line() {
    for (link, some) in [("a => ", 10_000), ("f<", 290), ("<a>", 10_000), ("!", 10_000), ("f().", 10_000)] {
        let text = |links: usize| format!("const x = {}1;\nconst y = 1;\n", link.repeat(links));
        assert_eq!(unchained(&text(some)), None, "{link}");
        let (cut, at) = unchained(&text(50_000)).expect("it is too long");
        assert!(cut.ends_with("\nconst y = 1;\n") && at as usize > some, "{link}");
        assert_eq!(cut.len(), text(50_000).len());
    }
    // 2,000 characters of this took oxc a second.
    assert!(unchained(&"a<b<".repeat(480)).is_some());
    assert_eq!(unchained(&"x = a < b;y=(c)=>d;".repeat(30_000)), None);
    assert_eq!(unchained(&"f().c,".repeat(30_000)), None);
    assert!(unchained(&format!("x = {}1", "a<b&&".repeat(30_000))).is_none());
    assert_eq!(unchained(&"<p>a</p><br/>".repeat(30_000)), None);
}

#[test]
fn comparisons_and_texts_are_no_brackets() {
    let (rust, python) = (tree_sitter_rust::LANGUAGE.into(), tree_sitter_python::LANGUAGE.into());
    let typescript = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
    let languages: [(&tree_sitter::Language, &str); 5] = [
        (&rust, "fn x() { let x = a < b && '[' < c; }\n"),
        (&rust, "fn x() { assert!(a < b); }\n"),
        (&rust, "macro_rules! m { ($a:expr) => { $a < 1 } }\n"),
        (&python, "def x():\n    assert a < b\n"),
        (&typescript, "const x = a < b;\n"),
    ];
    for (grammar, line) in languages {
        let text = line.repeat(3_000);
        assert!(deep_bracket(&text).is_some(), "{line}");
        assert_eq!(
            levelled(&text, |text| ParseTime::for_text(text).parse_with(grammar, text)),
            None,
            "{line}"
        );
    }
}

#[test]
fn the_bound_is_at_least_the_depth() {
    let mut state = 1_u64;
    for length in [0, 1, 254, 255, 256, 509, 510, 511, 2_000] {
        for signs in [&b"(<>=)x"[..], b"<=>", b"=>", b"([{}])", b"(((x)"] {
            let text: Vec<u8> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                signs[(state >> 33) as usize % signs.len()]
            })
            .take(length)
            .collect();
            let depth = depths(&text).max().unwrap_or_default();
            assert!(most_nesting(&text) >= depth, "{}", String::from_utf8_lossy(&text));
        }
    }
    // Brackets that are closed soon stay below the limit, however many there are.
    assert!(most_nesting("f(a<b>[0], c => d);".repeat(10_000).as_bytes()) < 100);
}

#[test]
fn comparisons_close_no_brackets() {
    let text = format!("const x = {}1;\n", "[1>0,".repeat(5_000));
    assert!(levelled(&text, tree_of).is_some());
}

#[test]
fn what_stands_too_deep_is_left_out_in_every_language() {
    for (path, before, open, middle, close) in [
        ("a.rs", "fn x() -> ", "(", "u8", ",) "),
        ("a.rs", "type X = ", "A<", "B", ">"),
        ("a.rs", "#[a", "(", "1", ")"),
        ("a.rs", "const X: u8 = ", "m!{", "1", "}"),
        ("a.py", "x = ", "[", "1", "]"),
        ("a.py", "x = ", "f(", "1", ")"),
        ("a.py", "x: ", "A[", "1", "]"),
    ] {
        let after = match before {
            "#[a" => "] fn x() {}\n",
            "fn x() -> " => "{ }\n",
            _ if path == "a.rs" => ";\n",
            _ => "\n",
        };
        let last = if path == "a.rs" { "fn y() {}\n" } else { "def y(): pass\n" };
        let (open, close) = (open.repeat(20_000), close.repeat(20_000));
        let text = format!("{before}{open}{middle}{close}{after}{last}");
        let facts = crate::extract(path, &text).expect("it is read");
        assert!(facts.symbols.iter().any(|symbol| &*symbol.name == "y"), "{before} {:?}", facts.diagnostics);
        assert!(
            facts.diagnostics.iter().any(|it| &*it.message == TOO_DEEP),
            "{before} {:?}",
            facts.diagnostics
        );
    }
}
