//! Output of `sscg knowledge` for the services in `fixtures/services/shop`.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::sandbox::{Run, Sandbox};

fn shop() -> Sandbox {
    Sandbox::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services/shop"))
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    sandbox.run(&[&["knowledge"], arguments].concat())
}

/// Returns the answer as data; standard error must be empty.
fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let run = ask(sandbox, &[arguments, &["--format", "json"]].concat());
    assert_eq!((run.code, &*run.stderr), (0, ""), "{arguments:?}");
    serde_json::from_str(&run.stdout).expect("it is JSON")
}

fn check(sandbox: &Sandbox, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&ask(sandbox, arguments).transcript());
}

/// One question of each kind, with a required part of its text.
const QUESTIONS: [(&[&str], &str); 6] = [
    (&["context", "orders"], "## Service Context: orders"),
    (
        &["neighborhood", "event::order.placed", "--radius", "1"],
        "service::payments CONSUMES_EVENT event::order.placed",
    ),
    (&["search", "who charges the customer"], "domain_entity::Payment"),
    (&["impact", "services/catalog/src/routes/products.rs"], "in 3 other services"),
    (&["boundaries"], "services/orders/src/rates/zone-rates.ts: stands in orders"),
    (&["events"], "product.discontinued (kafka): catalog -> nobody"),
];

#[test]
fn limits_and_weights_are_keys_and_flags_count_before_them() {
    let shop = shop();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let found = json(&shop, &[&["search", "order placed"], arguments].concat());
        let results = found["results"].as_array().expect("a list").iter();
        results.map(|result| result["node_id"].as_str().expect("an id").to_owned()).collect()
    };
    let by_meaning = ids(&["--semantic-weight", "1", "--graph-weight", "0", "--limit", "3"]);
    let by_place = ids(&["--semantic-weight", "0", "--graph-weight", "1", "--limit", "3"]);
    assert!(by_meaning.len() == 3 && by_meaning != by_place, "{by_meaning:?}");
    let keys = "[knowledge]\nlimit = 3\nsemantic_weight = 0.0\ngraph_weight = 1.0\ncontext_tokens = 100\n";
    shop.write("sscg.toml", keys);
    assert_eq!(ids(&[]), by_place);
    assert_eq!(ids(&["--semantic-weight", "1", "--graph-weight", "0"]), by_meaning);
    let length = |arguments: &[&str]| ask(&shop, &[&["context", "orders"], arguments].concat()).stdout.len();
    assert!(2 * length(&[]) < length(&["--budget", "2000"]));
}

#[test]
fn every_question_has_a_text_and_data() {
    let shop = shop();
    for (question, expected) in QUESTIONS {
        let run = ask(&shop, question);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{question:?}");
        assert!(run.stdout.contains(expected), "{question:?}: {}", run.stdout);
        assert!(json(&shop, question).is_object(), "{question:?}");
    }
}

#[test]
fn build_tells_what_the_graph_holds() {
    let shop = shop();
    let run = ask(&shop, &["build"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(run.stdout.starts_with("8 services, ") && !run.stdout.contains("Problems"), "{}", run.stdout);
    let report = json(&shop, &["build"]);
    assert_eq!(report["success"], true);
    assert_eq!(
        report["services_indexed"],
        serde_json::json!([
            "accounts",
            "catalog",
            "inventory",
            "notifications",
            "orders",
            "payments",
            "shipping",
            "storefront"
        ])
    );
    assert_eq!(report["errors"], serde_json::json!([]));
}

#[test]
fn texts_are_as_they_were_read() {
    let shop = shop();
    check(
        &shop,
        &["neighborhood", "event::order.placed", "--radius", "1"],
        expect![[r#"
        Around event::order.placed

        Nodes, nearest first:
          event::order.placed
          service::orders
          service::inventory
          service::payments

        Edges:
          service::orders PUBLISHES_EVENT event::order.placed (services/orders/src/messaging/event-publisher.ts:34)
          service::orders SERVICE_CALLS service::inventory via endpoint::inventory::DELETE::/reservations/{order_id} (services/orders/src/clients/inventory.client.ts:9)
          service::inventory CONSUMES_EVENT event::order.placed (services/inventory/src/order_feed.rs:29)
          service::payments CONSUMES_EVENT event::order.placed (services/payments/shop_payments/consumer.py:15)
          service::payments SERVICE_CALLS service::orders via endpoint::orders::GET::/orders/{orderId} (services/payments/shop_payments/clients.py:15)
        --- exit 0
    "#]],
    );
    check(
        &shop,
        &["events", "--service", "orders"],
        expect![[r#"
        4 events, 100 % with a sender and a listener

        Sent and listened to:
          order.cancelled (process): orders -> orders
          order.placed (kafka): orders -> inventory, payments
          payment.captured (kafka): payments -> orders
          payment.failed (kafka): payments -> orders
        --- exit 0
    "#]],
    );
    check(
        &shop,
        &["impact", "event::order.placed"],
        expect![[r#"
            event::order.placed: a change reaches 4 nodes, in 2 other services

            inventory: 2 nodes
              event::order.placed -> symbol::services/inventory/src/order_feed.rs::follow

            payments: 2 nodes
              event::order.placed -> symbol::services/payments/shop_payments/consumer.py::follow_orders

            Files that depend on it:
              services/inventory/src/main.rs
              services/inventory/src/order_feed.rs
              services/payments/shop_payments/consumer.py
              services/payments/shop_payments/main.py
            --- exit 0
        "#]],
    );
    check(
        &shop,
        &["boundaries"],
        expect![[r#"
        8 services in 8 communities, 99.0 % of files where they belong

        Misplaced files:
          services/orders/src/rates/zone-rates.ts: stands in orders (1 link), works with shipping (14 links), confidence 0.92

        Edges between services:
          orders - shipping: 14
          catalog - storefront: 3
          accounts - notifications: 2
          catalog - inventory: 2
          orders - storefront: 2
          accounts - orders: 1
          accounts - payments: 1
          accounts - storefront: 1
          catalog - orders: 1
          inventory - orders: 1
          inventory - storefront: 1
          notifications - orders: 1
          orders - payments: 1
          payments - storefront: 1
        --- exit 0
    "#]],
    );
}

#[test]
fn options_narrow_an_answer() {
    let shop = shop();
    let context =
        ask(&shop, &["context", "orders", "--no-events", "--no-entities", "--no-provided-apis"]).stdout;
    assert!(context.contains("Depends on") && !context.contains("order.placed |"), "{context}");
    assert!(
        !context.contains("Domain Entities") && !context.contains("APIs This Service Provides"),
        "{context}"
    );

    let question = ["neighborhood", "service::orders", "--node-type", "event", "--node-type", "service"];
    let around = json(&shop, &[&question[..], &["-n", "4"]].concat());
    let nodes = around["nodes"].as_array().expect("a list");
    assert_eq!(nodes.len(), 4);
    let of_kind = |node: &Value| ["event", "service"].contains(&node["node_type"].as_str().expect("text"));
    assert!(nodes.iter().all(of_kind), "{nodes:?}");

    let called = json(
        &shop,
        &["neighborhood", "service::orders", "--directed", "--edge-type", "SERVICE_CALLS", "--radius", "1"],
    );
    let mut targets: Vec<&str> =
        called["nodes"].as_array().expect("a list").iter().filter_map(|node| node["id"].as_str()).collect();
    targets.sort_unstable();
    assert_eq!(
        targets,
        [
            "service::accounts",
            "service::catalog",
            "service::inventory",
            "service::orders",
            "service::shipping"
        ]
    );

    let found = json(
        &shop,
        &["search", "refund a payment", "--node-type", "endpoint", "--service", "payments", "-n", "1"],
    );
    let results = found["results"].as_array().expect("a list");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["node_id"], "endpoint::payments::POST::/payments/{payment_id}/refunds");
}

#[test]
fn nothing_found_is_told_apart_from_an_error() {
    let shop = shop();
    check(
        &shop,
        &["search", "zzzzqqq"],
        expect![[r#"
        Nothing in the graph is about "zzzzqqq".
        --- exit 1
    "#]],
    );
    check(
        &shop,
        &["impact", "services/catalog/tests/model.rs"],
        expect![[r#"
        file::services/catalog/tests/model.rs of catalog: a change reaches 0 nodes, in 0 other services
        --- exit 1
    "#]],
    );
    check(
        &shop,
        &["neighborhood", "service::orders", "--radius", "0"],
        expect![[r#"
        Around service::orders

        Nodes, nearest first:
          service::orders
        --- exit 1
    "#]],
    );
    let library = Sandbox::new();
    library.write("a.py", "def f():\n    pass\n");
    check(
        &library,
        &["events"],
        expect![[r#"
        No events.
        --- exit 1
    "#]],
    );
}

#[test]
fn names_that_are_unknown_get_a_hint() {
    let shop = shop();
    check(
        &shop,
        &["context", "order"],
        expect![[r#"
        --- stderr
        error: the graph has no service `order`
        hint: did you mean orders?
        --- exit 2
    "#]],
    );
    check(
        &shop,
        &["events", "--service", "ordres"],
        expect![[r#"
        --- stderr
        error: the graph has no service `ordres`
        hint: did you mean orders?
        --- exit 2
    "#]],
    );
    check(
        &shop,
        &["impact", "services/catalog/src/routes/product.rs"],
        expect![[r#"
        --- stderr
        error: the graph has no node `services/catalog/src/routes/product.rs`
        hint: did you mean file::services/catalog/src/routes/products.rs?
        --- exit 2
    "#]],
    );
    check(
        &shop,
        &["search", "price", "--anchor", "nowhere"],
        expect![[r#"
        --- stderr
        error: the graph has no node `nowhere`
        hint: a search of the service graph in words shows its nodes, and building it shows its services
        --- exit 2
    "#]],
    );
    check(
        &shop,
        &["search", ""],
        expect![[r#"
        --- stderr
        error: `query` is empty: say what is looked for
        hint: a search of the service graph in words shows its nodes, and building it shows its services
        --- exit 2
    "#]],
    );
}

#[test]
fn values_out_of_range_are_refused_before_anything_is_built() {
    let empty = Sandbox::new();
    for (arguments, rule) in [
        (["search", "price", "--semantic-weight", "2"], "from 0 to 1"),
        (["search", "price", "--graph-weight", "much"], "from 0 to 1"),
        (["search", "price", "--limit", "0"], "0 is not in 1.."),
        (["neighborhood", "service::orders", "--radius", "21"], "21 is not in 0..=20"),
        (["neighborhood", "service::orders", "--edge-type", "CALLZ"], "a similar value exists: 'CALLS'"),
        (["impact", "event::order.placed", "--depth", "0"], "0 is not in 1..=20"),
        (["context", "orders", "--budget", "10"], "10 is not in 50.."),
        (["boundaries", ".", "--resolution", "0"], "a number above 0"),
    ] {
        let run = ask(&empty, &arguments);
        assert_eq!((run.code, &*run.stdout), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(rule), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn a_graph_in_a_file_gives_the_answers_of_the_one_that_is_built() {
    let shop = shop();
    let file = shop.index().with_extension("json");
    let file = file.to_str().expect("temporary paths are text");
    assert_eq!(ask(&shop, &["build", "--output", file]).code, 0);
    for (question, _) in QUESTIONS {
        for format in ["text", "json"] {
            let built = ask(&shop, &[question, &["--format", format]].concat());
            let read = ask(&shop, &[question, &["--format", format, "--graph", file]].concat());
            assert_eq!(built, read, "{question:?} {format}");
        }
    }
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let written = || {
        let shop = shop();
        let file = shop.index().with_extension("json");
        assert_eq!(ask(&shop, &["build", "-o", file.to_str().expect("text")]).code, 0);
        let bytes = fs::read(&file).expect("it was written");
        // A graph that is read from a file is written as the same bytes.
        let again = shop.index().with_extension("again.json");
        let (from, to) = (file.to_str().expect("text"), again.to_str().expect("text"));
        let run = ask(&shop, &["build", "--graph", from, "-o", to]);
        assert_eq!(run.code, 0);
        assert!(!run.stdout.contains(" ms\n"), "nothing was built: {}", run.stdout);
        assert!(bytes == fs::read(again).expect("it was written"));
        bytes
    };
    assert!(written() == written());
}

#[test]
fn files_that_are_no_graph_are_refused() {
    let shop = shop();
    let file = shop.index().with_extension("json");
    let written = file.to_str().expect("temporary paths are text");
    assert_eq!(ask(&shop, &["build", "--output", written]).code, 0);
    let text = fs::read_to_string(&file).expect("it was written");

    let refused = |text: &str| {
        fs::write(&file, text).expect("ours");
        let run = ask(&shop, &["events", "--graph", written]);
        assert_eq!((run.code, &*run.stdout), (2, ""));
        assert!(
            run.stderr.ends_with("hint: `sscg knowledge build --output FILE` writes it anew\n"),
            "{}",
            run.stderr
        );
        run.stderr
    };
    assert!(refused(&text[..text.floor_char_boundary(text.len() / 2)]).contains("is damaged at line 1"));
    assert!(refused("{\"format\": \"parcel\"}").contains("its `format` is \"parcel\""));
    let other = text.replacen("\"version\":1", "\"version\":99", 1);
    assert_ne!(other, text);
    assert!(refused(&other).contains("has version 99"));

    check(
        &shop,
        &["events", "--graph", "nowhere.json"],
        expect![[r#"
        --- stderr
        error: nowhere.json cannot be read: no such file or directory
        hint: `sscg knowledge build --output FILE` writes such a file
        --- exit 2
    "#]],
    );
    check(
        &shop,
        &["build", "--output", "nowhere/graph.json"],
        expect![[r#"
        --- stderr
        error: nowhere/graph.json cannot be written: no such file or directory
        hint: give `--output` a file in a directory that is there
        --- exit 2
    "#]],
    );
    let both = ask(&shop, &["events", "--graph", written, "--interfaces", "more.json"]);
    assert_eq!(both.code, 2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

/// Returns the number of services, and the problems.
fn problems(sandbox: &Sandbox, arguments: &[&str]) -> (usize, Vec<String>) {
    let report = json(sandbox, &[&["build"], arguments].concat());
    let texts = |key: &str| -> Vec<String> {
        report[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(|text| text.as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(report["success"], true);
    (texts("services_indexed").len(), texts("errors"))
}

#[test]
fn inputs_that_are_broken_are_listed_and_the_rest_is_built() {
    let shop = shop();
    shop.write("contracts/catalog/openapi.yaml", "openapi: 3.0.0\npaths: [\n");
    shop.write(
        "services/orders/openapi.yaml",
        "openapi: 9.1.0\ninfo: {title: orders, version: 1.0.0}\npaths: {}\n",
    );
    shop.write("sscg-services.toml", "version = 9\n");
    let run = ask(&shop, &["build"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let (_, listed) = run.stdout.split_once("\n\nProblems").expect("there are some");
    let expected = expect![[r#"
        ; the rest was built:
          contracts/catalog/openapi.yaml:2: is no YAML: unclosed bracket '[' at line 2, column 8
          services/orders/openapi.yaml: OpenAPI 9.1.0 is not known (2.0 and 3.0 to 3.2 are); what looks like 3.x is read
          sscg-services.toml: version 9 is not known, 1 is; what looks like it is read
    "#]];
    expected.assert_eq(listed);
    assert_eq!(problems(&shop, &[]).0, 8);

    let twice = "version = 1\n[[services]]\nname = \"orders\"\n[[services]]\nname = \"orders\"\n";
    shop.write("sscg-services.toml", twice);
    let (services, listed) = problems(&shop, &[]);
    assert_eq!(services, 8);
    assert!(listed.iter().any(|problem| problem.contains("orders is declared twice")), "{listed:?}");

    shop.write("sscg-services.toml", "version = \n");
    let (services, listed) = problems(&shop, &[]);
    assert_eq!(services, 8);
    assert!(
        listed.iter().any(|problem| problem.starts_with("sscg-services.toml:1: is no TOML")),
        "{listed:?}"
    );
    // Questions are answered from the parts that were built.
    assert_eq!(ask(&shop, &["context", "catalog"]).code, 0);
}

#[test]
fn interfaces_are_added_to_what_is_found() {
    let shop = shop();
    let given = r#"{"orders": {"events_published": [{"event_name": "order.audited", "channel": "audit"}]}}"#;
    shop.write("more.json", given);
    let question = ["events", "--service", "orders"];
    assert!(!ask(&shop, &question).stdout.contains("order.audited"));
    let with = ask(&shop, &[&question[..], &["--interfaces", "more.json"]].concat());
    assert_eq!((with.code, &*with.stderr), (0, ""));
    assert!(with.stdout.contains("order.audited"), "{}", with.stdout);

    shop.write("more.json", "{");
    let (services, listed) = problems(&shop, &["--interfaces", "more.json"]);
    assert_eq!((services, listed.len()), (8, 1), "{listed:?}");
    assert!(listed[0].contains("is no JSON"), "{listed:?}");
    check(
        &shop,
        &["build", "--interfaces", "nowhere.json"],
        expect![[r#"
        --- stderr
        error: nowhere.json cannot be read: no such file or directory
        hint: give the path of a file with the interfaces of services as JSON
        --- exit 2
    "#]],
    );
}

#[test]
fn a_directory_without_services_or_without_code_is_no_accident() {
    let library = Sandbox::new();
    library.write("lib/a.py", "def f():\n    pass\n");
    library.write("empty/.keep", "");
    let run = ask(&library, &["build", "lib"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(run.stdout.starts_with("1 service, 3 nodes, 2 edges"), "{}", run.stdout);
    check(
        &library,
        &["context", "orders", "lib"],
        expect![[r#"
        --- stderr
        error: the graph has no service `orders`
        hint: did you mean lib?
        --- exit 2
    "#]],
    );
    check(
        &library,
        &["build", "empty"],
        expect![[r#"
            --- stderr
            error: no source files in [tmp]/tree/empty
            hint: SSCG reads c, cpp, csharp, go, java, javascript, python, rust, typescript, and declarations of 29 other languages
            --- exit 2
        "#]],
    );
    check(
        &library,
        &["build", "nowhere"],
        expect![[r#"
        --- stderr
        error: cannot open nowhere: no such file or directory
        hint: check the path, and that you may read it
        --- exit 2
    "#]],
    );
}
