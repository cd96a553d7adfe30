//! Text of docstrings.

use tree_sitter::Node;

use super::grammar::{Kind, kind};
use crate::tree::text;

/// Returns the docstring of a body or module, if its first statement is one.
pub(super) fn of_block(block: Node<'_>, source: &str) -> Option<String> {
    let first = block.named_child(0)?;
    if kind(first) != Kind::Comment {
        return of_statement(first, source);
    }
    let mut cursor = block.walk();
    cursor.goto_first_child();
    while kind(cursor.node()) == Kind::Comment {
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
    of_statement(cursor.node(), source)
}

/// Returns the text of a statement that consists of a string only.
pub(super) fn of_statement(statement: Node<'_>, source: &str) -> Option<String> {
    if kind(statement) != Kind::ExpressionStatement || statement.named_child_count() != 1 {
        return None;
    }
    let string = statement.named_child(0)?;
    (kind(string) == Kind::String).then(|| string_text(text(string, source)).map(clean))?
}

/// Returns the text between the quotes of a string literal; `None` for bytes, f-strings and t-strings.
pub(super) fn string_text(literal: &str) -> Option<&str> {
    let quoted = literal.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| quoted.starts_with(quote))?;
    let inner = &quoted[quote.len()..];
    Some(inner.strip_suffix(quote).unwrap_or(inner))
}

/// Returns a docstring without shared indentation and surrounding blank lines.
fn clean(raw: &str) -> String {
    let raw = raw.strip_prefix("\\\n").unwrap_or(raw);
    let mut lines = raw.lines();
    let first = lines.next().unwrap_or_default().trim();
    let rest: Vec<&str> = lines.map(str::trim_end).collect();
    let indent = rest
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut text = first.to_owned();
    for line in rest {
        text.push('\n');
        text.push_str(line.get(indent..).unwrap_or_else(|| line.trim_start()));
    }
    text.trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_lose_quotes_and_shared_indentation() {
        let text = |literal| string_text(literal).map(clean);
        assert_eq!(text("\"\"\"One.\"\"\"").as_deref(), Some("One."));
        assert_eq!(text("r'''\n    One.\n\n      Two.\n    '''").as_deref(), Some("One.\n\n  Two."));
        assert_eq!(text("\"\"\"\\\nOne.\n\"\"\"").as_deref(), Some("One."));
        assert_eq!(text("\"\"\"One.\n\u{a0}Two.\n x\"\"\"").as_deref(), Some("One.\nTwo.\nx"));
        assert_eq!(text("b'x'"), None);
        assert_eq!(text("f'x'"), None);
    }
}
