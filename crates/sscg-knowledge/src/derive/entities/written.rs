//! Types as written in a declaration, in any language.

/// Collections that hold values under keys.
const KEYED: &[&str] = &[
    "BTreeMap",
    "DashMap",
    "DefaultDict",
    "Dict",
    "HashMap",
    "IndexMap",
    "Map",
    "MutableMapping",
    "OrderedDict",
    "Record",
    "defaultdict",
    "dict",
];

/// Collections that hold values in a sequence or as a set.
const LISTS: &[&str] = &[
    "Array",
    "BTreeSet",
    "Collection",
    "HashSet",
    "List",
    "ReadonlyArray",
    "Sequence",
    "Set",
    "Vec",
    "VecDeque",
    "deque",
    "list",
    "set",
];

/// Number of values that a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// One value, or none.
    One,
    /// Several values, in a sequence or as a set.
    List,
    /// Several values, each under its key.
    Keyed,
}

/// Returns the type in the declaration of a field or variable: `Vec<Product>` in `pub products: Vec<Product>`,
/// `Map<string, Cart>` in `const carts = new Map<string, Cart>()`. Empty if there is none.
pub(super) fn of(declaration: &str) -> &str {
    let value = top_level(declaration, '=');
    let annotated = &declaration[..value.unwrap_or(declaration.len())];
    match (top_level(annotated, ':'), value) {
        (Some(colon), _) => annotated[colon + 1..].trim(),
        (None, Some(value)) => match declaration[value + 1..].trim().strip_prefix("new ") {
            Some(made) => made.split('(').next().unwrap_or("").trim(),
            None => "",
        },
        (None, None) => "",
    }
}

/// Returns the type of a field of a language that writes no colon: before its name, in Go after it.
pub(super) fn beside<'s>(declaration: &'s str, name: &str, is_before: bool) -> &'s str {
    let is_whole = |at: &usize| {
        let ends = |text: &str| !text.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        ends(&declaration[at + name.len()..])
            && !declaration[..*at].ends_with(|char: char| char.is_alphanumeric() || char == '_')
    };
    let mut places = declaration.match_indices(name).map(|(at, _)| at).filter(is_whole);
    if !is_before {
        let after = places.next().map_or("", |at| &declaration[at + name.len()..]);
        return after.split('`').next().unwrap_or_default().trim();
    }
    let value = top_level(declaration, '=').unwrap_or(declaration.len());
    let end = declaration.find('{').unwrap_or(value).min(value);
    let Some(at) = places.filter(|at| *at < end).last() else { return "" };
    let mut ty = declaration[..at].trim();
    while let Some((_, rest)) =
        ty.split_once(char::is_whitespace).filter(|(word, _)| MODIFIERS.contains(word))
    {
        ty = rest.trim_start();
    }
    ty
}

/// Keywords before the type of a field.
const MODIFIERS: &[&str] = &[
    "abstract",
    "const",
    "final",
    "internal",
    "new",
    "override",
    "private",
    "protected",
    "public",
    "readonly",
    "required",
    "static",
    "transient",
    "virtual",
    "volatile",
];

/// Returns the declared return type of a function; empty if there is none.
pub(super) fn returned(signature: &str) -> &str {
    let arrow = signature.rfind("->").map(|at| at + 2);
    let colon = || signature.rfind("):").map(|at| at + 2);
    arrow.or_else(colon).map_or("", |at| signature[at..].trim())
}

/// Returns the position of a character outside of brackets, except in paths (`::`) and arrows (`=>`).
fn top_level(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_i32;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().copied().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'>' if at > 0 && !matches!(bytes[at - 1], b'-' | b'=') => depth -= 1,
            _ => {}
        }
        let doubled = bytes.get(at + 1) == Some(&b':') || at > 0 && bytes[at - 1] == b':';
        let is_wanted = byte == wanted as u8
            && match wanted {
                ':' => !doubled,
                _ => bytes.get(at + 1) != Some(&b'>'),
            };
        if depth == 0 && is_wanted {
            return Some(at);
        }
    }
    None
}

/// Returns the names in a type, in order.
pub(super) fn names(ty: &str) -> impl Iterator<Item = &str> {
    ty.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty())
}

/// Returns the number of values that a type holds.
pub(super) fn holds(ty: &str) -> Holds {
    if names(ty).any(|name| KEYED.contains(&name)) {
        Holds::Keyed
    } else if names(ty).any(|name| LISTS.contains(&name)) || ty.contains("[]") || ty.starts_with("&[") {
        Holds::List
    } else {
        Holds::One
    }
}

/// True if the type includes an absent value.
pub(super) fn is_optional(ty: &str) -> bool {
    names(ty).any(|name| matches!(name, "Option" | "Optional" | "None" | "undefined" | "null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_in_declarations() {
        for (declaration, ty) in [
            ("pub products: RwLock<BTreeMap<String, Product>>", "RwLock<BTreeMap<String, Product>>"),
            ("const carts = new Map<string, Cart>()", "Map<string, Cart>"),
            ("self._payments: dict[str, Payment] = {}", "dict[str, Payment]"),
            ("id: Mapped[str] = mapped_column(String(36), primary_key=True)", "Mapped[str]"),
            ("lines: OrderLine[]", "OrderLine[]"),
            ("at: std::time::Instant", "std::time::Instant"),
            ("charge: (value: number) => Charge", "(value: number) => Charge"),
            ("store = PaymentStore()", ""),
            ("SENDER", ""),
        ] {
            assert_eq!(of(declaration), ty, "{declaration}");
        }
    }

    #[test]
    fn collections_are_told_by_their_names() {
        assert_eq!(holds("RwLock<BTreeMap<String, Product>>"), Holds::Keyed);
        assert_eq!(holds("Mapped[list[\"SignIn\"]]"), Holds::List);
        assert_eq!(holds("OrderLine[]"), Holds::List);
        assert_eq!(holds("Option<Product>"), Holds::One);
    }

    #[test]
    fn what_functions_return_follows_their_parameters() {
        assert_eq!(returned("async fn f(a: A) -> Json<Vec<Product>>"), "Json<Vec<Product>>");
        assert_eq!(returned("async get(id: string): Promise<Order>"), "Promise<Order>");
        assert_eq!(returned("def f(a)"), "");
    }
}
