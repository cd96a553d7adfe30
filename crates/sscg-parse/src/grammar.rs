//! Node kinds and fields of a tree-sitter grammar as Rust values, looked up by id.

/// Defines the `Kind` of syntax node that a frontend distinguishes, and `kinds_of`, the kind of each id of a grammar. `kinds` and
/// `leaves` are named nodes, `tokens` anonymous ones.
macro_rules! kinds {
    (
        kinds: { $($variant:ident = $name:literal,)* },
        tokens: { $($token:ident = $text:literal,)* },
        leaves: [$($leaf:literal,)*],
    ) => {
        /// Node kinds that the walk distinguishes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($variant,)*
            $($token,)*
            /// Any other kind; the walk visits the children.
            Other,
            /// Keyword, bracket, literal or other node without relevant children. Half of all nodes are leaves.
            Leaf,
            /// Text that does not parse.
            Error,
        }

        /// Returns the kind of each kind id of a grammar.
        fn kinds_of(language: &::tree_sitter::Language) -> Vec<Kind> {
            let kind = |id| match (language.node_kind_is_named(id), language.node_kind_for_id(id)) {
                $((true, Some($name)) => Kind::$variant,)*
                $((false, Some($text)) => Kind::$token,)*
                $((true, Some($leaf)) => Kind::Leaf,)*
                (true, _) => Kind::Other,
                (false, _) => Kind::Leaf,
            };
            (0..language.node_kind_count() as u16).map(kind).collect()
        }
    };
}

/// Defines the `LANGUAGE` of a frontend for one grammar, its kinds ([`kinds!`]) with the function `kind`, and `FIELDS`, the ids of
/// the fields that it accesses.
macro_rules! grammar {
    (
        language: $language:expr,
        kinds: $kinds:tt,
        tokens: $tokens:tt,
        leaves: $leaves:tt,
        fields: { $($field:ident = $field_name:literal,)* },
    ) => {
        /// Tree-sitter grammar.
        pub(super) static LANGUAGE: ::std::sync::LazyLock<::tree_sitter::Language> =
            ::std::sync::LazyLock::new(|| $language.into());

        $crate::grammar::kinds! { kinds: $kinds, tokens: $tokens, leaves: $leaves, }

        static KINDS: ::std::sync::LazyLock<Vec<Kind>> = ::std::sync::LazyLock::new(|| kinds_of(&LANGUAGE));

        /// Returns the kind of a node.
        pub(super) fn kind(node: ::tree_sitter::Node<'_>) -> Kind {
            // The only kind id outside of the grammar belongs to error nodes.
            KINDS.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Error)
        }

        /// Ids of the grammar's fields.
        pub(super) struct Fields {
            $(pub(super) $field: u16,)*
        }

        /// Fields that the walk accesses.
        pub(super) static FIELDS: ::std::sync::LazyLock<Fields> = ::std::sync::LazyLock::new(|| Fields {
            $($field: LANGUAGE.field_id_for_name($field_name).map_or(0, u16::from),)*
        });
    };
}

pub(crate) use {grammar, kinds};
