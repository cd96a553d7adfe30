//! How much of a chunk a reader gets to see.

/// How much of a chunk is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// All of its source.
    Full,
    /// All of its source but the comments.
    WithoutComments,
    /// Its source with body-bearing children collapsed.
    Collapsed,
    /// Its signature alone.
    Signature,
    /// Its name alone.
    Name,
}

impl Shown {
    /// Most first.
    pub const ALL: [Shown; 5] =
        [Shown::Full, Shown::WithoutComments, Shown::Collapsed, Shown::Signature, Shown::Name];

    /// The wire name.
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
