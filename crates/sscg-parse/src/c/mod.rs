//! C and C++, through tree-sitter.
//!
//! The grammar of C++ extends that of C, so one walk reads both. A header is parsed as C++ if it has marks of C++, and
//! stays a file of C: both languages name each other's declarations. Macros are not expanded; those that stand beside
//! declarations are blanked before parsing ([`repair`]).

mod condition;
mod declaration;
mod expression;
mod function;
mod grammar;
mod repair;
mod types;

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use sscg_core::{
    ChunkKind, Corpus, Import, ImportKind, Language, LanguageDef, Library, ModuleSystem, Relation, SymbolKind,
};
use tree_sitter::Node;

use self::grammar::{Field, Kind, child, kind, name_of};
use self::types::segments;
use crate::highlight::Highlighting;
use crate::scope::{RawHint, RawName, RawType};
use crate::signature::Order;
use crate::spec::{Grammar, Item, Spec, Walk};
use crate::syntax::Ending;
use crate::text::{headline, one_line};
use crate::tree::span;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::parse(include_str!("library.txt")));

/// Name of the group of C and C++.
const FAMILY: &str = "c";

static C_DEF: LanguageDef = LanguageDef {
    name: "c",
    aliases: &[],
    extensions: &["c", "h"],
    version: 3,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::Includes,
    family: FAMILY,
    library: &LIBRARY,
    stub: ";",
};

#[cfg(feature = "lang-cpp")]
static CPP_DEF: LanguageDef = LanguageDef {
    name: "cpp",
    aliases: &["c++", "cxx"],
    extensions: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "inl", "ipp", "tpp", "cu"],
    version: 3,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::Includes,
    family: FAMILY,
    library: &LIBRARY,
    stub: ";",
};

static C_HIGHLIGHTING: LazyLock<Highlighting> =
    LazyLock::new(|| Highlighting::new(tree_sitter_c::LANGUAGE, &[tree_sitter_c::HIGHLIGHT_QUERY]));
#[cfg(feature = "lang-cpp")]
static CPP_HIGHLIGHTING: LazyLock<Highlighting> = LazyLock::new(|| {
    let queries = [tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY];
    Highlighting::new(tree_sitter_cpp::LANGUAGE, &queries)
});

static C_SPEC: Spec = Spec {
    languages: &[Language::new(&C_DEF)],
    grammar: &grammar::C_LANGUAGE,
    highlighting: &C_HIGHLIGHTING,
    line_comment: "//",
    order: Order::TypeName,
    quotes: b"\"'",
    ending: Ending::Signature(";"),
    no_value: "0 /* value omitted */",
};

#[cfg(feature = "lang-cpp")]
static CPP_SPEC: Spec = Spec {
    languages: &[Language::new(&CPP_DEF)],
    grammar: &grammar::CPP_LANGUAGE,
    highlighting: &CPP_HIGHLIGHTING,
    line_comment: "//",
    order: Order::TypeName,
    quotes: b"\"'",
    ending: Ending::Signature(";"),
    no_value: "{} /* value omitted */",
};

/// Grammar of C or C++.
pub(crate) struct C(fn() -> &'static Spec);

impl C {
    pub(crate) const C: Self = Self(|| &C_SPEC);
    #[cfg(feature = "lang-cpp")]
    pub(crate) const CPP: Self = Self(|| &CPP_SPEC);
}

impl Grammar for C {
    fn spec(&self) -> &'static Spec {
        self.0()
    }

    fn grammar_for(&self, extension: &str, source: &str) -> &'static tree_sitter::Language {
        #[cfg(feature = "lang-cpp")]
        if extension == "h" && repair::is_cpp(source) {
            return &grammar::CPP_LANGUAGE;
        }
        #[cfg(not(feature = "lang-cpp"))]
        let _ = (extension, source);
        self.spec().grammar
    }

    fn repaired<'s>(&self, source: &'s str) -> Cow<'s, str> {
        repair::without_macros(source)
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>) {
        match kind(node) {
            Kind::Leaf
            | Kind::Comment
            | Kind::AccessSpecifier
            | Kind::VirtualSpecifier
            | Kind::StorageClass => {}
            Kind::PreprocInclude => include(walk, node),
            Kind::PreprocDef | Kind::PreprocFunctionDef => define(walk, node),
            Kind::PreprocIf
            | Kind::PreprocIfdef
            | Kind::PreprocElif
            | Kind::PreprocElifdef
            | Kind::PreprocElse => condition::block(walk, node),
            Kind::PreprocCall => {
                if walk.is_root() {
                    walk.root(ChunkKind::Expression, node, &headline(walk.text(node)));
                }
            }
            Kind::LinkageSpecification => match child(node, Field::Body) {
                Some(body) if kind(body) == Kind::DeclarationList => walk.list(body),
                Some(body) => walk.visit(body),
                None => {}
            },
            Kind::NamespaceDefinition => declaration::namespace(walk, node),
            Kind::NamespaceAlias => declaration::namespace_alias(walk, node),
            Kind::UsingDeclaration => declaration::using(walk, node),
            Kind::AliasDeclaration => declaration::alias(walk, node, None),
            Kind::ConceptDefinition => declaration::concept(walk, node, None),
            Kind::TemplateDeclaration => declaration::template(walk, node),
            Kind::FriendDeclaration => declaration::friend(walk, node),
            Kind::TypeDefinition => declaration::type_definition(walk, node),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier | Kind::ClassSpecifier => {
                declaration::tagged(walk, node, node, None, None);
            }
            Kind::Enumerator => declaration::enumerator(walk, node),
            Kind::Declaration | Kind::FieldDeclaration => declaration::declaration(walk, node, None),
            Kind::FunctionDefinition => function::definition(walk, node, None),
            Kind::CompoundStatement if walk.owner.is_some() => walk.scoped(|walk| walk.list(node)),
            Kind::FieldDeclarationList | Kind::DeclarationList | Kind::TranslationUnit => walk.list(node),
            Kind::Error if walk.is_root() => walk.list(node),
            Kind::ExpressionStatement | Kind::CompoundStatement if walk.is_root() => {
                walk.root(ChunkKind::Expression, node, &headline(walk.text(node)));
                walk.children(node);
            }
            Kind::ForStatement
            | Kind::ForRangeLoop
            | Kind::IfStatement
            | Kind::WhileStatement
            | Kind::SwitchStatement
            | Kind::CatchClause
            | Kind::LambdaExpression => walk.scoped(|walk| expression::scoped(walk, node)),
            _ => expression::visit(walk, node),
        }
    }

    fn name<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawName<'t>> {
        expression::name(walk, node, depth)
    }

    fn hint<'t>(&self, walk: &Walk<'t>, node: Node<'t>, depth: u32) -> Option<RawHint<'t>> {
        expression::hint(walk, node, depth)
    }

    fn ty<'t>(&self, walk: &Walk<'t>, node: Node<'t>) -> Option<RawType<'t>> {
        types::ty(walk, node)
    }
}

// -- Preprocessor -------------------------------------------------------------------------------------------

fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(path) = child(node, Field::Path) else { return };
    let module = walk.text(path).trim_matches('"');
    if walk.is_root() {
        walk.root(ChunkKind::Import, node, module);
    }
    let import = Import {
        kind: ImportKind::Effects,
        module: module.into(),
        name: "".into(),
        local: "".into(),
        reexport: false,
        condition: walk.condition.as_deref().map(Into::into),
        scope: None,
        span: span(node),
        line: walk.facts.line(node.start_byte() as u32),
    };
    walk.import(import, "");
}

impl<'t> Walk<'t> {
    /// Visits the child of a field if there is one.
    fn visit_child(&mut self, node: Node<'t>, field: Field) {
        if let Some(child) = child(node, field) {
            self.visit(child);
        }
    }
}

/// Declares a macro. One without parameters whose value is a literal is a constant.
fn define<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = name_of(node) else { return };
    let value = child(node, Field::Value);
    let text = value.map_or("", |value| walk.text(value).trim());
    let is_function = kind(node) == Kind::PreprocFunctionDef;
    if !is_function && text.is_empty() {
        // An include guard or a flag, which has no value to look up.
        if walk.is_root() {
            walk.root(ChunkKind::Expression, node, &headline(walk.text(node)));
        }
        return;
    }
    let symbol_kind = if !is_function && is_literal(text) { SymbolKind::Constant } else { SymbolKind::Macro };
    let mut item = Item::new(symbol_kind, name, node);
    let whole = walk.text(node).trim_end();
    item.span.end = item.span.start + whole.len() as u32;
    if is_function || whole.contains('\n') {
        let end = child(node, Field::Parameters).unwrap_or(name).end_byte();
        item.signature = Some(one_line(&walk.source[node.start_byte()..end]));
    }
    let symbol = walk.declare(item);
    if let Some(parameters) = child(node, Field::Parameters) {
        walk.facts.symbol_mut(symbol).parameters = parameter_types(parameters);
        if walk.text(parameters).contains("...") {
            walk.facts.symbol_mut(symbol).modifiers |= sscg_core::Modifiers::VARIADIC;
        }
    }
    if let Some(value) = value.filter(|_| symbol_kind == SymbolKind::Macro) {
        walk.inside(symbol, |walk| calls_in_macro(walk, value, child(node, Field::Parameters)));
    }
}

fn parameter_types(parameters: Node<'_>) -> Box<[sscg_core::TypeHint]> {
    vec![sscg_core::TypeHint::Unknown; parameters.named_child_count()].into()
}

/// Returns true for numbers, characters, strings and expressions of such.
fn is_literal(value: &str) -> bool {
    let mut rest = value.trim_start_matches(['(', '-', '+', '~', '!', ' ']);
    if rest.starts_with(['"', '\'']) {
        return true;
    }
    // Comments do not count.
    if let Some(comment) = rest.find("/*") {
        rest = rest[..comment].trim_end();
    }
    rest.starts_with(|first: char| first.is_ascii_digit() || first == '.')
}

/// Adds the calls in the text of a macro.
fn calls_in_macro<'t>(walk: &mut Walk<'t>, value: Node<'t>, parameters: Option<Node<'t>>) {
    let text = walk.text(value);
    let bytes = text.as_bytes();
    let of_macro = parameters.map_or("", |it| walk.text(it));
    let parameters: FxHashSet<&str> =
        of_macro.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (open, _) in text.match_indices('(') {
        let before = &bytes[..open];
        let len = before.iter().rev().take_while(|byte| is_part(**byte)).count();
        let name = &text[open - len..open];
        let is_member = text[..open - len].trim_end().ends_with(['.', '>', ':', '#', '"']);
        let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        if is_name && !is_member && !KEYWORDS.contains(&name) && !parameters.contains(name) {
            let at = value.start_byte() + open - len;
            walk.macro_reference(Relation::Calls, RawName::scoped(vec![name]), at as u32);
        }
    }
}

/// Words before a parenthesis that are no calls.
const KEYWORDS: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "defined",
    "typeof",
    "__typeof__",
    "__attribute__",
    "alignof",
    "_Alignof",
    "__declspec",
    "do",
    "case",
    "and",
    "or",
    "not",
    "decltype",
    "noexcept",
    "catch",
    "throw",
    "operator",
];

/// Returns the dotted path of a namespace.
fn dotted<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Vec<&'t str>> {
    match kind(node) {
        Kind::NestedNamespace => {
            Some(declaration::names_in(node).into_iter().map(|name| walk.text(name)).collect())
        }
        Kind::NamespaceIdentifier | Kind::Identifier => Some(vec![walk.text(node)]),
        _ => Some(segments(walk, node)?.0),
    }
}
