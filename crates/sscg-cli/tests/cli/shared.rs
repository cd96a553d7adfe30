//! Index that is written by one command and read by another, which has no tree.

use std::fs;

use serde_json::json;

use crate::mcp::Serving;
use crate::sandbox::{Run, Sandbox};

fn store(sandbox: &Sandbox) -> String {
    format!("lance:{}", sandbox.index().join("shared").display())
}

fn ask(sandbox: &Sandbox, more: &[&str]) -> Run {
    let store = store(sandbox);
    let arguments = ["search", "symbol = price", "--store", &store, "--project", "shop"];
    sandbox.run(&[&arguments[..], more].concat())
}

#[test]
fn a_process_without_the_tree_answers_like_one_with_it() {
    let sandbox = Sandbox::new();
    sandbox.write("base.py", "class Base:\n    def price(self):\n        return 42\n");
    sandbox.write("shop.py", "from base import Base\n\n\ndef sell(it: Base):\n    return it.price()\n");
    let with_tree = sandbox.run(&["search", "symbol = price"]);
    let store = store(&sandbox);
    let index = ["index", "--store", &store, "--project", "shop"];
    let run = sandbox.run(&index);
    assert_eq!((run.code, &*run.stderr), (0, ""), "{run:?}");
    assert!(run.stdout.contains("2 files indexed, 2 parsed"), "{run:?}");
    assert!(sandbox.run(&index).stdout.contains("2 files indexed, 0 parsed"));
    fs::remove_file(sandbox.tree().join("base.py")).expect("it is there");
    fs::remove_file(sandbox.tree().join("shop.py")).expect("it is there");

    let without_tree = ask(&sandbox, &[]);
    assert_eq!(without_tree.code, 0, "{without_tree:?}");
    assert_eq!(without_tree.stdout, with_tree.stdout);
    let named = sandbox.run(&["search", "symbol = price", "--store", &store]);
    assert!(named.stderr.contains("/tree"), "the project is named like the directory: {named:?}");
}

#[test]
fn a_server_without_the_tree_answers_from_the_last_publication() {
    let sandbox = Sandbox::new();
    sandbox.write("shop.py", "def sell():\n    return 42\n");
    let store = store(&sandbox);
    let index = ["index", "--store", &store, "--project", "shop"];
    assert_eq!(sandbox.run(&index).code, 0);
    let empty = Sandbox::new();
    let mut serving = Serving::start(&empty, &["shop", "never", "--store", &store]);
    let mut ask = |query: &str, project: &str| serving.search(&json!({ "query": query, "project": project }));
    let answer = ask("symbol = sell", "shop");
    assert!(answer.contains("return 42") && !answer.contains("43"), "{answer}");
    sandbox.write("shop.py", "def sell():\n    return 43\n");
    assert_eq!(sandbox.run(&index).code, 0);
    let answer = ask("symbol = sell", "shop");
    assert!(answer.contains("return 43"), "the server reads what was published since: {answer}");
    let answer = ask("symbol = sell", "never");
    assert!(answer.contains("there is no index of \"main\""), "{answer}");
    let both = serving.search(&json!({ "query": "symbol = sell" }));
    assert!(both.contains("return 43") && both.contains("never"), "one without an index stops none: {both}");
    assert_eq!(serving.end(), "");
}

#[test]
fn several_projects_are_searched_without_their_trees() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    for (project, name) in [("shop", "sell"), ("blog", "publish")] {
        sandbox.write("code.py", &format!("def {name}():\n    return 42\n"));
        let run = sandbox.run(&["index", "--store", &store, "--project", project]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    fs::remove_file(sandbox.tree().join("code.py")).expect("it is there");
    let all = ["search", "symbol = sell", "blog", "shop", "gone", "--store", &store];
    let found = sandbox.run(&all);
    assert!(found.code == 0 && found.stdout.starts_with("Project shop\n"), "{found:?}");
    assert!(found.stdout.contains("Project gone: error: there is no index of \"main\""), "{found:?}");
    let refused = sandbox.run(&[&all[..], &["--project", "shop"]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("--project names one project"), "{refused:?}");
}

#[test]
fn what_was_never_published_is_named() {
    let sandbox = Sandbox::new();
    let nothing = ask(&sandbox, &[]);
    assert_eq!(nothing.code, 2);
    assert!(
        nothing.stderr.contains("there is no index of \"main\"") && nothing.stderr.contains("hint:"),
        "{nothing:?}"
    );
    let nowhere = sandbox.run(&["search", "x", "--store", "elsewhere:x"]);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.stderr.contains("elsewhere:x"), "{nowhere:?}");
}

#[test]
fn a_shared_index_is_cleaned_by_its_name() {
    let sandbox = Sandbox::new();
    sandbox.write("shop.py", "def sell():\n    return 42\n");
    let store = store(&sandbox);
    let shared = ["--store", &store, "--project", "shop"];
    assert_eq!(sandbox.run(&[&["index"], &shared[..]].concat()).code, 0);
    let cleaned = sandbox.run(&[&["gc"], &shared[..]].concat());
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert!(cleaned.stdout.contains("0 texts and 0 vectors removed"), "{cleaned:?}");
    assert!(cleaned.stdout.ends_with("from 1 index\n"), "{cleaned:?}");
    assert_eq!(ask(&sandbox, &[]).code, 1, "what there is is still found, and has no price");
}
