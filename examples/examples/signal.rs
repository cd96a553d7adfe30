//! Ranks files that were changed lately higher, with a custom signal, and prints the share of each signal in the scores.
//!
//! ```sh
//! cargo run -p sscg-examples --example signal -- "where are files discovered" [PATH]
//! ```
#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::fs;
use std::sync::Arc;
use std::time::SystemTime;

use sscg::core::ChunkId;
use sscg::retrieve::{Signal, SignalContext, SignalId, SignalScores};
use sscg::{Engine, EngineOptions, SearchRequest};

/// Scores files by their age in days: 1 for one of today, 1/2 for one of yesterday, and so on.
pub(crate) struct Recency {
    pub(crate) now: SystemTime,
}

impl Signal for Recency {
    fn id(&self) -> SignalId {
        SignalId::new("recency")
    }

    // Less than that of the words: an old file with the answer is better than a new one without.
    fn weight(&self) -> f64 {
        0.2
    }

    fn score(&self, context: &SignalContext<'_>, _found: &[(ChunkId, f64)]) -> SignalScores {
        let files = context.snapshot.project.files();
        let score = |path: &str| {
            let changed = fs::metadata(context.snapshot.root.join(path)).ok()?.modified().ok()?;
            let age = self.now.duration_since(changed).unwrap_or_default();
            Some(1.0 / (1 + age.as_secs() / (24 * 60 * 60)) as f64)
        };
        let scored = files.ids().filter_map(|file| Some((file, score(&files[file].path)?)));
        SignalScores::default().with_files(scored.collect())
    }
}

fn main() -> Result<(), sscg::Error> {
    let mut arguments = std::env::args().skip(1);
    let question = arguments.next().unwrap_or_else(|| "where are files discovered".to_owned());
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let signals: Vec<Arc<dyn Signal>> = vec![Arc::new(Recency { now: SystemTime::now() })];
    let engine = Engine::open_with(path, EngineOptions::default().with_signals(signals))?;
    let request = SearchRequest::new(question).with_limit(5).with_explain(true);
    print!("{}", engine.search(&request)?.text);
    Ok(())
}
