//! Split of a text into pieces that are encoded separately.

use super::vocabulary::{Class, O200K};

/// Endings after an apostrophe that belong to the word before it.
const CONTRACTIONS: [&str; 7] = ["s", "t", "re", "ve", "m", "ll", "d"];

/// Splits a text into contiguous pieces. Each is the match of the first of these patterns that matches, of `o200k_base`
/// as tiktoken has it, where `U` is `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` and `L` is `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`:
///
/// ```text
/// [^\r\n\p{L}\p{N}]? U* L+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// [^\r\n\p{L}\p{N}]? U+ L* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// \p{N}{1,3}
/// \x20?[^\s\p{L}\p{N}]+[\r\n/]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(first(rest)?);
        rest = after;
        Some(piece)
    })
}

/// Returns the length of the first piece, if there is any text.
fn first(text: &str) -> Option<usize> {
    let start = text.chars().next()?;
    let class = class(start);
    let found = match class {
        Class::Number => {
            Some(text.chars().take(3).take_while(|char| is(*char, Class::Number)).map(char::len_utf8).sum())
        }
        Class::Upper | Class::Lower | Class::Caseless | Class::Mark => word(text, 0),
        Class::Newline => None,
        // It may precede a word.
        Class::Space | Class::Other => word(text, start.len_utf8()),
    };
    Some(found.or_else(|| signs(text)).unwrap_or_else(|| space(text)))
}

/// Returns the end of a word that starts at `start`: uppercase letters, then lowercase letters; letters without case
/// may be either. A word without any letter that could be lowercase is uppercase as a whole.
fn word(text: &str, start: usize) -> Option<usize> {
    let may_be_upper = |class| matches!(class, Class::Upper | Class::Caseless | Class::Mark);
    let may_be_lower = |class| matches!(class, Class::Lower | Class::Caseless | Class::Mark);
    let mut end = start;
    // End of the last letter before `end` that could be lowercase.
    let mut lower = None;
    let mut letters = text[start..].chars().map(|char| (char.len_utf8(), class(char))).peekable();
    while let Some((length, class)) = letters.next_if(|(_, class)| may_be_upper(*class)) {
        end += length;
        if may_be_lower(class) {
            lower = Some(end);
        }
    }
    let uppers = end;
    while let Some((length, _)) = letters.next_if(|(_, class)| may_be_lower(*class)) {
        end += length;
    }
    let end = if end > uppers { end } else { lower.unwrap_or(uppers) };
    (end > start).then(|| end + contraction(&text[end..]))
}

/// Returns the length of a contraction such as `'ll`.
fn contraction(text: &str) -> usize {
    let Some(after) = text.strip_prefix('\'') else { return 0 };
    // The long s is an s where case does not matter.
    let same =
        |char: char, letter: char| char.to_ascii_lowercase() == letter || (char == 'ſ' && letter == 's');
    let length = |ending: &&str| {
        let mut chars = after.chars();
        let is_there = ending.chars().all(|letter| chars.next().is_some_and(|char| same(char, letter)));
        is_there.then(|| after.len() - chars.as_str().len())
    };
    CONTRACTIONS.iter().find_map(length).map_or(0, |length| length + 1)
}

/// Returns the length of a run of symbols, with a space before it and line ends and slashes after it.
fn signs(text: &str) -> Option<usize> {
    let after_space = text.strip_prefix(' ').unwrap_or(text);
    let after = after_space.trim_start_matches(|char| matches!(class(char), Class::Mark | Class::Other));
    let end = after.trim_start_matches(['\r', '\n', '/']);
    (after.len() < after_space.len()).then(|| text.len() - end.len())
}

/// Returns the length of a piece of white space: all up to the last line end, or else all but the last character, which
/// belongs to the next piece, if there is one.
fn space(text: &str) -> usize {
    let after = text.trim_start_matches(|char| matches!(class(char), Class::Space | Class::Newline));
    let space = &text[..text.len() - after.len()];
    let last = || space.char_indices().next_back().map(|(start, _)| start);
    match space.rfind(['\r', '\n']) {
        Some(newline) => newline + 1,
        None if after.is_empty() => space.len(),
        None => last().filter(|start| *start > 0).unwrap_or(space.len()),
    }
}

fn is(char: char, is: Class) -> bool {
    class(char) == is
}

fn class(char: char) -> Class {
    match char {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Number,
        '\r' | '\n' => Class::Newline,
        ' ' | '\t' | '\x0B' | '\x0C' => Class::Space,
        '\0'..='\x7F' => Class::Other,
        char => O200K.class(char),
    }
}
