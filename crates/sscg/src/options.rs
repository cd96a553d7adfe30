//! Options of an engine.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use derive_setters::Setters;
use sscg_core::{TokenCounter, quoted};
use sscg_embed::Reranker;
use sscg_format::{Renderer, renderer};
use sscg_index::{IndexOptions, Snapshot, Storage, Store};
use sscg_retrieve::{RankOptions, RerankOptions, Signal, SignalId};

use crate::Error;

/// Options of an engine.
///
/// ```
/// use std::sync::Arc;
///
/// use sscg::core::TokenCounter;
/// use sscg::{Engine, EngineOptions, SearchRequest, Storage};
///
/// /// One token per byte, as in a model without a vocabulary.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn count(&self, text: &str) -> usize {
///         text.len()
///     }
/// }
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n")?;
/// let options = EngineOptions::stored_in(Storage::Ephemeral).with_token_counter(Arc::new(Bytes));
/// let response = Engine::open_with(path, options)?.search(&SearchRequest::new("symbol = read"))?;
/// assert_eq!(response.answer.token_count, response.text.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Storage and sharing of the index.
    pub index: IndexOptions,
    /// Published index to answer from, without reading the tree (default none). Of the options of the index only the
    /// model is used, to embed questions; vectors of another model are not used.
    pub published: Option<Published>,
    /// Weights and other options of the ranking.
    pub rank: RankOptions,
    /// Model that reads the best chunks together with the question (default none).
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Number of the reranker's candidates and weight of its scores.
    pub rerank: RerankOptions,
    /// Custom signals with their own [weights](Signal::weight) (default none); see
    /// [`rank_with`](sscg_retrieve::rank_with). A hit that only they raise may count as weak.
    pub signals: Vec<Arc<dyn Signal>>,
    /// Custom formats for [`SearchRequest::format`](crate::SearchRequest::format) and
    /// [`GraphRequest::format`](crate::GraphRequest::format), besides the built-in ones (default none).
    pub renderers: Vec<Arc<dyn Renderer>>,
    /// Counter of the tokens of rendered answers (default [`O200k`](sscg_format::O200k)). The default always estimates
    /// the parts of an answer while it is composed, and counts look-ups, the vocabulary and the service graph.
    pub token_counter: Option<Arc<dyn TokenCounter>>,
}

impl EngineOptions {
    /// Returns the default options, with the index kept in `storage`.
    pub fn stored_in(storage: Storage) -> Self {
        Self { index: IndexOptions::default().with_storage(storage), ..Self::default() }
    }

    /// Checks the names of custom signals and formats.
    ///
    /// # Errors
    /// If a name is empty, or taken by a built-in or another custom one.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let taken = |what: &str, name: &str| {
            let problem = format!("the name {} of a custom {what} is empty or taken", quoted(name));
            Err(Error::request(problem, "give each another name"))
        };
        let ids: Vec<SignalId> = self.signals.iter().map(|signal| signal.id()).collect();
        for (at, id) in ids.iter().enumerate() {
            if id.as_str().is_empty() || id.is_built_in() || ids[..at].contains(id) {
                return taken("signal", id.as_str());
            }
        }
        let names: Vec<&str> = self.renderers.iter().map(|renderer| renderer.name()).collect();
        for (at, name) in names.iter().enumerate() {
            if name.is_empty() || renderer(name).is_some() || names[..at].contains(name) {
                return taken("format", name);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signals: Vec<SignalId> = self.signals.iter().map(|signal| signal.id()).collect();
        let renderers: Vec<&str> = self.renderers.iter().map(|renderer| renderer.name()).collect();
        f.debug_struct("EngineOptions")
            .field("index", &self.index)
            .field("published", &self.published)
            .field("rank", &self.rank)
            .field("reranker", &self.reranker)
            .field("rerank", &self.rerank)
            .field("signals", &signals)
            .field("renderers", &renderers)
            .finish_non_exhaustive()
    }
}

/// Index of a work tree that another process [publishes](Store::publish) in a store, such as one in object storage.
#[derive(Clone, Debug)]
pub struct Published {
    pub(crate) store: Arc<dyn Store>,
    tree: String,
}

impl Published {
    /// Names the index of `tree` in `store`. Nothing is read.
    pub fn new(store: Arc<dyn Store>, tree: impl Into<String>) -> Self {
        Self { store, tree: tree.into() }
    }

    /// Returns the name of the index, which takes the place of a directory.
    pub(crate) fn root(&self) -> PathBuf {
        PathBuf::from(format!("{}/{}", self.store.place(), self.tree))
    }

    /// Returns what was published last.
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        if let Some(snapshot) = Arc::clone(&self.store).detached(&self.tree)? {
            return Ok(snapshot);
        }
        let (known, tree, place) = (self.store.published()?, quoted(&self.tree), self.store.place());
        if known.contains(&self.tree) {
            let message = format!("this version cannot read the index of {tree} in {place}");
            return Err(Error::project(message, "publish it again with this version"));
        }
        let hint = match known.join(", ").as_str() {
            "" => "publish one with `sscg index --store`, or name another project".to_owned(),
            known => format!("name another tree (`--tree`): {known}"),
        };
        let message = format!("there is no index of {tree} in {place}");
        Err(Error::project(message, hint))
    }
}
