use crate::check::check;

#[test]
fn a_language_is_a_directory_and_a_line() {
    let source =
        "use numbers\n\n# Adds one.\nto increase count\n  add count 1\nend\n\nincrease 41\n# Done.\n";
    let toy = crate::FileType::of_path("a/b.toy").expect("the registry has its line");
    assert_eq!(crate::named(crate::Corpus::Code, "toy"), Some(toy.language));
    let (facts, violations) = check(toy, source);
    assert_eq!(violations, []);
    let rows = facts.code_chunks("b.toy", source, toy.language.stub);
    let seen: Vec<String> = rows.iter().map(|row| format!("{} {}", row.kind, row.breadcrumb)).collect();
    let expected = [
        "import b.toy > numbers",
        "function b.toy > increase",
        "expression b.toy > increase 41",
        // Text that a frontend does not report gets a chunk all the same.
        "expression b.toy > # Done.",
    ];
    assert_eq!(seen, expected);
    assert_eq!(rows[1].doc, Some("Adds one."));
    assert_eq!(rows[1].full_source, "# Adds one.\nto increase count\n  add count 1\nend");
    let calls: Vec<_> = facts.references.iter().map(|used| used.target.name()).collect();
    assert_eq!(calls, ["add", "increase"]);
}
