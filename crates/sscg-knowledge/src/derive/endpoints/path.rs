//! Paths of routes, with the parameter syntax of any framework.

/// Joins a prefix and a path with one slash between them. A route at `/` below a prefix is at the prefix.
pub(super) fn join(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    match (prefix.is_empty() || prefix.starts_with('/'), path.is_empty()) {
        (true, true) if prefix.is_empty() => "/".to_owned(),
        (true, true) => prefix.to_owned(),
        (true, false) => format!("{prefix}/{path}"),
        (false, true) => format!("/{prefix}"),
        (false, false) => format!("/{prefix}/{path}"),
    }
}

/// Returns a path with its parameters in braces: `/users/{id}` for `/users/:id`, `/users/<int:id>`, `/users/[id]` and
/// `/users/{id:path}`.
pub(super) fn with_braces(path: &str) -> String {
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn segment(segment: &str) -> String {
    let bracketed = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(name) = bracketed {
        return parameter(name.trim_matches(['[', ']']).trim_start_matches("..."));
    }
    if let Some(name) = segment.strip_prefix('*') {
        return parameter(if name.is_empty() { "rest" } else { name });
    }
    let mut braced = String::new();
    let mut rest = segment;
    while let Some(at) = rest.find([':', '<', '{']) {
        braced.push_str(&rest[..at]);
        let (name, after) = opened(&rest[at..]);
        match name.is_empty() {
            true => braced.push_str(&rest[at..rest.len() - after.len()]),
            false => braced.push_str(&parameter(name)),
        }
        rest = after;
    }
    braced + rest
}

/// Returns the name of the parameter at the start of a text, and the text after it. The name is empty if there is no
/// parameter.
fn opened(text: &str) -> (&str, &str) {
    let (open, inner) = text.split_at(1);
    match open {
        ":" => {
            let end = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
            let (name, mut after) = inner.split_at(end);
            if name.starts_with(|c: char| c.is_ascii_digit()) {
                return ("", inner);
            }
            // Skip the pattern that the parameter must match.
            if let Some(pattern) = after.strip_prefix('(') {
                after = pattern.find(')').map_or("", |close| &pattern[close + 1..]);
            } else if let Some(pattern) = after.strip_prefix('{') {
                after = pattern.get(closing_brace(pattern) + 1..).unwrap_or("");
            }
            (name, if name.is_empty() { after } else { after.trim_start_matches(['?', '+', '*']) })
        }
        "<" => {
            let (name, after) = inner.split_once('>').unwrap_or((inner, ""));
            (name.rsplit(':').next().unwrap_or(name).trim_end_matches('.'), after)
        }
        _ => {
            let end = closing_brace(inner);
            let after = inner.get(end + 1..).unwrap_or("");
            let name = inner[..end].split(':').next().unwrap_or("");
            (name.trim_start_matches('*').trim_end_matches(['.', '?']), after)
        }
    }
}

/// Returns the position of the brace that closes the one before `text`; patterns can contain braces.
fn closing_brace(text: &str) -> usize {
    let mut depth = 1;
    let closes = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    };
    text.find(closes).unwrap_or(text.len())
}

fn parameter(name: &str) -> String {
    format!("{{{name}}}")
}

/// Returns the path for a regular expression with named groups: `articles/{year}/` for
/// `^articles/(?P<year>[0-9]{4})/$`. `None` if it contains anything but text and groups.
pub(super) fn of_pattern(pattern: &str) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern.trim_start_matches('^').trim_end_matches('$').trim_end_matches("\\Z");
    while let Some(at) = rest.find('(') {
        path.push_str(&rest[..at]);
        let name = rest[at..].strip_prefix("(?P<")?.split('>').next()?;
        path.push_str(&parameter(name));
        rest = &rest[at + closing_parenthesis(&rest[at..])?..];
    }
    path.push_str(rest);
    let path = path.trim_end_matches('?').replace("\\-", "-").replace("\\.", ".");
    (!path.contains(['\\', '[', '*', '+', '?', '|', '$', '^'])).then_some(path)
}

/// Returns the end of the group that opens at the start of `text`.
fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0;
    let closes = |(_, c): &(usize, char)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    };
    text.char_indices().find(closes).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_all_frameworks_come_in_braces() {
        for (written, braced) in [
            ("/users/:id", "/users/{id}"),
            ("/users/:id?", "/users/{id}"),
            ("/users/:id(\\d+)/posts", "/users/{id}/posts"),
            ("/users/:id{[0-9]+}", "/users/{id}"),
            ("/flights/:from-:to", "/flights/{from}-{to}"),
            ("/users/<id>", "/users/{id}"),
            ("/users/<int:id>", "/users/{id}"),
            ("/files/<path..>", "/files/{path}"),
            ("/users/[id]", "/users/{id}"),
            ("/docs/[[...slug]]", "/docs/{slug}"),
            ("/files/{path:path}", "/files/{path}"),
            ("/years/{year:[0-9]{4}}/posts", "/years/{year}/posts"),
            ("/files/{*path}", "/files/{path}"),
            ("/files/{path...}", "/files/{path}"),
            ("/users/{id:int}", "/users/{id}"),
            ("/users/{id?}", "/users/{id}"),
            ("/files/*path", "/files/{path}"),
            ("/files/*", "/files/{rest}"),
            ("/users/{}", "/users/{}"),
            ("/users/me", "/users/me"),
            ("/at/12:30", "/at/12:30"),
        ] {
            assert_eq!(with_braces(written), braced);
        }
    }

    #[test]
    fn joined_paths_have_one_slash_between_them() {
        for (prefix, path, joined) in [
            ("", "", "/"),
            ("", "/", "/"),
            ("/", "/users", "/users"),
            ("/users", "", "/users"),
            ("/users", "/", "/users"),
            ("/users/", "/:id", "/users/:id"),
            ("users", ":id", "/users/:id"),
            ("", "users/", "/users/"),
        ] {
            assert_eq!(join(prefix, path), joined);
        }
    }

    #[test]
    fn patterns_of_named_groups_are_paths() {
        assert_eq!(of_pattern("^articles/(?P<year>([0-9]{4}))/$").as_deref(), Some("articles/{year}/"));
        assert_eq!(of_pattern("^$").as_deref(), Some(""));
        assert_eq!(of_pattern("^articles/([0-9]+)/$"), None);
        assert_eq!(of_pattern("^a.*b$"), None);
    }
}
