//! Reasons why a name stays unresolved.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// Reason why no rule resolved a use of a name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
        }

        impl Reason {
            /// All reasons, in declaration order.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// Returns the reason in words.
            pub const fn as_str(self) -> &'static str {
                match self { $(Reason::$variant => $text,)* }
            }
        }
    };
}

reasons! {
    /// No declaration and no import of the file has the name.
    NotDefined => "not defined or imported in its file",
    /// Import from a module that does not exist.
    NoModule => "module not found in the project",
    /// Import from a module that does not have the name.
    NotInModule => "not found in the module it is imported from",
    /// Member that is not in the project's part of the type.
    NoMember => "no such member in the project's part of the type",
    /// Member of the enclosing type, which is not part of the project.
    OutsideSelf => "the enclosing type is not part of the project",
    /// Member of a type outside the project.
    ExternalType => "the receiver's type is not part of the project",
    /// Member of a value whose type is not given in the text.
    ReceiverType => "the receiver's type is not known",
    /// Method of a value of unknown type, with a name that methods of built-in types have.
    BuiltInMethod => "the receiver's type is not known, and built-in types have such a method",
    /// Method of a value of unknown type, with a name that too many methods have.
    ManyMethods => "the receiver's type is not known, and too many methods have this name",
    /// No macro of the project has the name.
    NoMacro => "no macro of this name in the project",
    /// Too many macros of the project have the name.
    ManyMacros => "too many macros of this name",
    /// Use that may mean one of several declarations, of which only the likeliest have edges.
    LikelierOthers => "other declarations of this name are likelier",
    /// Call of a value that no rule follows: a parameter, an element of a table. It runs a function, or the method that
    /// makes instances callable.
    HeldValue => "a value is called, and what it holds is not known",
    /// Resolution that takes too many steps, or has too many results, of which only some have edges.
    TooDeep => "too many steps or results",
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
