//! Facts loaded on first access.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{FileFacts, Outline};

/// Facts of a file behind their [`Outline`]. Access to anything outside the outline decodes the facts, once for all
/// clones.
///
/// Serialized as the facts alone.
#[derive(Clone, Debug)]
pub struct LazyFacts(Arc<Lazy>);

#[derive(Debug)]
struct Lazy {
    outline: Arc<Outline>,
    facts: LazyLock<FileFacts, Box<dyn FnOnce() -> FileFacts + Send>>,
}

impl LazyFacts {
    /// Creates facts with this outline that `load` supplies on first access. `load` runs at most once, on the first
    /// thread that needs the facts. Other threads block on it, so it must not wait for them. It is infallible, so its
    /// input must be validated before.
    pub fn new(outline: Outline, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self::behind(Arc::new(outline), load)
    }

    fn behind(outline: Arc<Outline>, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self(Arc::new(Lazy { outline, facts: LazyLock::new(Box::new(load)) }))
    }

    /// Returns the same facts, to be loaded by `load` on the next access. The decoded facts are freed with the last
    /// clone of `self`. `load` is as for [`LazyFacts::new`].
    pub fn released(&self, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self::behind(Arc::clone(&self.0.outline), load)
    }

    /// Returns the outline, without loading the facts.
    pub fn outline(&self) -> &Outline {
        &self.0.outline
    }

    /// Returns true if both are clones of one value, and therefore equal.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for LazyFacts {
    type Target = FileFacts;

    fn deref(&self) -> &FileFacts {
        &self.0.facts
    }
}

impl From<FileFacts> for LazyFacts {
    fn from(facts: FileFacts) -> Self {
        let lazy = Self::new(Outline::of(&facts), || facts);
        LazyLock::force(&lazy.0.facts);
        lazy
    }
}

impl Serialize for LazyFacts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FileFacts::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for LazyFacts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FileFacts::deserialize(deserializer).map(Self::from)
    }
}
