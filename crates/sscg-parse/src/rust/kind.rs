//! Node kinds and fields of the grammar as Rust values, looked up by id.

use crate::grammar::grammar;
pub(super) use crate::tree::child;

grammar! {
    language: tree_sitter_rust::LANGUAGE,
    kinds: {
        // Items.
        AssociatedType = "associated_type",
        ConstItem = "const_item",
        EnumItem = "enum_item",
        EnumVariant = "enum_variant",
        ExternCrate = "extern_crate_declaration",
        FieldDeclaration = "field_declaration",
        ForeignMod = "foreign_mod_item",
        FunctionItem = "function_item",
        FunctionSignature = "function_signature_item",
        ImplItem = "impl_item",
        MacroDefinition = "macro_definition",
        ModItem = "mod_item",
        StaticItem = "static_item",
        StructItem = "struct_item",
        TraitItem = "trait_item",
        TypeItem = "type_item",
        UnionItem = "union_item",
        UseDeclaration = "use_declaration",
        // Parts of items.
        Arguments = "arguments",
        AttributeItem = "attribute_item",
        ConstParameter = "const_parameter",
        DeclarationList = "declaration_list",
        EnumVariantList = "enum_variant_list",
        FieldDeclarationList = "field_declaration_list",
        FunctionModifiers = "function_modifiers",
        InnerAttribute = "inner_attribute_item",
        LifetimeParameter = "lifetime_parameter",
        MacroRule = "macro_rule",
        MutableSpecifier = "mutable_specifier",
        OrderedFieldDeclarationList = "ordered_field_declaration_list",
        Parameter = "parameter",
        Parameters = "parameters",
        ScopedUseList = "scoped_use_list",
        SelfParameter = "self_parameter",
        TraitBounds = "trait_bounds",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        UseAsClause = "use_as_clause",
        UseList = "use_list",
        UseWildcard = "use_wildcard",
        Visibility = "visibility_modifier",
        // Statements and expressions.
        ArrayExpression = "array_expression",
        AssignmentExpression = "assignment_expression",
        AwaitExpression = "await_expression",
        Block = "block",
        CallExpression = "call_expression",
        ClosureExpression = "closure_expression",
        ClosureParameters = "closure_parameters",
        CompoundAssignment = "compound_assignment_expr",
        EmptyStatement = "empty_statement",
        ExpressionStatement = "expression_statement",
        FieldExpression = "field_expression",
        ForExpression = "for_expression",
        GenericFunction = "generic_function",
        IfExpression = "if_expression",
        IndexExpression = "index_expression",
        Label = "label",
        LetCondition = "let_condition",
        LetDeclaration = "let_declaration",
        MacroInvocation = "macro_invocation",
        LetChain = "let_chain",
        MatchArm = "match_arm",
        MatchExpression = "match_expression",
        MatchPattern = "match_pattern",
        ParenthesizedExpression = "parenthesized_expression",
        ReferenceExpression = "reference_expression",
        SourceFile = "source_file",
        StructExpression = "struct_expression",
        TryExpression = "try_expression",
        TupleExpression = "tuple_expression",
        TypeCast = "type_cast_expression",
        UnsafeBlock = "unsafe_block",
        AsyncBlock = "async_block",
        UnaryExpression = "unary_expression",
        WhereClause = "where_clause",
        WherePredicate = "where_predicate",
        WhileExpression = "while_expression",
        // Patterns.
        CapturedPattern = "captured_pattern",
        FieldPattern = "field_pattern",
        MutPattern = "mut_pattern",
        OrPattern = "or_pattern",
        RefPattern = "ref_pattern",
        ReferencePattern = "reference_pattern",
        ShorthandFieldIdentifier = "shorthand_field_identifier",
        SlicePattern = "slice_pattern",
        StructPattern = "struct_pattern",
        TuplePattern = "tuple_pattern",
        TupleStructPattern = "tuple_struct_pattern",
        // Types.
        AbstractType = "abstract_type",
        ArrayType = "array_type",
        BoundedType = "bounded_type",
        BracketedType = "bracketed_type",
        DynamicType = "dynamic_type",
        FunctionType = "function_type",
        GenericType = "generic_type",
        GenericTypeWithTurbofish = "generic_type_with_turbofish",
        HigherRankedBound = "higher_ranked_trait_bound",
        PointerType = "pointer_type",
        PrimitiveType = "primitive_type",
        ReferenceType = "reference_type",
        TupleType = "tuple_type",
        ScopedTypeIdentifier = "scoped_type_identifier",
        TypeArguments = "type_arguments",
        TypeBinding = "type_binding",
        TypeIdentifier = "type_identifier",
        // Names and literals.
        BlockComment = "block_comment",
        Crate = "crate",
        Identifier = "identifier",
        IntegerLiteral = "integer_literal",
        LineComment = "line_comment",
        Metavariable = "metavariable",
        ScopedIdentifier = "scoped_identifier",
        SelfValue = "self",
        StringLiteral = "string_literal",
        Super = "super",
        TokenRepetition = "token_repetition",
        TokenTree = "token_tree",
    },
    tokens: {
        Angle = "<",
        Bang = "!",
        CloseAngle = ">",
        CloseAngles = ">>",
        Comma = ",",
        Default = "default",
        Dot = ".",
        Fn = "fn",
        Gen = "gen",
        Hash = "#",
        PathSeparator = "::",
        Pipe = "|",
        Struct = "struct",
        Static = "static",
        Union = "union",
        Unsafe = "unsafe",
    },
    leaves: [
        "boolean_literal",
        "char_literal",
        "field_identifier",
        "float_literal",
        "lifetime",
        "raw_string_literal",
        "unit_expression",
    ],
    fields: {
        alias = "alias",
        arguments = "arguments",
        body = "body",
        alternative = "alternative",
        bounds = "bounds",
        condition = "condition",
        consequence = "consequence",
        element = "element",
        left = "left",
        default_type = "default_type",
        field = "field",
        function = "function",
        list = "list",
        name = "name",
        parameters = "parameters",
        path = "path",
        pattern = "pattern",
        return_type = "return_type",
        trait_ = "trait",
        ty = "type",
        type_arguments = "type_arguments",
        type_parameters = "type_parameters",
        value = "value",
    },
}

impl Kind {
    /// True for a name among the tokens of a macro.
    pub(super) fn is_name_token(self) -> bool {
        use Kind::{Crate, Default, Gen, Identifier, SelfValue, Super, Union};
        matches!(self, Identifier | SelfValue | Super | Crate | Default | Gen | Union)
    }

    /// True for a token that may follow a dot or `::` among the tokens of a macro.
    pub(super) fn is_member(self) -> bool {
        self.is_name_token() || matches!(self, Kind::IntegerLiteral | Kind::PrimitiveType)
    }

    /// True if the walk visits nothing inside, although the kind is distinct from other leaves.
    pub(super) fn is_token(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Angle
                | Bang
                | CloseAngle
                | CloseAngles
                | Comma
                | Crate
                | Default
                | Dot
                | Fn
                | Gen
                | Hash
                | IntegerLiteral
                | Metavariable
                | MutableSpecifier
                | PathSeparator
                | Pipe
                | PrimitiveType
                | SelfValue
                | Static
                | StringLiteral
                | Struct
                | Super
                | Union
                | Unsafe
        )
    }

    /// True for comments.
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Kind::LineComment | Kind::BlockComment)
    }
}
