//! Words of file paths.

use sscg_core::{FileId, Id};

use super::bytes::{Sections, put_u32, to_u32, u32s};
use crate::analyze::{Analyzer, words};

/// Terms of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathTerms<'a> {
    /// Path levels from the innermost outward, separated by slashes. Each term is followed by a space; a compound is
    /// preceded by a plus sign.
    levels: &'a str,
}

/// Term of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathTerm<'a> {
    /// Analyzed text.
    pub text: &'a str,
    /// True for a compound, which follows its parts.
    pub is_compound: bool,
}

impl<'a> PathTerms<'a> {
    /// Returns the terms of the file name without its extension.
    pub fn stem(self) -> impl Iterator<Item = PathTerm<'a>> {
        terms(self.levels.split('/').next().unwrap_or_default())
    }

    /// Returns the terms of each directory, innermost first.
    pub fn directories(self) -> impl Iterator<Item = impl Iterator<Item = PathTerm<'a>>> {
        self.levels.split('/').skip(1).map(terms)
    }
}

fn terms(level: &str) -> impl Iterator<Item = PathTerm<'_>> {
    level.split_terminator(' ').map(|term| match term.strip_prefix(COMPOUND) {
        Some(text) => PathTerm { text, is_compound: true },
        None => PathTerm { text: term, is_compound: false },
    })
}

/// Prefix of a compound; no word contains it.
const COMPOUND: char = '+';

/// Path of each file with its terms, in one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathTable {
    text: String,
    /// End of each file's path, and end of its terms, which follow the path.
    ends: Vec<[u32; 2]>,
}

impl PathTable {
    /// Adds the next file. Its terms are copied from `before` if the path there is the same.
    pub(super) fn push(&mut self, path: &str, before: Option<(&Self, FileId)>) {
        self.text.push_str(path);
        let path_end = self.text.len();
        match before.map(|(table, file)| table.row(file)) {
            Some((same, levels)) if same == path => self.text.push_str(levels),
            _ => push_levels(&mut self.text, path),
        }
        self.ends.push([path_end, self.text.len()].map(to_u32));
    }

    fn row(&self, file: FileId) -> (&str, &str) {
        let [path_end, end] = self.ends[file.index()].map(|end| end as usize);
        let start = file.index().checked_sub(1).map_or(0, |before| self.ends[before][1] as usize);
        (&self.text[start..path_end], &self.text[path_end..end])
    }

    pub(super) fn terms(&self, file: FileId) -> PathTerms<'_> {
        PathTerms { levels: self.row(file).1 }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_u32(out, self.text.len());
        out.extend(self.ends.iter().flatten().flat_map(|end| end.to_le_bytes()));
        out.extend(self.text.as_bytes());
    }

    /// Decodes the table of `files` files from the front.
    pub(super) fn decode(bytes: &[u8], sections: &mut Sections<'_>, files: usize) -> Option<Self> {
        let text_len = sections.u32()?;
        let ends: Vec<u32> = u32s(&bytes[sections.take(files, 8)?]).collect();
        let text = sections.take(text_len, 1)?;
        let text = String::from_utf8(bytes[text].to_owned()).ok()?;
        let is_sound = ends.is_sorted() && ends.iter().all(|end| text.is_char_boundary(*end as usize));
        is_sound.then(|| Self { text, ends: ends.as_chunks().0.to_owned() })
    }
}

fn push_levels(out: &mut String, path: &str) {
    let analyzer = Analyzer::new();
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
    push_level(out, &analyzer, stem);
    for directory in directories.rsplit('/').filter(|directory| !directory.is_empty()) {
        out.push('/');
        push_level(out, &analyzer, directory);
    }
}

/// Adds the terms of a name. Equal neighboring terms count once.
fn push_level(out: &mut String, analyzer: &Analyzer, name: &str) {
    let mut last = 0..0;
    for word in words(name) {
        analyzer.terms(word, |term, is_compound| {
            if last.is_empty() || out[last.clone()] != *term {
                if is_compound {
                    out.push(COMPOUND);
                }
                last = out.len()..out.len() + term.len();
                out.push_str(term);
                out.push(' ');
            }
        });
    }
}
