use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::file_terms::{BlockCount, Count};
use super::*;

/// Files of a test project: content number by path. Files with equal numbers share their terms.
type Tree = BTreeMap<String, usize>;

/// Content of a test file.
#[derive(Clone, Debug, Default)]
struct Content {
    chunks: usize,
    /// Distinct terms, one per line.
    words: String,
    counts: Vec<Count>,
    block_counts: Vec<BlockCount>,
    blocks: Vec<Block>,
    /// Terms built from the other fields.
    terms: FileTerms,
}

impl Content {
    /// Puts each term but the first into the block of its number once, and into each earlier block as often as its
    /// number.
    fn new(chunks: usize, words: &str, counts: Vec<Count>) -> Self {
        let terms = words.lines().count() as u32;
        let count = |block: u32, term: u32| if block == term { 1 } else { term as u16 };
        let block_counts: Vec<BlockCount> = (0..terms)
            .flat_map(|block| (block.max(1)..terms).map(move |term| (term, block, count(block, term))))
            .collect();
        let block = |number| Block { terms: number as u16 * 3, comment_lines: (number % 11) as u8 };
        let blocks: Vec<Block> = (0..terms).map(block).collect();
        Self {
            chunks,
            terms: FileTerms::of_counts(words.to_owned(), &counts, &block_counts, &blocks),
            words: words.to_owned(),
            counts,
            block_counts,
            blocks,
        }
    }
}

fn content() -> impl Strategy<Value = Content> {
    let count = prop_oneof![8 => 1..8_u16, 1 => 60_000..=u16::MAX];
    let field = (0..FIELDS).prop_map(|field| Field::ALL[field]);
    let chunk = prop_oneof![8 => 0..5_u32, 1 => 5..400_u32];
    let counts = btree_map((chunk, field, 0..30_u32), count, 0..40);
    (counts, 0..4_usize).prop_map(|(counts, more_chunks)| {
        let chunks = counts.keys().map(|(chunk, ..)| *chunk as usize + 1).max().unwrap_or(0) + more_chunks;
        let mut words = String::new();
        let mut numbers = BTreeMap::new();
        let counts = counts.into_iter().map(|((chunk, field, term), count)| {
            let next = numbers.len() as u32;
            let number = *numbers.entry(term).or_insert_with(|| {
                words += &format!("w{}{}\n", "ö".repeat(term as usize % 3), term);
                next
            });
            (number, chunk, field, count)
        });
        let counts = counts.collect();
        Content::new(chunks, &words, counts)
    })
}

fn path() -> impl Strategy<Value = String> {
    "(a|bC|x_y|-|src){0,1}(/(a|utils|--)){0,2}/(lib|fooBar|foo_foo|é)(\\.py|\\.test\\.ts)?"
        .prop_map(|path| path.trim_start_matches('/').to_owned())
}

/// Generates a state of the project: some paths, each with one of the contents.
fn tree() -> impl Strategy<Value = Tree> {
    btree_map(path(), 0..CONTENTS, 0..40)
}

/// Generates simultaneous edits: each path gets a content, or is removed.
fn edits() -> impl Strategy<Value = Vec<(String, Option<usize>)>> {
    let edit = || (path(), option::weighted(0.7, 0..CONTENTS));
    prop_oneof![4 => vec(edit(), 1..3), 1 => vec(edit(), 0..30)]
}

fn edited(tree: &Tree, edits: &[(String, Option<usize>)]) -> Tree {
    let mut tree = tree.clone();
    for (path, content) in edits {
        match content {
            Some(content) => tree.insert(path.clone(), *content),
            None => tree.remove(path),
        };
    }
    tree
}

const CONTENTS: usize = 40;

fn built(tree: &Tree, contents: &[Content]) -> LexicalIndex {
    let files = tree.iter().map(|(path, content)| {
        let Content { chunks, terms, .. } = &contents[*content];
        (path.as_str(), *chunks, TermSource::New(terms))
    });
    LexicalIndex::default().updated(files)
}

fn updated(index: &LexicalIndex, before: &Tree, tree: &Tree, contents: &[Content]) -> LexicalIndex {
    let files = tree.iter().map(|(path, content)| {
        let Content { chunks, terms, .. } = &contents[*content];
        let same = before.values().position(|before| before == content);
        let source = same.map_or(TermSource::New(terms), |file| TermSource::Same(FileId::new(file)));
        (path.as_str(), *chunks, source)
    });
    index.updated(files)
}

/// All data that an index returns, by term.
#[derive(Debug, PartialEq)]
struct Answers {
    chunk_count: usize,
    /// Document frequency of each term, and its postings by chunk and field.
    terms: BTreeMap<String, (usize, Vec<Posting>)>,
    /// File, block and frequency of each term.
    places: BTreeMap<String, Vec<(usize, u32, u16)>>,
    blocks: Vec<Vec<Block>>,
    paths: Vec<(Vec<String>, Vec<Vec<String>>)>,
}

fn texts(index: &LexicalIndex) -> Vec<String> {
    let parts = index.parts.iter().map(|part| &part.segment);
    let texts = parts.flat_map(|segment| {
        (0..segment.term_count() as u32).map(|term| String::from_utf8_lossy(segment.term(term)).into_owned())
    });
    texts.collect()
}

fn answers(index: &LexicalIndex) -> Answers {
    let terms = texts(index).into_iter().filter_map(|text| {
        let entry = index.term(&text)?;
        let mut postings: Vec<Posting> = Vec::new();
        for file in index.postings(&entry) {
            postings.extend(file.iter());
        }
        postings.sort_by_key(|posting| posting.chunk);
        Some((text, (entry.document_frequency, postings)))
    });
    let places = texts(index).into_iter().filter_map(|text| {
        let entry = index.term(&text)?;
        let files = index.postings(&entry);
        let places =
            files.flat_map(|it| it.blocks().map(move |(block, count)| (it.file.index(), block, count)));
        let mut places: Vec<(usize, u32, u16)> = places.collect();
        places.sort_unstable();
        (!places.is_empty()).then_some((text, places))
    });
    let owned =
        |terms: &mut dyn Iterator<Item = PathTerm<'_>>| terms.map(|term| term.text.to_owned()).collect();
    let paths = (0..index.file_count()).map(|file| {
        let path = index.path_terms(FileId::new(file));
        (owned(&mut path.stem()), path.directories().map(|mut terms| owned(&mut terms)).collect())
    });
    Answers {
        chunk_count: index.chunk_count(),
        terms: terms.collect(),
        places: places.collect(),
        blocks: (0..index.file_count()).map(|file| index.blocks(FileId::new(file)).collect()).collect(),
        paths: paths.collect(),
    }
}

/// Computes the same data naively.
fn expected(tree: &Tree, contents: &[Content]) -> Answers {
    let mut lengths: Vec<[u64; FIELDS]> = Vec::new();
    let mut totals = [0; FIELDS];
    let mut found: Vec<(String, usize, Field, u16)> = Vec::new();
    for content in tree.values() {
        let Content { chunks, words, counts, .. } = &contents[*content];
        let first = lengths.len();
        lengths.resize(first + chunks, [0; FIELDS]);
        let texts: Vec<&str> = words.lines().collect();
        for &(term, chunk, field, count) in counts {
            let chunk = first + chunk as usize;
            lengths[chunk][field as usize] += u64::from(count);
            totals[field as usize] += u64::from(count);
            found.push((texts[term as usize].to_owned(), chunk, field, count));
        }
    }
    let mut terms: BTreeMap<String, (usize, Vec<Posting>)> = BTreeMap::new();
    for (text, chunk, field, count) in found {
        let average = (totals[field as usize] as f64 / lengths.len() as f64) as f32;
        let length = lengths[chunk][field as usize] as u32;
        let relative_length = length as f32 / average;
        let chunk = ChunkId::new(chunk);
        let (frequency, postings) = terms.entry(text).or_default();
        *frequency += usize::from(postings.last().is_none_or(|posting| posting.chunk != chunk));
        postings.push(Posting { chunk, field, count, length, relative_length });
    }
    // The terms of a path are those of a query in its words, except that equal neighbors count once.
    let name_terms = |name: &str| {
        let mut terms = Vec::new();
        for word in crate::words(name) {
            crate::analyze::Analyzer::new().terms(word, |term, _| terms.push(term.to_owned()));
        }
        terms.dedup();
        terms
    };
    let paths = tree.keys().map(|path| {
        let mut levels = path.rsplit('/').filter(|level| !level.is_empty());
        let stem = levels.next().unwrap_or_default().split('.').next().unwrap_or_default();
        (name_terms(stem), levels.map(name_terms).collect())
    });
    let mut places: BTreeMap<String, Vec<(usize, u32, u16)>> = BTreeMap::new();
    for (file, content) in tree.values().enumerate() {
        let Content { words, block_counts, .. } = &contents[*content];
        let texts: Vec<&str> = words.lines().collect();
        for &(term, block, count) in block_counts {
            places.entry(texts[term as usize].to_owned()).or_default().push((file, block, count));
        }
    }
    let blocks = tree.values().map(|content| contents[*content].blocks.clone()).collect();
    Answers { chunk_count: lengths.len(), terms, places, blocks, paths: paths.collect() }
}

fn encoded(index: &LexicalIndex) -> Vec<u8> {
    index.encode().concat()
}

/// Decodes from the middle of a buffer, as in a file with other sections.
fn decoded(bytes: &[u8]) -> Option<LexicalIndex> {
    let buffer = Arc::new([b"head", bytes, b"tail"].concat());
    LexicalIndex::decode(&buffer, 4..4 + bytes.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_updated_index_answers_like_a_new_one(
        contents in vec(content(), CONTENTS),
        first in tree(),
        edits in vec(edits(), 1..8),
    ) {
        let mut tree = first;
        let mut index = built(&tree, &contents);
        for edits in &edits {
            let before = tree;
            tree = edited(&before, edits);
            index = updated(&index, &before, &tree, &contents);
            let expected = expected(&tree, &contents);
            prop_assert_eq!(&answers(&index), &expected);
            prop_assert_eq!(&answers(&built(&tree, &contents)), &expected);
            let bytes = encoded(&index);
            index = decoded(&bytes).expect("what was written can be read");
            prop_assert_eq!(&answers(&index), &expected);
            prop_assert_eq!(encoded(&index), bytes);
        }
    }

    #[test]
    fn damaged_bytes_do_no_more_harm_than_wrong_answers(
        contents in vec(content(), CONTENTS),
        tree in tree(),
        edits in (edits(), edits()),
        damages in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let edited_once = edited(&tree, &edits.0);
        let edited_twice = edited(&edited_once, &edits.1);
        let index = updated(&built(&tree, &contents), &tree, &edited_once, &contents);
        let mut bytes = encoded(&index);
        prop_assert!(decoded(&bytes[..cut.index(bytes.len())]).is_none());
        for (at, value) in damages {
            let at = at.index(bytes.len());
            bytes[at] = value;
            if let Some(damaged) = decoded(&bytes) {
                answers(&damaged);
                if damaged.file_count() == edited_once.len() {
                    answers(&updated(&damaged, &edited_once, &edited_twice, &contents));
                }
            }
        }
    }
}

#[test]
fn parts_stay_few_and_mostly_present() {
    let contents: Vec<Content> = (0..300)
        .map(|content| {
            let counts = vec![(0, 0, Field::Name, 1), (1, 0, Field::Body, 2)];
            Content::new(1, &format!("all\nw{content}\n"), counts)
        })
        .collect();
    let mut tree: Tree = (0..100).map(|file| (format!("{file:03}.py"), file)).collect();
    let mut index = built(&tree, &contents);
    for edit in 0..200 {
        let before = tree.clone();
        tree.insert(format!("{:03}.py", edit * 7 % 100), 100 + edit);
        index = updated(&index, &before, &tree, &contents);
        assert!(index.parts.len() <= 5);
        let files: usize = index.parts.iter().map(|part| part.segment.file_count()).sum();
        assert!(files <= 115, "{files} files lie there for 100");
    }
    assert_eq!(answers(&index), expected(&tree, &contents));
}

#[test]
fn counts_and_lengths_are_exact_however_large() {
    let counts = (0..3).map(|term| (term, 7, Field::Body, u16::MAX)).collect();
    let contents = [Content::new(9, "a\nb\nc\n", counts)];
    let tree = Tree::from([("a.py".to_owned(), 0), ("b.py".to_owned(), 0)]);
    let found = answers(&built(&tree, &contents));
    assert_eq!(found, expected(&tree, &contents));
    assert_eq!(found.terms["b"].1[1].count, u16::MAX);
    assert_eq!(found.terms["b"].1[1].relative_length, 9.0);
}

#[test]
fn a_path_is_told_by_the_words_of_its_levels() {
    let contents = [Content::default()];
    let tree = Tree::from([("src/HttpServer/.github/test_utils.py".to_owned(), 0)]);
    let index = built(&tree, &contents);
    let path = index.path_terms(FileId::FIRST);
    let stem: Vec<(&str, bool)> = path.stem().map(|term| (term.text, term.is_compound)).collect();
    assert_eq!(stem, [("test", false), ("util", false), ("testutils", true)]);
    let directories: Vec<Vec<&str>> =
        path.directories().map(|terms| terms.map(|term| term.text).collect()).collect();
    assert_eq!(directories, [vec!["github"], vec!["http", "server", "httpserver"], vec!["src"]]);
}
