//! Static models in the Model2Vec format.

mod tensors;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use tokenizers::{ModelWrapper, Tokenizer};

use crate::{Batch, EmbedError, Embedder, Estimate, Input, normalize};
use tensors::Tensors;

/// Static model: one vector per token; the mean of these is the vector of a text.
///
/// The directory holds `model.safetensors`, `tokenizer.json` and `config.json`, as the Python package `model2vec`
/// writes them and publishers of such models offer them. Vectors equal those of the package: tokens unknown to the
/// tokenizer are dropped, and so is the text after the 512th token, or after 512 times the median number of characters
/// of the model's tokens.
///
/// ```no_run
/// use sscg_embed::{Embedder, Input, Model2Vec};
///
/// let model = Model2Vec::open("models/potion-code-16M")?;
/// let vectors = model.embed(&["fn open(path: &Path) -> File"], Input::Document)?;
/// assert_eq!(vectors[0].len(), model.dimension());
/// # Ok::<(), sscg_embed::EmbedError>(())
/// ```
#[derive(Debug)]
pub struct Model2Vec {
    tensors: Tensors,
    tokenizer: Tokenizer,
    /// Token that stands for unknown input.
    unknown: Option<u32>,
    /// Maximum number of characters of a text that are tokenized.
    max_chars: usize,
    normalize: bool,
    id: String,
}

/// Maximum number of tokens of a text: the default of the Python package.
const MAX_TOKENS: usize = 512;

/// Number of texts per batch.
const BATCH_TEXTS: usize = 1024;

impl Model2Vec {
    /// Reads a model. O(bytes of its files), none of which is kept open.
    ///
    /// # Errors
    /// [`EmbedError::Model`] with the file that is missing, corrupt, or inconsistent with the others.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, EmbedError> {
        let directory = directory.as_ref();
        let [model, vocabulary, config] = [
            ModelFile::read(directory, "model.safetensors")?,
            ModelFile::read(directory, "tokenizer.json")?,
            ModelFile::read(directory, "config.json")?,
        ];
        let settings: Config =
            serde_json::from_slice(&config.bytes).map_err(|error| config.damaged(error))?;
        let tokenizer =
            Tokenizer::from_bytes(&vocabulary.bytes).map_err(|error| vocabulary.damaged(error))?;
        let tokens = tokenizer.get_vocab(true);
        let ids = tokens.values().max().map_or(0, |largest| *largest as usize + 1);
        let tensors = Tensors::read(&model.bytes, ids).map_err(|message| model.damaged(message))?;
        let mut hasher = blake3::Hasher::new();
        for file in [&model, &vocabulary, &config] {
            hasher.update(&(file.bytes.len() as u64).to_le_bytes()).update_rayon(&file.bytes);
        }
        let hash = hasher.finalize().to_hex();
        let mut lengths: Vec<usize> = tokens.keys().map(|token| token.chars().count()).collect();
        Ok(Model2Vec {
            id: format!("model2vec/{}/{}", &hash[..12], tensors.dimension()),
            unknown: unknown_token(&tokenizer),
            max_chars: MAX_TOKENS * median(&mut lengths),
            normalize: settings.normalize,
            tensors,
            tokenizer,
        })
    }

    /// Returns the vector of one text.
    fn embed_text(&self, text: &str) -> Vec<f32> {
        let ids = self.tokens(text);
        let mut vector = vec![0.0; self.tensors.dimension()];
        for id in &ids {
            self.tensors.add(*id, &mut vector);
        }
        if self.normalize {
            normalize(&mut vector);
        } else if !ids.is_empty() {
            vector.iter_mut().for_each(|number| *number /= ids.len() as f32);
        }
        vector
    }

    /// Returns the tokens that contribute to a text's vector.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let end = text.char_indices().nth(self.max_chars).map_or(text.len(), |(end, _)| end);
        // A text that the tokenizer rejects has no tokens.
        let Ok(encoding) = self.tokenizer.encode_fast(&text[..end], false) else { return Vec::new() };
        let known = encoding.get_ids().iter().copied().filter(|id| Some(*id) != self.unknown);
        known.take(MAX_TOKENS).collect()
    }
}

impl Embedder for Model2Vec {
    /// Returns an ID with the hash of the files, which stays the same if the model moves.
    fn model_id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.tensors.dimension()
    }

    fn max_tokens(&self) -> usize {
        MAX_TOKENS
    }

    /// Embeds queries and documents alike, using all threads of the current pool.
    fn embed_batches(
        &self,
        texts: &[&str],
        _: Input,
        done: &mut dyn FnMut(Batch) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        for (number, batch) in texts.chunks(BATCH_TEXTS).enumerate() {
            let start = number * BATCH_TEXTS;
            let vectors = batch.par_iter().map(|text| self.embed_text(text)).collect();
            if done(Batch { texts: start..start + batch.len(), vectors }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Counts tokens exactly, which takes about as long as embedding.
    fn estimate(&self, texts: &[&str]) -> Estimate {
        let tokens = texts.par_iter().map(|text| self.tokens(text).len() as u64).sum();
        Estimate { texts: texts.len(), tokens, requests: 0, dollars: None }
    }
}

/// Settings of `config.json` that change vectors.
#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    normalize: bool,
}

/// File of the directory, read whole.
struct ModelFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl ModelFile {
    fn read(directory: &Path, name: &str) -> Result<Self, EmbedError> {
        let path = directory.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(ModelFile { path, bytes }),
            Err(error) => Err(EmbedError::Model { message: error.to_string(), path }),
        }
    }

    fn damaged(&self, message: impl ToString) -> EmbedError {
        EmbedError::Model { path: self.path.clone(), message: message.to_string() }
    }
}

/// Returns the token that the package drops. Unigram models have one too, but there it counts like any other.
fn unknown_token(tokenizer: &Tokenizer) -> Option<u32> {
    let token = match tokenizer.get_model() {
        ModelWrapper::BPE(model) => model.get_unk_token().as_deref(),
        ModelWrapper::WordPiece(model) => Some(model.unk_token.as_str()),
        ModelWrapper::WordLevel(model) => Some(model.unk_token.as_str()),
        ModelWrapper::Unigram(_) => None,
    };
    tokenizer.token_to_id(token?)
}

/// Returns the median, rounded down; at least 1.
fn median(lengths: &mut [usize]) -> usize {
    lengths.sort_unstable();
    let middle = lengths.len() / 2;
    let median = match lengths {
        [] => 0,
        lengths if lengths.len() % 2 == 1 => lengths[middle],
        lengths => lengths[middle - 1].midpoint(lengths[middle]),
    };
    median.max(1)
}
