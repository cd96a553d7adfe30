//! Node kinds and fields of the C# grammar.

use tree_sitter::Node;

use crate::grammar::grammar;

grammar! {
    language: tree_sitter_c_sharp::LANGUAGE,
    kinds: {
        AccessorDeclaration = "accessor_declaration",
        AccessorList = "accessor_list",
        AliasQualifiedName = "alias_qualified_name",
        AnonymousMethod = "anonymous_method_expression",
        AnonymousObject = "anonymous_object_creation_expression",
        Argument = "argument",
        ArgumentList = "argument_list",
        ArrayCreation = "array_creation_expression",
        ArrowClause = "arrow_expression_clause",
        ArrayType = "array_type",
        AsExpression = "as_expression",
        AssignmentExpression = "assignment_expression",
        Attribute = "attribute",
        AttributeArgument = "attribute_argument",
        AttributeList = "attribute_list",
        AwaitExpression = "await_expression",
        BaseList = "base_list",
        BinaryExpression = "binary_expression",
        Block = "block",
        BracketedArgumentList = "bracketed_argument_list",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        CatchDeclaration = "catch_declaration",
        CheckedExpression = "checked_expression",
        ClassDeclaration = "class_declaration",
        Comment = "comment",
        ConditionalAccess = "conditional_access_expression",
        ConditionalExpression = "conditional_expression",
        ConstraintsClause = "type_parameter_constraints_clause",
        ConstructorDeclaration = "constructor_declaration",
        ConstructorInitializer = "constructor_initializer",
        ConversionOperator = "conversion_operator_declaration",
        DeclarationExpression = "declaration_expression",
        DeclarationList = "declaration_list",
        DeclarationPattern = "declaration_pattern",
        DefaultExpression = "default_expression",
        DelegateDeclaration = "delegate_declaration",
        DestructorDeclaration = "destructor_declaration",
        ElementAccess = "element_access_expression",
        EnumDeclaration = "enum_declaration",
        EnumMember = "enum_member_declaration",
        EventDeclaration = "event_declaration",
        EventFieldDeclaration = "event_field_declaration",
        ExplicitInterface = "explicit_interface_specifier",
        FieldDeclaration = "field_declaration",
        FileScopedNamespace = "file_scoped_namespace_declaration",
        ForeachStatement = "foreach_statement",
        ForStatement = "for_statement",
        FromClause = "from_clause",
        FunctionPointerType = "function_pointer_type",
        GenericName = "generic_name",
        GlobalStatement = "global_statement",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        ImplicitObject = "implicit_object_creation_expression",
        ImplicitParameter = "implicit_parameter",
        IndexerDeclaration = "indexer_declaration",
        InitializerExpression = "initializer_expression",
        InterfaceDeclaration = "interface_declaration",
        InvocationExpression = "invocation_expression",
        IsExpression = "is_expression",
        JoinClause = "join_clause",
        JoinIntoClause = "join_into_clause",
        LabeledStatement = "labeled_statement",
        LambdaExpression = "lambda_expression",
        LetClause = "let_clause",
        ListPattern = "list_pattern",
        LocalDeclaration = "local_declaration_statement",
        LocalFunction = "local_function_statement",
        MemberAccess = "member_access_expression",
        MemberBinding = "member_binding_expression",
        MethodDeclaration = "method_declaration",
        ModifierWord = "modifier",
        NamespaceDeclaration = "namespace_declaration",
        NullableType = "nullable_type",
        ObjectCreation = "object_creation_expression",
        OperatorDeclaration = "operator_declaration",
        Parameter = "parameter",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        PointerType = "pointer_type",
        PostfixUnary = "postfix_unary_expression",
        PredefinedType = "predefined_type",
        PreprocElif = "preproc_elif",
        PreprocElse = "preproc_else",
        PreprocIf = "preproc_if",
        PrimaryBase = "primary_constructor_base_type",
        PropertyDeclaration = "property_declaration",
        QualifiedName = "qualified_name",
        QueryExpression = "query_expression",
        RecordDeclaration = "record_declaration",
        RecursivePattern = "recursive_pattern",
        RefExpression = "ref_expression",
        RefType = "ref_type",
        ScopedType = "scoped_type",
        SizeofExpression = "sizeof_expression",
        StringLiteral = "string_literal",
        StructDeclaration = "struct_declaration",
        Subpattern = "subpattern",
        SwitchArm = "switch_expression_arm",
        SwitchSection = "switch_section",
        ThrowExpression = "throw_expression",
        ThrowStatement = "throw_statement",
        TupleElement = "tuple_element",
        TuplePattern = "tuple_pattern",
        TupleType = "tuple_type",
        TypeArgumentList = "type_argument_list",
        TypeofExpression = "typeof_expression",
        TypeParameter = "type_parameter",
        TypeParameterConstraint = "type_parameter_constraint",
        TypeParameterList = "type_parameter_list",
        TypePattern = "type_pattern",
        UsingDirective = "using_directive",
        UsingStatement = "using_statement",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        VariableDesignation = "parenthesized_variable_designation",
        VarPattern = "var_pattern",
        WithExpression = "with_expression",
        WithInitializer = "with_initializer",
    },
    tokens: {
        Base = "base",
        Equals = "=",
        Global = "global",
        OperatorWord = "operator",
        Params = "params",
        Static = "static",
        This = "this",
        Using = "using",
    },
    leaves: [
        "boolean_literal", "character_literal", "discard", "implicit_type", "integer_literal", "null_literal",
        "preproc_define", "preproc_endregion", "preproc_error", "preproc_line", "preproc_nullable",
        "preproc_pragma", "preproc_region", "preproc_undef", "preproc_warning", "raw_string_literal",
        "real_literal", "shebang_directive", "string_content", "verbatim_string_literal",
    ],
    fields: {
        accessors = "accessors",
        arguments = "arguments",
        alternative = "alternative",
        body = "body",
        condition = "condition",
        consequence = "consequence",
        expression = "expression",
        function = "function",
        left = "left",
        name = "name",
        operator = "operator",
        parameters = "parameters",
        qualifier = "qualifier",
        returns = "returns",
        right = "right",
        ty = "type",
        value = "value",
    },
}

/// Returns the child of a field.
pub(super) fn child(node: Node<'_>, field: u16) -> Option<Node<'_>> {
    node.child_by_field_id(field)
}

/// Returns the name of a declaration, unless the parser made it up to go on after an error.
pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    child(node, FIELDS.name).filter(|name| name.start_byte() < name.end_byte())
}

/// Returns the first child of a kind.
pub(super) fn child_of(node: Node<'_>, wanted: Kind) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| kind(*child) == wanted)
}

/// Returns the first named child that is no comment.
pub(super) fn first_part(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kind(*child) != Kind::Comment)
}

/// Returns the named children of a node, without comments.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| kind(*child) != Kind::Comment).collect()
}
