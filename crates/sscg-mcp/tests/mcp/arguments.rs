//! Invalid arguments give a result that an agent can act on.

use serde_json::{Value, json};

use crate::client::{Client, Sandbox};

#[tokio::test]
async fn what_is_wrong_is_named_with_what_is_expected() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let cases: &[(Value, &str)] = &[
        (json!({}), "`query` is missing"),
        (json!({ "query": { "a": 7 } }), "`query` is an object; it is a text"),
        (json!({ "query": null }), "`query` is null; it is a text"),
        (json!({ "query": "a", "limit": "five" }), "`limit` is a text; it is a whole number"),
        (json!({ "query": "a", "limit": 2.5 }), "`limit` is 2.5; it is a whole number"),
        (json!({ "query": "a", "limit": 0 }), "`limit` is 0; it is at least 1"),
        (json!({ "query": "a", "limit": -1 }), "`limit` is -1; it is at least 1"),
        (json!({ "query": "a", "budget": 10 }), "`budget` is 10; it is at least 200"),
        (json!({ "query": "a", "budget": 30_000 }), "`budget` is 30000; it is at most 25000"),
        (json!({ "query": "a", "path": 5 }), "`path` is a number; it is a list, each item a text"),
        (json!({ "query": "a", "path": ["src", true] }), "`path` at place 2 is true or false; it is a text"),
        (json!({ "query": "a", "languages": ["cobol"] }), "unknown language \"cobol\""),
        (
            json!({ "query": "a", "kinds": ["module?"] }),
            "`kinds` at place 1 cannot be \"module?\"; it is one of",
        ),
        (json!({ "query": "a", "format": "xml" }), "`format` cannot be \"xml\"; it is one of text, compact"),
        (json!({ "query": "a", "communities": "yes" }), "`communities` is a text; it is true or false"),
        (
            json!({ "query": "a", "centrality": "yes" }),
            "`centrality` cannot be \"yes\"; it is one of off, show",
        ),
        (json!({ "query": "a", "color": 5 }), "there is no argument `color`"),
        (json!({ "query": "a", "question": "b" }), "there is no argument `question`"),
        (json!({ "query": ["a", "b"] }), "`query` is a list; it is a text"),
        (json!({ "query": "a", "mode": "hybrid" }), "there is no argument `mode`"),
        (json!({ "query": "a", "scope": "project" }), "there is no argument `scope`"),
        (json!({ "query": "a", "call_depth": "1,5" }), "`call_depth` is a text; it is a whole number"),
        (json!({ "query": "" }), "`query` is empty"),
        (json!({ "query": " " }), "the question is empty"),
        (json!({ "query": "symbol = " }), ""),
        (json!({ "query": "a thing", "path": ["src/[x"] }), ""),
        (json!({ "query": "a", "project": "other" }), "no project is named \"other\""),
    ];
    for (arguments, expected) in cases {
        let text = client.failure("search_code", arguments.clone()).await;
        assert!(text.starts_with("error: ") && text.contains(expected), "{arguments}: {text}");
        assert!(text.contains("\nhint: "), "{arguments}: {text}");
        assert!(!text.contains("--"), "flags mean nothing to an agent: {text}");
    }
    let text = client.failure("look_up", json!({ "mode": "text", "pattern": "a.b" })).await;
    assert!(text.contains("there is no argument `pattern`"), "a regular expression is no text: {text}");
    let text = client.text("look_up", json!({ "mode": "text", "names": "number: int, country" })).await;
    assert!(!text.contains("number: int\n"), "a text with commas is one text: {text}");
    let text = client.failure("index_status", json!({ "verbose": true })).await;
    assert!(text.contains("it takes project"), "{text}");
    // The connection still works.
    assert!(
        client.text("search_code", json!({ "query": "symbol = Invoice" })).await.contains("class Invoice")
    );
}

/// Calls as models write them: `spellings.json` has them with a text of the answer.
#[tokio::test]
async fn calls_that_leave_no_doubt_are_answered() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let cases: Vec<(String, Value, String)> =
        serde_json::from_str(include_str!("spellings.json")).expect("a list of calls");
    assert!(cases.len() >= 30);
    for (tool, arguments, expected) in cases {
        let text = client.text(&tool, arguments.clone()).await;
        assert!(text.contains(&expected), "{tool} {arguments}: {text}");
    }
}

#[tokio::test]
async fn huge_arguments_are_refused_and_not_repeated() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let huge = "a ".repeat(5_000_000);
    let many: Vec<String> = (0..500_000).map(|number| format!("src/{number}")).collect();
    let cases = [
        json!({ "query": huge }),
        json!({ "query": "a", "path": [huge] }),
        json!({ "query": "a", "path": many }),
        json!({ "query": "a", "project": huge }),
        json!({ "query": "a", huge.as_str(): 1 }),
    ];
    for arguments in cases {
        let text = client.failure("search_code", arguments).await;
        assert!(text.len() < 1_000, "{}", text.len());
    }
    let answer = client.request("tools/call", json!({ "name": huge, "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer.to_string().len() < 1_000);
}

#[tokio::test]
async fn what_was_asked_is_repeated_in_part() {
    let sandbox = Sandbox::parcel();
    let mut client = Client::start(&sandbox.server()).await;
    let (long, name) = ("\u{1}".repeat(10_000), "\u{1}".repeat(1_000));
    let cases = [
        ("search_code", json!({ "query": long })),
        ("search_code", json!({ "query": format!("symbol = {} >", &long[..9_000]) })),
        ("search_code", json!({ "query": "a thing", "path": [format!("../{}", &name[..900])] })),
        ("search_code", json!({ "query": "a thing", "path": [format!("[{}", &name[..900])] })),
        ("search_code", json!({ "query": "a thing", "project": name })),
        ("search_code", json!({ "query": "a thing", "format": name })),
        ("impact", json!({ "symbol": name })),
        ("impact", json!({ "symbol": long })),
        ("graph_trace", json!({ "from": name, "to": name })),
        ("graph_expand", json!({ "seeds": [name] })),
        ("graph_pack", json!({ "nodes": [name] })),
        ("index_directory", json!({ "path": name })),
    ];
    for (tool, arguments) in cases {
        let text = client.failure(tool, arguments).await;
        assert!(text.len() < 1_500, "{tool}: {} bytes: {text}", text.len());
    }
    let query = format!("symbol = {}", &long[..9_000]);
    let text = client.text("search_code", json!({ "query": query })).await;
    assert!(text.starts_with("No results for ") && text.len() < 1_500, "{text}");
}

#[tokio::test]
async fn paths_do_not_lead_out_of_the_roots() {
    let sandbox = Sandbox::parcel();
    sandbox.write("secret/keys.py", "def secret_key():\n    return 'hidden'\n");
    sandbox.write("tree-of-others/keys.py", "def secret_key():\n    return 'hidden'\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("tree/link")).expect("ours");
    let mut client = Client::start(&sandbox.server()).await;
    let (secret, others) = (sandbox.path("secret"), sandbox.path("tree-of-others"));
    let paths =
        ["..", "../secret", "web/../../secret", &*secret.to_string_lossy(), &*others.to_string_lossy(), "/"];
    for path in paths {
        let text =
            client.failure("search_code", json!({ "query": "symbol = secret_key", "path": [path] })).await;
        assert!(text.contains("is outside of"), "{path}: {text}");
        let text = client.failure("doc_search", json!({ "query": "secret", "path": [path] })).await;
        assert!(text.contains("is outside of"), "{path}: {text}");
        let text = client.failure("index_directory", json!({ "path": path })).await;
        assert!(text.contains("is outside of"), "{path}: {text}");
        let text = client.failure("search_code", json!({ "query": "secret", "project": path })).await;
        assert!(text.contains("no project is named"), "{path}: {text}");
        let text = client.failure("reindex", json!({ "project": path })).await;
        assert!(text.contains("no project is named"), "{path}: {text}");
    }
    if cfg!(unix) {
        client.failure("search_code", json!({ "query": "secret", "path": ["link"] })).await;
        client.failure("index_directory", json!({ "path": "link" })).await;
    }
    client.failure("index_directory", json!({ "path": "missing" })).await;
    let text = client.text("search_code", json!({ "query": "symbol = secret_key" })).await;
    assert!(text.starts_with("No results"), "{text}");
}

#[tokio::test]
async fn hints_name_files_as_they_are_called() {
    let sandbox = Sandbox::new();
    for number in 0..100 {
        sandbox.write(&format!("tree/pkg--a/part_{number}.py"), "def work():\n    pass\n");
    }
    let mut client = Client::start(&sandbox.server()).await;
    let text = client.failure("graph_trace", json!({ "from": "work", "to": "work" })).await;
    assert!(text.contains("hint: say which: pkg--a/part_"), "{text}");
}
