//! Keeps the index in memory, with a custom store that several engines share: the second one parses nothing.
//!
//! ```sh
//! cargo run -p sscg-examples --example store -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use sscg::index::{
    Collected, FactsKey, IndexError, IndexLock, ManifestEntry, Snapshot, Store, TextHash, Update, Usage,
};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};

/// Store that ends with the program. One mutex makes each write visible as a whole.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    facts: HashMap<FactsKey, Vec<u8>>,
    vectors: HashMap<(String, TextHash), Vec<f32>>,
    manifests: BTreeMap<String, Vec<ManifestEntry>>,
    /// Vectors that each work tree uses.
    used: HashMap<String, HashSet<(String, TextHash)>>,
    snapshots: HashMap<String, Vec<u8>>,
}

/// Lock that excludes nobody: two engines on one tree would only do the same work twice.
struct Unlocked;

impl IndexLock for Unlocked {
    fn report(&self, _done: usize, _total: usize) {}
}

impl Memory {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("no method panics")
    }
}

impl Store for Memory {
    fn place(&self) -> String {
        "memory".to_owned()
    }

    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError> {
        Ok(self.contents().manifests.get(tree).cloned().unwrap_or_default())
    }

    fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let contents = self.contents();
        Ok(keys.iter().map(|key| contents.facts.get(key).cloned()).collect())
    }

    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError> {
        let contents = self.contents();
        Ok(keys.iter().map(|key| contents.vectors.get(&(model.to_owned(), *key)).cloned()).collect())
    }

    fn write(&self, update: &Update<'_>) -> Result<(), IndexError> {
        let mut contents = self.contents();
        let key = |text: &TextHash| (update.model.to_owned(), *text);
        contents.facts.extend(update.facts.iter().map(|(key, facts)| (key.clone(), facts.to_vec())));
        contents.vectors.extend(update.vectors.iter().map(|(text, vector)| (key(text), vector.clone())));
        if let Some(texts) = update.texts {
            contents.used.insert(update.tree.to_owned(), texts.iter().map(key).collect());
        }
        if let Some(manifest) = update.manifest {
            contents.manifests.insert(update.tree.to_owned(), manifest.to_vec());
        }
        Ok(())
    }

    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError> {
        let bytes = snapshot.to_bytes()?;
        self.contents().snapshots.insert(tree.to_owned(), bytes);
        Ok(())
    }

    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError> {
        let bytes = self.contents().snapshots.get(tree).cloned();
        Ok(bytes.and_then(Snapshot::from_bytes))
    }

    fn lock(&self, _tree: &str) -> Result<Option<Box<dyn IndexLock>>, IndexError> {
        Ok(Some(Box::new(Unlocked)))
    }

    fn progress(&self, _tree: &str) -> Option<(usize, usize)> {
        None
    }

    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError> {
        // What a program keeps in memory is seldom a day old, and its trees have names that are never gone.
        if unused_days > 0 {
            return Ok(Collected::default());
        }
        let contents = &mut *self.contents();
        let before = (contents.facts.len(), contents.vectors.len());
        let named: HashSet<FactsKey> =
            contents.manifests.values().flatten().filter_map(ManifestEntry::key).collect();
        contents.facts.retain(|key, _| named.contains(key));
        contents.vectors.retain(|key, _| contents.used.values().any(|used| used.contains(key)));
        let (facts, vectors) = (before.0 - contents.facts.len(), before.1 - contents.vectors.len());
        Ok(Collected::default().with_facts(facts).with_vectors(vectors))
    }

    fn usage(&self) -> Result<Usage, IndexError> {
        let contents = self.contents();
        let trees = contents.manifests.iter().map(|(tree, entries)| (tree.clone(), entries.len()));
        let bytes = contents.facts.values().chain(contents.snapshots.values()).map(Vec::len).sum::<usize>()
            + contents.vectors.values().map(|vector| size_of_val(&**vector)).sum::<usize>();
        Ok(Usage::default()
            .with_trees(trees.collect())
            .with_facts(contents.facts.len())
            .with_vectors(contents.vectors.len())
            .with_bytes(bytes as u64))
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    for engine in ["first", "second"] {
        let storage = Storage::Store { store: Arc::clone(&store), tree: "main".to_owned() };
        let response = Engine::open_with(&path, EngineOptions::stored_in(storage))?
            .search(&SearchRequest::new(question.as_str()).with_limit(5))?;
        println!("{engine} engine: {} files, {} parsed", response.refresh.files, response.refresh.parsed);
        response.answer.results.iter().for_each(|it| println!("  {}:{} {}", it.file, it.lines, it.name));
    }
    Ok(())
}
