//! Manifests as they are kept.

use std::collections::{BTreeMap, HashSet};

use lancedb::{Connection, Error as LanceError};
use serde::{Deserialize, Serialize};
use sscg_index::{FactsKey, ManifestEntry};

use crate::content::{Content, read_bytes};

/// The manifest of a tree.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredManifest {
    pub(crate) entries: Vec<ManifestEntry>,
    /// The keys of facts that earlier manifests named, with the day on which one last did.
    pub(crate) released: BTreeMap<String, u32>,
}

impl StoredManifest {
    /// The manifest in bytes; `None` if they are of another version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("manifests have no unserialisable part")
    }

    /// What follows it on a day.
    pub(crate) fn replaced_by(mut self, entries: &[ManifestEntry], day: u32) -> Self {
        self.released
            .extend(self.entries.iter().filter_map(ManifestEntry::key).map(|key| (facts_key(&key), day)));
        let named: HashSet<String> =
            entries.iter().filter_map(ManifestEntry::key).map(|key| facts_key(&key)).collect();
        self.released.retain(|key, _| !named.contains(key));
        Self { entries: entries.to_vec(), released: self.released }
    }
}

/// A manifest in the store.
pub(crate) struct KeptManifest {
    pub(crate) tree: String,
    /// The day on which someone asked for it last.
    pub(crate) day: u32,
    pub(crate) manifest: StoredManifest,
}

/// Every manifest of a store.
pub(crate) async fn manifests(connection: &Connection) -> Result<Vec<KeptManifest>, LanceError> {
    let days = Content::Manifests.days(connection).await?;
    let trees: Vec<String> = days.iter().map(|(tree, _)| tree.clone()).collect();
    let mut found = Content::Manifests.get(connection, &trees, read_bytes).await?;
    let kept = days.into_iter().map(|(tree, day)| {
        let manifest = found.remove(&tree).and_then(|bytes| StoredManifest::decode(&bytes));
        KeptManifest { tree, day, manifest: manifest.unwrap_or_default() }
    });
    Ok(kept.collect())
}

/// The key under which facts are kept.
pub(crate) fn facts_key(key: &FactsKey) -> String {
    key.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
