//! Tests of vectors from a custom model: the texts it receives, and how its failures are handled.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sscg_embed::{
    Batch, EmbedError, Embedder, Estimate, HttpEmbedder, HttpEmbedderOptions, Input, Model2Vec,
};
use sscg_index::{Index, IndexError, IndexOptions, Progress, RefreshReport, Snapshot, Storage};

use crate::tree::{Tree, refresh};

/// Model that records the texts it receives.
#[derive(Debug)]
struct Counted {
    model: Arc<dyn Embedder>,
    given: Mutex<Vec<String>>,
}

impl Counted {
    fn new(model: impl Embedder + 'static) -> Arc<Self> {
        Arc::new(Self { model: Arc::new(model), given: Mutex::default() })
    }

    /// Returns the texts received since the last call, sorted.
    fn take(&self) -> Vec<String> {
        let mut given = std::mem::take(&mut *self.given.lock().expect("nothing panics with it"));
        given.sort();
        given
    }
}

impl Embedder for Counted {
    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn max_tokens(&self) -> usize {
        self.model.max_tokens()
    }

    fn embed_batches(
        &self,
        texts: &[&str],
        input: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        self.given.lock().expect("nothing panics with it").extend(texts.iter().map(ToString::to_string));
        self.model.embed_batches(texts, input, done)
    }

    fn estimate(&self, texts: &[&str]) -> Estimate {
        self.model.estimate(texts)
    }
}

fn static_model(name: &str) -> Arc<Counted> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sscg-embed/tests/embed/model2vec");
    Counted::new(Model2Vec::open(models.join(name)).expect("part of the fixtures"))
}

fn open(tree: &Tree, root: &Path, model: &Arc<Counted>) -> Index {
    let storage = Storage::Directory(tree.beside("index"));
    let embedder: Arc<dyn Embedder> = Arc::clone(model) as _;
    let options = IndexOptions::default().with_storage(storage).with_embedder(embedder);
    Index::open(root, &options).expect("the tree exists")
}

/// Returns the snapshot of a new process, and the texts it had to embed.
fn index(tree: &Tree, model: &Arc<Counted>) -> (Arc<Snapshot>, Vec<String>) {
    let (snapshot, _) = refresh(&mut open(tree, &tree.root(), model));
    check(&snapshot, model);
    let given = model.take();
    // Uses the inner model, so that the comparison is not recorded.
    check_vectors(&snapshot, &*model.model);
    (snapshot, given)
}

fn check(snapshot: &Snapshot, model: &Arc<Counted>) {
    let vectors = snapshot.vectors();
    assert_eq!((vectors.model(), vectors.missing()), (model.model_id(), 0));
    assert_eq!(vectors.chunks().len(), snapshot.project.chunk_count());
    assert_eq!(vectors.paths().len(), snapshot.project.files().len());
}

/// Checks that each row is the model's vector of the chunk's text.
fn check_vectors(snapshot: &Snapshot, model: &dyn Embedder) {
    let mut expected = sscg_embed::Matrix::new(model.dimension());
    for file in snapshot.project.files().iter() {
        let text = fs::read_to_string(snapshot.root.join(&*file.path)).expect("indexed");
        for chunk in file.facts.chunks.ids() {
            let text = file.facts.chunk_text(chunk, &text, file.language.stub);
            expected.push(&model.embed(&[&text], Input::Document).expect("it is at hand")[0]);
        }
    }
    assert!(*snapshot.vectors().chunks() == expected);
}

const SHOP: &str = "class Shop:\n    def sell(self, price):\n        return price\n\n    def close(self):\n        return 0\n";
const CLOCK: &str = "def tick():\n    return 1\n";

fn shop() -> Tree {
    Tree::new(&[("shop.py", SHOP), ("lib/clock.py", CLOCK)])
}

#[test]
fn each_text_is_embedded_once() {
    let (tree, model) = (shop(), static_model("plain"));
    tree.write("copy/clock.py", CLOCK);
    let (snapshot, given) = index(&tree, &model);
    let tick = "def tick():\n    return 1";
    assert_eq!(given.iter().filter(|text| text.trim_end() == tick).count(), 1, "{given:?}");
    for words in ["shop", "lib clock", "copy clock"] {
        assert!(given.iter().any(|text| text == words), "{given:?}");
    }
    let mut unique = given.clone();
    unique.dedup();
    assert_eq!(unique, given);
    assert_eq!(snapshot.project.chunk_count(), 5);
    assert_eq!(index(&tree, &model).1, Vec::<String>::new());
}

#[test]
fn a_body_is_embedded_alone_and_a_signature_with_what_shows_it() {
    let (tree, model) = (shop(), static_model("plain"));
    let mut hot = open(&tree, &tree.root(), &model);
    refresh(&mut hot);
    model.take();

    tree.write("shop.py", &SHOP.replace("return price", "return 2 * price"));
    check(&refresh(&mut hot).0, &model);
    let given = model.take();
    assert_eq!(given.len(), 1, "{given:?}");
    assert!(given[0].contains("return 2 * price"), "{given:?}");

    tree.write("shop.py", &SHOP.replace("sell(self, price)", "sell(self, price, count)"));
    check(&refresh(&mut hot).0, &model);
    let given = model.take();
    assert_eq!(given.len(), 2, "{given:?}");
    assert!(given.iter().all(|text| text.contains("sell(self, price, count)")), "{given:?}");
    assert!(given.iter().any(|text| text.starts_with("class Shop")), "{given:?}");

    // The vectors of the earlier state are still in the store.
    tree.write("shop.py", SHOP);
    let (snapshot, _) = refresh(&mut hot);
    assert_eq!(model.take(), Vec::<String>::new());
    check_vectors(&snapshot, &*model.model);
}

#[test]
fn a_renamed_file_is_embedded_as_its_new_words_and_another_work_tree_not_at_all() {
    let (tree, model) = (shop(), static_model("plain"));
    fs::create_dir(tree.root().join(".git")).expect("ours");
    index(&tree, &model);
    fs::rename(tree.root().join("lib/clock.py"), tree.root().join("lib/wall_clock.py")).expect("ours");
    assert_eq!(index(&tree, &model).1, ["lib wall clock"]);

    let second = tree.root().join(".git/second");
    fs::create_dir_all(second.join("lib")).expect("ours");
    fs::write(second.join("shop.py"), SHOP).expect("ours");
    fs::write(second.join("lib/clock.py"), CLOCK).expect("ours");
    check(&refresh(&mut open(&tree, &second, &model)).0, &model);
    assert_eq!(model.take(), Vec::<String>::new());
}

#[test]
fn another_model_embeds_anew_and_parses_nothing() {
    let (tree, plain, half) = (shop(), static_model("plain"), static_model("half"));
    index(&tree, &plain);
    let (snapshot, report) = refresh(&mut open(&tree, &tree.root(), &half));
    assert_eq!(report.parsed, 0);
    check(&snapshot, &half);
    assert_eq!(half.take().len(), 6);
    let (snapshot, report) = tree.index();
    assert_eq!((report.parsed, snapshot.vectors().is_built_in()), (0, true));
    assert_eq!(index(&tree, &plain).1, Vec::<String>::new());
    assert_eq!(index(&tree, &half).1, Vec::<String>::new());
}

#[test]
fn vectors_that_a_work_tree_uses_are_no_garbage() {
    let (tree, model) = (shop(), static_model("plain"));
    let store = Arc::clone(open(&tree, &tree.root(), &model).store().expect("on disk"));
    let collect = || store.collect_garbage(0).expect("the store is whole").vectors;
    index(&tree, &model);
    assert_eq!(collect(), 0);
    tree.write("lib/clock.py", "def tick():\n    return 2\n");
    assert_eq!(index(&tree, &model).1.len(), 1);
    assert_eq!(store.collect_garbage(30).expect("whole").vectors, 0, "it was of use today");
    assert_eq!(collect(), 1);
    // Without its snapshot, the store must supply the vectors one by one.
    for entry in fs::read_dir(store.place()).expect("made") {
        let path: PathBuf = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "snapshot") {
            fs::remove_file(path).expect("ours");
        }
    }
    assert_eq!(index(&tree, &model).1, Vec::<String>::new());
    fs::remove_dir_all(tree.root()).expect("ours");
    store.collect_garbage(0).expect("the store is whole");
    assert_eq!(store.usage().expect("whole").vectors, 0);
}

/// Provider of vectors of a given dimension. Rejects texts that contain the word in `refused`, if there is one.
struct Provider {
    server: Arc<tiny_http::Server>,
    refused: Arc<Mutex<Option<&'static str>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Provider {
    fn start(dimension: usize, refused: Option<&'static str>) -> Self {
        let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port is free"));
        let refused = Arc::new(Mutex::new(refused));
        let thread = {
            let (server, refused) = (Arc::clone(&server), Arc::clone(&refused));
            std::thread::spawn(move || {
                while let Ok(mut request) = server.recv() {
                    let body: serde_json::Value = serde_json::from_reader(request.as_reader()).expect("JSON");
                    let word = *refused.lock().expect("nothing panics with it");
                    let (status, answer) =
                        if word.is_some_and(|word| body["input"].to_string().contains(word)) {
                            (401, serde_json::json!({"error": {"message": "no such key"}}))
                        } else {
                            let texts = body["input"].as_array().expect("a list").len();
                            let data = (0..texts).map(|index| {
                            serde_json::json!({"index": index, "embedding": vec![1.0; dimension]})
                        });
                            (200, serde_json::json!({"data": data.collect::<Vec<_>>()}))
                        };
                    let response =
                        tiny_http::Response::from_string(answer.to_string()).with_status_code(status);
                    _ = request.respond(response);
                }
            })
        };
        Self { server, refused, thread: Some(thread) }
    }

    /// Returns a model of two dimensions that sends one text per request.
    fn model(&self) -> Arc<Counted> {
        let url = format!("http://{}/v1", self.server.server_addr());
        let mut options = HttpEmbedderOptions::openai_compatible(url, "small");
        options.dimension = Some(2);
        options.batch_texts = 1;
        options.http.concurrency = 1;
        options.http.retries = 0;
        Counted::new(HttpEmbedder::new(options).expect("nothing is asked yet"))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it answers whatever comes");
        }
    }
}

fn refresh_with_warnings(index: &mut Index) -> (Arc<Snapshot>, RefreshReport) {
    index.refresh().expect("memory has no limit")
}

#[test]
fn what_a_provider_embedded_before_it_failed_stays() {
    let (tree, provider) = (shop(), Provider::start(2, Some("class Shop")));
    let model = provider.model();
    let (snapshot, report) = refresh_with_warnings(&mut open(&tree, &tree.root(), &model));
    assert_eq!((report.warnings.len(), report.embedding_failed), (1, true), "{report:?}");
    assert!(report.warnings[0].contains("no such key"), "{report:?}");
    let missing = snapshot.vectors().missing();
    assert!((1..6).contains(&missing), "{missing}");
    assert_eq!(model.take().len(), 6);

    // The next process tries again, and so does a long-lived one.
    let mut hot = open(&tree, &tree.root(), &model);
    let (again, report) = refresh_with_warnings(&mut hot);
    assert_eq!((report.parsed, report.warnings.len(), again.vectors().missing()), (0, 1, missing));
    assert_eq!(model.take().len(), missing);
    *provider.refused.lock().expect("nothing panics with it") = None;
    let (whole, _) = refresh(&mut hot);
    check(&whole, &model);
    assert_eq!(model.take().len(), missing);
    drop(hot);
    check(&refresh(&mut open(&tree, &tree.root(), &model)).0, &model);
    assert_eq!(model.take(), Vec::<String>::new());
}

#[test]
fn what_is_missing_is_asked_for_again_also_where_nothing_changes() {
    let (tree, provider) = (shop(), Provider::start(2, Some("class Shop")));
    let model = provider.model();
    // From now on, the times of the files reveal every change.
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    let mut hot = open(&tree, &tree.root(), &model);
    let missing = refresh_with_warnings(&mut hot).0.vectors().missing();
    model.take();
    for _ in 0..2 {
        assert_eq!(refresh_with_warnings(&mut hot).1.warnings.len(), 1);
        assert_eq!(model.take().len(), missing);
    }
    *provider.refused.lock().expect("nothing panics with it") = None;
    check(&refresh(&mut hot).0, &model);
    assert_eq!(model.take().len(), missing);
    check(&refresh(&mut hot).0, &model);
    assert_eq!(model.take(), Vec::<String>::new());
}

#[test]
fn a_provider_that_is_down_or_gives_another_dimension_costs_vectors_only() {
    let tree = shop();
    let wrong = Provider::start(3, None);
    let down = {
        let provider = Provider::start(2, None);
        provider.model()
    };
    for (model, says) in [(wrong.model(), "dimension"), (down, "check that it is up")] {
        let (snapshot, report) = refresh_with_warnings(&mut open(&tree, &tree.root(), &model));
        assert_eq!(report.warnings.len(), 1, "{report:?}");
        assert!(report.warnings[0].contains(says), "{report:?}");
        assert_eq!(snapshot.vectors().missing(), 6);
        assert_eq!(snapshot.project.symbol_count(), 4);
    }
}

#[test]
fn an_update_canceled_while_it_embeds_keeps_its_vectors() {
    let (tree, provider) = (shop(), Provider::start(2, None));
    let model = provider.model();
    let mut index = open(&tree, &tree.root(), &model);
    let observer = |progress| match progress {
        Progress::Embedding { done: 2.., .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let canceled = index.refresh_with_progress(&observer).expect_err("it is canceled");
    assert!(matches!(canceled, IndexError::Canceled), "{canceled}");
    assert_eq!(model.take().len(), 6);
    let (whole, report) = refresh(&mut index);
    assert_eq!(report.parsed, 0);
    check(&whole, &model);
    // The requests that were under way when it was canceled are finished, too.
    assert!(model.take().len() <= 4);
}
