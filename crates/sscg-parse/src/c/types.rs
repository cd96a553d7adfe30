//! Written types and declarators.

use tree_sitter::Node;

use super::grammar::{Field, Kind, child, first_part, is_field, kind};
use crate::scope::{Base, RawName, RawType};
use crate::spec::Walk;

/// Returns a written type. Pointers, references and C arrays stand for what they hold.
pub(super) fn ty<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
    match kind(node) {
        Kind::TypeIdentifier | Kind::PrimitiveType | Kind::Identifier | Kind::NamespaceIdentifier => {
            Some(named(vec![walk.text(node)]))
        }
        Kind::SizedType => Some(named(vec!["int"])),
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier | Kind::ClassSpecifier => {
            ty(walk, child(node, Field::Name)?)
        }
        Kind::TypeDescriptor | Kind::MacroTypeSpecifier => ty(walk, child(node, Field::Type)?),
        Kind::QualifiedIdentifier | Kind::TemplateType | Kind::TemplateFunction => {
            let (path, last) = segments(walk, node)?;
            let mut own = named(path);
            if let Some(list) = child(last, Field::Arguments) {
                own.arguments = arguments(walk, list);
            }
            Some(own)
        }
        Kind::DependentType => ty(walk, first_part(node)?),
        _ => None,
    }
}

/// Returns the types in a list of template arguments.
pub(super) fn arguments<'t>(walk: &Walk<'t>, list: Node<'t>) -> Vec<RawType<'t>> {
    let unknown = || named(vec!["void"]);
    let mut cursor = list.walk();
    list.named_children(&mut cursor).map(|it| ty(walk, it).unwrap_or_else(unknown)).collect()
}

/// Returns the segments of a qualified name, and the node of its last segment.
pub(super) fn segments<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(Vec<&'t str>, Node<'t>)> {
    let mut path = Vec::new();
    let mut at = node;
    loop {
        match kind(at) {
            Kind::QualifiedIdentifier => {
                if let Some(scope) = child(at, Field::Scope) {
                    path.push(name_text(walk, scope));
                }
                at = child(at, Field::Name)?;
            }
            Kind::DependentName | Kind::DependentType => at = first_part(at)?,
            _ => {
                path.push(name_text(walk, at));
                return (!path.iter().any(|segment| segment.is_empty())).then_some((path, at));
            }
        }
    }
}

/// Returns the text of a name without template arguments.
pub(super) fn name_text<'t>(walk: &Walk<'t>, node: Node<'t>) -> &'t str {
    match kind(node) {
        Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
            child(node, Field::Name).map_or("", |name| walk.text(name))
        }
        Kind::Decltype => "",
        _ => walk.text(node).trim_end(),
    }
}

/// Returns the node of the name itself: the last segment without template arguments.
pub(super) fn last_name(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    loop {
        let inner = match kind(at) {
            Kind::QualifiedIdentifier
            | Kind::TemplateType
            | Kind::TemplateFunction
            | Kind::TemplateMethod
            | Kind::StructSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier
            | Kind::ClassSpecifier => child(at, Field::Name),
            Kind::TypeDescriptor | Kind::MacroTypeSpecifier => child(at, Field::Type),
            Kind::DependentName | Kind::DependentType => first_part(at),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
}

pub(super) fn named(path: Vec<&str>) -> RawType<'_> {
    RawType { name: RawName { base: Base::Item, path }, arguments: Vec::new() }
}

/// Declared name with what surrounds it: `*name[3]`, `name(int)`, `(*name)(int)`.
#[derive(Clone, Copy)]
pub(super) struct Declarator<'t> {
    /// Node of the name.
    pub(super) name: Node<'t>,
    /// Function declarator, if the name denotes a function rather than a pointer to one.
    pub(super) function: Option<Node<'t>>,
    /// True for a pointer to a function.
    pub(super) is_callback: bool,
}

/// Finds the name in a declarator, which nests it.
pub(super) fn declarator(node: Node<'_>) -> Option<Declarator<'_>> {
    let (mut function, mut is_callback) = (None, false);
    let mut at = node;
    loop {
        let inner = match kind(at) {
            Kind::Identifier
            | Kind::FieldIdentifier
            | Kind::TypeIdentifier
            | Kind::PrimitiveType
            | Kind::QualifiedIdentifier
            | Kind::TemplateFunction
            | Kind::TemplateMethod
            | Kind::OperatorName
            | Kind::DestructorName
            | Kind::StructuredBinding => {
                // The parser may assume a name that is missing.
                return (!at.byte_range().is_empty()).then_some(Declarator {
                    name: at,
                    function,
                    is_callback,
                });
            }
            Kind::OperatorCast => return Some(Declarator { name: at, function: Some(at), is_callback }),
            Kind::FunctionDeclarator => {
                function = Some(at);
                child(at, Field::Declarator)
            }
            Kind::PointerDeclarator
            | Kind::PointerTypeDeclarator
            | Kind::ArrayDeclarator
            | Kind::ReferenceDeclarator => {
                is_callback |= function.take().is_some();
                child(at, Field::Declarator).or_else(|| inner_declarator(at))
            }
            Kind::InitDeclarator => child(at, Field::Declarator),
            Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator | Kind::VariadicDeclarator => {
                inner_declarator(at)
            }
            _ => return None,
        };
        at = inner?;
    }
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let is_inner = |it: &Node<'_>| {
        !matches!(
            kind(*it),
            Kind::Leaf
                | Kind::Comment
                | Kind::TypeQualifier
                | Kind::AttributeDeclaration
                | Kind::AttributeSpecifier
        )
    };
    node.named_children(&mut cursor).find(is_inner)
}

/// Returns the parameters of a function declarator, or the names of a definition in the old style.
pub(super) fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = match kind(function) {
        Kind::OperatorCast => child(function, Field::Declarator).and_then(|it| child(it, Field::Parameters)),
        _ => child(function, Field::Parameters),
    };
    let Some(list) = list else { return Vec::new() };
    let mut cursor = list.walk();
    let is_parameter = |it: &Node<'_>| {
        matches!(
            kind(*it),
            Kind::ParameterDeclaration
                | Kind::OptionalParameter
                | Kind::VariadicParameterDeclaration
                | Kind::VariadicParameter
                | Kind::Identifier
        )
    };
    list.named_children(&mut cursor).filter(is_parameter).collect()
}

/// Returns true for `(void)`.
pub(super) fn is_void(walk: &Walk<'_>, parameters: &[Node<'_>]) -> bool {
    matches!(parameters, [one] if walk.text(*one) == "void")
}

/// Returns true if a declaration has a storage class, qualifier or other specifier of this text.
pub(super) fn has_specifier(walk: &Walk<'_>, node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    // Specifiers are before the names, of which there may be many.
    while more && !is_field(&cursor, node, Field::Declarator) {
        let part = cursor.node();
        if matches!(kind(part), Kind::StorageClass | Kind::TypeQualifier) && walk.text(part) == word {
            return true;
        }
        more = cursor.goto_next_sibling();
    }
    false
}
