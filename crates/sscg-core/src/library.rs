//! Names that a language and its standard library define, as data.

use std::collections::{BTreeMap, BTreeSet};

/// Names that a language and its standard library define, in the notation of one text file per language.
///
/// Each line has a key, an argument of some keys, a colon, and names. Lines with `#` in front are comments. Keys may
/// repeat.
///
/// - `builtins PATH`: names visible everywhere without an import, and the path of the package that declares them.
/// - `packages PATH`: names in a package, for imports of all of them.
/// - `roots`: first segments of the packages of the standard library.
/// - `containers N`: types, by full path, that hold values of their type argument at position N.
/// - `pointers`: types, by full path, whose values have the members of their first type argument.
/// - `same`: methods of containers that return a container of the same elements.
/// - `elements`: methods of containers that return an element.
/// - `callbacks N`: methods of containers that pass an element as parameter N of their callback.
/// - `methods`: methods that many types of the standard library have, so that their name alone determines no target.
/// - `implicit`: methods that statements and functions of the language or its standard library call by themselves.
///
/// ```
/// use sscg_core::Library;
///
/// let library = Library::parse("builtins java.lang: String\ncontainers 1: java.util.Map\nelements: get\n");
/// assert_eq!(library.builtin("String").as_deref(), Some("java.lang.String"));
/// assert_eq!(library.held_argument("java.util.Map"), Some(1));
/// assert!(library.returns_element("get"));
/// assert!(Library::parse("packages java.util: List Map\n").declares("java.util", "Map"));
/// ```
#[derive(Debug, Default)]
pub struct Library {
    /// Path of the package of each name.
    builtins: BTreeMap<&'static str, &'static str>,
    /// Package and name of each entity that an import of the whole package brings in.
    packages: BTreeSet<(&'static str, &'static str)>,
    roots: BTreeSet<&'static str>,
    containers: BTreeMap<&'static str, u8>,
    pointers: BTreeSet<&'static str>,
    same: BTreeSet<&'static str>,
    elements: BTreeSet<&'static str>,
    callbacks: BTreeMap<&'static str, u8>,
    methods: BTreeSet<&'static str>,
    implicit: BTreeSet<&'static str>,
}

impl Library {
    /// Reads the notation. O(bytes).
    ///
    /// # Panics
    /// If a line has no colon, an unknown key or no number where one is required: the text is part of the program.
    pub fn parse(text: &'static str) -> Self {
        let mut library = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, names) = line.split_once(':').expect("a line has a key and a colon");
            let (key, argument) = key.split_once(' ').unwrap_or((key, ""));
            let names = names.split_whitespace();
            let position = || argument.parse().expect("the argument is a position");
            match key {
                "builtins" => library.builtins.extend(names.map(|name| (name, argument))),
                "packages" => library.packages.extend(names.map(|name| (argument, name))),
                "roots" => library.roots.extend(names),
                "containers" => library.containers.extend(names.map(|name| (name, position()))),
                "pointers" => library.pointers.extend(names),
                "same" => library.same.extend(names),
                "elements" => library.elements.extend(names),
                "callbacks" => library.callbacks.extend(names.map(|name| (name, position()))),
                "methods" => library.methods.extend(names),
                "implicit" => library.implicit.extend(names),
                _ => panic!("unknown key: {key}"),
            }
        }
        library
    }

    /// Returns the path of a name that is visible without an import.
    pub fn builtin(&self, name: &str) -> Option<String> {
        let package = self.builtins.get(name)?;
        Some(if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") })
    }

    /// Returns true if a package of the standard library declares a name.
    pub fn declares(&self, package: &str, name: &str) -> bool {
        self.packages.contains(&(package, name))
    }

    /// Returns true if packages that start with this segment belong to the standard library.
    pub fn is_root(&self, segment: &str) -> bool {
        self.roots.contains(segment)
    }

    /// Returns the position of the type argument whose values a container holds.
    pub fn held_argument(&self, path: &str) -> Option<u8> {
        self.containers.get(path).copied()
    }

    /// Returns true if values of a type have the members of its first type argument.
    pub fn is_pointer(&self, path: &str) -> bool {
        self.pointers.contains(path)
    }

    /// Returns true if a method of containers returns a container of the same elements.
    pub fn returns_same(&self, method: &str) -> bool {
        self.same.contains(method)
    }

    /// Returns true if a method of containers returns an element.
    pub fn returns_element(&self, method: &str) -> bool {
        self.elements.contains(method)
    }

    /// Returns the callback parameter to which a method of containers passes an element.
    pub fn callback_parameter(&self, method: &str) -> Option<u8> {
        self.callbacks.get(method).copied()
    }

    /// Returns true if many types of the standard library have a method of this name.
    pub fn is_common_method(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    /// Returns true if statements and functions of the language or its standard library call a method of this name.
    pub fn is_implicit(&self, name: &str) -> bool {
        self.implicit.contains(name)
    }
}
