//! Code that earlier answers have named, by id.

use std::collections::BTreeSet;

use sscg::{Corpus, Error, SearchRequest};
use sscg_format::{Answer, CodeStyle};

use crate::tree::Tree;

const POOL: &str = "class Pool:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n\n\ndef connect(pool):\n    return pool.open()\n";

fn more(ids: &[&str]) -> SearchRequest {
    SearchRequest::new("").with_more(ids.iter().map(ToString::to_string).collect())
}

#[test]
fn code_is_returned_by_any_id_in_the_given_order() -> Result<(), Error> {
    let tree = Tree::of(&[("net/pool.py", POOL), ("deploy.cfg", "[pool]\nsize = 4\n")]);
    let engine = &tree.engine;
    let place = |id: &str| -> Result<(String, u32, u32), Error> {
        let answer = engine.search(&more(&[id]))?.answer;
        let [snapshot] = &answer.snapshots[..] else { panic!("{id}: {answer:?}") };
        let [lines] = &snapshot.lines[..] else { panic!("{id}: {answer:?}") };
        Ok((snapshot.file.clone(), lines.start, lines.end))
    };
    let evidence = engine.search(&SearchRequest::new("symbol = Pool > close"))?.evidence();
    let ids = [
        "Pool > close",
        "net/pool.py::Pool.close",
        "net/pool.py:5-6",
        "net/pool.py:6",
        "pool.py:5",
        "net/pool.py: Pool.close 5-6",
        "Pool.close — net/pool.py:5-6",
        &evidence[0].id,
        "symbol::net/pool.py::Pool.close",
    ];
    for id in ids {
        assert_eq!(place(id)?, ("net/pool.py".to_owned(), 5, 6), "{id}");
    }
    assert_eq!(place("deploy.cfg:1-2")?, ("deploy.cfg".to_owned(), 1, 2));
    let response = engine.search(&more(&["connect", "Pool > open", "nothing_like_it"]))?;
    let names: Vec<&str> = response.answer.results.iter().map(|result| &*result.name).collect();
    assert_eq!(names, ["connect", "Pool.open"]);
    assert_eq!(response.answer.warnings.len(), 1, "{:?}", response.answer.warnings);
    assert!(response.text.contains("9\tdef connect(pool):"), "{}", response.text);
    assert!(!response.text.contains("def close"), "only what was asked for: {}", response.text);
    assert!(engine.search(&more(&["nothing_like_it"])).is_err());
    Ok(())
}

#[test]
fn code_that_does_not_fit_is_named() -> Result<(), Error> {
    let long: String = (0..400).map(|line| format!("    total_{line} = {line} * 7\n")).collect();
    let tree = Tree::of(&[("a.py", &format!("def first():\n{long}\n\ndef second():\n{long}"))]);
    let response = tree.engine.search(&more(&["first", "second"]).with_budget(3_000))?;
    assert!(response.answer.token_count <= 3_000);
    assert_eq!(response.answer.omitted_results, 1);
    assert_eq!(response.answer.also_matched[0].name, "second");
    Ok(())
}

#[test]
fn answers_name_tests_of_the_best_result() -> Result<(), Error> {
    let pool = format!("{POOL}\n\ndef reconnect(pool):\n    return connect(pool)\n");
    let test = "from pool import reconnect\n\n\ndef test_reconnect():\n    assert reconnect(Pool())\n";
    let tree = Tree::of(&[("pool.py", &pool), ("tests/test_pool.py", test)]);
    let request = SearchRequest::new("how does connect open the pool").with_paths(vec!["pool.py".to_owned()]);
    let response = tree.engine.search(&request)?;
    assert!(
        response.text.contains(" tested by: test_reconnect (tests/test_pool.py:4-5)"),
        "{}",
        response.text
    );
    Ok(())
}

/// Returns the lines of code in an answer, with their files.
fn shown(answer: &Answer) -> BTreeSet<(String, u32)> {
    let lines = answer.snapshots.iter().flat_map(|snapshot| {
        let numbers = snapshot.lines.iter().flat_map(|lines| lines.start..=lines.end);
        numbers.map(|number| (snapshot.file.clone(), number))
    });
    lines.collect()
}

#[test]
fn an_answer_goes_on_after_a_smaller_one() -> Result<(), Error> {
    let sort = |at: usize| {
        let steps: String = (0..12).map(|step| format!("    weigh(parcel, {step} * {at})\n")).collect();
        format!("def sort_parcel_{at}(parcel):\n{steps}\n\n")
    };
    let code: String = (0..20).map(sort).collect();
    let tree = Tree::of(&[("sort.py", &code)]);
    let request = SearchRequest::new("how is a parcel sorted");
    let small = tree.engine.search(&request.clone().with_budget(600))?;
    let large = tree.engine.search(&request.clone().with_budget(1_600))?;
    let next = tree.engine.search(&request.clone().with_budget(1_600).with_after(600))?;
    assert!(small.text.contains("`after: 600` with a larger one sends what follows"), "{}", small.text);
    assert!(next.answer.sent_lines > 0 && next.text.contains(" sent before"), "{}", next.text);
    assert!(next.answer.token_count + small.answer.token_count < large.answer.token_count * 5 / 4);
    let both: BTreeSet<_> = shown(&small.answer).union(&shown(&next.answer)).cloned().collect();
    assert!(shown(&large.answer).is_subset(&both), "{}\n{}", small.text, next.text);
    assert_eq!(tree.engine.search(&request.clone().with_budget(1_600).with_after(600))?.text, next.text);
    let refused = request.with_budget(600).with_after(600);
    assert!(tree.engine.search(&refused).is_err());
    let error = tree.engine.search(&refused.clone().with_after(50)).expect_err("no answer has 50 tokens");
    assert!(error.to_string().contains("after a smaller one"), "{error}");
    assert!(tree.engine.search(&refused.with_budget(900).with_corpus(Corpus::Documents)).is_err());
    Ok(())
}

#[test]
fn copies_in_builds_are_no_further_matches() -> Result<(), Error> {
    let pools = |built: &str| -> String {
        let pool = |at: usize| {
            let lines: String = (0..60).map(|line| format!("  pool.open({line}){built}\n")).collect();
            format!("function openPool{at}(pool) {{\n{lines}}}\n\n")
        };
        (0..20).map(pool).collect()
    };
    let tree = Tree::of(&[("src/pool.js", &pools("")), ("dist/pool.js", &pools(";"))]);
    let request = SearchRequest::new("how does the pool open").with_budget(3_000);
    let answer = tree.engine.search(&request.with_terms(vec!["openPool1".to_owned()]))?.answer;
    let built: Vec<_> = answer.also_matched.iter().filter(|named| named.file.starts_with("dist")).collect();
    assert!(answer.also_matched.len() > 5 && built.is_empty(), "{:?}", answer.also_matched);
    Ok(())
}

#[test]
fn signatures_alone_name_many_declarations_in_few_tokens() -> Result<(), Error> {
    let sort = |at: usize| {
        let steps: String = (0..12).map(|step| format!("    weigh(parcel, {step} * {at})\n")).collect();
        format!(
            "def sort_parcel_{at}(\n    parcel,\n    depot=None,\n):\n    \"\"\"Sorts a parcel.\"\"\"\n{steps}\n\n"
        )
    };
    let code: String = (0..20).map(sort).collect();
    let tree = Tree::of(&[("sort.py", &code)]);
    let request = SearchRequest::new("how is a parcel sorted").with_budget(1_500);
    let whole = tree.engine.search(&request)?.answer;
    let request = request.with_code(CodeStyle::Signatures);
    let large = tree.engine.search(&request.clone().with_budget(3_000))?.text;
    assert!(large.contains("\n1\tdef sort_parcel_0(\n2\t    parcel,\n"), "{large}");
    let heads = tree.engine.search(&request)?;
    assert!(heads.answer.results.len() > 2 * whole.results.len(), "{}", heads.text);
    assert!(heads.text.contains("    depot=None,\n):\n") && !heads.text.contains("weigh("), "{}", heads.text);
    let result = &heads.answer.results[0];
    let shown: Vec<u32> = result.parts.iter().map(|part| part.end - part.start).collect();
    assert_eq!((shown, result.lines.end - result.lines.start), (vec![3], 16), "{result:?}");
    assert!(heads.answer.token_count <= 1_500);
    Ok(())
}
