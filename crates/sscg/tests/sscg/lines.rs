//! Code of answers: the files' own lines, each once, with a mark at each elision.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_format::{Answer, CodeStyle, Lines, Renderer, TextRenderer};

use crate::tree::Tree;

/// Checks that the code of an answer matches its ranges, and returns the shown lines of each file.
fn shown(answer: &Answer, read: impl Fn(&str) -> String) -> BTreeMap<String, Vec<u32>> {
    let mut files: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for code in &answer.snapshots {
        let source = read(&code.file);
        let source: Vec<&str> = source.lines().collect();
        let mut text = code.text.lines();
        let head = text.next().expect("a line that names the file");
        let is_known = files.contains_key(&code.file);
        let name = if is_known { "" } else { &*code.file };
        assert!(head.contains(&format!(" {name}:{}", code.lines[0])), "{head}");
        let mut lines: Vec<u32> = Vec::new();
        for Lines { start, end } in &code.lines {
            if let Some(last) = lines.last() {
                assert_eq!(text.next(), Some(&*format!("... {}-{}", last + 1, start - 1)), "{}", code.text);
            }
            for line in *start..=*end {
                assert_eq!(text.next(), Some(source[line as usize - 1]), "{}:{line}", code.file);
                lines.push(line);
            }
        }
        let rest: Vec<&str> = text.collect();
        assert!(rest.is_empty() || rest.len() == 1 && rest[0].starts_with("... "), "{rest:?}");
        let of_file = files.entry(code.file.clone()).or_default();
        assert!(
            lines.iter().all(|line| !of_file.contains(line)),
            "a line of {} stands there twice",
            code.file
        );
        of_file.extend(lines);
    }
    files
}

#[test]
fn code_is_verbatim_at_every_budget() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects/parcel");
    let options = EngineOptions::stored_in(Storage::Ephemeral);
    let engine = Engine::open_with(&root, options).expect("the fixture is there");
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("a file of the answer is there");
    for question in [
        "how is a tour planned",
        "symbol = Invoice",
        "symbol = ApiClient",
        "session token is about to expire",
    ] {
        let mut before = 0;
        for budget in [250, 400, 700, 1_500, 8_000] {
            let request = SearchRequest::new(question).with_budget(budget);
            let response = engine.search(&request).expect("a valid question");
            assert!(response.answer.token_count <= budget);
            assert_eq!(response.answer.code, CodeStyle::Lines);
            let lines = shown(&response.answer, read).values().map(Vec::len).sum();
            assert!(lines > 0 && lines >= before, "{question}: {lines} lines of {budget} tokens");
            before = lines;
        }
    }
}

/// Builds a function of many steps, each on its own line.
fn long_function(steps: usize, special: usize) -> String {
    let step = |at: usize| match at {
        at if at == special => "    seal_the_envelope(parcel)\n".to_owned(),
        at if at % 9 == 0 => "\n".to_owned(),
        at => format!("    step_{at} = prepare(parcel, {at})\n"),
    };
    let steps: String = (1..steps).map(step).collect();
    format!("def handle(parcel):\n{steps}    return parcel\n")
}

#[test]
fn of_a_long_function_the_part_that_answers_is_shown_below_its_signature() {
    let source = long_function(400, 207);
    let mut tree = Tree::of(&[("work.py", &source)]);
    let answer = tree.answer(&SearchRequest::new("seal the envelope").with_budget(1_000));
    let result = &answer.results[0];
    assert_eq!((&*result.name, &*result.shown), ("handle", "part"));
    let lines = shown(&answer, |_| source.clone());
    let lines = &lines["work.py"];
    assert!(lines.contains(&1) && lines.contains(&208) && !lines.contains(&100), "{lines:?}");
    let code = &answer.snapshots[0].text;
    assert!(code.contains("\n... 2-") && code.trim_end().ends_with("-401"), "{code}");
}

#[test]
fn what_matched_without_room_for_its_code_is_named() {
    let sources: Vec<(String, String)> = (0..40)
        .map(|at| (format!("seal_{at}.py"), long_function(40, 20).replace("handle", &format!("handle_{at}"))))
        .collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (&**path, &**text)).collect();
    let mut tree = Tree::of(&sources);
    let mut ask = |budget| tree.answer(&SearchRequest::new("seal the envelope").with_budget(budget));
    let answer = ask(2_500);
    assert!(answer.token_count <= 2_500 && !answer.also_matched.is_empty(), "{answer:?}");
    assert!(answer.also_matched.len() <= answer.omitted_results);
    for named in &answer.also_matched {
        assert!(answer.results.iter().all(|result| result.name != named.name), "{named:?} is shown, too");
        assert_eq!(named.lines.to_string(), "1-41");
    }
    assert!(ask(1_000).also_matched.is_empty());
}

#[test]
fn a_long_class_that_is_looked_up_is_shown_by_its_members() {
    let methods: String = (0..30)
        .map(|at| {
            format!("\n    def method_{at}(self):\n        self.depot_{at} = {at}\n        return {at}\n")
        })
        .collect();
    let source = format!("class Depot:\n    vans = 3\n{methods}");
    let answer = Tree::of(&[("depot.py", &source)]).answer(&SearchRequest::new("symbol = Depot"));
    let code = &answer.snapshots[0].text;
    assert!(code.contains("class Depot:\n    vans = 3\n") && code.contains("def method_29(self):"), "{code}");
    assert_eq!(answer.results[0].parts[0].start, 1);
    assert!(!code.contains("return 29") && !code.contains("self.depot_29"), "{code}");
    shown(&answer, |_| source.clone());
}

#[test]
fn a_copy_of_a_file_is_not_shown_again() {
    let source = "export function sealEnvelope(letter) {\n  const wax = melt();\n  return wax + letter;\n}\n";
    let answer = Tree::of(&[("dist/seal.js", source), ("src/seal.js", source)])
        .answer(&SearchRequest::new("seal envelope with wax"));
    assert_eq!(answer.snapshots.len(), 1);
    assert_eq!(answer.snapshots[0].file, "src/seal.js");
}

#[test]
fn what_a_build_made_of_a_declaration_is_named_beside_it() {
    let source = "export const sealEnvelope = (letter) => {\n  const wax = melt(letter);\n  return wax + letter;\n};\n";
    let built = "var sealEnvelope = function sealEnvelope(letter) {\n  var wax = melt(letter);\n  return wax + letter;\n};\n";
    let other = "export const sealEnvelope = (stamp) => {\n  return press(stamp, flap, glue, colour);\n};\n";
    let files = [("dist/seal.js", built), ("src/seal.js", source), ("src/press.js", other)];
    let answer = Tree::of(&files).answer(&SearchRequest::new("seal envelope with wax"));
    let files: Vec<&str> = answer.snapshots.iter().map(|it| &*it.file).collect();
    assert_eq!(files, ["src/seal.js", "src/press.js"]);
    assert_eq!(answer.results[0].copies, ["dist/seal.js:1-4"]);
    let text = TextRenderer.render(&answer);
    assert!(text.contains("\n[1] copies: dist/seal.js:1-4\n"), "{text}");
}

/// Function that is called by code and by a test.
const QUEUE: [(&str, &str); 3] = [
    ("src/queue.ts", "export function queueJob(job: string): string {\n  return job;\n}\n"),
    (
        "src/server.ts",
        "import { queueJob } from './queue';\n\nexport function onRequest(name: string) {\n  const first = queueJob(name);\n  return first + queueJob('log');\n}\n",
    ),
    (
        "tests/queue.test.ts",
        "import { queueJob } from '../src/queue';\n\nexport function testQueue() {\n  return queueJob('a') === 'a';\n}\n",
    ),
];

#[test]
fn who_calls_is_answered_by_the_callers_code_before_tests() {
    let mut tree = Tree::of(&QUEUE);
    for question in ["who calls queueJob", "callers of `queueJob()`", "where is queueJob called?"] {
        let answer = tree.answer(&SearchRequest::new(question));
        let names: Vec<&str> = answer.results.iter().map(|result| &*result.name).collect();
        assert_eq!(names, ["queueJob", "onRequest", "testQueue"], "{question}");
        assert!(!answer.weak, "{question}");
        let code = &answer.snapshots[1].text;
        assert!(code.contains("= queueJob(name)") && code.contains("+ queueJob('log')"), "{code}");
    }
    let text = tree.ask(&SearchRequest::new("who calls onRequest")).text;
    assert!(text.contains("Called by: none known"), "{text}");
    let answer = tree.answer(&SearchRequest::new("who calls nobodyDeclaresThis"));
    assert!(answer.results.is_empty() || answer.weak);
}

#[test]
fn every_id_that_an_answer_prints_is_looked_up() {
    let mut tree = Tree::of(&QUEUE);
    let answer = tree.answer(&SearchRequest::new("symbol = onRequest"));
    let chunk = answer.results[0].chunk_id.clone();
    for id in
        [&*chunk, "src/server.ts::onRequest", "src/server.ts:4", "./src/server.ts:4", "server.ts > onRequest"]
    {
        let answer = tree.answer(&SearchRequest::new(format!("symbol = {id}")));
        let names: Vec<&str> = answer.results.iter().map(|result| &*result.name).collect();
        assert_eq!(names, ["onRequest"], "{id}");
    }
}

#[test]
fn a_line_that_no_budget_holds_is_cut_and_hides_nothing_else() {
    let blob = "x".repeat(200) + &" y1z".repeat(4_000);
    let data = format!("export const sealTable = \"{blob}\";\n");
    let seal =
        "export function sealTheTable(table: string) {\n  const seal = table;\n  return seal + table;\n}\n";
    let mut tree = Tree::of(&[("data.ts", &data), ("seal.ts", seal)]);
    let answer = tree.answer(&SearchRequest::new("seal the table").with_budget(500));
    assert!(answer.snapshots.iter().any(|code| code.text.contains("return seal + table")), "{answer:?}");
    let alone = tree.answer(&SearchRequest::new("symbol = sealTable").with_budget(500));
    let code = &alone.snapshots[0].text;
    assert!(code.contains("export const sealTable = \"x") && code.trim_end().ends_with('…'), "{code}");
}

#[test]
fn guesses_of_another_project_do_not_displace_what_answers() {
    let source = |name: &str, body: &str| format!("def {name}(parcel):\n    {body}\n    return parcel\n");
    let mut tree = Tree::of(&[
        ("seal.py", &source("seal_envelope", "wax = melt(parcel)")),
        ("pool.py", &source("acquire", "connection = wait(parcel)")),
        ("cache.py", &source("evict", "entry = oldest(parcel)")),
        ("retry.py", &source("resend", "delay = backoff(parcel)")),
    ]);
    let first = |tree: &mut Tree, terms: &[&str]| {
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        let request = SearchRequest::new("how is wax melted for the envelope").with_terms(terms);
        tree.answer(&request).results[0].name.clone()
    };
    assert_eq!(first(&mut tree, &[]), "seal_envelope");
    // Parts of names that the project does not have.
    assert_eq!(
        first(&mut tree, &["connection_oldest_entry", "wait_delay", "entry_backoff"]),
        "seal_envelope"
    );
    // A name that the project has is meant.
    let guesses = ["evict", "oldest", "entry", "cache"];
    assert_eq!(first(&mut tree, &guesses), "evict");
}

#[test]
fn pasted_text_is_found_as_it_stands() {
    let steps: String = (0..120).map(|at| format!("    total = total + price_{at}\n")).collect();
    let message =
        "    raise ValueError(f\"cannot ship parcel {parcel.number} before \"\n        f\"it is sealed\")\n";
    let source = format!("def ship(parcel, total):\n{steps}{message}{steps}    return total\n");
    let other =
        "def seal(parcel):\n    \"\"\"Seals a parcel, so that it can be shipped.\"\"\"\n    return parcel\n";
    let keys = "LIMITS = {\n    \"max-weight\": 30,\n    \"min-weight\": 1,\n    \"@@parcel/\": 2,\n}\n";
    let imports = "from seal import seal\nfrom ship import ship as send\n\n\ndef dock(parcel):\n    send(seal(parcel), 0)\n";
    let files = [("ship.py", &*source), ("seal.py", other), ("keys.py", keys), ("dock.py", imports)];
    let mut tree = Tree::of(&files);
    for (asked, file, line) in [
        ("cannot ship parcel 42 before it is sealed", "ship.py", 122),
        ("2026-11-02T10:14:07Z ERROR worker-3 cannot ship parcel 42 before it is sealed", "ship.py", 122),
        ("Why do I get \"cannot ship parcel 42 before it is sealed\"?", "ship.py", 122),
        ("cannot ship parcel /srv/parcels/total.json before it is sealed", "ship.py", 122),
        // A filled-in value may be a name in the code.
        ("ShipError: cannot ship parcel price_7 before it is sealed", "ship.py", 122),
        ("from ship import ship as send", "dock.py", 2),
        ("max-weight", "keys.py", 2),
        ("@@parcel/", "keys.py", 4),
    ] {
        let answer = tree.answer(&SearchRequest::new(asked).with_budget(600));
        let first = &answer.results[0];
        let lines = first.parts.first().unwrap_or(&first.lines);
        assert_eq!((&*first.file, answer.weak), (file, false), "{asked}");
        assert!((lines.start..=lines.end).contains(&line), "{asked}: {lines}");
        let read = |path: &str| files.iter().find(|(file, _)| *file == path).expect("a file of the tree").1;
        let shown = shown(&answer, |file| read(file).to_owned());
        assert!(shown[file].contains(&line), "{asked}");
    }
    // Words that are merely close to each other are not a copy.
    let answer = tree.answer(&SearchRequest::new("how is a parcel sealed"));
    assert_eq!(answer.results[0].name, "seal");
}

#[test]
fn what_stands_there_to_the_letter_comes_before_what_is_like_it() {
    let near = "def pack(yard):\n    raise ValueError(\"too many parcels in the old yard\")\n";
    let exact = "def stack(yard):\n    raise ValueError(\"too many parcels in the yard\")\n";
    let mut tree = Tree::of(&[("a.py", near), ("b.py", exact)]);
    for asked in ["too many parcels in the yard", "Error: too many parcels in the yard -- what decides this?"]
    {
        assert_eq!(tree.answer(&SearchRequest::new(asked)).results[0].name, "stack", "{asked}");
    }
}

#[test]
fn all_of_a_copied_line_says_more_than_what_is_in_quotes_there() {
    let whole =
        "def check(boxes):\n    for name in ('wax-box', 'tin-box', 'oak-box'):\n        boxes.pop(name)\n";
    let piece = "def pack(yard):\n    raise ValueError('tin-box')\n";
    let mut tree = Tree::of(&[("tests/test_boxes.py", whole), ("yard.py", piece)]);
    let asked = "for name in ('wax-box', 'tin-box', 'oak-box'):";
    assert_eq!(tree.answer(&SearchRequest::new(asked)).results[0].name, "check");
}

#[test]
fn the_best_result_is_cut_to_what_answers_where_it_does_not_fit() {
    let step = |at: usize| format!("    total = total + weigh(parcel.side_{at})  # the price of side {at}\n");
    let steps: String =
        (0..60).map(|at| if at == 40 { "    total -= RABAT\n".to_owned() } else { step(at) }).collect();
    let large = format!("def price(parcel):\n    total = 0\n{steps}    return total\n");
    let small = "def rebate(parcel):\n    total = price(parcel)\n    return total - total_of(RABAT)\n";
    let mut tree = Tree::of(&[("price.py", &large), ("rebate.py", small)]);
    let answer = tree.answer(&SearchRequest::new("total -= RABAT").with_budget(600));
    assert_eq!(answer.results[0].name, "price");
    let shown = shown(&answer, |file| if file == "price.py" { large.clone() } else { small.to_owned() });
    assert!(shown["price.py"].contains(&43), "{shown:?}");
}

#[test]
fn what_a_package_is_built_to_comes_behind_its_sources() {
    let source = |name: &str| {
        format!("export function {name}(yard) {{\n  throw new Error('too many parcels in the yard')\n}}\n")
    };
    let built: Vec<(String, String)> =
        (0..20).map(|at| (format!("build/pack{at}.js"), source(&format!("pack{at}")))).collect();
    let mut files: Vec<(&str, &str)> = built.iter().map(|(path, text)| (&**path, &**text)).collect();
    let pack = source("pack");
    files.push(("src/index.ts", &pack));
    let answer = Tree::of(&files).answer(&SearchRequest::new("too many parcels in the yard"));
    assert_eq!(answer.results[0].file, "src/index.ts");
}

#[test]
fn a_small_answer_to_a_look_up_has_the_signature_and_the_callers_of_the_product_first() {
    let tests: String =
        (0..9).map(|at| format!("def test_seal_{at}():\n    seal(parcel({at}))\n\n")).collect();
    let uses: String = (0..20).map(|at| format!("def ship_{at}(parcel):\n    seal(parcel)\n\n")).collect();
    let mut tree = Tree::of(&[
        ("a/test_seal.py", &format!("from b.seal import seal\n\n{tests}")),
        ("b/seal.py", "def seal(parcel):\n    wax = melt(parcel)\n    return wax\n"),
        ("b/ship.py", &format!("from b.seal import seal\n\n{uses}")),
    ]);
    let mut callers = |budget| {
        let answer = tree.answer(&SearchRequest::new("symbol = seal").with_budget(budget));
        let result = &answer.results[0];
        assert!(!result.signature.is_empty() && answer.snapshots[0].text.contains("return wax"));
        let names = result.details.called_by.iter().map(|call| call.symbol.name.clone());
        (names.collect::<Vec<_>>(), result.details.omitted_callers)
    };
    let (all, omitted) = callers(1_500);
    assert!(all[..20].iter().all(|name| name.starts_with("ship_")), "{all:?}");
    assert!(all[20..].iter().all(|name| name.starts_with("test_")), "{all:?}");
    assert_eq!((all.len(), omitted), (29, 0));
    let (few, omitted) = callers(200);
    assert!((1..20).contains(&few.len()), "{few:?}");
    assert_eq!(few.len() + omitted, 29);
    assert!(few.iter().all(|name| name.starts_with("ship_")), "{few:?}");
}

#[test]
fn look_ups_and_questions_about_uses_begin_with_own_code() {
    let declared = "export function mergeConfig(a, b) {\n  return { ...a, ...b };\n}\n";
    let use_of = |name: &str| {
        format!(
            "import {{ mergeConfig }} from './merge.js';\nexport function {name}() {{\n  return mergeConfig({{}}, {{}});\n}}\n"
        )
    };
    let (bench, test, product) = (use_of("measure"), use_of("check"), use_of("request"));
    let mut tree = Tree::of(&[
        ("benches/merge.js", declared),
        ("benches/run.js", &bench),
        ("src/__tests__/merge.js", declared),
        ("src/__tests__/run.js", &test),
        ("src/merge.js", declared),
        ("src/run.js", &product),
    ]);
    let mut files = |question: &str| {
        let results = tree.answer(&SearchRequest::new(question)).results;
        results.into_iter().map(|result| result.file).collect::<Vec<_>>()
    };
    assert_eq!(files("symbol = mergeConfig"), ["src/merge.js", "benches/merge.js", "src/__tests__/merge.js"]);
    assert_eq!(files("symbol = __tests__/run.js:3"), ["src/__tests__/run.js"]);
    assert!(files("symbol = run.js:3").is_empty(), "three files are called so");
    let uses = files("what would break if I changed mergeConfig, and why?");
    assert_eq!(uses[0], "src/merge.js");
    assert_eq!(uses[uses.len() - 3..], ["src/run.js", "benches/run.js", "src/__tests__/run.js"]);
    let answer = tree.answer(&SearchRequest::new("who calls mergConfig"));
    assert_eq!(answer.suggestions, ["symbol = mergeConfig"]);
}

#[test]
fn a_newer_version_comes_first_whatever_its_files_are_called() {
    let parser = |name: &str| {
        format!(
            "export function {name}(input) {{\n  if (input.sides < 3) throw new Error('no shape');\n  return input.sides;\n}}\n"
        )
    };
    let (older, newer) = (parser("readShape"), parser("parseShape"));
    let mut tree = Tree::of(&[("v3/one.ts", &*older), ("v4/core/two.ts", &newer)]);
    let results = tree.answer(&SearchRequest::new("how many sides has the input of a shape")).results;
    assert_eq!(results[0].file, "v4/core/two.ts");
}

#[test]
fn where_the_way_leads_out_of_the_tree_is_told() {
    let seal = "import wax\nimport yard\n\n\ndef seal(parcel):\n    yard.note(parcel)\n    return wax.melt(parcel)\n";
    let other = |at: usize| format!("import yard\n\n\ndef ship_{at}(parcel):\n    yard.note(parcel)\n");
    let others: Vec<(String, String)> = (0..4).map(|at| (format!("ship_{at}.py"), other(at))).collect();
    let mut files: Vec<(&str, &str)> = others.iter().map(|(path, text)| (&**path, &**text)).collect();
    files.push(("seal.py", seal));
    files.push(("uv.lock", "[[package]]\nname = \"yard\"\nversion = \"2.0.7\"\n"));
    let mut tree = Tree::of(&files);
    let mut outside = |question: &str| tree.answer(&SearchRequest::new(question)).outside;
    // A package used by all files is a general tool, unless the question names it.
    assert_eq!(outside("how does a parcel get its seal"), ["wax.melt"]);
    assert_eq!(outside("when does the yard seal a parcel"), ["yard.note (2.0.7)", "wax.melt"]);
    assert!(outside("symbol = seal").is_empty());
}
