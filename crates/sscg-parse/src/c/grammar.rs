//! Node kinds and fields of the grammars of C and C++.
//!
//! The grammar of C++ extends that of C, but the ids of kinds and fields differ, so there is a table for each.

use std::sync::LazyLock;

use tree_sitter::{Language, Node, TreeCursor};

use crate::grammar::kinds;
use crate::tree::{first_child, named_children};

kinds! {
    kinds: {
        AccessSpecifier = "access_specifier",
        AliasDeclaration = "alias_declaration",
        ArgumentList = "argument_list",
        ArrayDeclarator = "array_declarator",
        AssignmentExpression = "assignment_expression",
        AttributeDeclaration = "attribute_declaration",
        AttributedDeclarator = "attributed_declarator",
        AttributeSpecifier = "attribute_specifier",
        BaseClassClause = "base_class_clause",
        BitfieldClause = "bitfield_clause",
        CallExpression = "call_expression",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        ClassSpecifier = "class_specifier",
        Comment = "comment",
        CompoundLiteral = "compound_literal_expression",
        CompoundStatement = "compound_statement",
        ConceptDefinition = "concept_definition",
        ConditionalExpression = "conditional_expression",
        ConditionClause = "condition_clause",
        Declaration = "declaration",
        DeclarationList = "declaration_list",
        Decltype = "decltype",
        DefaultMethodClause = "default_method_clause",
        DeleteMethodClause = "delete_method_clause",
        DependentName = "dependent_name",
        DependentType = "dependent_type",
        DestructorName = "destructor_name",
        EnumSpecifier = "enum_specifier",
        Enumerator = "enumerator",
        EnumeratorList = "enumerator_list",
        ExpressionStatement = "expression_statement",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldDesignator = "field_designator",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        FieldInitializer = "field_initializer",
        FieldInitializerList = "field_initializer_list",
        ForRangeLoop = "for_range_loop",
        ForStatement = "for_statement",
        FriendDeclaration = "friend_declaration",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        Identifier = "identifier",
        IfStatement = "if_statement",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        LambdaCaptureInitializer = "lambda_capture_initializer",
        LambdaCaptures = "lambda_capture_specifier",
        LambdaExpression = "lambda_expression",
        LinkageSpecification = "linkage_specification",
        MacroTypeSpecifier = "macro_type_specifier",
        NamespaceAlias = "namespace_alias_definition",
        NamespaceDefinition = "namespace_definition",
        NamespaceIdentifier = "namespace_identifier",
        NestedNamespace = "nested_namespace_specifier",
        NewExpression = "new_expression",
        OperatorCast = "operator_cast",
        OperatorName = "operator_name",
        OptionalParameter = "optional_parameter_declaration",
        OptionalTypeParameter = "optional_type_parameter_declaration",
        ParameterDeclaration = "parameter_declaration",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ParenthesizedExpression = "parenthesized_expression",
        Placeholder = "placeholder_type_specifier",
        PointerDeclarator = "pointer_declarator",
        PointerExpression = "pointer_expression",
        PointerTypeDeclarator = "pointer_type_declarator",
        PreprocCall = "preproc_call",
        PreprocDef = "preproc_def",
        PreprocElif = "preproc_elif",
        PreprocElifdef = "preproc_elifdef",
        PreprocElse = "preproc_else",
        PreprocFunctionDef = "preproc_function_def",
        PreprocIf = "preproc_if",
        PreprocIfdef = "preproc_ifdef",
        PreprocInclude = "preproc_include",
        PrimitiveType = "primitive_type",
        PureVirtualClause = "pure_virtual_clause",
        QualifiedIdentifier = "qualified_identifier",
        ReferenceDeclarator = "reference_declarator",
        SizedType = "sized_type_specifier",
        StorageClass = "storage_class_specifier",
        StructSpecifier = "struct_specifier",
        StructuredBinding = "structured_binding_declarator",
        SubscriptExpression = "subscript_expression",
        SwitchStatement = "switch_statement",
        TemplateArguments = "template_argument_list",
        TemplateDeclaration = "template_declaration",
        TemplateFunction = "template_function",
        TemplateInstantiation = "template_instantiation",
        TemplateMethod = "template_method",
        TemplateTemplateParameter = "template_template_parameter_declaration",
        TemplateType = "template_type",
        This = "this",
        ThrowStatement = "throw_statement",
        TrailingReturnType = "trailing_return_type",
        TranslationUnit = "translation_unit",
        TryStatement = "try_statement",
        TypeDefinition = "type_definition",
        TypeDescriptor = "type_descriptor",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter_declaration",
        TypeQualifier = "type_qualifier",
        UnionSpecifier = "union_specifier",
        UpdateExpression = "update_expression",
        UsingDeclaration = "using_declaration",
        VariadicDeclarator = "variadic_declarator",
        VariadicParameter = "variadic_parameter",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        VariadicTypeParameter = "variadic_type_parameter_declaration",
        VirtualSpecifier = "virtual_specifier",
        WhileStatement = "while_statement",
    },
    tokens: {},
    leaves: [
        "auto", "char_literal", "false", "lambda_default_capture", "literal_suffix", "ms_call_modifier", "null",
        "number_literal", "preproc_arg", "preproc_directive", "raw_string_literal", "ref_qualifier",
        "statement_identifier", "string_literal", "system_lib_string", "true",
    ],
}

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// Field of a node.
        #[derive(Clone, Copy)]
        pub(super) enum Field {
            $($field,)*
        }

        const FIELD_NAMES: &[&str] = &[$($name,)*];
    };
}

fields! {
    Alternative = "alternative",
    Argument = "argument",
    Arguments = "arguments",
    Base = "base",
    Body = "body",
    Condition = "condition",
    Consequence = "consequence",
    Declarator = "declarator",
    DefaultType = "default_type",
    DefaultValue = "default_value",
    Designator = "designator",
    Function = "function",
    Initializer = "initializer",
    Left = "left",
    Member = "field",
    Name = "name",
    Parameters = "parameters",
    Path = "path",
    Right = "right",
    Scope = "scope",
    Size = "size",
    TemplateParameters = "template_parameters",
    Type = "type",
    Value = "value",
}

/// Grammar with the meaning of its ids.
pub(super) struct Table {
    pub(super) language: Language,
    kinds: Vec<Kind>,
    fields: Vec<u16>,
}

impl Table {
    fn new(language: impl Into<Language>) -> Self {
        let language = language.into();
        let kinds = kinds_of(&language);
        let fields =
            FIELD_NAMES.iter().map(|name| language.field_id_for_name(name).map_or(0, u16::from)).collect();
        Self { language, kinds, fields }
    }
}

pub(super) static C: LazyLock<Table> = LazyLock::new(|| Table::new(tree_sitter_c::LANGUAGE));
#[cfg(feature = "lang-cpp")]
pub(super) static CPP: LazyLock<Table> = LazyLock::new(|| Table::new(tree_sitter_cpp::LANGUAGE));

pub(super) static C_LANGUAGE: LazyLock<Language> = LazyLock::new(|| C.language.clone());
#[cfg(feature = "lang-cpp")]
pub(super) static CPP_LANGUAGE: LazyLock<Language> = LazyLock::new(|| CPP.language.clone());

#[cfg(feature = "lang-cpp")]
fn table(node: Node<'_>) -> &'static Table {
    if *node.language() == CPP.language { &CPP } else { &C }
}

#[cfg(not(feature = "lang-cpp"))]
fn table(_: Node<'_>) -> &'static Table {
    &C
}

/// Returns true if a node belongs to a tree of C++.
pub(super) fn is_cpp(node: Node<'_>) -> bool {
    table(node).language != C.language
}

/// Returns the kind of a node.
pub(super) fn kind(node: Node<'_>) -> Kind {
    // The only kind id outside of the grammar belongs to error nodes.
    table(node).kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Error)
}

/// Returns the child of a field.
pub(super) fn child(node: Node<'_>, field: Field) -> Option<Node<'_>> {
    node.child_by_field_id(table(node).fields[field as usize])
}

/// Returns the id of a field in the grammar of a node.
pub(super) fn field_id(node: Node<'_>, field: Field) -> u16 {
    table(node).fields[field as usize]
}

/// Returns the name of a declaration, unless the parser assumes one that is missing.
pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    child(node, Field::Name).filter(|name| !name.byte_range().is_empty())
}

/// Returns the first named child that is no comment.
pub(super) fn first_part(node: Node<'_>) -> Option<Node<'_>> {
    first_child(node, |it| kind(it) != Kind::Comment)
}

/// Returns true if a cursor is at a child of `node` in a field.
pub(super) fn is_field(cursor: &TreeCursor<'_>, node: Node<'_>, field: Field) -> bool {
    cursor.field_id().is_some_and(|id| id.get() == table(node).fields[field as usize])
}

/// Returns the children of a field, in order.
pub(super) fn children(node: Node<'_>, field: Field) -> Vec<Node<'_>> {
    crate::tree::children_in(node, table(node).fields[field as usize])
}

/// Returns the named children of a kind.
pub(super) fn all_of(node: Node<'_>, wanted: Kind) -> Vec<Node<'_>> {
    named_children(node, |it| kind(it) == wanted)
}

/// Returns the first named child of a kind.
pub(super) fn first_of(node: Node<'_>, wanted: Kind) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|it| kind(*it) == wanted)
}
