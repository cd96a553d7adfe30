//! Views of Django and of Django REST framework, and class-based views of Flask: the methods that they handle.

use std::collections::VecDeque;

use sscg_core::wiring::{Call, Expression};
use sscg_core::{Relation, SymbolId};
use sscg_graph::{Direction, Node};

use super::framework::method;
use super::reader::RouteReader;
use crate::Site;
use crate::derive::code::{At, is_of};

/// Methods and operations that the classes of Django and of Django REST framework define.
const DEFINED: &[(&str, &[&str])] = &[
    ("CreateAPIView", &["post", "create"]),
    ("CreateModelMixin", &["create"]),
    ("CreateView", &["get", "post"]),
    ("DeleteView", &["get", "post"]),
    ("DestroyAPIView", &["delete", "destroy"]),
    ("DestroyModelMixin", &["destroy"]),
    ("DetailView", &["get"]),
    ("FormView", &["get", "post"]),
    ("ListAPIView", &["get", "list"]),
    ("ListCreateAPIView", &["get", "post", "list", "create"]),
    ("ListModelMixin", &["list"]),
    ("ListView", &["get"]),
    ("ModelViewSet", &["list", "create", "retrieve", "update", "partial_update", "destroy"]),
    ("ReadOnlyModelViewSet", &["list", "retrieve"]),
    ("RetrieveAPIView", &["get", "retrieve"]),
    ("RetrieveDestroyAPIView", &["get", "delete", "retrieve", "destroy"]),
    ("RetrieveModelMixin", &["retrieve"]),
    ("RetrieveUpdateAPIView", &["get", "put", "patch", "retrieve", "update", "partial_update"]),
    ("RetrieveUpdateDestroyAPIView", &["get", "put", "patch", "delete"]),
    ("TemplateView", &["get"]),
    ("UpdateAPIView", &["put", "patch", "update", "partial_update"]),
    ("UpdateModelMixin", &["update", "partial_update"]),
    ("UpdateView", &["get", "post"]),
];

/// Methods of views, in the order in which they are listed.
const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head", "options"];

/// Maximum number of wrappers around a view: `login_required(cache_page(60)(Users.as_view()))`.
const WRAPPERS: u32 = 8;

/// Class with its base classes.
pub(super) struct Lineage<'a> {
    /// Classes of the project, nearest first, starting with the class itself.
    pub(super) classes: Vec<SymbolId>,
    /// Dotted names of the external base classes.
    pub(super) external: Vec<&'a str>,
}

impl<'a> RouteReader<'a> {
    /// Returns the class of a view with the call that makes the view, through wrappers: `Users.as_view()`,
    /// `login_required(Users.as_view())`.
    pub(super) fn class_view(&self, it: At<'a>) -> Option<(SymbolId, &'a Call)> {
        self.class_view_within(it, WRAPPERS)
    }

    fn class_view_within(&self, it: At<'a>, wrappers: u32) -> Option<(SymbolId, &'a Call)> {
        let call = self.call(it)?;
        if call.callee.last_name() == Some("as_view") {
            return Some((self.code.declaration(it.with(call.callee.receiver()?))?, call));
        }
        let wrappers = wrappers.checked_sub(1)?;
        call.arguments.iter().find_map(|argument| self.class_view_within(it.with(&argument.value), wrappers))
    }

    /// Returns the methods of a view with their handlers; `ANY` for a view that handles all of them or an unknown part.
    /// Empty for external views.
    pub(super) fn methods_of_view(&self, view: At<'a>) -> Vec<(String, Site)> {
        let any = |handler: Site| vec![("ANY".to_owned(), handler)];
        if let Some((class, made)) = self.class_view(view) {
            let operations = made.positional(0).or_else(|| made.named("actions"));
            let methods = match operations {
                Some(Expression::Record(operations)) => self.mapped(class, operations),
                _ => self.methods_of(class),
            };
            return if methods.is_empty() { any(self.site_of(class)) } else { methods };
        }
        let Some(handler) = self.handler(view) else { return Vec::new() };
        match self.admitted_by_decorators(handler) {
            Some(methods) => methods.into_iter().map(|method| (method, handler)).collect(),
            None => any(handler),
        }
    }

    /// Returns the methods that a class handles, its own and those of its base classes.
    pub(super) fn methods_of(&self, class: SymbolId) -> Vec<(String, Site)> {
        let lineage = self.lineage(class);
        let admitted = self.admitted(&lineage);
        let handled = METHODS
            .iter()
            .filter(|name| admitted.as_ref().is_none_or(|all| all.iter().any(|it| it == **name)));
        let handled =
            handled.filter_map(|name| Some((method(name)?.to_owned(), self.member(&lineage, name)?)));
        handled.collect()
    }

    /// Returns the methods of `{"get": "list", "post": "create"}`, with their handlers in a class.
    fn mapped(&self, class: SymbolId, operations: &[(Box<str>, Expression)]) -> Vec<(String, Site)> {
        let lineage = self.lineage(class);
        let handled = operations.iter().filter_map(|(name, operation)| {
            let handler = match operation {
                Expression::Text(operation) => self.member(&lineage, operation),
                _ => None,
            };
            Some((method(name)?.to_owned(), handler.unwrap_or_else(|| self.site_of(class))))
        });
        handled.collect()
    }

    /// Returns the class and its base classes.
    pub(super) fn lineage(&self, class: SymbolId) -> Lineage<'a> {
        let graph = self.code.graph;
        let mut lineage = Lineage { classes: vec![class], external: Vec::new() };
        let mut next = VecDeque::from([class]);
        while let Some(class) = next.pop_front() {
            let edges = graph.edges_at(graph.id(Node::Symbol(class)), Direction::Outgoing);
            for edge in edges.filter(|edge| edge.relation == Relation::Inherits) {
                match graph.node(edge.target) {
                    Node::Symbol(base) if !lineage.classes.contains(&base) => {
                        lineage.classes.push(base);
                        next.push_back(base);
                    }
                    Node::External(at) => lineage.external.push(&graph.externals()[at as usize].name),
                    _ => {}
                }
            }
        }
        lineage
    }

    /// Returns the location of a method that a class has: its declaration, or the class if an external base class
    /// defines it.
    pub(super) fn member(&self, lineage: &Lineage<'_>, name: &str) -> Option<Site> {
        let mut declared = lineage.classes.iter().filter_map(|class| self.code.child(*class, name));
        let declared = declared.find(|child| self.code.project.symbol_kind(*child).is_callable());
        let is_defined = |base: &&str| defined(base).contains(&name);
        let of_base = || lineage.external.iter().any(is_defined).then(|| self.site_of(lineage.classes[0]));
        declared.map(|child| self.site_of(child)).or_else(of_base)
    }

    /// Returns the value of an attribute that a class or a base class sets.
    pub(super) fn attribute(&self, lineage: &Lineage<'_>, name: &str) -> Option<At<'a>> {
        let project = self.code.project;
        lineage.classes.iter().find_map(|class| {
            let file = project.symbol_file(*class);
            let owner = project.symbol_name(*class);
            let mut bindings = self.code.wired(file).bindings_of(name);
            let binding =
                bindings.find(|it| it.target.receiver().and_then(Expression::last_name) == Some(owner))?;
            Some(At { file, offset: binding.span.start, expression: &binding.value })
        })
    }

    /// Returns the names of the methods that `http_method_names` of a class admits, in lowercase; `None` if all are.
    pub(super) fn admitted(&self, lineage: &Lineage<'_>) -> Option<Vec<String>> {
        let names = self.texts(self.attribute(lineage, "http_method_names")?);
        let names: Vec<String> = names.into_iter().map(|name| name.text.to_lowercase()).collect();
        (!names.is_empty()).then_some(names)
    }

    /// Returns the methods that the decorators of a function admit: `@api_view(["GET"])`, `@require_POST`. `None` if
    /// there are no such decorators, or if their methods are unknown.
    fn admitted_by_decorators(&self, handler: Site) -> Option<Vec<String>> {
        let file = handler.file;
        self.code.wired(file).decorators().find_map(|decorator| {
            if self.declared_at(file, decorator.target)?.symbol != handler.symbol {
                return None;
            }
            let call = &decorator.call;
            let place = At { file, offset: call.span.start, expression: &call.callee };
            let name = self.external_name(place)?;
            let listed = |default: &[&str]| match call.arguments.first() {
                Some(methods) => {
                    let methods = self.texts(place.with(&methods.value)).into_iter();
                    methods.map(|method| method.text.to_uppercase()).collect()
                }
                None => default.iter().map(|method| (*method).to_owned()).collect::<Vec<_>>(),
            };
            let methods = match &*name {
                "rest_framework.decorators.api_view" => listed(&["GET"]),
                "django.views.decorators.http.require_http_methods" => listed(&[]),
                "django.views.decorators.http.require_GET" | "django.views.decorators.http.require_safe" => {
                    vec!["GET".to_owned()]
                }
                "django.views.decorators.http.require_POST" => vec!["POST".to_owned()],
                _ => return None,
            };
            (!methods.is_empty()).then_some(methods)
        })
    }
}

/// Returns the names that an external base class of Django or of Django REST framework defines.
fn defined(class: &str) -> &'static [&'static str] {
    let name = class.rsplit('.').next().unwrap_or(class);
    let known =
        DEFINED.iter().find(|(known, _)| *known == name && is_of(&["django", "rest_framework"], class));
    known.map_or(&[], |(_, names)| *names)
}
