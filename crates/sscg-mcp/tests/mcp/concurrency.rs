//! More concurrent calls than permits.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;
use sscg::embed::{EmbedError, Reranker};
use sscg::index::{EmbeddedStore, Store, index_directory};
use sscg_mcp::{OpenProject, Server, ServerOptions};

use crate::client::{Client, Sandbox, text_of};

/// Model that records its queries, and blocks them while it is shut.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_shut: bool,
    inside: usize,
    most: usize,
    asked: Vec<String>,
}

impl Gate {
    fn set_shut(&self, is_shut: bool) {
        self.state.lock().expect("nothing panics").is_shut = is_shut;
        self.changed.notify_all();
    }

    /// Returns once at least `count` queries are inside.
    async fn holds(self: &Arc<Self>, count: usize) {
        let gate = Arc::clone(self);
        let wait = move || {
            let state = gate.state.lock().expect("nothing panics");
            drop(gate.changed.wait_while(state, |state| state.inside < count).expect("nothing panics"));
        };
        tokio::task::spawn_blocking(wait).await.expect("nothing panics");
    }
}

impl Reranker for Gate {
    fn model_id(&self) -> &str {
        "gate"
    }

    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut state = self.state.lock().expect("nothing panics");
        state.asked.push(query.to_owned());
        state.inside += 1;
        state.most = state.most.max(state.inside);
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| state.is_shut).expect("nothing panics");
        state.inside -= 1;
        drop(state);
        Ok(vec![0.0; documents.len()])
    }
}

/// Returns options of a sandbox's server with this concurrency, with all calls going through a gate.
fn gated(sandbox: &Sandbox, concurrency: usize) -> (Arc<Gate>, ServerOptions) {
    let gate = Arc::<Gate>::default();
    let ServerOptions { open, .. } = sandbox.options();
    let reranker = Arc::clone(&gate);
    let open: OpenProject = Arc::new(move |project| {
        let mut options = open(project)?;
        options.engine.reranker = Some(Arc::clone(&reranker) as Arc<dyn Reranker>);
        Ok(options)
    });
    let concurrency = NonZero::new(concurrency).expect("some");
    (gate, sandbox.options().with_open(open).with_concurrency(concurrency))
}

fn call(id: u64, arguments: serde_json::Value) -> serde_json::Value {
    let params = json!({ "name": "search_code", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_are_answered_a_few_at_a_time() {
    let sandbox = Sandbox::parcel();
    let (gate, options) = gated(&sandbox, 2);
    let server = Server::new(options).expect("the tree is there");
    Client::start(&server).await.text("search_code", json!({ "query": "symbol = Invoice" })).await;
    gate.set_shut(true);
    let questions = [
        ("how is an invoice written", "Invoice"),
        ("how are parcels routed", "Route"),
        ("what is the price of a parcel", "price"),
    ];
    let ask = |at: usize| {
        let server = server.clone();
        tokio::spawn(async move {
            let (question, name) = questions[at % questions.len()];
            let text = Client::start(&server).await.text("search_code", json!({ "query": question })).await;
            assert!(text.contains(name), "{question}: {text}");
        })
    };
    let clients: Vec<_> = (0..12).map(ask).collect();
    gate.holds(2).await;
    gate.set_shut(false);
    for client in clients {
        client.await.expect("a right answer");
    }
    let state = gate.state.lock().expect("nothing panics");
    assert_eq!((state.most, state.asked.len()), (2, 12));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cancelled_before_its_turn_is_never_worked_on_and_takes_no_turn() {
    let sandbox = Sandbox::parcel();
    let (gate, options) = gated(&sandbox, 1);
    let server = Server::new(options).expect("the tree is there");
    let mut client = Client::start(&server).await;
    client.text("search_code", json!({ "query": "symbol = Invoice" })).await;
    gate.set_shut(true);
    client.send(&call(70, json!({ "query": "how is an invoice written" }))).await;
    gate.holds(1).await;
    for id in 71..75 {
        client.send(&call(id, json!({ "query": "how are parcels routed" }))).await;
        let cancelled = json!({ "requestId": id, "reason": "enough" });
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled });
        client.send(&cancel).await;
    }
    // Messages are read in order, so the cancellations have been read when this is answered.
    client.request("tools/list", json!({})).await;
    gate.set_shut(false);
    let first = client.receive().await;
    assert_eq!(first["id"], 70, "{first}");
    assert!(text_of(&first["result"]).contains("Invoice"), "{first}");
    let text = client.text("search_code", json!({ "query": "what is the price of a parcel" })).await;
    assert!(text.contains("price"), "{text}");
    let state = gate.state.lock().expect("nothing panics");
    assert_eq!(state.asked, ["how is an invoice written", "what is the price of a parcel"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_an_index_holds_up_nobody() {
    let sandbox = Sandbox::parcel();
    for number in 0..20 {
        sandbox.write(&format!("cold/part_{number}.py"), &format!("def task_{number}():\n    pass\n"));
    }
    let cold = sandbox.path("cold");
    let place = index_directory(&cold, Some(&sandbox.path("index"))).expect("a base is given");
    let store = EmbeddedStore::new(place);
    let lock = store.lock(&cold.to_string_lossy()).expect("ours").expect("free");
    let concurrency = NonZero::<usize>::MIN;
    let roots = vec![sandbox.tree(), cold];
    let server = Server::new(sandbox.options().with_concurrency(concurrency).with_roots(roots))
        .expect("they are there");
    // One call waits for its index; the others wait for that call and for the only permit.
    let mut waiting = Vec::new();
    for id in 70..74 {
        let mut client = Client::start(&server).await;
        client.send(&call(id, json!({ "query": "symbol = task_7", "project": "cold" }))).await;
        waiting.push(client);
    }
    let mut other = Client::start(&server).await;
    for _ in 0..3 {
        let question = json!({ "query": "symbol = Invoice", "project": "tree" });
        assert!(other.text("search_code", question).await.contains("class Invoice"));
    }
    drop(lock);
    for mut client in waiting {
        let answer = client.receive().await;
        assert!(text_of(&answer["result"]).contains("def task_7"), "{answer}");
    }
    let question = json!({ "query": "symbol = Invoice", "project": "tree" });
    assert!(other.text("search_code", question).await.contains("class Invoice"), "all turns are over");
}
