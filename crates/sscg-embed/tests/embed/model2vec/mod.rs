//! Tests of Model2Vec directories against vectors of the Python package; `make.py` wrote both.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sscg_embed::{EmbedError, Embedder, Input, Model2Vec};
use tempfile::TempDir;

const MODELS: [&str; 4] = ["plain", "half", "eight_bits", "shared_rows"];

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/embed/model2vec").join(name)
}

/// Returns the error for a copy of a model with one file changed, or removed if `change` returns `None`.
fn damaged(name: &str, file: &str, change: impl Fn(Vec<u8>) -> Option<Vec<u8>>) -> EmbedError {
    let copy = TempDir::new().unwrap();
    for entry in fs::read_dir(directory(name)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let path = copy.path().join(file);
    match change(fs::read(&path).unwrap()) {
        Some(bytes) => fs::write(&path, bytes).unwrap(),
        None => fs::remove_file(&path).unwrap(),
    }
    let error = Model2Vec::open(copy.path()).unwrap_err();
    assert!(matches!(&error, EmbedError::Model { path: named, .. } if *named == path), "{error:?}");
    error
}

/// Replaces text in a JSON header, which is preceded by its length.
fn with_header(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + length]).unwrap();
    assert!(header.contains(from), "{header}");
    let header = header.replace(from, to);
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[8 + length..]].concat()
}

#[test]
fn vectors_are_those_of_the_python_package() {
    let expected: Value = serde_json::from_slice(&fs::read(directory("expected.json")).unwrap()).unwrap();
    let texts: Vec<&str> =
        expected["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    for name in MODELS {
        let model = Model2Vec::open(directory(name)).unwrap();
        let vectors = model.embed(&texts, Input::Document).unwrap();
        let expected: Vec<Vec<f32>> = serde_json::from_value(expected[name].clone()).unwrap();
        for ((text, vector), expected) in texts.iter().zip(&vectors).zip(&expected) {
            assert_eq!(vector.len(), 6);
            let largest = expected.iter().fold(1e-3_f32, |largest, number| largest.max(number.abs()));
            for (number, expected) in vector.iter().zip(expected) {
                // Sixteen bits have three digits, and the package computes the mean in them.
                assert!(
                    (number - expected).abs() / largest < 2e-3,
                    "{name}, `{text}`: {vector:?} {expected:?}"
                );
            }
            let dot: f32 = vector.iter().zip(expected).map(|(number, expected)| number * expected).sum();
            let lengths =
                [vector, expected].map(|vector| vector.iter().map(|number| number.powi(2)).sum::<f32>());
            let cosine = dot / (lengths[0] * lengths[1]).sqrt();
            assert!(lengths == [0.0; 2] || (cosine - 1.0).abs() < 1e-4, "{name}, `{text}`: {cosine}");
        }
    }
}

#[test]
fn batches_cover_all_texts_and_tokens_are_counted() {
    let model = Model2Vec::open(directory("plain")).unwrap();
    let texts: Vec<&str> =
        std::iter::repeat_n(["file", "parser", "[UNK]", "close the file"], 700).flatten().collect();
    let mut end = 0;
    model
        .embed_batches(&texts, Input::Query, &mut |batch| {
            assert_eq!((batch.texts.start, batch.texts.len()), (end, batch.vectors.len()));
            end = batch.texts.end;
            if end > 2000 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(end, 2048);
    assert_eq!(model.embed(&texts, Input::Query).unwrap().len(), 2800);
    let estimate = model.estimate(&["a ".repeat(1000).as_str()]);
    assert_eq!((estimate.texts, estimate.tokens, estimate.requests, estimate.dollars), (1, 512, 0, None));
}

#[test]
fn the_name_is_that_of_the_content() {
    let ids = MODELS.map(|name| Model2Vec::open(directory(name)).unwrap().model_id().to_owned());
    for (at, id) in ids.iter().enumerate() {
        assert!(id.starts_with("model2vec/") && id.ends_with("/6"), "{id}");
        assert!(!ids[..at].contains(id));
    }
}

#[test]
fn a_damaged_model_is_named_with_its_file() {
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        let _ = damaged("plain", file, |_| None);
        let _ = damaged("plain", file, |bytes| Some(bytes[..bytes.len() / 2].to_vec()));
        let _ = damaged("plain", file, |_| Some(b"Not here.".to_vec()));
    }
    let model =
        |name, from, to| damaged(name, "model.safetensors", |bytes| Some(with_header(&bytes, from, to)));
    let cases = [
        ("plain", "embeddings", "other", "no tensor `embeddings`"),
        ("plain", "F32", "I32", "type I32"),
        ("plain", "[60,6]", "[360]", "no matrix"),
        ("plain", "[60,6]", "[30,12]", "`embeddings` has 30 entries for 60 tokens"),
        ("shared_rows", "[8,6]", "[4,12]", "`mapping` leads to row"),
    ];
    for (name, from, to, reason) in cases {
        let error = model(name, from, to).to_string();
        assert!(error.contains(reason), "{error}");
    }
    let infinite = damaged("plain", "model.safetensors", |mut bytes| {
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
        Some(bytes)
    });
    assert!(infinite.to_string().contains("not finite"), "{infinite}");
}
