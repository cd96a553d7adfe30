//! Build conditions: `#[cfg(..)]`.

/// Evaluates a condition for a build with these features; `None` if it depends on more. Assumes a build that is not for
/// tests, for documentation or under special tools.
pub(super) fn holds(condition: &str, features: Option<&[Box<str>]>) -> Option<bool> {
    evaluate(condition, features, &|word| match word {
        "doc" | "docsrs" | "doctest" | "fuzzing" | "loom" | "miri" | "test" => Some(false),
        "debug_assertions" => Some(true),
        _ => None,
    })
}

/// True if no build with these features alone satisfies a condition: for no platform, neither with nor without tests.
pub(super) fn is_switched_off(condition: &str, features: Option<&[Box<str>]>) -> bool {
    evaluate(condition, features, &|_| None) == Some(false)
}

/// Evaluates a condition for a build with these features, given the words in it that are neither features nor operators.
fn evaluate(
    condition: &str,
    features: Option<&[Box<str>]>,
    word: &dyn Fn(&str) -> Option<bool>,
) -> Option<bool> {
    let condition = condition.trim();
    if let Some(value) = condition.strip_prefix("feature") {
        let name = value.trim_start().strip_prefix('=')?.trim().trim_matches('"');
        return features.map(|features| features.iter().any(|feature| **feature == *name));
    }
    let Some((operator, rest)) = condition.split_once('(') else {
        return word(condition);
    };
    let parts = parts(rest.strip_suffix(')')?);
    let holding: Vec<Option<bool>> = parts.into_iter().map(|part| evaluate(part, features, word)).collect();
    // One `decisive` part decides; without one, all parts must be known.
    let decided_by = |decisive: bool| {
        if holding.contains(&Some(decisive)) {
            Some(decisive)
        } else {
            (!holding.contains(&None)).then_some(!decisive)
        }
    };
    match operator.trim() {
        "not" => holding.first()?.map(|holds| !holds),
        "all" => decided_by(false),
        "any" => decided_by(true),
        _ => None,
    }
}

/// Splits a list at its commas outside of parentheses.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_evaluated_as_far_as_features_go() {
        let features = ["std".into()];
        let holds = |condition| holds(condition, Some(&features));
        assert_eq!(holds("feature = \"std\""), Some(true));
        assert_eq!(holds("not(feature = \"std\")"), Some(false));
        assert_eq!(holds("all(unix, not(feature = \"std\"))"), Some(false));
        assert_eq!(holds("any(unix, feature = \"alloc\")"), None);
        assert_eq!(holds("any(feature = \"alloc\", feature = \"std\",)"), Some(true));
        assert_eq!(holds("all(windows, any(miri, test))"), Some(false));
        assert_eq!(super::holds("feature = \"std\"", None), None);
    }

    #[test]
    fn only_features_switch_code_off() {
        let features = ["std".into()];
        let is_off = |condition| is_switched_off(condition, Some(&features));
        assert!(is_off("feature = \"serde\"") && is_off("all(test, not(feature = \"std\"))"));
        assert!(
            !is_off("test") && !is_off("feature = \"std\"") && !is_off("any(windows, feature = \"serde\")")
        );
        assert!(!is_switched_off("feature = \"serde\"", None));
    }
}
