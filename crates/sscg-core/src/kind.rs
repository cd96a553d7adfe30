//! Kinds of symbols and chunks.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! symbol_kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// Kind of a symbol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum SymbolKind {
            $($(#[$doc])* $variant,)*
        }

        impl SymbolKind {
            /// All kinds, in declaration order.
            pub const ALL: &[SymbolKind] = &[$(SymbolKind::$variant,)*];

            /// Returns the wire name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(SymbolKind::$variant => $name,)*
                }
            }
        }
    };
}

symbol_kinds! {
    /// Function outside any type.
    Function => "function",
    /// Function of a type: instance or static method, getter or setter.
    Method => "method",
    /// Function run by `new` or by calling a class.
    Constructor => "constructor",
    /// Class.
    Class => "class",
    /// Function or class that renders a user interface (React and the like).
    Component => "component",
    /// Interface.
    Interface => "interface",
    /// Struct.
    Struct => "struct",
    /// Untagged union.
    Union => "union",
    /// Enumeration.
    Enum => "enum",
    /// Variant of an enumeration.
    EnumMember => "enum_member",
    /// Trait.
    Trait => "trait",
    /// Implementation block, named after its self type.
    Impl => "impl",
    /// Named module inside a file.
    Module => "module",
    /// Alias of a type.
    TypeAlias => "type",
    /// Constant.
    Constant => "const",
    /// Static or module-level variable.
    Variable => "variable",
    /// Field, property or class attribute.
    Field => "field",
    /// Macro.
    Macro => "macro",
    /// Part of a document: the content under a heading, or the value of a key.
    Section => "section",
    /// Run of document text: text under no heading, or one piece of a long section.
    Passage => "passage",
}

impl SymbolKind {
    /// Returns true if the kind is a type: classes, structs, traits, aliases and so on.
    pub const fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Component | Interface | Struct | Union | Enum | Trait | TypeAlias)
    }

    /// Returns true if symbols of this kind can be called by name.
    pub const fn is_callable(self) -> bool {
        use SymbolKind::*;
        matches!(self, Function | Method | Constructor | Component | Macro)
    }

    /// Returns true if symbols of this kind own their children as members (`Owner.member`).
    pub const fn has_members(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Component | Interface | Struct | Union | Enum | Trait | Impl | Module)
    }

    /// Returns true if the kind is a part of a document, not a declaration.
    pub const fn is_document(self) -> bool {
        matches!(self, SymbolKind::Section | SymbolKind::Passage)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Kind of a chunk: the kind of its symbol, or a top-level element that is no symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ChunkKind {
    /// Chunk of a symbol.
    Symbol(SymbolKind),
    /// Import statement.
    Import,
    /// Statement that exports a definition of another file.
    ReExport,
    /// Any other statement.
    Expression,
    /// Comment not attached to a declaration.
    Comment,
}

impl ChunkKind {
    /// Returns all kinds, those of symbols first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let others = [Self::Import, Self::ReExport, Self::Expression, Self::Comment];
        SymbolKind::ALL.iter().copied().map(Self::Symbol).chain(others)
    }

    /// Returns the wire name.
    pub const fn as_str(self) -> &'static str {
        match self {
            ChunkKind::Symbol(kind) => kind.as_str(),
            ChunkKind::Import => "import",
            ChunkKind::ReExport => "re-export",
            ChunkKind::Expression => "expression",
            ChunkKind::Comment => "comment",
        }
    }
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
