//! Colors of source code and data.

use std::ops::Range;

use anstyle::Style;
use sscg::Corpus;
use sscg::parse::{FileType, Highlight};

use super::{BLUE, CYAN, DIM, GREEN, MAGENTA, PLAIN, YELLOW};

/// Returns the parts of a text with a style, if the file has a known language.
pub(super) fn parts(file: &str, text: &str) -> Vec<(Range<usize>, Style)> {
    let Some(file_type) = FileType::of_path(file) else { return Vec::new() };
    let style = |class| style(class, file_type.language.corpus);
    let highlights = file_type.highlights(text).into_iter();
    highlights.map(|(span, class)| (span.start as usize..span.end as usize, style(class))).collect()
}

fn style(class: Highlight, corpus: Corpus) -> Style {
    match class {
        Highlight::Attribute | Highlight::Function => BLUE,
        Highlight::Comment => DIM,
        Highlight::Constant => YELLOW,
        Highlight::Keyword => MAGENTA,
        Highlight::String => GREEN,
        Highlight::Type => CYAN,
        // Keys matter most in data; in code, members are everywhere.
        Highlight::Property if corpus == Corpus::Documents => BLUE,
        _ => PLAIN,
    }
}
