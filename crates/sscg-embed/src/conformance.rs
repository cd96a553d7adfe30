//! Contracts that every [`Embedder`] and [`Reranker`] must meet. Implementations run these checks in their tests.

use std::ops::ControlFlow;

use crate::{Batch, Embedder, Input, Reranker};

/// Number of embedded texts, more than one batch of most models.
const TEXTS: usize = 1500;

/// Number of reranked documents, more than one request of most providers.
const DOCUMENTS: usize = 60;

/// Texts that a model may not expect: blanks, several scripts, marks without letters, control characters, no word.
const UNUSUAL: [&str; 7] = [
    " \n\t",
    "\u{1F980}\u{e9}\n\n\t ",
    "日本語のコメント",
    "\u{202e}שלום عالم",
    "e\u{301}\u{301}\u{301} \u{301}",
    "a\u{0}b\u{7f}\u{feff}\u{fffd}",
    "{}();",
];

/// Allowed difference of two results for the same input, relative to their size: a model may compute texts in batches
/// with numbers of 16 bits, where the sum depends on the batch.
const TOLERANCE: f32 = 0.01;

/// Checks an embedding model: its ID contains the dimension; each text has one finite vector of that dimension, also if
/// it is long or unusual, and an empty text has zeros; a text has the same vector each time, alone and among others;
/// batches cover each text once; the estimate counts the texts.
///
/// Embeds 4,500 short texts and one of 500,000 bytes.
///
/// # Panics
/// If the model violates the contract, or fails.
pub fn check_embedder(embedder: &dyn Embedder) {
    let (id, dimension) = (embedder.model_id(), embedder.dimension());
    assert!(dimension > 0 && embedder.max_tokens() > 0, "`{id}`: the dimension or the length of a text is 0");
    assert!(id.contains(&dimension.to_string()), "the ID `{id}` does not contain the dimension {dimension}");
    assert_eq!(
        (embedder.model_id(), embedder.dimension()),
        (id, dimension),
        "the ID or the dimension changed"
    );
    let words = ["file", "parse the text", "read", "a", "close the file and the parser"];
    let texts: Vec<String> =
        (0..TEXTS).map(|at| format!("{} ", words[at % words.len()]).repeat(1 + at % 3)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embed(embedder, &texts, Input::Document);
    let batched = embed_in_batches(embedder, &texts);
    for (text, (vector, batched)) in texts.iter().zip(vectors.iter().zip(batched)) {
        assert!(alike(vector, &batched), "{text:?} has another vector the second time, in batches");
    }
    for at in [0, 1, 2, TEXTS / 2, TEXTS - 1] {
        let alone = &embed(embedder, &[texts[at]], Input::Document)[0];
        assert!(alike(alone, &vectors[at]), "{:?} has another vector alone than among others", texts[at]);
    }
    for input in [Input::Query, Input::Document] {
        assert!(embed(embedder, &[], input).is_empty(), "there is a vector without a text");
        let empty = &embed(embedder, &["file", ""], input)[1];
        assert!(empty.iter().all(|number| *number == 0.0), "an empty text has the vector {empty:?}");
        embed(embedder, &UNUSUAL, input);
    }
    embed(embedder, &["file ".repeat(100_000).as_str()], Input::Query);
    assert_eq!(embedder.estimate(&texts).texts, TEXTS, "the estimate has another number of texts");
    assert_eq!(embedder.estimate(&[]).tokens, 0, "there are tokens without a text");
}

/// Returns the vectors of the texts, after a check of their number, dimension and components.
fn embed(embedder: &dyn Embedder, texts: &[&str], input: Input) -> Vec<Vec<f32>> {
    let vectors = embedder.embed(texts, input).expect("the texts can be embedded");
    assert_eq!(vectors.len(), texts.len(), "the number of vectors is not that of the texts");
    for (text, vector) in texts.iter().zip(&vectors) {
        let start: String = text.chars().take(40).collect();
        assert_eq!(vector.len(), embedder.dimension(), "the vector of {start:?} has another dimension");
        assert!(vector.iter().all(|number| number.is_finite()), "the vector of {start:?} is not finite");
    }
    vectors
}

/// Returns the vectors as batches hand them over, after a check that they cover each text once, and none twice if the
/// caller stops.
fn embed_in_batches(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Vec<f32>> {
    let collect = |after: ControlFlow<()>| {
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        let keep = &mut |batch: Batch| {
            assert_eq!(batch.texts.len(), batch.vectors.len(), "a batch has not one vector per text");
            for (text, vector) in batch.texts.zip(batch.vectors) {
                assert!(vectors[text].replace(vector).is_none(), "text {text} is handed over twice");
            }
            after
        };
        embedder.embed_batches(texts, Input::Document, keep).expect("the texts can be embedded");
        vectors
    };
    collect(ControlFlow::Break(()));
    let vectors: Option<Vec<_>> = collect(ControlFlow::Continue(())).into_iter().collect();
    vectors.expect("the batches cover each text")
}

fn alike(one: &[f32], other: &[f32]) -> bool {
    let length = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|it| it * it).sum::<f32>().sqrt();
    let apart = length(&mut one.iter().zip(other).map(|(a, b)| a - b));
    one.len() == other.len() && apart <= TOLERANCE * length(&mut one.iter().copied())
}

/// Checks a reranking model: it has an ID; each document has one finite score, also if document or query is empty or
/// unusual, or the document long; the scores are the same each time, and in the order of the documents: the best one
/// stays the best if the order is reversed.
///
/// Sends about 300 short documents and one of 500,000 bytes.
///
/// # Panics
/// If the model violates the contract, or fails.
pub fn check_reranker(reranker: &dyn Reranker) {
    let id = reranker.model_id();
    assert!(!id.is_empty(), "the ID is empty");
    assert_eq!(reranker.model_id(), id, "the ID changed");
    let query = "how are retries scheduled";
    let verbs = ["schedule_retry", "close", "open_file", "parse", "retry"];
    let documents: Vec<String> = (0..DOCUMENTS)
        .map(|at| format!("src/{at}.rs\nfn {}() {{}}\n", verbs[at % 5].repeat(1 + at % 7)))
        .collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    for count in [0, 1, 2, DOCUMENTS] {
        let documents = &documents[..count];
        let scores = rerank(reranker, query, documents);
        let largest = scores.iter().fold(0.0_f32, |largest, score| largest.max(score.abs()));
        for ((document, score), again) in
            documents.iter().zip(&scores).zip(rerank(reranker, query, documents))
        {
            let apart = (score - again).abs();
            assert!(apart <= TOLERANCE * largest, "{document:?} has another score the second time");
        }
        let reversed: Vec<&str> = documents.iter().rev().copied().collect();
        let mut reversed = rerank(reranker, query, &reversed);
        reversed.reverse();
        if let Some(best) = (0..count).max_by(|a, b| scores[*a].total_cmp(&scores[*b])) {
            let better = reversed.iter().find(|score| **score > reversed[best] + TOLERANCE * largest);
            assert!(
                better.is_none(),
                "the scores are not in the order of the documents: {scores:?} {reversed:?}"
            );
        }
    }
    rerank(reranker, query, &[""]);
    rerank(reranker, query, &UNUSUAL);
    rerank(reranker, query, &["file ".repeat(100_000).as_str()]);
    for query in UNUSUAL.iter().chain(&[""]) {
        rerank(reranker, query, &documents[..2]);
    }
}

/// Returns the scores of the documents, after a check that each has one and that they are finite.
fn rerank(reranker: &dyn Reranker, query: &str, documents: &[&str]) -> Vec<f32> {
    let scores = reranker.rerank(query, documents).expect("the documents can be scored");
    assert_eq!(scores.len(), documents.len(), "the number of scores is not that of the documents");
    assert!(scores.iter().all(|score| score.is_finite()), "{query:?}: a score is not finite: {scores:?}");
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmbedError, Estimate};

    /// Model whose vectors count some letters, with a change of the vectors of each call.
    #[derive(Debug)]
    struct Letters(fn(&mut Vec<Vec<f32>>));

    impl Embedder for Letters {
        fn model_id(&self) -> &str {
            "letters-3"
        }

        fn dimension(&self) -> usize {
            3
        }

        fn max_tokens(&self) -> usize {
            usize::MAX
        }

        fn embed_batches(
            &self,
            texts: &[&str],
            _input: Input,
            done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
        ) -> Result<(), EmbedError> {
            let vector = |text: &&str| ["f", "a", "e"].map(|it| text.matches(it).count() as f32).to_vec();
            let mut vectors = texts.iter().map(vector).collect();
            (self.0)(&mut vectors);
            let _ = done(Batch::new(0..texts.len(), vectors));
            Ok(())
        }

        fn estimate(&self, texts: &[&str]) -> Estimate {
            Estimate::default().with_texts(texts.len())
        }
    }

    /// Model that prefers long documents, with a change of the scores of each call.
    #[derive(Debug)]
    struct Length(fn(&mut Vec<f32>));

    impl Reranker for Length {
        fn model_id(&self) -> &str {
            "length"
        }

        fn rerank(&self, _query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
            let mut scores = documents.iter().map(|document| document.len() as f32).collect();
            (self.0)(&mut scores);
            Ok(scores)
        }
    }

    #[test]
    fn right_ones_pass() {
        check_embedder(&Letters(|_| ()));
        check_reranker(&Length(|_| ()));
    }

    #[test]
    #[should_panic = "another vector alone than among others"]
    fn vectors_in_another_order_are_found() {
        check_embedder(&Letters(|vectors| vectors.reverse()));
    }

    #[test]
    #[should_panic = "has another dimension"]
    fn another_dimension_is_found() {
        check_embedder(&Letters(|vectors| vectors.iter_mut().for_each(|vector| vector.push(0.0))));
    }

    #[test]
    #[should_panic = "an empty text has the vector"]
    fn a_vector_of_an_empty_text_is_found() {
        check_embedder(&Letters(|vectors| vectors.iter_mut().for_each(|vector| vector[0] += 1.0)));
    }

    #[test]
    #[should_panic = "is not finite"]
    fn unit_vectors_of_nothing_are_found() {
        check_embedder(&Letters(|vectors| {
            for vector in vectors {
                let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
                vector.iter_mut().for_each(|number| *number /= length);
            }
        }));
    }

    #[test]
    #[should_panic = "not in the order of the documents"]
    fn scores_best_first_are_found() {
        check_reranker(&Length(|scores| scores.sort_by(|a, b| b.total_cmp(a))));
    }

    #[test]
    #[should_panic = "is not that of the documents"]
    fn missing_scores_are_found() {
        check_reranker(&Length(|scores| scores.truncate(50)));
    }

    #[test]
    #[should_panic = "a score is not finite"]
    fn infinite_scores_are_found() {
        check_reranker(&Length(|scores| scores.iter_mut().for_each(|score| *score = 1.0 / (*score - 3.0))));
    }

    #[test]
    #[cfg(feature = "model2vec")]
    fn static_models_meet_the_contract() {
        // The model `plain` pads, so that even an empty text has tokens.
        for name in ["half", "eight_bits", "shared_rows"] {
            let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/embed/model2vec");
            check_embedder(&crate::Model2Vec::open(directory.join(name)).expect("a valid model"));
        }
    }

    #[cfg(feature = "http")]
    mod http {
        use std::thread;

        use serde_json::{Value, json};

        use super::super::*;
        use crate::{HttpEmbedder, HttpEmbedderOptions, HttpReranker, HttpRerankerOptions};

        /// Starts a provider that gives each text of the field `texts` a result, and returns its address.
        fn provider(texts: &'static str, result: fn(usize, usize) -> Value) -> String {
            let server = tiny_http::Server::http("127.0.0.1:0").expect("a free port");
            let address = format!("http://{}/v1", server.server_addr());
            thread::spawn(move || {
                for mut request in server.incoming_requests() {
                    let received: Value = serde_json::from_reader(request.as_reader()).expect("JSON");
                    let texts = received[texts].as_array().expect("a list").iter();
                    let lengths = texts.map(|text| text.as_str().expect("a text").len());
                    let results: Vec<Value> =
                        lengths.enumerate().map(|(at, length)| result(at, length)).collect();
                    let response = json!({"data": results}).to_string();
                    request.respond(tiny_http::Response::from_string(response)).expect("a client that waits");
                }
            });
            address
        }

        #[test]
        fn providers_of_vectors_meet_the_contract() {
            let address = provider("input", |at, length| json!({"index": at, "embedding": [length, 1]}));
            let options = HttpEmbedderOptions::openai_compatible(address, "small").with_dimension(2);
            check_embedder(&HttpEmbedder::new(options).expect("valid options"));
        }

        #[test]
        fn providers_of_scores_meet_the_contract() {
            let address = provider("documents", |at, length| json!({"index": at, "relevance_score": length}));
            let options = HttpRerankerOptions::cohere_compatible(address, "rerank");
            check_reranker(&HttpReranker::new(options.with_batch_documents(32)).expect("valid options"));
        }
    }
}
