//! Comparison of the tokenizer with the one that its vocabulary comes from.

use std::path::Path;
use std::{env, fs};

use bpe_openai::o200k_base;
use proptest::prelude::*;
use regex::Regex;
use sscg_core::TokenCounter;

use super::split::pieces;
use super::vocabulary::{Class, pack};
use super::{MAX_PIECE, O200k};

/// Compares the table with one generated here; `UPDATE_EXPECT=1` writes it.
#[test]
fn the_table_holds_the_published_vocabulary() {
    let bpe = &o200k_base().bpe;
    let tokens = (0..bpe.num_tokens()).map(|token| bpe.token_bytes(token as u32));
    let table = pack(tokens, &classes());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/o200k.bin");
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert!(fs::read(&path).unwrap() == table, "UPDATE_EXPECT=1 makes {} anew", path.display());
}

/// Returns the first character of each range of characters of one class.
fn classes() -> Vec<(char, Class)> {
    let of = |class, pattern: &str| (class, Regex::new(&format!("^{pattern}")).unwrap());
    let patterns = [
        of(Class::Upper, r"[\p{Lu}\p{Lt}]"),
        of(Class::Lower, r"\p{Ll}"),
        of(Class::Caseless, r"[\p{Lm}\p{Lo}]"),
        of(Class::Mark, r"\p{M}"),
        of(Class::Number, r"\p{N}"),
        of(Class::Newline, r"[\r\n]"),
        of(Class::Space, r"\s"),
        of(Class::Other, r"(?s:.)"),
    ];
    let mut ranges: Vec<(char, Class)> = Vec::new();
    for char in '\0'..=char::MAX {
        let text = char.to_string();
        let class = patterns.iter().find(|(_, pattern)| pattern.is_match(&text)).unwrap().0;
        if ranges.last().is_none_or(|(_, last)| *last != class) {
            ranges.push((char, class));
        }
    }
    ranges
}

fn agrees(text: &str) {
    assert!(pieces(text).eq(o200k_base().split(text)), "{:?}", pieces(text).collect::<Vec<_>>());
    assert_eq!(O200k.count(text), o200k_base().count(text), "{text:?}");
}

#[test]
fn longer_pieces_count_a_token_more_at_each_cut_at_most() {
    for text in ["=", "ab", "\u{301}", " ", "中", "A", "🙂"] {
        let text = text.repeat(5 * MAX_PIECE / text.len());
        let (counted, exact) = (O200k.count(&text), o200k_base().count(&text));
        assert!((exact..=exact + 5).contains(&counted), "{counted} of {exact}");
    }
}

#[test]
fn odd_texts_are_counted_like_others() {
    let repeated = ["=", "ab", "\u{301}", " ", "\n", "中", "A", "aB", "🙂", "0", "%2F", "\t x"];
    repeated.iter().for_each(|text| agrees(&text.repeat(MAX_PIECE / text.len())));
    let odd = [
        "",
        "I'LL don'ſ we'Ve",
        "\u{301}AB",
        "中A",
        "Ⅷ½",
        "\u{85}x\u{2028} y",
        "a\r\n\r\n  b",
        "  \n \t",
        "/**/\n///\n",
    ];
    odd.iter().for_each(|text| agrees(text));
}

#[test]
fn source_code_is_counted_like_others() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut files) = (vec![crate_root.join("src")], 0);
    // A package from crates.io has no fixtures beside it.
    folders.extend(Some(crate_root.join("../../fixtures")).filter(|fixtures| fixtures.is_dir()));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(path) {
                agrees(&text);
                files += 1;
            }
        }
    }
    assert!(files > 30);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_counted_like_others(text in r"(\PC|[a-zA-Z' \t\r\n/.,0-9]|\p{M}|\p{Lt}|\p{Lm}|\s){0,60}") {
        agrees(&text);
    }
}
