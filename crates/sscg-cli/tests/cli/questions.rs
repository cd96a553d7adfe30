//! Questions that people and agents paste, apart from sentences.

use expect_test::{Expect, expect};
use serde_json::json;
use sscg::format::Answer;

use crate::sandbox::Sandbox;

/// Returns the places of the results, best first.
fn places(sandbox: &Sandbox, question: &str) -> Vec<String> {
    let run = sandbox.run(&["search", question, "--format", "verbose"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer: Answer = serde_json::from_str(&run.stdout).expect("the format is JSON of the schema");
    assert!(!answer.weak, "{question:?} names its places");
    answer.results.into_iter().map(|result| format!("{}::{}", result.file, result.name)).collect()
}

#[test]
fn a_stack_trace_finds_its_frames_nearest_to_the_failure_first() {
    let sandbox = Sandbox::of_project("parcel");
    for (trace, frames) in [
        (
            // Lines of an installed copy differ, so the function identifies the frame.
            "Traceback (most recent call last):\n  File \"/usr/lib/python3/threading.py\", line 975, in run\n  \
             File \"/site-packages/billing/reminder.py\", line 71, in remind_overdue\n    for invoice in store.load_all():\n  \
             File \"/site-packages/billing/store.py\", line 48, in load_all\nsqlite3.OperationalError: database is locked",
            &["billing/store.py::InvoiceStore.load_all", "billing/reminder.py::remind_overdue"][..],
        ),
        (
            "TypeError: this.renew is not a function\n    at Session.refresh (/app/web/src/session.ts:20:46)\n    \
             at async Session.validToken (/app/web/src/session.ts:13:7)",
            &["web/src/session.ts::Session.refresh", "web/src/session.ts::Session.validToken"],
        ),
        (
            "thread 'main' panicked at router/src/plan.rs:28:26:\nswap_remove index (is 3) should be < len (is 3)\n\
             stack backtrace:\n   0: rust_begin_unwind\n   3: router::plan::plan_tour\n             at ./router/src/plan.rs:28:26",
            &["router/src/plan.rs::plan_tour"],
        ),
        ("error[E0308]: mismatched types\n  --> router/src/plan.rs:41:25", &["router/src/plan.rs::nearest"]),
    ] {
        let found = places(&sandbox, trace);
        let stood = frames.iter().map(|frame| found.iter().position(|place| place == frame));
        let stood: Vec<Option<usize>> = stood.collect();
        assert!(stood.iter().all(Option::is_some) && stood.is_sorted(), "{trace}\n{found:#?}");
        assert_eq!(found[0], frames[0], "{trace}");
    }
}

fn answers(sandbox: &Sandbox, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&sandbox.run(&[&["search"], arguments].concat()).transcript());
}

#[test]
fn a_name_that_is_nearly_right_is_told() {
    let sandbox = Sandbox::of_project("parcel");
    answers(
        &sandbox,
        &["symbol = Sesion > refesh"],
        expect![[r#"
        --- stderr
        nothing found for "symbol = Sesion > refesh" in [tmp]/tree
        hint: did you mean "symbol = Session > refresh"?
        --- exit 1
    "#]],
    );
    answers(
        &sandbox,
        &["symbol = Depot > validToken"],
        expect![[r#"
        --- stderr
        nothing found for "symbol = Depot > validToken" in [tmp]/tree
        hint: did you mean "symbol = Session > validToken"?
        --- exit 1
    "#]],
    );
    answers(
        &sandbox,
        &["symbol = nothing_like_it_at_all"],
        expect![[r#"
        --- stderr
        nothing found for "symbol = nothing_like_it_at_all" in [tmp]/tree
        hint: ask in other words, or for a declaration: "symbol = Outer > inner"
        --- exit 1
    "#]],
    );
    let text = sandbox.run(&["search", "remind_overdu", "-n", "1"]).stdout;
    assert!(text.contains("\nDid you mean: symbol = remind_overdue\n"), "{text}");
}

#[test]
fn kinds_narrow_the_results() {
    let sandbox = Sandbox::of_project("parcel");
    for kind in ["class", "method"] {
        let run = sandbox.run(&["search", "valid token of a session", "--kind", kind, "--format", "verbose"]);
        let answer: Answer = serde_json::from_str(&run.stdout).expect("the format is JSON of the schema");
        assert!(!answer.results.is_empty(), "{kind}");
        assert!(answer.results.iter().all(|result| result.kind == kind), "{kind}: {}", run.stdout);
    }
    answers(
        &sandbox,
        &["--kind", "trait", "symbol = Session"],
        expect![[r#"
        --- stderr
        nothing found for "symbol = Session" in [tmp]/tree
        hint: search without --language, --path and --kind, or in other words
        --- exit 1
    "#]],
    );
}

#[test]
fn guesses_at_names_find_what_a_question_does_not_say() {
    let sandbox = Sandbox::of_project("parcel");
    let first = |options: &[&str]| {
        let run = sandbox.run(&[&["search", "who is told when it goes wrong"], options].concat());
        let line = run.stdout.lines().find(|line| line.starts_with("[1] ")).map(str::to_owned);
        (line.unwrap_or_default(), run.stdout.contains("No strong match"))
    };
    let (without, _) = first(&[]);
    assert!(!without.contains("shortest_path"), "{without}");
    let (one_by_one, is_weak) = first(&["--term", "shortest_path", "--term", "RoadNetwork"]);
    assert!(one_by_one.starts_with("[1] RoadNetwork.shortest_path") && !is_weak, "{one_by_one}");
    assert_eq!(first(&["--terms", "shortest_path, RoadNetwork"]).0, one_by_one);
    // A guess may be an option of the searched program.
    let dashed = ["--term", "--max-cost", "--term", "shortest_path", "--term", "RoadNetwork"];
    assert_eq!(first(&dashed).0, one_by_one);
}

#[test]
fn guesses_that_are_nowhere_are_told_with_names_that_are_here() {
    let sandbox = Sandbox::of_project("parcel");
    let search = ["search", "how is a tour planned", "--terms", "itinerary,plan", "--budget", "600"];
    let text = sandbox.run(&search).stdout;
    let line = text.lines().find(|line| line.starts_with("Nowhere here: "));
    assert!(line.is_some_and(|line| line.starts_with("Nowhere here: itinerary; near: ")), "{text}");
    // No line for guesses that all occur.
    let text = sandbox.run(&["search", "how is a tour planned", "--terms", "plan"]).stdout;
    assert!(!text.contains("Nowhere here"), "{text}");
    let text = sandbox.run(&[&search[..], &["--explain"]].concat()).stdout;
    assert!(text.contains("\nChunks with each term: itinerary 0, plan "), "{text}");
    let text = sandbox.run(&[&search[..], &["--format", "verbose"]].concat()).stdout;
    let answer: Answer = serde_json::from_str(&text).expect("the format is JSON of the schema");
    let terms: Vec<(&str, bool)> =
        answer.terms.iter().map(|guess| (&*guess.term, guess.chunks > 0)).collect();
    assert_eq!(terms, [("itinerary", false), ("plan", true)]);
    assert!(!answer.near_terms.is_empty());
}

#[test]
fn a_vocabulary_tells_names_by_place() {
    let sandbox = Sandbox::of_project("parcel");
    let text = sandbox.run(&["vocabulary"]).stdout;
    assert!(text.starts_with("Vocabulary of tree: "), "{text}");
    let roads = text.lines().find(|line| line.starts_with("router/src/roads.rs: "));
    assert!(roads.is_some_and(|line| line.contains("RoadNetwork")), "{text}");
    assert!(!text.contains("tests/"), "{text}");
    let part = sandbox.run(&["vocabulary", "router", "--budget", "200"]).stdout;
    assert!(part.contains("RoadNetwork") && !part.contains("web/"), "{part}");
    let json = sandbox.run(&["vocabulary", "router", "--json"]).stdout;
    assert!(json.contains("\"path\": \"router/src/roads.rs\""), "{json}");
    let none = sandbox.run(&["vocabulary", "nowhere"]);
    assert!(none.stdout.starts_with("Vocabulary of tree: 0 of 0 names") && none.code == 1, "{}", none.stdout);
}

#[test]
fn an_overview_tells_how_a_project_is_built_and_what_it_consists_of() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write("package.json", r#"{"name": "parcel", "bin": {"parcel": "web/cli.js"}, "scripts": {"lint": "eslint", "test": "jest"}}"#);
    let text = sandbox.run(&["overview"]).stdout;
    expect![[r#"
        Overview of tree: 22 files (python 8, rust 7, typescript 7), 93 declarations of its own code | 280/1500 tokens

        Build and test:
        package.json: npm run test | npm run lint
        router/Cargo.toml: cargo build --workspace | cargo test --workspace

        Layers, with those they use:
        billing: 7 files, 29 declarations
        router/src: 7 files, 34 declarations
        web/src: 7 files, 30 declarations

        Entry points:
        parcel = web/cli.js (package.json)

        Most referenced, by other files:
        Parcel — web/src/types.ts:2 (4 files)
        Invoice — billing/invoice.py:18 (3 files)
        Money — billing/money.py:10 (3 files)
        RouteError — router/src/error.rs:5 (3 files)
        Line — billing/invoice.py:10 (2 files)
        Invoice.gross_total — billing/invoice.py:32 (2 files)
        InvoiceStore — billing/store.py:7 (2 files)
        Depot — router/src/depot.rs:5 (2 files)
        Place — router/src/geo.rs:7 (2 files)
        RoadNetwork — router/src/roads.rs:10 (2 files)
        Session — web/src/session.ts:5 (2 files)
        TrackingEvent — web/src/types.ts:9 (2 files)
    "#]].assert_eq(&text);
    let short = sandbox.run(&["overview", "--budget", "200"]).stdout;
    assert!(short.contains(" more\n") && short.len() < text.len(), "{short}");
    let json = sandbox.run(&["overview", "--json"]).stdout;
    let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(found["commands"][0]["commands"], json!(["npm run test", "npm run lint"]), "{json}");
    let empty = sandbox.run(&["overview", "--budget", "100"]);
    assert_eq!(empty.code, 2, "{}", empty.stderr);
}

#[test]
fn a_question_that_nothing_answers_is_not_answered_as_if_it_were() {
    let sandbox = Sandbox::of_project("parcel");
    answers(
        &sandbox,
        &["kubernetes autoscaler"],
        expect![[r#"
            Search: "kubernetes autoscaler" | 3 results across 2 files | 465/8,000 tokens
            No strong match: what you look for may not be here.

            [1] RoadNetwork.shortest_path — router/src/roads.rs:21-35
            [2] InvoiceStore._read — billing/store.py:20-21
            [3] InvoiceStore — billing/store.py:7-21
            [3] → [2]
            [1] called by: nearest (router/src/plan.rs:39)
            [2] called by: InvoiceStore.load_all (billing/store.py:18)

            // router/src/roads.rs:21-35
            21	    /// The length of the shortest path between two towns, with Dijkstra's algorithm.
            22	    pub fn shortest_path(&self, from: &str, to: &str) -> Result<u64, RouteError> {
            23	        let mut settled = BTreeMap::new();
            24	        let mut frontier = BinaryHeap::from([(Reverse(0), from)]);
            25	        while let Some((Reverse(length), town)) = frontier.pop() {
            26	            if settled.contains_key(town) {
            27	                continue;
            28	            }
            29	            settled.insert(town, length);
            30	            for (next, metres) in self.roads.get(town).into_iter().flatten() {
            31	                frontier.push((Reverse(length + metres), next));
            32	            }
            33	        }
            34	        settled.get(to).copied().ok_or_else(|| RouteError::Unreachable(to.to_owned()))
            35	    }

            # billing/store.py:7-21
            7	class InvoiceStore:
            8	    """Keeps invoices in a directory, a file each."""
            10	    def __init__(self, directory: Path):
            11	        self.directory = directory
            13	    def save(self, invoice: Invoice) -> None:
            14	        path = self.directory / f"{invoice.number}.json"
            15	        path.write_text(json.dumps(vars(invoice), default=str))
            17	    def load_all(self) -> list[Invoice]:
            18	        return [self._read(path) for path in sorted(self.directory.glob("*.json"))]
            20	    def _read(self, path: Path) -> Invoice:
            21	        return Invoice(**json.loads(path.read_text()))
            --- exit 0
        "#]],
    );
    let text =
        sandbox.run(&["search", "garbage collection of kubernetes pods before the autoscaler runs"]).stdout;
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("No strong match")), "{text}");
    let text = sandbox.run(&["search", "remind customers of overdue invoices"]).stdout;
    assert!(!text.contains("No strong match"), "{text}");
}

#[test]
fn odd_questions_have_clear_answers_and_harm_nothing() {
    let sandbox = Sandbox::of_project("parcel");
    let question = ["search", "remind customers of overdue invoices"];
    let before = sandbox.run(&question);
    answers(
        &sandbox,
        &[""],
        expect![[r#"
        --- stderr
        error: the question is empty
        hint: name what you look for: "how are retries scheduled", or a declaration: "symbol = Retry > next"
        --- exit 2
    "#]],
    );
    answers(
        &sandbox,
        &["?! ... --"],
        expect![[r#"
        --- stderr
        error: the question has only words that say nothing about code: "?! ... --"
        hint: name what you look for: "how are retries scheduled", or a declaration: "symbol = Retry > next"
        --- exit 2
    "#]],
    );
    answers(
        &sandbox,
        &["逾期发票如何提醒客户"],
        expect![[r#"
        --- stderr
        nothing found for "逾期发票如何提醒客户" in [tmp]/tree
        hint: ask in other words, or for a declaration: "symbol = Outer > inner"
        --- exit 1
    "#]],
    );
    // A page of code, and a text longer than any page.
    let page = std::fs::read_to_string(sandbox.tree().join("billing/reminder.py")).expect("it is there");
    for bytes in [1_000, 100_000] {
        let page = page.repeat(bytes / page.len() + 1);
        let run = sandbox.run(&["search", &page, "--budget", "1000"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("\n[1] remind_overdue — "), "{}", run.stdout);
    }
    assert_eq!(sandbox.run(&question), before);
    let status = sandbox.run(&["status"]);
    assert!(status.stdout.contains("; consistent\n"), "{}", status.stdout);
}

#[test]
fn pasted_text_is_found_in_files_that_are_not_indexed() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(
        "gate/main.nim",
        "package main\n\nfunc open(name string) error {\n\tif name == \"\" {\n\t\treturn fmt.Errorf(\"gate %q is locked since the bridge opened at %s\", name, \
         since)\n\t}\n\treturn nil\n}\n",
    );
    sandbox.write("deploy.yaml", "gate:\n  lock-after: 30m\n");
    let run = sandbox.run(&["search", "gate \"north\" is locked since the bridge opened at noon"]);
    assert!(
        run.stdout.contains("\n[1] func open(name string) error { — gate/main.nim:3-8\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\n5\t\t\treturn fmt.Errorf("), "{}", run.stdout);
    let run = sandbox.run(&["search", "lock-after"]);
    assert!(run.stdout.contains("\n[1] gate: — deploy.yaml:1-2\n"), "{}", run.stdout);
    // The same without any indexed file.
    let sandbox = Sandbox::new();
    sandbox.write("main.nim", "func main() {\n\tpanic(\"no such gate\")\n}\n");
    let run = sandbox.run(&["search", "panic: no such gate"]);
    assert!(run.stdout.contains("\n[1] func main() { — main.nim:1-3\n"), "{}", run.stdout);
    let run = sandbox.run(&["search", "how are gates opened"]);
    assert!(run.stderr.contains("no source files in "), "{}", run.stderr);
}

#[test]
fn text_that_is_nowhere_is_said_to_be() {
    let sandbox = Sandbox::of_project("parcel");
    let nowhere = "the text of the question stands nowhere in this tree as it is";
    let questions = [
        "\"gate north is locked\"",
        "2026-01-02 10:11:12 ERROR gate north is locked",
        "GateLockedError: no road",
        "GATE_LOCK_SECONDS",
        "X-Gate-Lock",
        "WARN gate lock is slow",
        "Could not open gate: north",
        "Expected 3 roads but found 4",
        "no gate 'north' on this road",
    ];
    for question in questions {
        let run = sandbox.run(&["search", question]);
        assert!(run.stdout.contains(nowhere), "{}", run.stdout);
    }
    for question in ["\"no road leads to Bergen\"", "how far is it (in km) from depot to stop", "find a way"]
    {
        let run = sandbox.run(&["search", question]);
        assert!(!run.stdout.contains(nowhere), "{}", run.stdout);
    }
}
