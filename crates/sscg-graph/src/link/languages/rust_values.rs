//! Result types and closure parameters of methods of the standard library's common types.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Types in the signature of a method.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::link) struct Signature {
    /// Result type.
    pub(in crate::link) result: Shape,
    /// Parameter types of its closure argument.
    pub(in crate::link) closure_parameters: Vec<Shape>,
}

/// Type in terms of the receiver's type.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::link) enum Shape {
    /// Type that depends on more than the receiver's type.
    Unknown,
    /// Type of the receiver.
    This,
    /// Type argument of the receiver.
    Argument(usize),
    /// Library type with its arguments.
    Named(&'static str, Vec<Shape>),
}

/// Method signatures. Each line lists types, their methods, the result, and after `<-` the closure parameters.
static SIGNATURES: LazyLock<FxHashMap<&str, FxHashMap<&str, Signature>>> = LazyLock::new(|| {
    let mut signatures: FxHashMap<&str, FxHashMap<&str, Signature>> = FxHashMap::default();
    for line in include_str!("rust_values.txt").lines() {
        let (methods, result) = line.split_once(" = ").expect("each line says what its methods return");
        let (types, methods) = methods.split_once(' ').expect("each line has types and methods");
        let (result, closure_parameters) = result.split_once(" <- ").unwrap_or((result, ""));
        for ty in types.split(',') {
            for method in methods.split(',') {
                let (result, closure_parameters) =
                    (shapes(result).swap_remove(0), shapes(closure_parameters));
                signatures.entry(ty).or_default().insert(method, Signature { result, closure_parameters });
            }
        }
    }
    signatures
});

/// Library types that are iterators over their last argument.
const ITERATORS: &[&str] =
    &["Drain", "Iter", "IterMut", "IntoIter", "Peekable", "Rev", "DoubleEndedIterator"];
const ITERATOR_TRAITS: &[&str] = &["ExactSizeIterator", "FusedIterator", "IntoIterator"];

/// Types that dereference to their first argument; raw pointers only explicitly.
const POINTERS: &[&str] = &[
    "Arc",
    "Box",
    "Cow",
    "Guard",
    "LazyCell",
    "LazyLock",
    "ManuallyDrop",
    "MutexGuard",
    "PeekMut",
    "Pin",
    "Rc",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "*const",
    "*mut",
];

/// Returns the signature of a method of a library type.
pub(super) fn signature(ty: &str, method: &str) -> Option<&'static Signature> {
    let is_iterator = ITERATORS.contains(&ty) || ITERATOR_TRAITS.contains(&ty);
    SIGNATURES.get(if is_iterator { "Iterator" } else { ty })?.get(method)
}

/// Returns true if values of a library type have the members of its first argument.
pub(super) fn is_pointer(ty: &str) -> bool {
    POINTERS.contains(&ty)
}

/// Parses a list of types: `Option<()<0,Self>>,_`.
fn shapes(text: &'static str) -> Vec<Shape> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0u32);
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(shape(&text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        found.push(shape(&text[start..]));
    }
    found
}

fn shape(text: &'static str) -> Shape {
    match text {
        "_" => Shape::Unknown,
        "Self" => Shape::This,
        _ => match (text.parse(), text.split_once('<')) {
            (Ok(argument), _) => Shape::Argument(argument),
            (Err(_), Some((name, arguments))) => {
                Shape::Named(name, shapes(arguments.strip_suffix('>').unwrap_or(arguments)))
            }
            (Err(_), None) => Shape::Named(text, Vec::new()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let part = |argument| Shape::Argument(argument);
        let entry = Shape::Named("Iterator", vec![Shape::Named("()", vec![part(0), part(1)])]);
        assert_eq!(
            signature("HashMap", "iter"),
            Some(&Signature { result: entry, closure_parameters: vec![] })
        );
        let find =
            Signature { result: Shape::Named("Option", vec![part(0)]), closure_parameters: vec![part(0)] };
        assert_eq!(signature("Iter", "find"), Some(&find));
        assert_eq!(
            signature("Iter", "fold").map(|fold| &*fold.closure_parameters),
            Some(&[Shape::Unknown, part(0)][..])
        );
        assert_eq!(signature("Option", "gone"), None);
    }
}
