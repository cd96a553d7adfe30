//! Node kinds and fields of the Go grammar.

use crate::grammar::grammar;

grammar! {
    language: tree_sitter_go::LANGUAGE,
    kinds: {
        ArrayType = "array_type",
        AssignmentStatement = "assignment_statement",
        Block = "block",
        CallExpression = "call_expression",
        ChannelType = "channel_type",
        Comment = "comment",
        CommunicationCase = "communication_case",
        CompositeLiteral = "composite_literal",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        DecStatement = "dec_statement",
        DefaultCase = "default_case",
        ExpressionCase = "expression_case",
        FieldDeclaration = "field_declaration",
        ForStatement = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImplicitLengthArrayType = "implicit_length_array_type",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        IncStatement = "inc_statement",
        IndexExpression = "index_expression",
        InterfaceType = "interface_type",
        KeyedElement = "keyed_element",
        LabeledStatement = "labeled_statement",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        MapType = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        PackageClause = "package_clause",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PointerType = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        ReceiveStatement = "receive_statement",
        SelectorExpression = "selector_expression",
        ShortVarDeclaration = "short_var_declaration",
        SliceExpression = "slice_expression",
        SliceType = "slice_type",
        StatementList = "statement_list",
        StructType = "struct_type",
        SwitchStatement = "expression_switch_statement",
        TypeAlias = "type_alias",
        TypeAssertion = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConversion = "type_conversion_expression",
        TypeDeclaration = "type_declaration",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiation = "type_instantiation_expression",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeSpec = "type_spec",
        TypeSwitchStatement = "type_switch_statement",
        UnaryExpression = "unary_expression",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VariadicParameter = "variadic_parameter_declaration",
    },
    tokens: {
        OpeningBrace = "{",
        OpeningParenthesis = "(",
        Receive = "<-",
    },
    leaves: [
        "blank_identifier", "dot", "escape_sequence", "false", "field_identifier", "float_literal",
        "imaginary_literal", "int_literal", "interpreted_string_literal", "iota", "label_name", "nil",
        "package_identifier", "raw_string_literal", "rune_literal", "true",
    ],
    fields: {
        alias = "alias",
        arguments = "arguments",
        body = "body",
        element = "element",
        field = "field",
        function = "function",
        key = "key",
        left = "left",
        name = "name",
        operand = "operand",
        operator = "operator",
        package = "package",
        parameters = "parameters",
        path = "path",
        receiver = "receiver",
        result = "result",
        right = "right",
        ty = "type",
        type_arguments = "type_arguments",
        type_parameters = "type_parameters",
        value = "value",
    },
}

/// Returns the named children of a node without comments.
pub(super) fn named(node: tree_sitter::Node<'_>) -> Vec<tree_sitter::Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|it| kind(*it) != Kind::Comment).collect()
}

/// Returns the first named child of a node that is not a comment.
pub(super) fn first(node: tree_sitter::Node<'_>) -> Option<tree_sitter::Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|it| kind(*it) != Kind::Comment)
}

/// Returns the child of a field.
pub(super) fn child(node: tree_sitter::Node<'_>, field: u16) -> Option<tree_sitter::Node<'_>> {
    node.child_by_field_id(field)
}
