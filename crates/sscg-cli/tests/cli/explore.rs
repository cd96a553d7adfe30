//! Output and exit codes of the commands that query the graph.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn impact_tells_who_uses_a_declaration() {
    let sandbox = Sandbox::of_project("parcel");
    let run = sandbox.run(&["impact", "Depot > closest", "--depth", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        Impact: Depot.closest | 1 affected in 1 file | 104/8,000 tokens

        [1] Depot.closest (router/src/depot.rs:12-15): method
          pub fn closest<'a>(depots: &'a [Depot], place: &Place) -> Option<&'a Depot>

        1 step away:
        [2] plan_tour (router/src/plan.rs:15-34): function, relevance 1.00
          calls [1] at 22
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn a_trace_goes_along_calls_alone_if_asked_to() {
    let sandbox = Sandbox::of_project("parcel");
    let run = sandbox.run(&["trace", "plan_tour", "shortest_path", "--relation", "calls"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        Trace: plan_tour to RoadNetwork.shortest_path | 1 path of 2 steps | 181/8,000 tokens

        [1] plan_tour (router/src/plan.rs:15-34): function
          pub fn plan_tour(roads: &RoadNetwork, depots: &[Depot], mut stops: Vec<Stop>) -> Result<(Vec<Stop>, u64), RouteError>
          calls [3] at 27
        [2] RoadNetwork.shortest_path (router/src/roads.rs:21-35): method
          pub fn shortest_path(&self, from: &str, to: &str) -> Result<u64, RouteError>
        [3] nearest (router/src/plan.rs:36-45): function
          calls [2] at 39

        Paths:
        [1] calls [3] calls [2]
    "#]].assert_eq(&run.stdout);
    let back = sandbox.run(&["trace", "shortest_path", "plan_tour"]);
    assert_eq!(back.code, 1, "{}", back.stderr);
    let both = sandbox.run(&["trace", "shortest_path", "plan_tour", "--relation", "calls", "--both-ways"]);
    assert_eq!(both.code, 0, "{}", both.stderr);
    assert!(both.stdout.contains("[1] called_by [3] called_by [2]"), "{}", both.stdout);
}

#[test]
fn packs_and_expansions_take_many_names_and_a_directory() {
    let sandbox = Sandbox::of_project("parcel");
    let root = sandbox.tree().display().to_string();
    let run = sandbox.run(&["pack", "billing", "web/src/api.ts", "-C", &root, "--count", "2"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        Pack: 2 nodes that say most | 104/8,000 tokens

        [1] Money (billing/money.py:9-23): class at the root of its file, 15 lines, used 13 times, uses 1
        [2] Invoice (billing/invoice.py:17-38): class at the root of its file, 22 lines, used 8 times, uses 1

        36 more left out: ask with a higher limit or budget, or more narrowly.
    "#]]
    .assert_eq(&run.stdout);
    let run = sandbox.run(&["expand", "vat_for", "Depot > closest", "-C", &root, "--direction", "incoming"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        Expand: vat_for, Depot.closest | 6 nodes around | 262/8,000 tokens

        [1] vat_for (billing/tax.py:8-10): function
          def vat_for(country: str, net: Money) -> Money
        [2] Depot.closest (router/src/depot.rs:12-15): method
          pub fn closest<'a>(depots: &'a [Depot], place: &Place) -> Option<&'a Depot>

        1 step away:
        [3] billing/invoice.py: file
          imports [1] at 6
        [4] plan_tour (router/src/plan.rs:15-34): function
          calls [2] at 22
        [5] Invoice.gross_total (billing/invoice.py:32-35): method
          calls [1] at 35

        2 steps away:
        [6] router/src/lib.rs: file
          imports [4] at 12
        [7] remind_overdue (billing/reminder.py:7-14): function
          calls [5] at 12
        [8] test_gross_total_includes_value_added_tax (tests/test_invoice.py:8-10): function, test
          calls [5] at 10
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn neighbors_may_be_of_one_kind() {
    let sandbox = Sandbox::of_project("parcel");
    let run = sandbox.run(&["neighbors", "vat_for", "--kind", "class", "--format", "compact"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        {"schema_version":1,"operation":"neighborhood","token_budget":8000,"token_count":180,"seeds":["billing/tax.py::vat_for"],"kinds":["class"],"nodes":[{"id":"billing/tax.py::vat_for","kind":"function","lines":"8-10","signature":"def vat_for(country: str, net: Money) -> Money","distance":0},{"id":"billing/money.py::Money","kind":"class","lines":"9-23","signature":"class Money","distance":1}],"edges":[{"src":"billing/tax.py::vat_for","tgt":"billing/money.py::Money","rel":"uses_type","line":8},{"src":"billing/tax.py::vat_for","tgt":"billing/money.py::Money","rel":"instantiates","line":10}],"index":{"files":22}}
    "#]].assert_eq(&run.stdout);
}

#[test]
fn symbol_and_docs_are_searches() {
    let sandbox = Sandbox::of_project("parcel");
    let short = sandbox.run(&["symbol", "Depot > closest"]);
    let long = sandbox.run(&["search", "symbol = Depot > closest"]);
    assert_eq!((short.code, &short.stdout), (0, &long.stdout), "{}", short.stderr);
    let short = sandbox.run(&["docs", "what is this project"]);
    let long = sandbox.run(&["search", "--docs", "what is this project"]);
    assert_eq!((short.code, &short.stdout), (0, &long.stdout), "{}", short.stderr);
}

#[test]
fn what_cannot_be_asked_says_what_can() {
    let sandbox = Sandbox::of_project("parcel");
    for (arguments, code, hint) in [
        (&["impact", "closst"][..], 1, "did you mean \"Depot > closest\"?"),
        (&["expand", "vat_for", "--relation", "eats"], 2, "--help"),
        (&["neighbors", "vat_for", "--kind", "cake"], 2, "--help"),
        (&["expand"], 2, "--help"),
    ] {
        let run = sandbox.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments:?}");
        assert!(run.stderr.contains(hint), "{arguments:?}: {}", run.stderr);
    }
}
