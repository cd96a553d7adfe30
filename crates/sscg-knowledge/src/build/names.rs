//! Normalization of names.

/// Generic suffixes in names of services: `orders`, `orders-service` and `Orders API` are equal.
const OF_SERVICES: &[&str] = &["service", "server", "svc", "api", "app"];

/// Suffixes in names of types that give the role of the type, not its entity.
const OF_TYPES: &[&str] =
    &["service", "model", "schema", "entity", "repository", "controller", "handler", "dto"];

/// Normalizes the name of a service: ignores case, punctuation and generic suffixes.
pub(super) fn service(name: &str) -> String {
    without(name, OF_SERVICES)
}

/// Normalizes the name of a type to that of its entity: ignores case, punctuation and role suffixes.
pub(super) fn entity(name: &str) -> String {
    without(name, OF_TYPES)
}

/// Returns the lowercase words of a name, concatenated without separators and without trailing words in `endings`. At
/// least one word is kept.
fn without(name: &str, endings: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut is_inside = false;
    for (at, char) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        // Start of a word: the `L` in `orderLine`, and the `S` in `HTTPServer`.
        let starts = char.is_uppercase()
            && (before.is_some_and(|before| !before.is_uppercase())
                || chars.get(at + 1).is_some_and(|after| after.is_lowercase()));
        if !char.is_alphanumeric() {
            is_inside = false;
            continue;
        }
        match words.last_mut().filter(|_| is_inside && !starts) {
            Some(word) => word.extend(char.to_lowercase()),
            None => words.push(char.to_lowercase().collect()),
        }
        is_inside = true;
    }
    while words.len() > 1 && words.last().is_some_and(|word| endings.contains(&word.as_str())) {
        words.pop();
    }
    words.concat()
}

/// Returns a path without the names of its parameters.
pub(super) fn shape(path: &str) -> String {
    let mut shape = String::with_capacity(path.len());
    let mut depth = 0_usize;
    for char in path.trim_end_matches('/').chars() {
        match char {
            '{' => {
                depth += 1;
                if depth == 1 {
                    shape.push_str("{}");
                }
            }
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => shape.push(char),
            _ => {}
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_no_part_of_a_name_unless_they_are_all_of_it() {
        assert_eq!(service("Orders-Service"), "orders");
        assert_eq!(service("orders_api"), service("orders"));
        assert_eq!(service("api"), "api");
        assert_eq!(entity("OrderLineRepository"), entity("order_line"));
        assert_eq!(entity("Model"), "model");
        assert_eq!(entity("OrderDTO"), "order");
        assert_eq!(entity("Remodel"), "remodel");
        assert_eq!(service("whatsapp"), "whatsapp");
        assert_eq!(service("HTTPServer"), "http");
        assert_ne!(entity("OrderSummary"), entity("Order"));
    }

    #[test]
    fn shapes_know_no_names_of_parameters() {
        assert_eq!(shape("/a/{id}/b/"), shape("/a/{other}/b"));
        assert_eq!(shape("/a/{id}.json"), "/a/{}.json");
        assert_eq!(shape("/a/{id:[0-9]{3}}/b"), "/a/{}/b");
        assert_eq!(shape("/"), shape(""));
    }
}
