//! Why a name stayed unresolved.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// Why no rule resolved a use of a name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
        }

        impl Reason {
            /// Every reason, in declaration order.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// The reason in words.
            pub const fn as_str(self) -> &'static str {
                match self { $(Reason::$variant => $text,)* }
            }
        }
    };
}

reasons! {
    /// No declaration and no import of its file has the name.
    NotDefined => "not defined or imported in its file",
    /// The module that it is imported from is not there.
    NoModule => "module not found in the project",
    /// The module that it is imported from has no such name.
    NotInModule => "not found in the module it is imported from",
    /// The type has no such member, as far as it is part of the project.
    NoMember => "no such member in the project's part of the type",
    /// It is a member of the type around it, which is not known.
    OutsideSelf => "the enclosing type is not part of the project",
    /// It is a member of a type of another project.
    OutsideType => "the receiver's type is not part of the project",
    /// It is a member of a value whose type the text does not give.
    ReceiverType => "the receiver's type is not known",
    /// So it is, and the name is one that the language's own types use.
    BuiltInMethod => "the receiver's type is not known, and built-in types have such a method",
    /// So it is, and no rule chooses among the methods of the name.
    ManyMethods => "the receiver's type is not known, and too many methods have this name",
    /// No macro of the project has the name.
    NoMacro => "no macro of this name in the project",
    /// No rule chooses among the macros of the name.
    ManyMacros => "too many macros of this name",
    /// What it means is too long a way off.
    TooDeep => "too many steps",
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
