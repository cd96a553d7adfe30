//! Node kinds and fields of the Java grammar.

use crate::grammar::grammar;
pub(super) use crate::tree::child;
use crate::tree::{first_child, last_child, named_children};

grammar! {
    language: tree_sitter_java::LANGUAGE,
    kinds: {
        AnnotatedType = "annotated_type",
        Annotation = "annotation",
        AnnotationElement = "annotation_type_element_declaration",
        AnnotationType = "annotation_type_declaration",
        ArrayAccess = "array_access",
        ArrayCreation = "array_creation_expression",
        ArrayType = "array_type",
        Assignment = "assignment_expression",
        Binary = "binary_expression",
        Block = "block",
        BlockComment = "block_comment",
        Cast = "cast_expression",
        CatchClause = "catch_clause",
        CatchType = "catch_type",
        Character = "character_literal",
        Class = "class_declaration",
        ClassBody = "class_body",
        ClassLiteral = "class_literal",
        CompactConstructor = "compact_constructor_declaration",
        ConstantDeclaration = "constant_declaration",
        Constructor = "constructor_declaration",
        ConstructorCall = "explicit_constructor_invocation",
        ElementPair = "element_value_pair",
        EnhancedFor = "enhanced_for_statement",
        Enum = "enum_declaration",
        EnumBodyDeclarations = "enum_body_declarations",
        EnumConstant = "enum_constant",
        ExtendsInterfaces = "extends_interfaces",
        False = "false",
        FieldAccess = "field_access",
        FieldDeclaration = "field_declaration",
        Float = "decimal_floating_point_literal",
        For = "for_statement",
        FormalParameter = "formal_parameter",
        GenericType = "generic_type",
        Identifier = "identifier",
        If = "if_statement",
        Import = "import_declaration",
        Instanceof = "instanceof_expression",
        Integer = "decimal_integer_literal",
        Interface = "interface_declaration",
        Labeled = "labeled_statement",
        Lambda = "lambda_expression",
        LineComment = "line_comment",
        LocalVariable = "local_variable_declaration",
        MarkerAnnotation = "marker_annotation",
        Method = "method_declaration",
        MethodInvocation = "method_invocation",
        MethodReference = "method_reference",
        Modifiers = "modifiers",
        Module = "module_declaration",
        ObjectCreation = "object_creation_expression",
        Package = "package_declaration",
        Parenthesized = "parenthesized_expression",
        Permits = "permits",
        ProvidesDirective = "provides_module_directive",
        Record = "record_declaration",
        RecordPattern = "record_pattern",
        RecordPatternComponent = "record_pattern_component",
        Resource = "resource",
        ScopedIdentifier = "scoped_identifier",
        ScopedTypeIdentifier = "scoped_type_identifier",
        SpreadParameter = "spread_parameter",
        StringLiteral = "string_literal",
        Super = "super",
        SuperInterfaces = "super_interfaces",
        Superclass = "superclass",
        Switch = "switch_expression",
        SwitchGroup = "switch_block_statement_group",
        SwitchLabel = "switch_label",
        SwitchRule = "switch_rule",
        Ternary = "ternary_expression",
        This = "this",
        Throw = "throw_statement",
        Throws = "throws",
        True = "true",
        TryWithResources = "try_with_resources_statement",
        TypeArguments = "type_arguments",
        TypeBound = "type_bound",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypePattern = "type_pattern",
        Unary = "unary_expression",
        Update = "update_expression",
        UsesDirective = "uses_module_directive",
        VariableDeclarator = "variable_declarator",
        While = "while_statement",
        Wildcard = "wildcard",
        // Primitive types.
        BooleanType = "boolean_type",
        FloatingPointType = "floating_point_type",
        IntegralType = "integral_type",
    },
    tokens: {
        Bang = "!",
        New = "new",
    },
    leaves: [
        "asterisk", "binary_integer_literal", "break_statement", "continue_statement", "escape_sequence",
        "exports_module_directive", "hex_floating_point_literal", "hex_integer_literal", "inferred_parameters",
        "null_literal", "octal_integer_literal", "opens_module_directive", "receiver_parameter",
        "requires_module_directive", "string_fragment", "underscore_pattern", "void_type",
    ],
    fields: {
        alternative = "alternative",
        arguments = "arguments",
        array = "array",
        body = "body",
        condition = "condition",
        consequence = "consequence",
        constructor = "constructor",
        declarator = "declarator",
        dimensions = "dimensions",
        element = "element",
        field = "field",
        left = "left",
        name = "name",
        object = "object",
        operand = "operand",
        operator = "operator",
        parameters = "parameters",
        pattern = "pattern",
        right = "right",
        ty = "type",
        type_arguments = "type_arguments",
        type_parameters = "type_parameters",
        value = "value",
    },
}

/// Returns the named children of a node.
pub(super) fn named(node: tree_sitter::Node<'_>) -> Vec<tree_sitter::Node<'_>> {
    named_children(node, |it| !is_comment(it))
}

/// Returns the first named child of a node.
pub(super) fn first(node: tree_sitter::Node<'_>) -> Option<tree_sitter::Node<'_>> {
    first_child(node, |it| !is_comment(it))
}

/// Returns the last named child of a node.
pub(super) fn last(node: tree_sitter::Node<'_>) -> Option<tree_sitter::Node<'_>> {
    last_child(node, |it| !is_comment(it))
}

pub(super) fn is_comment(node: tree_sitter::Node<'_>) -> bool {
    matches!(kind(node), Kind::LineComment | Kind::BlockComment)
}
