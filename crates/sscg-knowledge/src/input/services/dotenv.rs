//! Files of environment variables in the syntax of dotenv.

use std::collections::BTreeMap;

/// Maximum length of a value in bytes. Addresses and topics are far shorter, and references could double a value with each
/// line.
pub(super) const MAX_VALUE: usize = 4_096;

/// Reads the variables of a text: `export NAME="value" # comment`. References to variables above (`${NAME}`, and
/// `${NAME:-default}`) are expanded. Lines that are no assignment are skipped.
pub(super) fn read(text: &str) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
        let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name.trim_end())) else {
            continue;
        };
        let value = match unquoted(value.trim_start()) {
            Value::Literal(text) => text.to_owned(),
            Value::Expanded(text) => expand(text, &variables).unwrap_or_default(),
        };
        variables.insert(name.trim_end().to_owned(), value);
    }
    variables
}

/// Value without its quotes.
enum Value<'t> {
    /// Text in single quotes, which expands nothing.
    Literal(&'t str),
    /// Any other text.
    Expanded(&'t str),
}

fn unquoted(value: &str) -> Value<'_> {
    let within = |quote: char| Some(value.strip_prefix(quote)?.split_once(quote)?.0);
    if let Some(text) = within('\'') {
        return Value::Literal(text);
    }
    let plain = || value.find(" #").map_or(value, |comment| &value[..comment]).trim_end();
    Value::Expanded(within('"').unwrap_or_else(plain))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "_.-".contains(char))
}

/// Expands `${NAME}`, `${NAME:-default}` and `$NAME`; `None` if a variable is unknown and has no default, or the value is
/// longer than [`MAX_VALUE`].
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        let (reference, after) = match after.strip_prefix('{') {
            Some(braced) => braced.split_once('}')?,
            None => {
                let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
                after.split_at(after.find(|char| !is_part(char)).unwrap_or(after.len()))
            }
        };
        let (name, default) = match reference.split_once('-') {
            Some((name, default)) => (name.trim_end_matches(':'), Some(default)),
            None => (reference.split([':', '?']).next().unwrap_or(reference), None),
        };
        let value = variables.get(name).map(String::as_str).filter(|value| !value.is_empty());
        expanded = expanded + before + value.or(default)?;
        if expanded.len() > MAX_VALUE {
            return None;
        }
        rest = after;
    }
    Some(expanded + rest).filter(|expanded| expanded.len() <= MAX_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_with_quotes_comments_and_references() {
        let text = "# hosts\nexport ORDERS_PORT=3001\nORDERS_URL=\"http://orders:${ORDERS_PORT}/\" # ours\n\
                    PLAIN = a b # c\nLITERAL='$PLAIN # x'\nMADE=$ORDERS_PORT.${NONE:-d}${NONE-e}\nOPEN=${NONE}\nno line\n=x\n";
        let variables = read(text);
        let expected = [
            ("LITERAL", "$PLAIN # x"),
            ("MADE", "3001.de"),
            ("OPEN", ""),
            ("ORDERS_PORT", "3001"),
            ("ORDERS_URL", "http://orders:3001/"),
            ("PLAIN", "a b"),
        ];
        let found: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn references_do_not_grow_a_value_without_end() {
        let text = format!("A=0123456789\n{}", "A=${A}${A}\n".repeat(60));
        let variables = read(&text);
        assert!(variables["A"].len() <= MAX_VALUE, "{}", variables["A"].len());
    }

    #[test]
    fn what_is_unknown_has_no_expansion() {
        let none = BTreeMap::new();
        assert_eq!(expand("http://${HOST:-orders}:${PORT-80}/", &none).as_deref(), Some("http://orders:80/"));
        assert_eq!(expand("http://${HOST}", &none), None);
        assert_eq!(expand("$HOST", &none), None);
        assert_eq!(expand("${HOST", &none), None);
        assert_eq!(expand("plain", &none).as_deref(), Some("plain"));
    }
}
