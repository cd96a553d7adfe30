//! Detail level of a chunk in an answer.

/// Detail level of a chunk in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// Whole source.
    Full,
    /// Whole source without comments.
    WithoutComments,
    /// Source with body-bearing children collapsed.
    Collapsed,
    /// Signature only.
    Signature,
    /// Name only.
    Name,
}

impl Shown {
    /// All levels, most detailed first.
    pub const ALL: [Shown; 5] =
        [Shown::Full, Shown::WithoutComments, Shown::Collapsed, Shown::Signature, Shown::Name];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Shown::Full => "full",
            Shown::WithoutComments => "without_comments",
            Shown::Collapsed => "collapsed",
            Shown::Signature => "signature",
            Shown::Name => "name",
        }
    }
}
