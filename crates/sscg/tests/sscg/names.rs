//! Questions that consist only of a name.

use sscg::SearchRequest;
use sscg_format::{Renderer, TextRenderer};

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
    let answer = tree.answer(&SearchRequest::new("Envelope").with_budget(1_000));
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
    // Declared names are not searched for in documents.
    let declared = tree.answer(&SearchRequest::new("max_size"));
    assert_eq!(declared.results[0].name, "Response.max_size");
}

#[test]
fn what_guesses_name_and_what_the_best_result_calls_is_named_if_it_is_not_shown() {
    let steps =
        |name: &str| -> String { (0..70).map(|at| format!("    {name}_{at} = weigh({at})\n")).collect() };
    let mut tree = Tree::of(&[
        (
            "route.py",
            &format!(
                "from work import do_route, weigh\n\n\ndef plan_route(parcel):\n    do_route(parcel)\n{}",
                steps("route")
            ),
        ),
        ("work.py", &format!("def weigh(at):\n    return at\n\n\ndef do_route(tour):\n{}", steps("tour"))),
        ("sort.py", &format!("def by_weight(bag):\n{}", steps("bag"))),
    ]);
    let request = SearchRequest::new("how is the route of a parcel planned")
        .with_budget(1_600)
        .with_terms(vec!["plan_route".into(), "by_weight".into(), "nowhere_at_all".into()]);
    let answer = tree.answer(&request);
    assert_eq!(answer.results[0].name, "plan_route");
    let shown = |name: &str| answer.results.iter().any(|result| result.name == name);
    let named = |name: &str| answer.also_matched.iter().any(|known| known.name == name);
    assert!(shown("by_weight") || named("by_weight"), "{:?}", answer.also_matched);
    let answer = tree.answer(&request.with_budget(3_000).with_limit(2).with_terms(Vec::new()));
    let called = answer.results[0].details.calls.iter().map(|call| &*call.symbol.name);
    assert!(called.chain(answer.results.iter().map(|result| &*result.name)).any(|name| name == "do_route"));
}

#[test]
fn beside_guesses_a_part_of_the_answer_names_what_is_not_shown() {
    let files: Vec<(String, String)> = (0..30)
        .map(|at| {
            let steps: String = (0..20).map(|step| format!("    weigh(parcel, {step})\n")).collect();
            (format!("stage_{at}.py"), format!("def sort_parcel_{at}(parcel):\n{steps}"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let mut tree = Tree::of(&files);
    let plain = SearchRequest::new("how is a parcel sorted").with_budget(1_600);
    let guided = plain.clone().with_terms(vec!["sort_parcel".into()]);
    let answer = tree.answer(&plain);
    assert!(answer.also_matched.is_empty() && !answer.results.is_empty());
    let answer = tree.answer(&guided);
    assert!(answer.also_matched.len() > 15, "{:?}", answer.also_matched);
    assert!(answer.also_matched.iter().all(|known| known.lines.end == 21), "{:?}", answer.also_matched);
    assert!(answer.token_count <= 1_600);
    let text = TextRenderer.render(&answer);
    assert!(
        text.contains("\n1\tdef sort_parcel_")
            && text.contains("sends what follows; the best, for `more`:\nstage_"),
        "{text}"
    );
}

/// Returns the files and lines of the results for a look-up, and the warnings.
fn looked_up(tree: &mut Tree, request: &SearchRequest) -> (Vec<String>, Vec<String>) {
    let answer = tree.answer(request);
    let found = answer.results.iter().map(|result| format!("{}:{}", result.file, result.lines));
    (found.collect(), answer.warnings.clone())
}

#[test]
fn a_name_that_is_only_reexported_is_found_where_it_is_handed_on() {
    let mut tree = Tree::of(&[
        ("parcel/__init__.py", "import os\n\nfrom courier import Label\n"),
        ("parcel/print.py", "from courier import Label\n\n\ndef label(text):\n    return Label(text)\n"),
        ("web/index.ts", "export { Label } from \"courier\";\nexport { Seal } from \"./seal\";\n"),
        ("web/seal.ts", "export class Seal {\n  label() {}\n}\n"),
    ]);
    let (found, warnings) = looked_up(&mut tree, &SearchRequest::new("symbol = Label"));
    assert_eq!(found, ["parcel/__init__.py:3-3", "web/index.ts:1-1"]);
    assert!(warnings.is_empty(), "{warnings:?}");
    // A filter excludes the declaration, but not its re-export.
    let within = SearchRequest::new("symbol = Seal").with_paths(vec!["web/index.ts".to_owned()]);
    assert_eq!(looked_up(&mut tree, &within).0, ["web/index.ts:2-2"]);
    assert_eq!(looked_up(&mut tree, &SearchRequest::new("symbol = Seal")).0, ["web/seal.ts:1-3"]);
}

#[test]
fn a_declaration_in_another_spelling_is_announced() {
    let mut tree = Tree::of(&[("shop.py", "class Shop:\n    def price_list(self):\n        return []\n")]);
    let other = "nothing is declared in this spelling; found \"price_list\"";
    let (found, warnings) = looked_up(&mut tree, &SearchRequest::new("symbol = Shop > PriceList"));
    assert_eq!((&*found, &*warnings), (&["shop.py:2-3".to_owned()][..], &[other.to_owned()][..]));
    let (found, warnings) = looked_up(&mut tree, &SearchRequest::new("symbol = Shop > price_list"));
    assert_eq!((found.len(), warnings.len()), (1, 0));
}
