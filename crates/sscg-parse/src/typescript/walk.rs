//! State of the walk over the tree, and its conversion to facts.
//!
//! The rules for nodes are in `declare`, `variable` and `member` for declarations, in `module` and `commonjs` for
//! imports and exports, and in `expression` for references.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_syntax::symbol::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    ChunkKind, Export, FileFacts, Id, Import, LocalCall, LocalSymbol, Modifiers, Relation, Span, SymbolKind,
    TypeHint,
};

use super::anonymous::Role;
use super::comment::Comments;
use super::flow::{self, DeclaredAt};
use super::name::{Binding, Names, RawHead, RawHint, RawName, This, span_of};
use crate::builder::FactsBuilder;
use crate::text::headline;

/// Level of a statement, which determines the visibility of its declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Root of the file.
    File,
    /// Directly in a namespace or an ambient module.
    Namespace,
    /// In a function, a block or an expression: variables are local.
    Inner,
}

/// Reference to be resolved after the walk.
struct NameUse<'a> {
    relation: Relation,
    from: Option<LocalSymbol>,
    name: RawName<'a>,
    arguments: Option<u8>,
    /// Filter for the names to record.
    only: Only,
}

/// Names for which a reference is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    /// Any name.
    Any,
    /// Names that the file declares or imports, and fields: other reads are of locals.
    Declared,
    /// Constants and variables that the file declares; their accessed members are recorded as well.
    Values,
}

/// Name that is exported separately from its declaration.
struct NamedExport<'a> {
    name: &'a str,
    of: Exported,
}

enum Exported {
    /// Final binding of oxc's symbol.
    Bound(SymbolId),
    Symbol(LocalSymbol),
}

/// State of the walk.
pub(super) struct Walker<'a> {
    pub(super) facts: FactsBuilder<'a>,
    pub(super) names: Names<'a>,
    pub(super) comments: Comments<'a>,
    /// Spans of the root items, in order; nested items may follow the item that contains them.
    pub(super) roots: Vec<Span>,
    pub(super) level: Level,
    /// Innermost declaration around the current node.
    pub(super) owner: Option<LocalSymbol>,
    /// Innermost declared function without a name around the current node. It matters outside of an `owner` only.
    pub(super) anonymous: Option<LocalSymbol>,
    /// True in a function that top-level code passes to a call.
    pub(super) is_passed: bool,
    /// Role of a call around the current one, for functions that the current one passes on.
    pub(super) role: Option<Role>,
    /// Set when declarations at the current level are public without `export`.
    pub(super) ambient: bool,
    /// Set when the initial value of a variable determines its type.
    is_typescript: bool,
    /// Set when the file only declares symbols that are defined elsewhere (`.d.ts`).
    pub(super) is_definition_file: bool,
    /// Set when JSX was found since the last reset.
    pub(super) saw_jsx: bool,
    /// Relation of a plain read of a name at the current node.
    pub(super) read: Relation,
    pub(super) imports: Vec<Import>,
    /// Types of declarations.
    pub(super) types: Vec<(LocalSymbol, RawHint<'a>)>,
    /// Types of functions' parameters.
    pub(super) parameters: Vec<(LocalSymbol, &'a [RawHint<'a>])>,
    /// Members that are declared outside of their classes, and the names of these.
    pub(super) receivers: Vec<(LocalSymbol, RawName<'a>)>,
    /// Public members and their owners, whose visibility they share.
    pub(super) public_members: Vec<(LocalSymbol, LocalSymbol)>,
    /// Namespaces, which hide their contents if they are not exported, and oxc's symbols for them.
    pub(super) namespaces: Vec<(LocalSymbol, Option<SymbolId>)>,
    /// Names of the members of the enclosing class.
    pub(super) class_names: FxHashSet<&'a str>,
    /// Declarations for the walk that follows values.
    pub(super) declared: DeclaredAt,
    exports: Vec<NamedExport<'a>>,
    uses: Vec<NameUse<'a>>,
    /// Number of declarations around the current node.
    pub(super) depth: u32,
}

/// Maximum nesting depth of declarations that are walked. The cost of a declaration grows with its depth, and people
/// write no such code.
pub(super) const MAX_DEPTH: u32 = 500;

impl<'a> Walker<'a> {
    pub(super) fn new(facts: FactsBuilder<'a>, names: Names<'a>, comments: Comments<'a>) -> Self {
        let expected_uses = facts.source().len() / 64;
        Self {
            facts,
            names,
            comments,
            roots: Vec::new(),
            level: Level::File,
            owner: None,
            anonymous: None,
            is_passed: false,
            role: None,
            ambient: false,
            is_typescript: false,
            is_definition_file: false,
            saw_jsx: false,
            read: Relation::References,
            imports: Vec::new(),
            types: Vec::new(),
            parameters: Vec::new(),
            receivers: Vec::new(),
            public_members: Vec::new(),
            namespaces: Vec::new(),
            class_names: FxHashSet::default(),
            declared: DeclaredAt::default(),
            exports: Vec::new(),
            uses: Vec::with_capacity(expected_uses),
            depth: 0,
        }
    }

    /// Walks the file and returns its facts.
    pub(super) fn run(mut self, program: &Program<'a>) -> FileFacts {
        self.is_typescript = program.source_type.is_typescript();
        self.is_definition_file = program.source_type.is_typescript_definition();
        self.ambient = self.is_definition_file && !program.body.iter().any(Statement::is_module_declaration);
        // Comments above a directive describe the file.
        for directive in &program.directives {
            let span = span_of(directive);
            self.bare_root_item(ChunkKind::Expression, span, headline(span.text(self.facts.source())));
        }
        self.visit_statements(&program.body);
        self.finish(program)
    }

    fn finish(mut self, program: &Program<'a>) -> FileFacts {
        self.export_names();
        self.hide_in_namespaces();
        let mut public_members = std::mem::take(&mut self.public_members);
        public_members.sort_unstable();
        for (member, owner) in public_members {
            let exported = self.facts.symbol_mut(owner).exported;
            self.facts.symbol_mut(member).exported = exported;
        }
        for (symbol, hint) in std::mem::take(&mut self.types) {
            if let Some(hint) = self.names.bindings.hint(hint) {
                self.facts.set_type(symbol, hint);
            }
        }
        for (symbol, parameters) in std::mem::take(&mut self.parameters) {
            let known =
                parameters.iter().map(|hint| self.names.bindings.hint(*hint).unwrap_or(TypeHint::Unknown));
            self.facts.symbol_mut(symbol).parameters = known.collect();
        }
        for (symbol, receiver) in std::mem::take(&mut self.receivers) {
            self.facts.set_receiver(symbol, self.names.bindings.resolve(receiver));
        }
        let calls = match self.is_definition_file {
            true => FxHashMap::default(),
            false => flow::follow(program, &mut self.facts, &self.names, &self.declared),
        };
        self.resolve_uses(calls);
        for import in self.imports {
            self.facts.import(import);
        }
        self.comments.report_stray(&mut self.facts, self.roots);
        self.facts.finish()
    }

    /// Converts the recorded references to facts, in source order. A name that a line references several times in the
    /// same way is added once, unless it is called.
    fn resolve_uses(&mut self, mut calls: FxHashMap<u32, LocalCall>) {
        let mut uses = std::mem::take(&mut self.uses);
        uses.sort_by_key(|used| used.name.at);
        let bindings = &self.names.bindings;
        let mut last: Vec<Option<(Relation, Option<LocalSymbol>, u32)>> = vec![None; bindings.len()];
        for NameUse { relation, from, name, arguments, only } in uses {
            let is_noted = match only {
                // A superclass is recorded even if nothing is known about it.
                Only::Any => {
                    let is_called = relation == Relation::Calls && bindings.is_known_local(name);
                    relation == Relation::Inherits || is_called || !bindings.is_local(name)
                }
                Only::Declared => bindings.is_declared(name),
                Only::Values => match bindings.declared(name) {
                    Some(symbol) => {
                        matches!(self.facts.symbol(symbol).kind, SymbolKind::Constant | SymbolKind::Variable)
                    }
                    None => false,
                },
            };
            if !is_noted {
                continue;
            }
            if let (RawHead::Bound(symbol), [_], None) = (name.head, name.path, arguments) {
                let this = Some((relation, from, self.facts.line(name.at)));
                let known = &mut last[symbol.index()];
                if *known == this {
                    continue;
                }
                *known = this;
            }
            self.facts.reference(relation, from, bindings.resolve(name), name.at, arguments);
            if let Relation::Calls | Relation::Instantiates = relation
                && let Some(call) = calls.remove(&name.at)
            {
                self.facts.set_call(call);
            }
        }
        calls.into_values().for_each(|call| self.facts.set_unnamed(call));
    }

    /// Marks declarations that are exported separately, and records their exported names.
    fn export_names(&mut self) {
        for NamedExport { name, of } in std::mem::take(&mut self.exports) {
            let symbol = match of {
                Exported::Symbol(symbol) => symbol,
                Exported::Bound(symbol) => match self.names.bindings.get(symbol) {
                    Binding::Symbol(symbol) => symbol,
                    Binding::Import(import) => {
                        self.imports[import.index()].reexport = true;
                        continue;
                    }
                    Binding::Local(_) | Binding::TypeParameter(_) | Binding::Unknown => continue,
                },
            };
            // A namespace may merge with the declaration that its name is bound to.
            if let Exported::Bound(name) = of {
                for (namespace, _) in self.namespaces.iter().filter(|(_, known)| *known == Some(name)) {
                    self.facts.symbol_mut(*namespace).exported = true;
                }
            }
            let declared = self.facts.symbol_mut(symbol);
            declared.exported = true;
            if name == "default" {
                declared.modifiers |= Modifiers::DEFAULT;
            } else if *declared.name != *name {
                self.facts.export(Export { name: name.into(), symbol });
            }
            self.names.bindings.export(name, symbol);
        }
    }

    /// Clears the export of declarations in namespaces that other files do not see.
    fn hide_in_namespaces(&mut self) {
        let namespaces: FxHashSet<LocalSymbol> =
            std::mem::take(&mut self.namespaces).into_iter().map(|(namespace, _)| namespace).collect();
        if namespaces.is_empty() {
            return;
        }
        for symbol in self.facts.symbol_ids() {
            let namespace = self.facts.symbol(symbol).parent.filter(|parent| namespaces.contains(parent));
            if namespace.is_some_and(|namespace| !self.facts.symbol(namespace).exported) {
                self.facts.symbol_mut(symbol).exported = false;
            }
        }
    }

    /// Records that other files see the binding of `symbol` under `name`.
    pub(super) fn export_bound(&mut self, symbol: SymbolId, name: &'a str) {
        self.exports.push(NamedExport { name, of: Exported::Bound(symbol) });
    }

    /// Records that other files see a declaration under `name`.
    pub(super) fn export_symbol(&mut self, symbol: LocalSymbol, name: &'a str) {
        self.exports.push(NamedExport { name, of: Exported::Symbol(symbol) });
    }

    /// Records a reference to a name by the current owner.
    pub(super) fn note(&mut self, relation: Relation, name: Option<RawName<'a>>) {
        self.note_use(relation, name, None, Only::Any);
    }

    /// Records a call or construction.
    pub(super) fn note_call(
        &mut self,
        relation: Relation,
        name: Option<RawName<'a>>,
        arguments: &[Argument<'a>],
    ) {
        let is_known = !arguments.iter().any(Argument::is_spread);
        let count = is_known.then(|| u8::try_from(arguments.len()).unwrap_or(u8::MAX));
        self.note_use(relation, name, count, Only::Any);
        if self.read == Relation::UsesDefault {
            self.note_access(self.read, name);
        }
    }

    /// Records a read or write of a name, if it refers to a declaration, an import or a field.
    pub(super) fn note_access(&mut self, relation: Relation, name: Option<RawName<'a>>) {
        self.note_use(relation, name, None, Only::Declared);
    }

    /// Records the use of a member of the value in `name`, if `name` is a constant or variable.
    pub(super) fn note_base(&mut self, name: RawName<'a>) {
        self.note_use(self.read, Some(name), None, Only::Values);
    }

    fn note_use(&mut self, relation: Relation, name: Option<RawName<'a>>, arguments: Option<u8>, only: Only) {
        let is_worthless = |name: &RawName<'a>| match name.path {
            _ if relation == Relation::Inherits => false,
            [_] if relation == Relation::Calls && self.names.bindings.is_known_local(*name) => false,
            [_] => self.names.bindings.stays_local(name.head, name.at),
            _ if only == Only::Any || self.names.bindings.is_field(*name) => false,
            _ => self.names.bindings.stays_local(name.head, name.at),
        };
        if let Some(name) = name
            && !is_worthless(&name)
        {
            self.uses.push(NameUse { relation, from: self.owner.or(self.anonymous), name, arguments, only });
        }
    }

    /// Walks with `symbol` as the owner of everything found.
    pub(super) fn inside(&mut self, symbol: LocalSymbol, walk: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            let at = self.facts.symbol(symbol).span.start;
            return self.facts.diagnostic(at, "nested too deeply to look into");
        }
        self.depth += 1;
        let owner = self.owner.replace(symbol);
        let level = std::mem::replace(&mut self.level, Level::Inner);
        let read = std::mem::replace(&mut self.read, Relation::References);
        walk(self);
        self.depth -= 1;
        self.owner = owner;
        self.level = level;
        self.read = read;
    }

    /// Walks code with another `this`.
    pub(super) fn with_this(&mut self, this: This<'a>, walk: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.names.this, this);
        walk(self);
        self.names.this = around;
    }

    /// Walks a function with the type that it declares for `this`, or else with `this`.
    pub(super) fn with_this_of(
        &mut self,
        function: &Function<'a>,
        this: This<'a>,
        walk: impl FnOnce(&mut Self),
    ) {
        let stated = function.this_param.as_ref().and_then(|this| this.type_annotation.as_ref());
        let stated = stated.and_then(|annotation| self.names.of_type(&annotation.type_annotation));
        let this = stated.map_or(this, |hint| This::Typed(self.names.arena.alloc(hint)));
        self.with_this(this, walk);
    }

    /// Adds a statement without declarations as a root item named by its first words, if it is at the root.
    pub(super) fn root_statement(&mut self, kind: ChunkKind, span: Span) {
        if self.level == Level::File {
            let name = headline(span.text(self.facts.source()));
            self.root_item(kind, span, name);
        }
    }

    /// Adds a root item with the comments above it, if the walk is at the root.
    pub(super) fn root_item(&mut self, kind: ChunkKind, span: Span, name: impl Into<String>) {
        if self.level == Level::File {
            self.bare_root_item(kind, self.comments.with_attached(kind, span), name);
        }
    }

    fn bare_root_item(&mut self, kind: ChunkKind, span: Span, name: impl Into<String>) {
        self.roots.push(span);
        self.facts.root(kind, span, name);
    }

    /// Records the type of a parameter or local variable.
    pub(super) fn hint_local(
        &mut self,
        pattern: &BindingPattern<'a>,
        annotation: Option<&TSTypeAnnotation<'a>>,
        value: Option<&Expression<'a>>,
    ) {
        // In JavaScript, the initial value does not determine the type of values assigned later.
        let is_reassigned = !self.is_typescript
            && match pattern {
                BindingPattern::BindingIdentifier(identifier) => {
                    identifier.symbol_id.get().is_some_and(|symbol| self.names.bindings.is_reassigned(symbol))
                }
                _ => false,
            };
        let hint = match annotation {
            Some(annotation) => self.names.of_type(&annotation.type_annotation),
            None => value.filter(|_| !is_reassigned).and_then(|value| self.names.hint(value)),
        };
        if let Some(hint) = hint {
            self.hint_pattern(pattern, hint);
        }
    }
}
