//! Stored form of manifests.

use std::collections::{BTreeMap, HashSet};

use lancedb::{Connection, Error as LanceError};
use serde::{Deserialize, Serialize};
use sscg_index::{FactsKey, ManifestEntry};

use crate::content::{Content, read_bytes};

/// Manifest of a tree.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredManifest {
    pub(crate) entries: Vec<ManifestEntry>,
    /// Keys of facts that only earlier manifests listed, with the last day on which one did.
    pub(crate) released: BTreeMap<String, u32>,
}

impl StoredManifest {
    /// Decodes a manifest; `None` if it has another version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("manifests have no unserializable part")
    }

    /// Returns the manifest that replaces this one on a day.
    pub(crate) fn replaced_by(mut self, entries: &[ManifestEntry], day: u32) -> Self {
        self.released
            .extend(self.entries.iter().filter_map(ManifestEntry::key).map(|key| (facts_key(&key), day)));
        let named: HashSet<String> =
            entries.iter().filter_map(ManifestEntry::key).map(|key| facts_key(&key)).collect();
        self.released.retain(|key, _| !named.contains(key));
        Self { entries: entries.to_vec(), released: self.released }
    }
}

/// Manifest in the store.
pub(crate) struct KeptManifest {
    pub(crate) tree: String,
    /// Day of its last use.
    pub(crate) day: u32,
    pub(crate) manifest: StoredManifest,
}

/// Returns every manifest of a store.
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

/// Returns the key of facts in the store.
pub(crate) fn facts_key(key: &FactsKey) -> String {
    key.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
