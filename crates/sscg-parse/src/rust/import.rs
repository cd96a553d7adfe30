//! `use`, `extern crate` and modules in files of their own.

use sscg_core::{ChunkKind, Import, ImportKind, LocalSymbol, Span};
use tree_sitter::Node;

use super::item::is_public;
use super::kind::{FIELDS, Kind, child, kind};
use super::name::{identifier, path_name};
use super::trivia::{LeadingTrivia, all_of};
use super::walk::{Walk, WalkContext};
use crate::scope::{Binding, ScopeId};
use crate::text::{headline, one_line};
use crate::tree::span;

/// Properties shared by the leaves of one use tree.
struct Statement {
    span: Span,
    reexport: bool,
    scope: Option<LocalSymbol>,
    names: ScopeId,
    condition: Option<Box<str>>,
}

impl<'s> Walk<'s> {
    pub(super) fn use_declaration(
        &mut self,
        node: Node<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        let statement = statement(node, context, trivia, self.source);
        let mut nodes = node.walk();
        let argument = node
            .named_children(&mut nodes)
            .find(|part| kind(*part) != Kind::Visibility && !kind(*part).is_comment());
        let Some(argument) = argument else { return };
        let chunk = if statement.reexport { ChunkKind::ReExport } else { ChunkKind::Import };
        self.import_root(chunk, statement.span, &one_line(self.text(argument)), context, trivia);
        self.use_tree(argument, "", &statement, 0);
    }

    /// Visits one branch of a use tree below the path `prefix`.
    fn use_tree(&mut self, node: Node<'_>, prefix: &str, statement: &Statement, depth: u16) {
        match kind(node) {
            Kind::ScopedUseList => {
                let prefix = child(node, FIELDS.path).map_or_else(
                    // List directly below a leading `::`.
                    || join(prefix, ""),
                    |path| join(prefix, &spelled(self.text(path))),
                );
                if let Some(list) = child(node, FIELDS.list) {
                    self.use_tree(list, &prefix, statement, depth);
                }
            }
            // Nobody writes deeper nesting than this.
            Kind::UseList if depth < 64 => {
                let mut nodes = node.walk();
                for branch in node.named_children(&mut nodes) {
                    self.use_tree(branch, prefix, statement, depth + 1);
                }
            }
            Kind::UseWildcard => {
                let path = self.text(node).trim_end_matches('*').trim_end().trim_end_matches("::");
                let module = if path.is_empty() { prefix.to_owned() } else { join(prefix, &spelled(path)) };
                self.bind_import(ImportKind::Glob, &module, "", "", node, statement);
            }
            Kind::UseAsClause => {
                if let (Some(path), Some(alias)) = (child(node, FIELDS.path), child(node, FIELDS.alias)) {
                    let alias = identifier(self.text(alias));
                    self.use_leaf(path, prefix, if alias == "_" { "" } else { alias }, statement);
                }
            }
            Kind::Identifier
            | Kind::ScopedIdentifier
            | Kind::SelfValue
            | Kind::Super
            | Kind::Crate
            | Kind::Metavariable => {
                let name = path_name(self.text(node)).and_then(|name| name.path.last().copied());
                // `self` binds the last segment of the path before the list.
                let local = match name {
                    Some("self") => last_segment_in(self.source, prefix, node),
                    Some(name) => name,
                    None => return,
                };
                self.use_leaf(node, prefix, local, statement);
            }
            _ => {}
        }
    }

    /// Adds the import of a path that binds `local`.
    fn use_leaf(&mut self, path: Node<'_>, prefix: &str, local: &'s str, statement: &Statement) {
        let written = self.text(path);
        let full = if kind(path) == Kind::SelfValue && !prefix.is_empty() {
            return self.bind_import(ImportKind::Module, prefix, "", local, path, statement);
        } else {
            join(prefix, &spelled(written))
        };
        match full.rsplit_once("::") {
            Some((module, name)) if !module.is_empty() => {
                self.bind_import(ImportKind::Named, module, name, local, path, statement);
            }
            _ => self.bind_import(ImportKind::Module, &full, "", local, path, statement),
        }
    }

    fn bind_import(
        &mut self,
        kind: ImportKind,
        module: &str,
        name: &str,
        local: &'s str,
        at: Node<'_>,
        statement: &Statement,
    ) {
        let Statement { span, reexport, scope, names, ref condition } = *statement;
        let line = self.facts.line(self.offset(at.start_byte()));
        let import = self.facts.import(Import {
            kind,
            module: module.into(),
            name: name.into(),
            local: local.into(),
            reexport,
            condition: condition.clone(),
            scope,
            span: self.placed(span),
            line,
        });
        if !local.is_empty() {
            self.scopes.declare(names, local, Binding::Import(import));
        }
    }

    pub(super) fn extern_crate(&mut self, node: Node<'_>, context: WalkContext, trivia: &LeadingTrivia<'_>) {
        let statement = statement(node, context, trivia, self.source);
        let Some(name) = child(node, FIELDS.name) else { return };
        let module = identifier(self.text(name));
        let local = child(node, FIELDS.alias).map_or(module, |alias| identifier(self.text(alias)));
        self.import_root(ChunkKind::Import, statement.span, module, context, trivia);
        let local = if local == "_" { "" } else { local };
        self.bind_import(ImportKind::Module, module, "", local, name, &statement);
    }

    /// Adds the import for `mod name;`.
    pub(super) fn module_file(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        let mut statement = statement(node, context, trivia, self.source);
        let module = identifier(self.text(name));
        self.import_root(ChunkKind::Import, statement.span, module, context, trivia);
        let paths = trivia.module_paths(self.source);
        if paths.iter().all(|(_, condition)| condition.is_some()) {
            self.bind_import(ImportKind::Module, &format!("self::{module}"), "", module, name, &statement);
        }
        let always = statement.condition.take();
        for (path, condition) in paths {
            let conditions = always.as_deref().into_iter().chain(condition.as_deref());
            statement.condition = all_of(conditions.map(str::to_owned)).map(String::into);
            self.bind_import(ImportKind::Module, &format!("./{path}"), "", module, name, &statement);
        }
    }

    fn import_root(
        &mut self,
        kind: ChunkKind,
        statement: Span,
        name: &str,
        context: WalkContext,
        trivia: &LeadingTrivia<'_>,
    ) {
        if context.is_root() && self.made_at(statement.start as usize).is_none() {
            let span = Span::new(trivia.start(statement.start), statement.end);
            self.facts.root(kind, span, headline(name));
        }
    }
}

fn statement(node: Node<'_>, context: WalkContext, trivia: &LeadingTrivia<'_>, source: &str) -> Statement {
    let WalkContext { symbol, scope, .. } = context;
    let condition = trivia.condition(source).map(Box::from);
    Statement { span: span(node), reexport: is_public(node), scope: symbol, names: scope, condition }
}

/// Returns a path without white space and without the prefix of raw identifiers.
fn spelled(path: &str) -> String {
    let segments = path_name(path).map(|name| name.path.join("::")).unwrap_or_default();
    if path.starts_with("::") { format!("::{segments}") } else { segments }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}

/// Returns the last segment of the path before the list that contains `leaf`, as a slice of the source.
fn last_segment_in<'s>(source: &'s str, prefix: &str, leaf: Node<'_>) -> &'s str {
    let name = prefix.rsplit("::").next().unwrap_or_default();
    match source[..leaf.start_byte()].rfind(name) {
        Some(at) => &source[at..at + name.len()],
        None => "",
    }
}
