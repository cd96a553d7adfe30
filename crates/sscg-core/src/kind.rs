//! What a symbol or a chunk is.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! symbol_kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// The kind of a symbol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum SymbolKind {
            $($(#[$doc])* $variant,)*
        }

        impl SymbolKind {
            /// Every kind, in declaration order.
            pub const ALL: &[SymbolKind] = &[$(SymbolKind::$variant,)*];

            /// The wire name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(SymbolKind::$variant => $name,)*
                }
            }
        }
    };
}

symbol_kinds! {
    /// A function outside any type.
    Function => "function",
    /// A function of a type: instance, static, getter or setter.
    Method => "method",
    /// What `new` or a class call runs.
    Constructor => "constructor",
    /// A class.
    Class => "class",
    /// A function or class that renders user interface (React and the like).
    Component => "component",
    /// An interface.
    Interface => "interface",
    /// A struct.
    Struct => "struct",
    /// An untagged union.
    Union => "union",
    /// An enumeration.
    Enum => "enum",
    /// One alternative of an enumeration.
    EnumMember => "enum_member",
    /// A trait.
    Trait => "trait",
    /// An implementation block; its name is that of the type it belongs to.
    Impl => "impl",
    /// A named module inside a file.
    Module => "module",
    /// A name for a type.
    TypeAlias => "type",
    /// A constant.
    Constant => "const",
    /// A static or module-level variable.
    Variable => "variable",
    /// A field, property or class attribute.
    Field => "field",
    /// A macro.
    Macro => "macro",
    /// A part of a document: what stands under a heading, or the value of a key.
    Section => "section",
    /// A run of a document's text: what stands under no heading, or one of the pieces of a long section.
    Passage => "passage",
}

impl SymbolKind {
    /// Whether values have this kind as their type: classes, structs, traits, aliases and so on.
    pub const fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Component | Interface | Struct | Union | Enum | Trait | TypeAlias)
    }

    /// Whether it can be called by name.
    pub const fn is_callable(self) -> bool {
        use SymbolKind::*;
        matches!(self, Function | Method | Constructor | Component | Macro)
    }

    /// Whether symbols of this kind own their children as members (`Owner.member`).
    pub const fn has_members(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Component | Interface | Struct | Union | Enum | Trait | Impl | Module)
    }

    /// Whether it is a part of a document, not a declaration.
    pub const fn is_document(self) -> bool {
        matches!(self, SymbolKind::Section | SymbolKind::Passage)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The kind of a chunk: a symbol's, or one of the things at a file's root that are no symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ChunkKind {
    /// The chunk of a symbol.
    Symbol(SymbolKind),
    /// An import statement.
    Import,
    /// A statement that exports what another file defines.
    ReExport,
    /// Any other statement.
    Expression,
    /// A comment that belongs to no declaration.
    Comment,
}

impl ChunkKind {
    /// Every kind, those of symbols first.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::Import, Self::ReExport, Self::Expression, Self::Comment];
        SymbolKind::ALL.iter().copied().map(Self::Symbol).chain(others)
    }

    /// The wire name.
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
