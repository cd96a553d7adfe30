//! Contract that every embedder must meet.

use std::ops::ControlFlow;

use sscg_embed::{Embedder, Input};

/// Checks an embedder against the contract of the trait.
pub(crate) fn check(embedder: &dyn Embedder) {
    let words = ["file", "parse the text", "read", "a", "close the file and the parser"];
    let texts: Vec<String> = (0..3000).map(|at| words[at % words.len()].repeat(1 + at % 3)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Input::Document).unwrap();
    assert_eq!(vectors.len(), texts.len());
    assert!(vectors.iter().all(|vector| vector.len() == embedder.dimension()));
    assert!(vectors.iter().flatten().all(|number| number.is_finite()));

    let mut batched = vec![None; texts.len()];
    let keep = &mut |batch: sscg_embed::Batch| {
        assert_eq!(batch.texts.len(), batch.vectors.len());
        for (text, vector) in batch.texts.zip(batch.vectors) {
            assert!(batched[text].replace(vector).is_none(), "text {text} came twice");
        }
        ControlFlow::Continue(())
    };
    embedder.embed_batches(&texts, Input::Document, keep).unwrap();
    assert!(batched.iter().map(Option::as_ref).eq(vectors.iter().map(Some)));

    for at in [0, 1, 1500, 2999] {
        assert_eq!(
            embedder.embed(&[texts[at]], Input::Document).unwrap()[0],
            vectors[at],
            "alone or among others"
        );
    }
    let blank = vec![0.0; embedder.dimension()];
    assert_eq!(embedder.embed(&["", "file"], Input::Query).unwrap()[0], blank);
    assert!(embedder.embed(&[], Input::Query).unwrap().is_empty());
    assert_eq!(embedder.embed(&["file ".repeat(100_000).as_str()], Input::Query).unwrap().len(), 1);

    let mut batches = 0;
    let stop = &mut |_| {
        batches += 1;
        ControlFlow::Break(())
    };
    embedder.embed_batches(&[], Input::Document, stop).unwrap();
    assert_eq!(batches, 0);
    assert_eq!(embedder.estimate(&texts).texts, texts.len());
    assert_eq!(embedder.estimate(&[]).tokens, 0);
    assert!(embedder.model_id().ends_with(&format!("/{}", embedder.dimension())));
    assert!(embedder.max_tokens() > 0);
}
