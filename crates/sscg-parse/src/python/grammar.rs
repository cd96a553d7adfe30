//! The node kinds and fields of the grammar that the walk tells apart, as small numbers.

use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

macro_rules! kinds {
    ($($variant:ident = $name:literal,)*) => {
        /// The kind of a syntax node; [`Kind::Other`] is any the walk treats like its children.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($variant,)*
            Other,
        }

        impl Kind {
            fn named(name: &str) -> Self {
                match name {
                    $($name => Kind::$variant,)*
                    _ => Kind::Other,
                }
            }
        }
    };
}

kinds! {
    AliasedImport = "aliased_import",
    ArgumentList = "argument_list",
    AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target",
    Assignment = "assignment",
    Attribute = "attribute",
    AugmentedAssignment = "augmented_assignment",
    Await = "await",
    BinaryOperator = "binary_operator",
    Block = "block",
    Call = "call",
    CasePattern = "case_pattern",
    ClassDefinition = "class_definition",
    ClassPattern = "class_pattern",
    Comment = "comment",
    ConstrainedType = "constrained_type",
    DecoratedDefinition = "decorated_definition",
    Decorator = "decorator",
    DefaultParameter = "default_parameter",
    DictionarySplatPattern = "dictionary_splat_pattern",
    DottedName = "dotted_name",
    ExceptClause = "except_clause",
    ExpressionStatement = "expression_statement",
    ForInClause = "for_in_clause",
    ForStatement = "for_statement",
    FunctionDefinition = "function_definition",
    FutureImport = "future_import_statement",
    GenericType = "generic_type",
    GlobalStatement = "global_statement",
    Identifier = "identifier",
    IfStatement = "if_statement",
    ImportFrom = "import_from_statement",
    ImportStatement = "import_statement",
    KeywordArgument = "keyword_argument",
    KeywordPattern = "keyword_pattern",
    Lambda = "lambda",
    LambdaParameters = "lambda_parameters",
    List = "list",
    ListPattern = "list_pattern",
    ListSplatPattern = "list_splat_pattern",
    MatchStatement = "match_statement",
    NamedExpression = "named_expression",
    NoneLiteral = "none",
    NonlocalStatement = "nonlocal_statement",
    Parameters = "parameters",
    ParenthesizedExpression = "parenthesized_expression",
    PatternList = "pattern_list",
    RaiseStatement = "raise_statement",
    String = "string",
    Subscript = "subscript",
    Tuple = "tuple",
    TuplePattern = "tuple_pattern",
    Type = "type",
    TypeAliasStatement = "type_alias_statement",
    TypeParameter = "type_parameter",
    TypedDefaultParameter = "typed_default_parameter",
    TypedParameter = "typed_parameter",
    UnionType = "union_type",
    WhileStatement = "while_statement",
    WildcardImport = "wildcard_import",
    Yield = "yield",
}

/// The grammar's numbers.
pub(super) struct Grammar {
    kinds: Vec<Kind>,
    pub(super) fields: Fields,
}

/// The numbers of the fields by which the walk finds a node's parts.
pub(super) struct Fields {
    pub(super) alias: u16,
    pub(super) body: u16,
    pub(super) cause: u16,
    pub(super) condition: u16,
    pub(super) definition: u16,
    pub(super) left: u16,
    pub(super) module_name: u16,
    pub(super) name: u16,
    pub(super) parameters: u16,
    pub(super) return_type: u16,
    pub(super) right: u16,
    pub(super) superclasses: u16,
    pub(super) ty: u16,
    pub(super) type_parameters: u16,
    pub(super) value: u16,
}

/// The grammar, read once.
pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language = language();
    let kind = |id| match language.node_kind_for_id(id) {
        Some(name) if language.node_kind_is_named(id) => Kind::named(name),
        _ => Kind::Other,
    };
    let field = |name| language.field_id_for_name(name).map_or(0, |id| id.get());
    Grammar {
        kinds: (0..language.node_kind_count() as u16).map(kind).collect(),
        fields: Fields {
            alias: field("alias"),
            body: field("body"),
            cause: field("cause"),
            condition: field("condition"),
            definition: field("definition"),
            left: field("left"),
            module_name: field("module_name"),
            name: field("name"),
            parameters: field("parameters"),
            return_type: field("return_type"),
            right: field("right"),
            superclasses: field("superclasses"),
            ty: field("type"),
            type_parameters: field("type_parameters"),
            value: field("value"),
        },
    }
});

impl Grammar {
    /// The kind of a node.
    pub(super) fn kind(&self, node: Node<'_>) -> Kind {
        let id = node.kind_id();
        // The number of an error lies past the grammar's own.
        self.kinds.get(id as usize).copied().unwrap_or(Kind::Other)
    }
}

fn language() -> Language {
    tree_sitter_python::LANGUAGE.into()
}

/// A parser for this grammar.
pub(super) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the grammar and the library are of compatible versions");
    parser
}
