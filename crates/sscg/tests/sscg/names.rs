//! Questions that are nothing but a name.

use sscg::SearchRequest;

use crate::tree::Tree;

#[test]
fn the_declaration_of_a_bare_name_leads_from_its_start() {
    let members: String = (0..60)
        .map(|at| {
            format!(
                "    def seal_{at}(self, parcel):\n        Envelope.check(parcel)\n        return parcel\n\n"
            )
        })
        .collect();
    let mut tree = Tree::of(&[
        ("envelope.py", &format!("class Envelope:\n    wax = 3\n\n{members}")),
        (
            "post.py",
            "from envelope import Envelope\n\n\ndef envelope_of(parcel):\n    # Envelope, Envelope\n    return Envelope(parcel, Envelope.wax)\n",
        ),
    ]);
    let answer = tree.answer(&SearchRequest { budget: 1_000, ..SearchRequest::new("Envelope") });
    assert_eq!(answer.results[0].name, "Envelope");
    let code = &answer.snapshots[0].text;
    assert!(code.contains("class Envelope:\n    wax = 3\n") && code.contains("def seal_0"), "{code}");
    let method = tree.answer(&SearchRequest::new("Envelope.seal_7"));
    assert_eq!(method.results[0].name, "Envelope.seal_7");
}

#[test]
fn a_name_that_nothing_declares_is_answered_with_its_uses() {
    let tests: String = (0..20)
        .map(|at| format!("def test_{at}(config):\n    config[\"MAX_SIZE\"] = {at}\n    assert config\n\n"))
        .collect();
    let mut tree = Tree::of(&[
        ("test_size.py", &tests),
        ("app.py", "defaults = {\n    \"NAME\": 1,\n    \"MAX_SIZE\": 4093,\n}\n"),
        (
            "size.py",
            "class Response:\n    def max_size(self, config):\n        return config[\"MAX_SIZE\"]\n",
        ),
        ("CHANGES.md", "# Changes\n\n- MAX_SIZE is new\n"),
    ]);
    let answer = tree.answer(&SearchRequest::new("MAX_SIZE"));
    let first: Vec<&str> = answer.results.iter().take(2).map(|result| &*result.file).collect();
    assert!(first.contains(&"app.py") && first.contains(&"size.py"), "{first:?}");
    // What is declared is not looked for in documents.
    let declared = tree.answer(&SearchRequest::new("max_size"));
    assert_eq!(declared.results[0].name, "Response.max_size");
}
