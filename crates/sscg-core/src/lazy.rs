//! Facts that are got when they are first asked for.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{FileFacts, Outline};

/// A file's facts behind their [`Outline`]: whoever looks at anything that is not in the outline has them decoded,
/// once for all clones.
///
/// Stores write it as the facts alone.
#[derive(Clone, Debug)]
pub struct LazyFacts(Arc<Lazy>);

#[derive(Debug)]
struct Lazy {
    outline: Arc<Outline>,
    facts: LazyLock<FileFacts, Box<dyn FnOnce() -> FileFacts + Send>>,
}

impl LazyFacts {
    /// Facts of this outline, which `load` gets. It is called at most once, on whichever thread asks first, and other
    /// threads wait for it, so it must not wait for them in turn. It cannot fail: what it reads has to be checked
    /// before.
    pub fn new(outline: Outline, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self::behind(Arc::new(outline), load)
    }

    fn behind(outline: Arc<Outline>, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self(Arc::new(Lazy { outline, facts: LazyLock::new(Box::new(load)) }))
    }

    /// The same facts, which `load` gets again once someone asks: what was decoded goes with the last clone of this.
    /// `load` is as for [`LazyFacts::new`].
    pub fn released(&self, load: impl FnOnce() -> FileFacts + Send + 'static) -> Self {
        Self::behind(Arc::clone(&self.0.outline), load)
    }

    /// What is known without the facts.
    pub fn outline(&self) -> &Outline {
        &self.0.outline
    }

    /// Whether these are clones of one value, and therefore equal.
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
