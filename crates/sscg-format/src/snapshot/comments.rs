//! Removal of comments from a text.

use sscg_core::Span;

use super::file::is_word;

/// Returns `text` without those of its comments, given in order, that are in one of `ranges`. A comment on lines of its
/// own is removed with these lines and the blank lines on one side of it; a comment after code is removed with the
/// white space between.
pub(super) fn cut(text: &str, comments: &[Span], ranges: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let is_asked = |comment: &&Span| ranges.iter().any(|range| range.contains(**comment));
    for comment in comments.iter().filter(is_asked) {
        let (start, end) = (comment.start as usize, comment.end as usize);
        out.push_str(&text[at..start]);
        at = end;
        let rest = &text[end..];
        let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || rest.is_empty();
        let code = out.trim_end_matches([' ', '\t']).len();
        let starts_line = out[..code].is_empty() || out[..code].ends_with('\n');
        match (starts_line, ends_line) {
            (true, true) => {
                out.truncate(code);
                at = end + rest.find('\n').map_or(rest.len(), |end| end + 1);
                let opens = out.trim_end().ends_with(['{', ':', '(', '[']) || out.ends_with("\n\n");
                if opens {
                    at += blank_lines(&text[at..]);
                }
            }
            (false, true) => out.truncate(code),
            (_, false) if comment.text(text).contains('\n') => {
                out.truncate(code);
                out.push('\n');
            }
            (true, false) => at += rest.len() - rest.trim_start_matches([' ', '\t']).len(),
            (false, false) if rest.starts_with([' ', '\t', ',', ';', ')']) => out.truncate(code),
            (false, false) if out.ends_with(is_word) && rest.starts_with(is_word) => out.push(' '),
            (false, false) => {}
        }
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the length in bytes of the blank lines at the start of a text.
fn blank_lines(text: &str) -> usize {
    let lines = text.split_inclusive('\n').take_while(|line| line.trim().is_empty() && line.ends_with('\n'));
    lines.map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let language = sscg_parse::FileType::of_path("a.ts").expect("it is known").language;
        let syntax = sscg_parse::syntax(language).expect("it is code");
        cut(text, &syntax.comments("ts", text), &[Span::new(0, text.len() as u32)])
    }

    #[test]
    fn comments_go_with_their_lines() {
        assert_eq!(without("// a\nf();\n"), "f();\n");
        assert_eq!(without("f(); // a\ng();\n"), "f();\ng();\n");
        assert_eq!(
            without("{\n  // a\n\n  f();\n\n  /* b\n   */\n\n  g();\n}\n"),
            "{\n  f();\n\n  g();\n}\n"
        );
        assert_eq!(without("f(); // a"), "f();");
    }

    #[test]
    fn code_around_a_comment_stays_apart() {
        assert_eq!(without("f(a /* b */, c);"), "f(a, c);");
        assert_eq!(without("typeof/* b */a + /* c */ d;"), "typeof a + d;");
        assert_eq!(without("a = b /*\n*/ c = d"), "a = b\n c = d");
        assert_eq!(without("/* b */ f();"), "f();");
    }
}
