//! Indexes that are not ready yet.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::json;
use sscg::index::{EmbeddedStore, IndexLock, Store, index_directory};
use sscg_mcp::Server;

use crate::client::{Client, Sandbox};

/// Writes a tree of many files, and returns the store and the name of the tree to lock.
fn locked(sandbox: &Sandbox) -> (EmbeddedStore, String) {
    for number in 0..100 {
        let text = format!("def task_{number}():\n    \"\"\"Work of number {number}.\"\"\"\n");
        sandbox.write(&format!("tree/part_{number}.py"), &text);
    }
    let place = index_directory(&sandbox.tree(), Some(&sandbox.path("index"))).expect("a base is given");
    (EmbeddedStore::new(place), sandbox.tree().to_string_lossy().into_owned())
}

/// Takes the lock of a tree as soon as the server, which may still be writing the index, has released it.
async fn hold(store: &EmbeddedStore, tree: &str) -> Box<dyn IndexLock> {
    loop {
        match store.lock(tree).expect("ours") {
            Some(lock) => return lock,
            None => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}

fn impatient(sandbox: &Sandbox, max_wait: Duration) -> Server {
    Server::new(sandbox.options().with_max_wait(max_wait)).expect("the tree is there")
}

#[tokio::test]
async fn while_nothing_is_ready_the_answer_says_how_far_it_is() {
    let sandbox = Sandbox::new();
    let (store, tree) = locked(&sandbox);
    let lock = store.lock(&tree).expect("ours").expect("free");
    lock.report(3, 100);
    let mut client = Client::start(&impatient(&sandbox, Duration::from_millis(500))).await;
    let question = json!({ "query": "symbol = task_7" });
    let text = client.text("search_code", question.clone()).await;
    assert!(text.contains("is being indexed"), "{text}");
    assert!(text.contains("hint: ask again in a moment"), "{text}");
    let text = client.text("index_directory", json!({})).await;
    assert!(text.contains("indexing: "), "{text}");
    let text = client.text("index_status", json!({})).await;
    assert!(text.contains("indexing: "), "{text}");
    drop(lock);
    // The index was made in the background meanwhile, or is made now.
    let mut client = Client::start(&sandbox.server()).await;
    assert!(client.text("search_code", question).await.contains("def task_7"));
}

#[tokio::test]
async fn the_files_that_are_ready_answer_and_the_answer_says_so() {
    let sandbox = Sandbox::new();
    let (store, tree) = locked(&sandbox);
    // The index covers the first files; then many more are added.
    let first = Client::start(&sandbox.server())
        .await
        .text("search_code", json!({ "query": "symbol = task_7" }))
        .await;
    assert!(first.contains("def task_7"), "{first}");
    let lock = hold(&store, &tree).await;
    for number in 100..200 {
        sandbox.write(&format!("tree/part_{number}.py"), &format!("def task_{number}():\n    pass\n"));
    }
    let mut client = Client::start(&impatient(&sandbox, Duration::from_secs(20))).await;
    let text = client.text("search_code", json!({ "query": "symbol = task_7" })).await;
    assert!(text.contains("def task_7"), "{text}");
    assert!(text.contains("the index is being brought up to date; ask again for a full answer"), "{text}");
    assert!(text.contains(" of 200 files: the rest was not searched"), "{text}");
    drop(lock);
}

#[tokio::test]
async fn who_asks_is_told_how_far_it_is() {
    let sandbox = Sandbox::new();
    let (store, tree) = locked(&sandbox);
    let lock = Arc::new(store.lock(&tree).expect("ours").expect("free"));
    let mut client = Client::start(&sandbox.server()).await;
    let locked = Arc::clone(&lock);
    let indexing = std::thread::spawn(move || {
        for done in 1..=30 {
            locked.report(done, 100);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    drop(lock);
    let params = json!({
        "name": "search_code", "arguments": { "query": "symbol = task_7" }, "_meta": { "progressToken": "mine" },
    });
    let answer = client.request("tools/call", params).await;
    indexing.join().expect("it reports");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let told: Vec<(f64, f64)> = client
        .notices
        .iter()
        .filter(|notice| notice["method"] == "notifications/progress")
        .map(|notice| {
            let params = &notice["params"];
            assert_eq!(params["progressToken"], "mine");
            (params["progress"].as_f64().expect("a number"), params["total"].as_f64().expect("a number"))
        })
        .collect();
    assert!(!told.is_empty(), "{:?}", client.notices);
    assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0), "{told:?}");
    assert!(told.iter().all(|(done, all)| *all == 100.0 && done <= all), "{told:?}");
}

#[tokio::test]
async fn of_the_graph_the_state_before_is_asked_and_the_answer_says_so() {
    let sandbox = Sandbox::new();
    let (store, tree) = locked(&sandbox);
    let mut client = Client::start(&impatient(&sandbox, Duration::from_secs(2))).await;
    let question = json!({ "symbol": "task_7" });
    while !client.text("impact", question.clone()).await.starts_with("Impact: task_7") {}
    let lock = hold(&store, &tree).await;
    for number in 100..200 {
        sandbox.write(&format!("tree/part_{number}.py"), &format!("def task_{number}():\n    pass\n"));
    }
    let text = client.text("impact", question).await;
    assert!(text.starts_with("Impact: task_7"), "{text}");
    assert!(text.contains("Warning: the index is being brought up to date"), "{text}");
    assert!(text.contains("this answer is of the state before"), "{text}");
    // The update does not reach the documents, and counts of code are not reported as documents.
    let text = client.text("reindex", json!({})).await;
    assert!(text.contains("indexing: ") && !text.contains("documents: "), "{text}");
    drop(lock);
}

#[tokio::test]
async fn a_project_that_is_slow_to_open_is_opened_once_and_not_waited_for() {
    let sandbox = Sandbox::parcel();
    let (go, opened) = mpsc::channel::<()>();
    let (opened, count) = (Mutex::new(opened), Arc::new(AtomicUsize::new(0)));
    let (options, counted) = (sandbox.options(), Arc::clone(&count));
    let (now, max_wait) = (options.open, Duration::from_millis(200));
    let open = Arc::new(move |root: &std::path::Path| {
        counted.fetch_add(1, Ordering::Relaxed);
        opened.lock().expect("no panic").recv().expect("a word");
        now(root)
    });
    let server = Server::new(sandbox.options().with_open(open).with_max_wait(max_wait)).expect("it is there");
    let mut client = Client::start(&server).await;
    for (tool, arguments) in
        [("search_code", json!({ "query": "symbol = Invoice" })), ("impact", json!({ "symbol": "Invoice" }))]
    {
        let text = client.text(tool, arguments).await;
        assert!(text.contains("is being opened") && text.contains("\nhint: "), "{text}");
    }
    go.send(()).expect("it waits");
    let status = async |client: &mut Client| client.text("index_directory", json!({})).await;
    while !status(&mut client).await.contains("holds: ") {}
    assert_eq!(count.load(Ordering::Relaxed), 1);
}
