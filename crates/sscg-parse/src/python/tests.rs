use super::*;

/// Extracts facts, which must succeed for any text.
fn check(source: &str) -> FileFacts {
    Python.extract("py", source)
}

#[test]
fn nesting_without_end_does_not_exhaust_the_stack() {
    let deep = 5_000;
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("[", "x", "]"),
        ("f(", "x", ")"),
        ("{1: ", "x", "}"),
        ("not ", "x", ""),
        ("lambda a: ", "x", ""),
        ("x + ", "x", ""),
        ("a", "", ".b()"),
        ("x if y else ", "x", ""),
        ("x = ", "1", ""),
        ("f'{", "x", "}'"),
    ] {
        check(&format!("{}{inner}{}\n", open.repeat(deep), close.repeat(deep)));
        check(&format!("def f(a: {}{inner}{}): pass\n", open.repeat(deep), close.repeat(deep)));
    }
    let blocks: String = (0..1_000).map(|depth| format!("{}class A:\n", " ".repeat(depth))).collect();
    check(&blocks);
    check(&blocks.replace("class A:", "def f():"));
    check(&blocks.replace("class A:", "if f():"));
}

#[test]
fn a_deeply_nested_expression_is_left_out_and_the_rest_is_kept() {
    let facts = check(&format!("x = {}1{}\ndef f(): pass\n", "[".repeat(1_000), "]".repeat(1_000)));
    assert_eq!(facts.symbols.len(), 2);
    assert_eq!(facts.diagnostics.len(), 1);
}

#[test]
fn what_fuzzing_found_can_be_read() {
    let python = crate::FileType::of_path("a.py").expect("the registry has it");
    for source in ["=x=\nx\n=", "\n=v=s\n\u{4}", "#\0def d(:\n def r(:", "import a #\0import b"] {
        assert_eq!(crate::check::check(python, source).1, [], "{source}");
    }
}

#[test]
fn any_prefix_of_a_file_can_be_read() {
    let source = "@a.b(c)\nclass É(B[int], metaclass=M):\n    # c\n    x: 'T | None' = f'{y!r:>{w}}'\n\n    \
                  async def f(self, *a: int, k=1) -> T:\n        \"\"\"Doc ü.\"\"\"\n        try:\n            \
                  self.x = await g(lambda z: z)  # ö\n        except (A, b.C) as e:\n            raise X from e\n\
                  if x:\n    def h(): yield\nfrom . import (a as b, c)\n__all__ = ['h']\ntype P[T] = list[T]\n";
    for (cut, _) in source.char_indices() {
        check(&source[..cut]);
        check(&source[cut..]);
    }
}
