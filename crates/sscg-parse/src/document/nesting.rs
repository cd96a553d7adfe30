//! Limits on the nesting of documents, beyond any real document.
//!
//! The YAML grammar keeps its open blocks in 1,024 bytes and aborts the process on overflow. The HTML and Markdown
//! parsers take time quadratic in the depth. Documents beyond the limits are read as text without sections. Each
//! check is O(bytes).

/// Diagnostic for a document beyond a limit.
pub(super) const TOO_DEEP: &str = "nested too deeply; it is split into passages";

/// Maximum number of nested YAML collections. The grammar has room for 253, and opens up to two for each column.
const MOST_IN_YAML: usize = 120;

/// Maximum number of open HTML elements.
const MOST_IN_HTML: usize = 5_000;

/// Maximum number of unclosed HTML comments.
const MOST_UNCLOSED: usize = 100;

/// Maximum number of Markdown quotations and list items opened by one line.
const MOST_IN_MARKDOWN: usize = 200;

/// Returns true if YAML block collections are nested too deeply.
pub(super) fn yaml_is_deep(source: &str) -> bool {
    // Columns of the open collections.
    let mut open: Vec<usize> = Vec::new();
    source.split(['\n', '\r']).any(|line| {
        let mut rest = line.trim_start_matches(' ');
        if rest.is_empty() || rest.starts_with('#') {
            return false;
        }
        let mut column = line.len() - rest.len();
        open.retain(|at| *at < column);
        let is_apart = |inner: &&str| inner.is_empty() || inner.starts_with([' ', '\t']);
        while let Some(inner) = rest.strip_prefix(['-', '?', ':']).filter(is_apart) {
            open.push(column);
            rest = inner.trim_start();
            column = line.len() - rest.len();
        }
        if rest.contains(": ") || rest.contains(":\t") || rest.ends_with(':') {
            open.push(column);
        }
        open.len() > MOST_IN_YAML
    })
}

/// HTML elements without an end tag, or whose end tag is usually omitted.
const WITHOUT_END: [&str; 26] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup",
    "option", "p", "param", "rp", "rt", "source", "td", "th", "tr", "track", "wbr", "colgroup",
];

/// Returns true if HTML elements are nested too deeply, or if too many comments are opened after the last closed one:
/// for each of these, the grammar reads the rest of the text.
pub(super) fn html_is_deep(source: &str) -> bool {
    let unclosed = source.rsplit("-->").next().unwrap_or_default();
    if unclosed.matches("<!--").nth(MOST_UNCLOSED).is_some() {
        return true;
    }
    let mut open = 0_usize;
    source.split('<').skip(1).any(|tag| {
        let inside = tag.strip_prefix('/').unwrap_or(tag);
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let name = &inside[..end];
        let is_closed = tag.split('>').next().is_some_and(|tag| tag.ends_with('/'));
        let counts = !name.is_empty() && !WITHOUT_END.iter().any(|it| it.eq_ignore_ascii_case(name));
        match (counts && !is_closed, tag.starts_with('/')) {
            (true, true) => open = open.saturating_sub(1),
            (true, false) => open += 1,
            _ => {}
        }
        open > MOST_IN_HTML
    })
}

/// Returns true if a line of Markdown opens too many quotations and list items.
pub(super) fn markdown_is_deep(source: &str) -> bool {
    source.lines().any(|line| {
        let is_mark = |c: char| matches!(c, '>' | '-' | '*' | '+' | ' ' | '\t');
        let marks = &line[..line.len() - line.trim_start_matches(is_mark).len()];
        marks.chars().filter(|c| !c.is_whitespace()).count() > MOST_IN_MARKDOWN && marks.contains([' ', '>'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_nest_without_end_are_told() {
        let yaml = |count: usize| (0..count).map(|at| format!("{}k:\n", " ".repeat(at))).collect::<String>();
        assert!(yaml_is_deep(&yaml(300)) && !yaml_is_deep(&yaml(100)));
        let sequences: String = (0..140).map(|at| format!("{}- k:\n", "  ".repeat(at))).collect();
        assert!(yaml_is_deep(&sequences) && yaml_is_deep(&format!("? a\n: {}x", "- ".repeat(300))));
        assert!(
            yaml_is_deep(&yaml(300).replace('\n', "\t\n")) && yaml_is_deep(&yaml(300).replace('\n', "\r"))
        );
        assert!(yaml_is_deep(&"- ".repeat(300)) && !yaml_is_deep(&"- a: 1\n  b: 2\n".repeat(300)));
        assert!(html_is_deep(&"<div>".repeat(9_000)) && !html_is_deep(&"<div><p>a<br></div>".repeat(9_000)));
        assert!(!html_is_deep(&"<path d='m'/>".repeat(9_000)) && html_is_deep(&"<div><p></p>".repeat(9_000)));
        assert!(html_is_deep(&"<!--".repeat(300)) && !html_is_deep(&"<!-- a <!-- b -->".repeat(300)));
        assert!(markdown_is_deep(&"> ".repeat(300)) && markdown_is_deep(&"- ".repeat(300)));
        assert!(!markdown_is_deep(&format!("{}\n> > a\n- - b\n", "-".repeat(300))));
    }

    #[test]
    fn deep_documents_are_text() {
        let yaml: String = (0..400).map(|at| format!("{}k:\n", " ".repeat(at))).collect();
        for (path, source) in
            [("a.yaml", yaml), ("a.html", "<div>".repeat(9_000)), ("a.md", "> ".repeat(900) + "x")]
        {
            let file_type = crate::FileType::of_path(path).expect("a known extension");
            let facts = file_type.extract(&source);
            assert!(
                facts.symbols.iter().all(|symbol| symbol.kind == sscg_core::SymbolKind::Passage),
                "{path}"
            );
            assert_eq!(&*facts.diagnostics[0].message, TOO_DEEP, "{path}");
            assert!(!file_type.highlights(&source).iter().any(|(span, _)| span.is_empty()), "{path}");
        }
    }
}
