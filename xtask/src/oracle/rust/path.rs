//! Paths of callees, as the compiler prints them.

/// Callee of a call, as the compiler's intermediate representation spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// `a::b::f`, `a::Type::<T>::f`: the segments without generic arguments.
    Path(Vec<String>),
    /// `<Type as a::Trait>::f`, or `<[T]>::f` without a trait.
    Member {
        /// Type, as printed.
        of: String,
        /// Trait, as printed.
        in_trait: Option<String>,
        name: String,
    },
    /// Function inside an associated function.
    Nested { outer: String, name: String },
}

impl Callee {
    /// Parses a path.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let Some(rest) = path.strip_prefix('<') else { return Self::plain(path) };
        let close = closing(rest)?;
        let (inside, after) = (&rest[..close], &rest[close + 1..]);
        let mut path = segments(after.strip_prefix("::")?);
        let name = path.pop()?;
        if let Some(outer) = path.pop() {
            return Some(Callee::Nested { outer, name });
        }
        // Implementation blocks outside their type's module: `<impl Type>::f`.
        if let (Some(of), None) = (inside.strip_prefix("impl "), split_as(inside)) {
            let of = of.split(" for ").last()?;
            return Some(Callee::Member { of: of.to_owned(), in_trait: None, name });
        }
        let (of, in_trait) = match split_as(inside) {
            Some((of, in_trait)) => (of, Some(in_trait.to_owned())),
            None => (inside, None),
        };
        Some(Callee::Member { of: of.to_owned(), in_trait, name })
    }

    fn plain(path: &str) -> Option<Self> {
        // Implementation blocks outside their type's module; in generic arguments the same syntax is a type.
        if let Some(at) = path.find("<impl ")
            && !path[..at].contains(['<', '{', '('])
            && let Some(block) = Self::parse(&path[at..])
        {
            return Some(block);
        }
        let segments = segments(path);
        segments.last().is_some_and(|name| is_identifier(name)).then_some(Callee::Path(segments))
    }

    /// Returns the name of the function.
    pub(super) fn name(&self) -> &str {
        match self {
            Callee::Path(segments) => segments.last().map_or("", String::as_str),
            Callee::Member { name, .. } | Callee::Nested { name, .. } => name,
        }
    }
}

/// Returns the segments of a path, without generic arguments.
pub(super) fn segments(path: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut depth = 0u32;
    let mut chars = path.chars().peekable();
    let mut previous = ' ';
    while let Some(c) = chars.next() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                chars.next_if_eq(&':');
                segments.push(String::new());
            }
            _ if depth == 0 => segments.last_mut().expect("one to start with").push(c),
            _ => {}
        }
        previous = c;
    }
    segments.retain(|segment| !segment.is_empty());
    segments
}

/// Returns the names of the traits in an `impl A + B<C>`, behind references.
pub(super) fn bounds(ty: &str) -> impl Iterator<Item = String> {
    let ty = ty.trim_start_matches(['&', ' ']).trim_start_matches("mut ");
    let bounds = ty.strip_prefix("impl ").unwrap_or_default();
    bounds.split(" + ").filter_map(|bound| segments(bound).pop())
}

/// Returns the last segment of the path at the start of a type, behind references: `Type` for `&mut a::Type<T>`; for a
/// pointer, slice or array its first token. `None` for other types without a path.
pub(super) fn head(ty: &str) -> Option<String> {
    let mut ty = ty.trim();
    loop {
        let before = ty;
        for prefix in ["&", "mut ", "dyn "] {
            ty = ty.strip_prefix(prefix).unwrap_or(ty).trim_start();
        }
        if let Some(lifetime) = ty.strip_prefix('\'') {
            ty = lifetime.split_once(' ').map_or("", |(_, rest)| rest);
        }
        if ty == before {
            break;
        }
    }
    if let Some(built_in) = ["*const ", "*mut ", "["].into_iter().find(|start| ty.starts_with(start)) {
        return Some(built_in.to_owned());
    }
    let name = segments(ty.split(" + ").next()?).pop()?;
    (ty.starts_with(|c: char| c.is_alphabetic() || c == '_') && is_identifier(&name)).then_some(name)
}

/// Returns a type or argument list with only the last segment of each path, and without lifetimes, so that two
/// spellings of a type are equal.
pub(super) fn short(ty: &str) -> String {
    let mut out = String::new();
    let mut rest = ty;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            rest = rest[1..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            rest = rest.trim_start_matches([',', ' ']);
        } else if first.is_alphanumeric() || first == '_' {
            let end =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let path = rest[..end].trim_end_matches(':');
            out.push_str(path.rsplit("::").next().unwrap_or(path));
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out.replace("<>", "")
}

/// Returns the generic arguments of a path's last segment: `<X>` for `a::Trait<X>`.
pub(super) fn arguments(path: &str) -> &str {
    path.find('<').map_or("", |at| &path[at..])
}

pub(super) fn is_identifier(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Returns the offset of the `>` that closes the bracket opened just before `code`.
fn closing(code: &str) -> Option<usize> {
    let mut depth = 1u32;
    let mut previous = ' ';
    for (at, c) in code.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if previous != '-' && previous != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        previous = c;
    }
    None
}

/// Splits `Type as Trait` at its outermost ` as `.
fn split_as(inside: &str) -> Option<(&str, &str)> {
    let mut depth = 0u32;
    let mut previous = ' ';
    for (at, c) in inside.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && inside[at..].starts_with(" as ") => {
                return Some((&inside[..at], &inside[at + 4..]));
            }
            _ => {}
        }
        previous = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_are_read() {
        let path = |segments: &[&str]| Some(Callee::Path(segments.iter().map(|s| (*s).to_owned()).collect()));
        assert_eq!(Callee::parse("a::b::f::<{closure@src/a.rs:1:2: 3:4}, T>"), path(&["a", "b", "f"]));
        assert_eq!(Callee::parse("a::Type::<fn(u8) -> B>::new"), path(&["a", "Type", "new"]));
        let member = |of: &str, in_trait: Option<&str>, name: &str| {
            Some(Callee::Member { of: of.into(), in_trait: in_trait.map(Into::into), name: name.into() })
        };
        assert_eq!(
            Callee::parse("<a::Type<T> as b::Trait<<T as X>::Y>>::run::<Z>"),
            member("a::Type<T>", Some("b::Trait<<T as X>::Y>"), "run")
        );
        assert_eq!(Callee::parse("<[T]>::len"), member("[T]", None, "len"));
        assert_eq!(Callee::parse("a::<impl b::Type<T>>::f"), member("b::Type<T>", None, "f"));
        assert_eq!(Callee::parse("a::f::<impl Fn(), ()>"), path(&["a", "f"]));
        assert_eq!(Callee::parse("a::f::<fn() {b::<impl c::T>::g}>"), path(&["a", "f"]));
        let nested = Callee::Nested { outer: "run".into(), name: "inner".into() };
        assert_eq!(Callee::parse("<a::Type as b::Trait>::run::inner::<T>"), Some(nested));
        assert_eq!(Callee::parse("{alloc6: &std::sync::Once}"), None);
    }

    #[test]
    fn types_are_named_by_their_last_segment() {
        assert_eq!(head("&'a mut a::b::Type<T>").as_deref(), Some("Type"));
        assert_eq!(head("dyn a::Trait + 'a").as_deref(), Some("Trait"));
        assert_eq!(head("[u8]").as_deref(), Some("["));
        assert_eq!(head("(u8, u8)"), None);
        assert_eq!(short("<a::B<'_, c::D>>"), "<B<D>>");
        assert_eq!(arguments("std::convert::From<a::B>"), "<a::B>");
    }
}
