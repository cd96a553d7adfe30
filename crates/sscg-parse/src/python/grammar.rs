//! Node kinds and fields of the grammar as Rust values, looked up by id.

use std::sync::LazyLock;

use tree_sitter::Node;

use crate::grammar::grammar;

grammar! {
    language: tree_sitter_python::LANGUAGE,
    kinds: {
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
    },
    tokens: {},
    leaves: [
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
    ],
    fields: {
        alias = "alias",
        arguments = "arguments",
        body = "body",
        cause = "cause",
        condition = "condition",
        definition = "definition",
        function = "function",
        left = "left",
        module_name = "module_name",
        name = "name",
        parameters = "parameters",
        return_type = "return_type",
        right = "right",
        superclasses = "superclasses",
        ty = "type",
        type_parameters = "type_parameters",
        alternative = "alternative",
        attribute = "attribute",
        consequence = "consequence",
        key = "key",
        object = "object",
        operator = "operator",
        subscript = "subscript",
        value = "value",
    },
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

/// Flag of each node kind by id: set for whole statements.
static STATEMENTS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let is_statement = |name: &str| name.ends_with("_statement") || name.ends_with("_definition");
    let named = |id| LANGUAGE.node_kind_for_id(id).filter(|_| LANGUAGE.node_kind_is_named(id));
    (0..LANGUAGE.node_kind_count() as u16).map(|id| named(id).is_some_and(is_statement)).collect()
});

/// Returns true if a node is a whole statement.
pub(super) fn is_statement(node: Node<'_>) -> bool {
    STATEMENTS.get(usize::from(node.kind_id())).copied().unwrap_or(false)
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
