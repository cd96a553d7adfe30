//! Detail level of a chunk in an answer.

/// Detail level of a chunk in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DetailLevel {
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

impl DetailLevel {
    /// All levels, most detailed first.
    pub const ALL: [DetailLevel; 5] = [
        DetailLevel::Full,
        DetailLevel::WithoutComments,
        DetailLevel::Collapsed,
        DetailLevel::Signature,
        DetailLevel::Name,
    ];

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            DetailLevel::Full => "full",
            DetailLevel::WithoutComments => "without_comments",
            DetailLevel::Collapsed => "collapsed",
            DetailLevel::Signature => "signature",
            DetailLevel::Name => "name",
        }
    }
}
