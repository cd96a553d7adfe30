//! reStructuredText: titles by their adornment, and objects described by directives. Plain text is read by the same
//! rules, because people underline titles there too, and some projects keep their manuals in it.

use sscg_core::Span;

use super::layout::{DocumentLayout, Heading, Section, one_line, sections};

/// Directives whose argument names the object that their content describes, from Sphinx's Python and standard
/// domains.
const DESCRIBING: &[&str] = &[
    "attribute",
    "class",
    "cmdoption",
    "confval",
    "data",
    "decorator",
    "describe",
    "envvar",
    "exception",
    "function",
    "macro",
    "member",
    "method",
    "object",
    "option",
    "property",
    "program",
    "staticmethod",
    "classmethod",
    "type",
];

/// Minimum length of an adornment that is shorter than its title.
const LEAST_ADORNMENT: usize = 4;

/// Line of the text without trailing white space, with the offset of its first byte.
#[derive(Clone, Copy)]
struct Line<'s> {
    at: u32,
    text: &'s str,
}

impl Line<'_> {
    fn end(self) -> u32 {
        self.at + self.text.len() as u32
    }

    fn indent(self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Returns the character that the whole line repeats, if it is an adornment.
    fn adornment(self) -> Option<char> {
        let first = self.text.chars().next().filter(char::is_ascii_punctuation)?;
        self.text.chars().all(|c| c == first).then_some(first)
    }

    /// Returns true for a label of the following element: `.. _name:`.
    fn is_label(self) -> bool {
        self.text.starts_with(".. _") && self.text.ends_with(':')
    }
}

pub(super) fn find(source: &str) -> DocumentLayout {
    let mut at = 0;
    let lines: Vec<Line<'_>> = source
        .split_inclusive('\n')
        .map(|line| {
            let start = at;
            at += line.len() as u32;
            Line { at: start, text: line.trim_end() }
        })
        .collect();
    let mut all = sections(titles(&lines), source);
    all.extend(descriptions(&lines));
    all.sort_by_key(|section| (section.span.start, std::cmp::Reverse(section.span.end)));
    DocumentLayout { sections: all, ..DocumentLayout::default() }
}

/// Returns the titles. Levels are numbered by the first appearance of their adornment.
fn titles(lines: &[Line<'_>]) -> Vec<Heading> {
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut headings: Vec<Heading> = Vec::new();
    let mut next = 0;
    while next < lines.len() {
        let at = next;
        next += 1;
        let Some((title, style, last)) = title_at(lines, at) else { continue };
        let title = lines[title];
        next = last + 1;
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        // Labels directly above belong to the section.
        let labels = lines[..at].iter().rev().take_while(|line| line.text.is_empty() || line.is_label());
        let start = labels.filter(|line| line.is_label()).last().map_or(lines[at].at, |line| line.at);
        let head = Span::new(title.at + title.indent() as u32, title.end());
        headings.push(Heading { level, name: plain(title.text), head, body: lines[last].end(), start });
    }
    headings
}

/// Returns the title whose adornment or text starts at line `at`: the line of its text, its style, and the last line
/// of its adornment.
fn title_at(lines: &[Line<'_>], at: usize) -> Option<(usize, (char, bool), usize)> {
    let follows_text = at > 0 && !lines[at - 1].text.is_empty() && !lines[at - 1].is_label();
    let this = lines[at];
    if follows_text || this.text.is_empty() {
        return None;
    }
    if let Some(over) = this.adornment() {
        let (title, under) = (lines.get(at + 1)?, lines.get(at + 2)?);
        let fits = title.text.chars().count() <= this.text.len() || this.text.len() >= LEAST_ADORNMENT;
        let is_title = under.text == this.text && title.text.contains(char::is_alphanumeric) && fits;
        return is_title.then_some((at + 1, (over, true), at + 2));
    }
    let under = lines.get(at + 1)?;
    let style = (under.adornment()?, false);
    let width = this.text.chars().count();
    let fits = under.text.len() >= width.min(LEAST_ADORNMENT);
    let is_title = this.indent() == 0 && this.text.contains(char::is_alphanumeric) && fits;
    is_title.then_some((at, style, at + 1))
}

/// Returns a title without the markup of literals, roles and escapes: ``:func:`f` ``.
fn plain(title: &str) -> String {
    let mut kept = String::new();
    for (at, part) in title.split('`').enumerate() {
        // A role directly precedes its text.
        let role = part.strip_suffix(':').and_then(|rest| rest.rsplit_once(':'));
        match role.filter(|(_, role)| at % 2 == 0 && !role.is_empty() && !role.contains(' ')) {
            Some((before, _)) => kept += before,
            None => kept += part,
        }
    }
    one_line(&kept.replace('\\', ""))
}

/// Returns a section for each describing directive: `.. py:data:: NAME` with its indented content.
fn descriptions(lines: &[Line<'_>]) -> Vec<Section> {
    let described = lines.iter().enumerate().filter_map(|(at, line)| {
        let name = described(line.text)?;
        let is_inside = |it: &&Line<'_>| it.text.is_empty() || it.indent() > line.indent();
        let content = lines[at + 1..].iter().take_while(is_inside);
        let end = content.filter(|it| !it.text.is_empty()).last().map_or(line.end(), |last| last.end());
        let start = line.at + line.indent() as u32;
        let head = Span::new(start, line.end());
        Some(Section { name: plain(name), head, body: head.end, span: Span::new(start, end) })
    });
    described.collect()
}

/// Returns the name of the object that a directive describes, without its parameters.
fn described(line: &str) -> Option<&str> {
    let (directive, argument) = line.trim_start().strip_prefix(".. ")?.split_once("::")?;
    let kind = directive.rsplit(':').next()?;
    let name = argument.split('(').next()?.trim();
    (DESCRIBING.contains(&kind) && name.contains(char::is_alphanumeric)).then_some(name)
}
