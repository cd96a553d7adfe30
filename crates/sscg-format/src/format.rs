//! Names of the output formats, and the built-in ones.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use crate::{Compact, Renderer, TextRenderer, Toon, Verbose};

/// Name of an output format: a built-in one, or that of a custom [`Renderer`].
///
/// ```
/// use sscg_format::Format;
///
/// assert_eq!(Format::default(), Format::TEXT);
/// assert_eq!(Format::from("toon"), Format::TOON);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Format(Cow<'static, str>);

impl Format {
    /// Text: how the results connect, then their code. The default.
    pub const TEXT: Self = Self(Cow::Borrowed("text"));
    /// JSON on one line, without empty or redundant fields.
    pub const COMPACT: Self = Self(Cow::Borrowed("compact"));
    /// Data of [`Format::COMPACT`] as TOON tables, in fewer tokens.
    pub const TOON: Self = Self(Cow::Borrowed("toon"));
    /// JSON Lines: one object for each piece of [evidence](crate::Evidence), with its code, and a line break at the end. Made
    /// by the engine, as it needs the source; not among [`renderers`].
    pub const EVIDENCE: Self = Self(Cow::Borrowed("evidence"));
    /// JSON with every field.
    pub const VERBOSE: Self = Self(Cow::Borrowed("verbose"));
}

impl Default for Format {
    fn default() -> Self {
        Self::TEXT
    }
}

impl From<&str> for Format {
    fn from(name: &str) -> Self {
        Self(Cow::Owned(name.to_owned()))
    }
}

impl From<String> for Format {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl Deref for Format {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// Returns the built-in formats; the first is the default.
pub fn renderers() -> &'static [&'static dyn Renderer] {
    &[&TextRenderer, &Compact, &Toon, &Verbose]
}

/// Returns the built-in format with a name.
///
/// ```
/// use sscg_format::{Answer, renderer};
///
/// let json = renderer("compact").unwrap().render(&Answer::default());
/// assert!(json.starts_with('{'));
/// assert!(renderer("html").is_none());
/// ```
pub fn renderer(name: &str) -> Option<&'static dyn Renderer> {
    renderers().iter().copied().find(|renderer| renderer.name() == name)
}
