//! Lines of which each part is an operand of the part before, as no people write them: oxc takes up to 800 bytes of memory for
//! each, on the stack and in its tree.

use sscg_core::Span;

use crate::nesting::{MAX_NESTING, blank};

/// Maximum number of operators of one line each of which is an operand of the one before.
const MAX_CHAIN: usize = 20_000;

/// Maximum number of angles of one line that are opened and not closed, with nothing between that ends a type.
const MAX_ANGLES: usize = 300;

/// The text without the rest of a line of which each part is an operand of the part before (`a => a => a`, `f<f<f<`), and
/// where that begins; `None` if no line has more than [`MAX_CHAIN`], or [`MAX_ANGLES`] opening angles, behind each of which
/// oxc reads what follows twice. O(bytes).
pub(super) fn unchained(source: &str) -> Option<(String, u32)> {
    if source.len() <= MAX_NESTING {
        return None;
    }
    // Nearly every text stays as it is and is not copied.
    let mut cut: Option<(String, u32)> = None;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        if line.len() > MAX_NESTING
            && let Some(at) = end_of_chain(line.as_bytes())
        {
            let rest = Span::new((start + at) as u32, (start + line.trim_end().len()) as u32);
            let (text, _) = cut.get_or_insert_with(|| (source.to_owned(), rest.start));
            blank(text, rest);
            // The last operand that is left takes a value.
            let arrow = usize::from(line.as_bytes()[at] == b'>');
            let value = start + at + arrow;
            if value < rest.end as usize {
                text.replace_range(start + at..value + 1, if arrow == 1 { ">0" } else { "0" });
            }
        }
        start += line.len();
    }
    cut
}

/// Where a line has too many of arrows, opening angles, opening elements or signs since something ended them.
fn end_of_chain(line: &[u8]) -> Option<usize> {
    let (mut arrows, mut angles, mut elements, mut signs) = (0_usize, 0_usize, 0_usize, 0_usize);
    // Angles that are closed in the end are brackets.
    let mut in_angles = None;
    let chained = line.iter().enumerate().position(|(at, byte)| {
        let next = line.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or(0, |at| line[at]);
        match byte {
            b';' => (arrows, angles) = (0, 0),
            // What stands between comparisons, and not between types in angles.
            b',' | b'&' | b'|' | b'?' | b'(' | b')' | b'{' | b'}' => {
                (angles, elements) = (0, 0);
                arrows = if *byte == b',' { 0 } else { arrows };
            }
            b'>' if before == b'=' => arrows += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'<' => angles += 1,
            _ => {}
        }
        match (byte, next) {
            (b'<', b'/') | (b'/', b'>') => elements = elements.saturating_sub(1),
            (b'<', next) if next.is_ascii_alphabetic() => elements += 1,
            _ => {}
        }
        signs = if b"!~+-".contains(byte) { signs + 1 } else { 0 };
        in_angles = if angles > MAX_ANGLES { in_angles.or(Some(at)) } else { None };
        [arrows, elements, signs].iter().any(|count| *count > MAX_CHAIN)
    });
    chained.into_iter().chain(in_angles).min()
}

#[cfg(test)]
mod tests {
    use super::super::recover::parse;
    use super::*;
    use crate::nesting::levelled;

    #[test]
    fn what_stands_too_deep_is_left_out_and_the_rest_parses() {
        for (before, open, middle, close, after) in [
            ("const x = ", "[", "1", "]", ";"),
            ("const x = ", "(", "1", ")", ";"),
            ("const x = ", "f(", "1", ")", ";"),
            ("const x = ", "a[", "1", "]", ";"),
            ("const x = ", "{ a: ", "1", "}", ";"),
            ("const x = ", "`${", "1", "}`", ";"),
            ("type X = ", "A<", "B", ">", ";"),
            ("function x() ", "{", "f()", "}", ""),
        ] {
            let text = |levels| {
                format!(
                    "{before}{}{middle}{}{after}\nconst y = 1;\n",
                    open.repeat(levels),
                    close.repeat(levels)
                )
            };
            assert_eq!(levelled(&text(100), |text| parse("ts", text)), None);
            let deep = text(20_000);
            let (level, at) = levelled(&deep, |text| parse("ts", text)).expect("it is too deep");
            assert_eq!(level.len(), deep.len());
            assert!(deep[at as usize..].starts_with(['[', '(', '{', '<', '$']), "{open}");
            assert!(level.ends_with("const y = 1;\n"));
            let facts = crate::extract(crate::by_name("typescript").expect("it is read"), "ts", &deep);
            assert!(
                facts.symbols.iter().any(|symbol| &*symbol.name == "y"),
                "{open}: {:?}",
                facts.diagnostics
            );
            let said = facts.diagnostics.iter().any(|it| it.message.contains("too deeply"));
            assert!(said && facts.diagnostics.len() == 1, "{open}: {:?}", facts.diagnostics);
        }
    }

    #[test]
    fn chains_of_operands_are_cut_at_the_end_of_their_line() {
        for (link, some) in [("a => ", 10_000), ("f<", 200), ("<a>", 10_000), ("!", 10_000)] {
            let text = |links: usize| format!("const x = {}1;\nconst y = 1;\n", link.repeat(links));
            assert_eq!(unchained(&text(some)), None, "{link}");
            let (cut, at) = unchained(&text(50_000)).expect("it is too long");
            assert!(cut.ends_with("\nconst y = 1;\n") && at as usize > some, "{link}");
            assert_eq!(cut.len(), text(50_000).len());
        }
        assert_eq!(unchained(&"x = a < b;y=(c)=>d;".repeat(30_000)), None);
        assert!(unchained(&format!("x = {}1", "a<b&&".repeat(30_000))).is_none());
        assert_eq!(unchained(&"<p>a</p><br/>".repeat(30_000)), None);
    }
}
