//! Words in names.

/// Returns the parts of all identifiers in a name: `auth`, `Api` and `Key` of `auth.ApiKey`.
pub fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|char: char| !char.is_alphanumeric()).flat_map(parts_of)
}

/// Splits an identifier into parts: at underscores, between lower and upper case, before the last capital of a run
/// (`HTTPServer` → `HTTP`, `Server`), and around digits and runs of Chinese, Japanese or Korean characters.
pub fn parts_of(word: &str) -> impl Iterator<Item = &str> {
    #[derive(Clone, Copy, PartialEq)]
    enum Class {
        Lower,
        Upper,
        Digit,
        Cjk,
        Separator,
    }
    fn class(c: char) -> Class {
        if c == '_' {
            Class::Separator
        } else if !c.is_ascii() && is_cjk(c) {
            Class::Cjk
        } else if c.is_numeric() {
            Class::Digit
        } else if c.is_uppercase() {
            Class::Upper
        } else {
            Class::Lower
        }
    }
    let mut rest = word;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let mut previous = class(first);
        let mut run_of_capitals = previous == Class::Upper;
        let mut last_at = 0;
        let mut cut = rest.len();
        for (at, c) in chars {
            let next = class(c);
            let boundary = match (previous, next) {
                (Class::Upper, Class::Lower) if run_of_capitals && last_at > 0 => Some(last_at),
                (Class::Upper, Class::Lower) => None,
                (before, after) if before != after => Some(at),
                _ => None,
            };
            if let Some(boundary) = boundary {
                cut = boundary;
                break;
            }
            run_of_capitals = previous == Class::Upper && next == Class::Upper;
            previous = next;
            last_at = at;
        }
        let (part, tail) = rest.split_at(cut);
        rest = tail;
        Some(part)
    })
}

/// True for characters of scripts whose words are not separated by blanks (Chinese, Japanese), or are followed by
/// particles without one (Korean).
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_split_where_people_would() {
        let parts = |word| parts_of(word).collect::<Vec<_>>();
        assert_eq!(parts("parseHttpRequest"), ["parse", "Http", "Request"]);
        assert_eq!(parts("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(parts("__init__"), ["init"]);
        assert_eq!(parts("utf8_to_utf16"), ["utf", "8", "to", "utf", "16"]);
        assert_eq!(parts("IO"), ["IO"]);
        assert_eq!(parts("aB"), ["a", "B"]);
        assert_eq!(parts("größeÄndern"), ["größe", "Ändern"]);
        assert_eq!(parts("HTTP请求x"), ["HTTP", "请求", "x"]);
        assert!(parts("___").is_empty());
    }
}
