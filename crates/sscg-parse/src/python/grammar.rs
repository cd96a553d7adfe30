//! Node kinds and fields of the grammar that the walk distinguishes, as numeric ids.

use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

macro_rules! kinds {
    ($($variant:ident = $name:literal,)*) => {
        /// Kind of a syntax node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($variant,)*
            /// Syntax error.
            Error,
            /// Node without names: a token, a number.
            Leaf,
            /// Any other node; the walk visits its children.
            Other,
        }

        impl Kind {
            fn named(name: &str) -> Self {
                match name {
                    $($name => Kind::$variant,)*
                    _ if LEAVES.contains(&name) => Kind::Leaf,
                    _ => Kind::Other,
                }
            }
        }
    };
}

/// Named nodes that contain no names.
const LEAVES: &[&str] = &[
    "break_statement",
    "continue_statement",
    "ellipsis",
    "escape_interpolation",
    "escape_sequence",
    "false",
    "float",
    "import_prefix",
    "integer",
    "keyword_separator",
    "line_continuation",
    "pass_statement",
    "positional_separator",
    "string_content",
    "string_end",
    "string_start",
    "true",
    "type_conversion",
];

kinds! {
    AliasedImport = "aliased_import",
    ArgumentList = "argument_list",
    AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target",
    AssertStatement = "assert_statement",
    Assignment = "assignment",
    Attribute = "attribute",
    AugmentedAssignment = "augmented_assignment",
    Await = "await",
    BinaryOperator = "binary_operator",
    Block = "block",
    BooleanOperator = "boolean_operator",
    Call = "call",
    CasePattern = "case_pattern",
    ClassDefinition = "class_definition",
    ClassPattern = "class_pattern",
    Comment = "comment",
    ConditionalExpression = "conditional_expression",
    ConstrainedType = "constrained_type",
    DecoratedDefinition = "decorated_definition",
    Decorator = "decorator",
    DefaultParameter = "default_parameter",
    DeleteStatement = "delete_statement",
    Dictionary = "dictionary",
    DictionaryComprehension = "dictionary_comprehension",
    DictionarySplat = "dictionary_splat",
    DictionarySplatPattern = "dictionary_splat_pattern",
    DottedName = "dotted_name",
    ExceptClause = "except_clause",
    ExpressionList = "expression_list",
    ExpressionStatement = "expression_statement",
    ForInClause = "for_in_clause",
    ForStatement = "for_statement",
    FunctionDefinition = "function_definition",
    FutureImport = "future_import_statement",
    GeneratorExpression = "generator_expression",
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
    ListComprehension = "list_comprehension",
    ListPattern = "list_pattern",
    ListSplat = "list_splat",
    ListSplatPattern = "list_splat_pattern",
    MatchStatement = "match_statement",
    NamedExpression = "named_expression",
    NoneLiteral = "none",
    NonlocalStatement = "nonlocal_statement",
    NotOperator = "not_operator",
    Pair = "pair",
    Parameters = "parameters",
    ParenthesizedExpression = "parenthesized_expression",
    PatternList = "pattern_list",
    RaiseStatement = "raise_statement",
    ReturnStatement = "return_statement",
    Set = "set",
    SetComprehension = "set_comprehension",
    SplatPattern = "splat_pattern",
    String = "string",
    Subscript = "subscript",
    TryStatement = "try_statement",
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
    WithItem = "with_item",
    WithStatement = "with_statement",
    Yield = "yield",
}

impl Kind {
    /// Returns true for a function or class, decorated or not.
    pub(super) fn is_definition(self) -> bool {
        matches!(self, Kind::FunctionDefinition | Kind::ClassDefinition | Kind::DecoratedDefinition)
    }

    /// Returns true for an import statement.
    pub(super) fn is_import(self) -> bool {
        matches!(self, Kind::ImportStatement | Kind::ImportFrom | Kind::FutureImport)
    }

    /// Returns true for a target that contains others: `(a, *b)`.
    pub(super) fn is_pattern(self) -> bool {
        matches!(
            self,
            Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern
                | Kind::ListSplatPattern
                | Kind::Tuple
                | Kind::List
                | Kind::ParenthesizedExpression
        )
    }

    /// Returns true for code: neither a token nor a comment.
    pub(super) fn is_code(self) -> bool {
        !matches!(self, Kind::Leaf | Kind::Comment)
    }
}

/// Node kinds and field ids of the grammar.
pub(super) struct Grammar {
    kinds: Vec<Kind>,
    statements: Vec<bool>,
    pub(super) fields: Fields,
}

/// Field ids for the parts of a node.
pub(super) struct Fields {
    pub(super) alias: u16,
    pub(super) arguments: u16,
    pub(super) body: u16,
    pub(super) cause: u16,
    pub(super) condition: u16,
    pub(super) definition: u16,
    pub(super) function: u16,
    pub(super) left: u16,
    pub(super) module_name: u16,
    pub(super) name: u16,
    pub(super) parameters: u16,
    pub(super) return_type: u16,
    pub(super) right: u16,
    pub(super) superclasses: u16,
    pub(super) ty: u16,
    pub(super) type_parameters: u16,
    pub(super) alternative: u16,
    pub(super) attribute: u16,
    pub(super) consequence: u16,
    pub(super) key: u16,
    pub(super) object: u16,
    pub(super) operator: u16,
    pub(super) subscript: u16,
    pub(super) value: u16,
}

/// Grammar, loaded once.
pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language = language();
    let name = |id| language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
    let field = |name| language.field_id_for_name(name).map_or(0, |id| id.get());
    let ids = 0..language.node_kind_count() as u16;
    let is_statement = |name: &str| name.ends_with("_statement") || name.ends_with("_definition");
    Grammar {
        kinds: ids.clone().map(|id| name(id).map_or(Kind::Leaf, Kind::named)).collect(),
        statements: ids.map(|id| name(id).is_some_and(is_statement)).collect(),
        fields: Fields {
            alias: field("alias"),
            arguments: field("arguments"),
            body: field("body"),
            cause: field("cause"),
            condition: field("condition"),
            definition: field("definition"),
            function: field("function"),
            left: field("left"),
            module_name: field("module_name"),
            name: field("name"),
            parameters: field("parameters"),
            return_type: field("return_type"),
            right: field("right"),
            superclasses: field("superclasses"),
            ty: field("type"),
            type_parameters: field("type_parameters"),
            alternative: field("alternative"),
            attribute: field("attribute"),
            consequence: field("consequence"),
            key: field("key"),
            object: field("object"),
            operator: field("operator"),
            subscript: field("subscript"),
            value: field("value"),
        },
    }
});

impl Grammar {
    /// Returns the kind of a node.
    pub(super) fn kind(&self, node: Node<'_>) -> Kind {
        let id = node.kind_id();
        // The id of an error is past the grammar's own ids.
        self.kinds.get(id as usize).copied().unwrap_or(Kind::Error)
    }

    /// Returns true if a node is a whole statement.
    pub(super) fn is_statement(&self, node: Node<'_>) -> bool {
        self.statements.get(node.kind_id() as usize).copied().unwrap_or(false)
    }
}

fn language() -> Language {
    tree_sitter_python::LANGUAGE.into()
}

/// Returns a parser for this grammar.
pub(super) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the grammar and the library are of compatible versions");
    parser
}

/// Visits a node and, if `visit` returns true, its children, in source order.
pub(super) fn descend<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = node.walk();
    let mut depth = 0;
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while depth > 0 && !cursor.goto_next_sibling() {
            cursor.goto_parent();
            depth -= 1;
        }
        if depth == 0 {
            return;
        }
    }
}
