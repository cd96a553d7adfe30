use super::*;

#[test]
fn what_fuzzing_found_can_be_read() {
    let rust = crate::FileType::of_path("a.rs").expect("the registry has it");
    assert_eq!(crate::check::check(rust, "struct;t(;)").1, []);
}

#[test]
fn deep_nesting_gives_a_diagnostic_instead_of_a_stack_overflow() {
    for (open, close) in [("(", ")"), ("{", "}"), ("f(", ")"), ("m!{", "}"), ("mod a {", "}"), ("-", "")] {
        let code = format!("fn f() {{ {} 1 {} }}", open.repeat(3000), close.repeat(3000));
        let facts = Rust.extract("rs", &code);
        let last = facts.diagnostics.last().map_or("", |diagnostic| &*diagnostic.message);
        assert!(last.contains("too deeply"), "{open}: {last}");
    }
}
