//! Line-based formats: logs, tables, and sections in brackets.

use sscg_core::Span;

use super::layout::{Breaks, DocumentLayout, Heading, one_line, sections};

/// Reads a log. A line has little meaning without its neighbors, so there are no sections.
pub(super) fn log(_source: &str) -> DocumentLayout {
    DocumentLayout { breaks: Breaks::Lines, ..DocumentLayout::default() }
}

/// Reads rows. Each passage is named after the first row, which holds the column names.
pub(super) fn csv(source: &str) -> DocumentLayout {
    let columns = source.lines().find(|line| line.contains(char::is_alphanumeric)).unwrap_or_default();
    let columns: Vec<&str> =
        columns.split([',', ';', '\t']).map(|name| name.trim_matches(['"', '\u{feff}', ' '])).collect();
    let name = one_line(&columns.join(" "));
    DocumentLayout {
        breaks: Breaks::Lines,
        passage_name: Some(name).filter(|it| !it.is_empty()),
        ..DocumentLayout::default()
    }
}

/// Finds sections in brackets.
pub(super) fn ini(source: &str) -> DocumentLayout {
    let mut headings = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if let Some(name) = text.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let start = at + (line.len() - line.trim_start().len()) as u32;
            let head = Span::new(start, start + text.len() as u32);
            let start = with_comments_above(source, start);
            headings.push(Heading { level: 0, name: one_line(name), head, body: head.end, start });
        }
        at += line.len() as u32;
    }
    DocumentLayout { sections: sections(headings, source), ..DocumentLayout::default() }
}

/// Returns the start of the comment lines directly above `place`, or `place` if there are none or it is not at the
/// start of a line.
pub(super) fn with_comments_above(source: &str, place: u32) -> u32 {
    let mut start = place;
    let line_start = |at: usize| source[..at].rfind('\n').map_or(0, |at| at + 1);
    let mut line = line_start(place as usize);
    if !source[line..place as usize].trim().is_empty() {
        return start;
    }
    while line > 0 {
        line = line_start(line - 1);
        let text = source[line..].lines().next().unwrap_or_default();
        if !text.trim_start().starts_with(['#', ';']) && !text.trim_start().starts_with("//") {
            break;
        }
        start = (line + text.len() - text.trim_start().len()) as u32;
    }
    start
}
