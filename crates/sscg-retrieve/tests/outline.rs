//! Ranking without reading the facts of files, on this crate's own sources.

use std::path::Path;
use std::sync::Arc;

use sscg_core::{ChunkKind, FileFacts, LazyFacts, Modifiers, Outline, Project, ProjectFile, SymbolKind};
use sscg_index::{Index, IndexOptions, Snapshot, Storage};
use sscg_retrieve::{Filters, Hit, Query, RankOptions, SignalId, rank};

/// Returns the snapshot of this crate's sources; the caller is its only owner.
fn snapshot() -> Snapshot {
    let store = tempfile::tempdir().expect("temporary directory");
    let storage = Storage::Directory(store.path().to_owned());
    let options = IndexOptions::default().with_storage(storage);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut index = Index::open(&root, &options).expect("the sources are there");
    let (snapshot, report) = index.refresh().expect("memory has no limit");
    assert_eq!(report.warnings, Vec::<String>::new());
    drop(index);
    Arc::into_inner(snapshot).expect("the index that held it is gone")
}

fn ranked(snapshot: &Snapshot, question: &str, paths: &[&str]) -> Vec<Hit> {
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    let language = snapshot.project.files().iter().next().expect("there are files").language;
    let filters = Filters::new(vec![language], &paths).expect("valid globs");
    let query = Query::parse(question, filters).expect("a valid question");
    rank(snapshot, &query, &RankOptions::default())
}

#[test]
fn ranking_decodes_no_file() {
    let known = snapshot();
    let mut lazy = snapshot();
    let outlined = |file: &ProjectFile| {
        let facts = LazyFacts::new(file.facts.outline().clone(), || panic!("a file was decoded"));
        ProjectFile { facts, ..file.clone() }
    };
    let files = lazy.project.files().iter().map(outlined).collect();
    lazy.project = Arc::new(Project::new(files, lazy.project.manifests().clone()));

    let questions: [(&str, &[&str]); 9] = [
        ("how are the lists of several signals fused", &[]),
        ("Where does Sparse count edges with is_sparse", &[]),
        ("PageRank from seeds", &["signal"]),
        ("tests of path filters", &["*.rs"]),
        ("LexicalSignal", &[]),
        ("symbol = score", &[]),
        ("symbol = GraphSignal > score", &[]),
        ("symbol = options.rs > rankoptions", &[]),
        ("symbol = signal/graph.rs > GraphSignal.score", &["signal/**"]),
    ];
    for (question, paths) in questions {
        let hits = ranked(&lazy, question, paths);
        assert!(!hits.is_empty(), "{question}");
        assert_eq!(hits, ranked(&known, question, paths), "{question}");
        for hit in &hits {
            let key = lazy.project.chunk_key(hit.chunk);
            assert_eq!(key, known.project.chunk_key(hit.chunk), "{question}");
        }
        let signals =
            |signal: SignalId| hits.iter().flat_map(|hit| &hit.sources).any(|it| it.signal == signal);
        let is_question = !question.starts_with("symbol");
        assert!(signals(if is_question { SignalId::WINDOW } else { SignalId::SYMBOL }), "{question}");
    }
}

#[test]
fn a_project_that_is_too_large_to_compare_all_of_it_ranks_alike() {
    let snapshot = snapshot();
    let exact = RankOptions::default();
    let mut few = exact.clone();
    (few.semantic.exact_chunks, few.semantic.nearest, few.semantic.found) = (0, 50, 50);
    for question in
        ["how are the lists of several signals fused", "which words of a path does a question mention"]
    {
        let query = Query::parse(question, Filters::default()).expect("a valid question");
        let hits = |options| rank(&snapshot, &query, options);
        let semantic = |hits: &[Hit]| {
            let sources = hits.iter().flat_map(|hit| &hit.sources);
            sources.filter(|source| source.signal == SignalId::SEMANTIC).count()
        };
        let (all, near) = (hits(&exact), hits(&few));
        assert_eq!(all[0].chunk, near[0].chunk, "{question}");
        assert!(semantic(&near) > 0, "{question}");
        assert_eq!(near, hits(&few), "{question}");
    }
}

#[test]
fn facts_are_decoded_once_for_all_clones() {
    let facts = FileFacts { lines: 7, ..FileFacts::default() };
    let mut loads = 0..1;
    let lazy = LazyFacts::new(Outline::of(&facts), move || {
        loads.next().expect("loaded once");
        facts
    });
    let clone = lazy.clone();
    assert_eq!((lazy.lines, clone.lines, lazy.lines), (7, 7, 7));
    assert!(lazy.ptr_eq(&clone));
    assert!(!lazy.ptr_eq(&LazyFacts::from(FileFacts::clone(&clone))));
}

#[test]
fn an_outline_says_what_the_facts_say_and_comes_back_from_its_bytes() {
    let project = snapshot().project;
    let mut seen = (0, 0, 0);
    for file in project.files().iter() {
        let (facts, outline): (&FileFacts, &Outline) = (&file.facts, file.facts.outline());
        assert_eq!(outline.symbols().len(), facts.symbols.len());
        for (id, symbol) in facts.symbols.iter_enumerated() {
            let outlined = &outline.symbols()[id];
            assert_eq!(outline.symbol_name(id), &*symbol.name);
            assert_eq!(outline.qualified_name(id), facts.qualified_name(id));
            assert_eq!(
                (outlined.kind, outlined.parent, outlined.chunk, outlined.modifiers, outlined.exported),
                (symbol.kind, symbol.parent, symbol.chunk, symbol.modifiers, symbol.exported)
            );
            seen.0 += usize::from(symbol.modifiers.contains(Modifiers::TEST));
            seen.1 += usize::from(symbol.kind == SymbolKind::Impl);
        }
        assert_eq!(outline.chunks().len(), facts.chunks.len());
        for (id, chunk) in facts.chunks.iter_enumerated() {
            let outlined = &outline.chunks()[id];
            assert_eq!(outline.chunk_name(id), &*chunk.name);
            assert_eq!(
                (outlined.kind, outlined.symbol, outlined.parent, outlined.lines),
                (chunk.kind, chunk.symbol, chunk.parent, chunk.lines)
            );
            seen.2 += usize::from(chunk.kind == ChunkKind::Import);
        }
        let bytes = postcard::to_allocvec(outline).expect("an outline can be written");
        assert_eq!(postcard::from_bytes::<Outline>(&bytes).as_ref(), Ok(outline));
    }
    assert!(seen.0 > 0 && seen.1 > 0 && seen.2 > 0, "{seen:?}");
}

#[test]
fn changed_bytes_make_no_outline_or_one_that_works() {
    let project = snapshot().project;
    let file = project.file_at("error.rs").expect("a small file of the crate");
    let bytes = postcard::to_allocvec(project.files()[file].facts.outline()).expect("it can be written");
    for (at, change) in (0..bytes.len()).flat_map(|at| [1, 2, 0x40, 0x80].map(|change| (at, change))) {
        let mut bytes = bytes.clone();
        bytes[at] ^= change;
        let Ok(outline) = postcard::from_bytes::<Outline>(&bytes) else { continue };
        outline.symbols().ids().for_each(|symbol| drop(outline.qualified_name(symbol)));
        outline.chunks().ids().for_each(|chunk| drop(outline.chunk_key("error.rs", chunk)));
    }
}
