//! Name resolution across files: along a path (here), in a scope ([`scopes`]), as a member of a type ([`types`]), which
//! is inferred from the text ([`infer`]), and with a choice among several declarations ([`choose`]). The targets of imports
//! and references follow from it ([`outcome`]), and so do the relations between types ([`inheritance`]).

mod arguments;
mod arity;
mod by_name;
mod choose;
mod conditions;
mod extensions;
mod hierarchy;
mod includes;
mod infer;
mod inheritance;
mod merge;
mod outcome;
mod overloads;
mod packages;
mod scopes;
mod shape;
mod structural;
mod typed;
mod types;
mod values;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{
    Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Reference, Relation, Symbol, SymbolKind,
    TypeHint,
};

use self::merge::Space;
use self::shape::{HintScope, Shape};
use self::typed::TypedFile;
use super::Reads;
use super::languages::{
    self, Compiler, FunctionMethod, LanguageRules, Likelihood, ModuleTarget, RuleContext,
};
use super::lineage::{Lineages, Owners};
use super::passed::Passed;
use super::tables::{Decl, Scope};
use crate::graph::{ExternalSymbol, Node, Origin, Reason};

/// Result of resolving a name.
pub(super) enum Outcome {
    /// Targets in the project; several if ambiguous, or if declarations of one name merge.
    Nodes(Vec<Node>, Confidence),
    /// Likeliest of this many candidates; the others are too far away, or too many, to have edges.
    SomeOf(Vec<Node>, usize),
    /// External symbol.
    External(ExternalSymbol, Confidence),
    /// Name that no rule resolves; recorded as unresolved.
    Unresolved(Reason),
    /// Name that is not recorded: a local value, a type parameter.
    Nothing,
}

/// Result of resolving a path so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resolution<'a> {
    Symbols(Vec<Decl>),
    Scope(Scope),
    External(String, Origin),
    /// Values without a declaration of their own.
    Values(Vec<Shape<'a>>),
}

/// Point of view of a lookup in a scope.
#[derive(Clone, Copy)]
pub(super) enum View {
    /// Code inside the scope, which sees all names.
    Own,
    /// Import that names its item.
    Named,
    /// Glob import in this scope, which sees only the names on offer.
    Glob(Scope),
}

/// Namespace of a use: decides among entities that share a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Namespace {
    /// Module, type or value that a path continues from.
    Prefix,
    /// Anything but a module, if possible.
    Last,
}

impl Namespace {
    fn of(rest: &[Box<str>]) -> Self {
        if rest.is_empty() { Namespace::Last } else { Namespace::Prefix }
    }
}

/// Reason why a path is not resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResolveError {
    /// Receiver whose type is not written in the text.
    ReceiverType,
    /// Receiver whose type is not part of the project.
    ExternalType,
    /// Local value or type parameter, which is not a node of the graph.
    Local,
    /// Other reason, as recorded for the unresolved reference.
    Because(Reason),
}

const NOT_DEFINED: ResolveError = ResolveError::Because(Reason::NotDefined);
const NO_MODULE: ResolveError = ResolveError::Because(Reason::NoModule);
const NOT_IN_MODULE: ResolveError = ResolveError::Because(Reason::NotInModule);
const NO_MEMBER: ResolveError = ResolveError::Because(Reason::NoMember);
const OUTSIDE_SELF: ResolveError = ResolveError::Because(Reason::OutsideSelf);
const TOO_DEEP: ResolveError = ResolveError::Because(Reason::TooDeep);

/// Maximum number of nested re-exports, aliases and hints followed for one name.
pub(super) const DEPTH: u32 = 64;

/// Maximum total number of steps for one name. Where values lead to several others each, the steps could otherwise
/// outnumber the names in the project.
const STEPS: u32 = 1000;

/// Results of the previous passes.
#[derive(Clone, Copy)]
pub(super) struct FoundBefore<'a> {
    pub(super) owners: &'a Owners,
    pub(super) lineages: &'a Lineages,
    pub(super) passed: &'a Passed,
}

/// Resolver of names for one file at a time.
pub(super) struct Linker<'a> {
    pub(super) context: RuleContext<'a>,
    pub(super) found: FoundBefore<'a>,
    /// File whose names are resolved.
    current: Cell<Option<FileId>>,
    /// Files that the current file imports from, computed on demand.
    imported: RefCell<Option<(FileId, Rc<FxHashSet<FileId>>)>>,
    /// Targets of module paths, by the scope that imports them.
    modules: RefCell<FxHashMap<(Scope, &'a str), ModuleTarget>>,
    /// Files that a file includes, directly or not, computed on demand for each file whose names the current file uses.
    included: RefCell<FxHashMap<FileId, Rc<FxHashSet<FileId>>>>,
    /// Files whose included files are among the reads of the current file.
    is_read: RefCell<FxHashSet<FileId>>,
    /// Declarations that the current file sees, by a hash of scope, name and view, with the confidence of the choice.
    seen: RefCell<FxHashMap<u64, (Vec<Decl>, Confidence)>>,
    /// Types of parameters of functions that calls in the current file may mean, with the confidence of the types they
    /// depend on.
    parameters: RefCell<ParameterTypes>,
    /// Likelihoods of conditions of the preprocessor, for each compiler.
    likelihoods: RefCell<FxHashMap<(&'a str, Compiler), Likelihood>>,
    /// Number of steps left for the current name.
    steps: Cell<u32>,
    /// Minimum confidence of the types read for the current name.
    types: Cell<Confidence>,
    /// Cached results for names that no scope of the current file declares.
    free: RefCell<FreeNames<'a>>,
    /// Types of values in the current file, with their arguments.
    typed: TypedFile<'a>,
    /// Results of [`Linker::is_switched_off`].
    switched_off: RefCell<FxHashMap<(FileId, Option<LocalSymbol>), bool>>,
}

/// Types by function and position, each with the confidence of the types it depends on.
type ParameterTypes = FxHashMap<(Decl, usize), (Option<overloads::Given>, Confidence)>;

/// Results by scope, name and namespace, with the confidence of the types they depend on. A file uses few names often,
/// and each may lead through very many glob imports: without this cache, linking the crate libc takes time proportional
/// to its uses times its modules.
type FreeNames<'a> =
    FxHashMap<(Scope, &'a str, Namespace), (Option<(Resolution<'a>, Confidence)>, Confidence)>;

pub(super) type ResolveResult<'a> = Result<(Resolution<'a>, Confidence), ResolveError>;

impl<'a> Linker<'a> {
    pub(super) fn new(context: RuleContext<'a>, found: FoundBefore<'a>) -> Self {
        let (steps, types) = (Cell::new(STEPS), Cell::new(Confidence::Exact));
        let (current, imported, modules, included, is_read) = Default::default();
        let (seen, parameters, likelihoods, free, typed, switched_off) = Default::default();
        Self {
            context,
            found,
            current,
            imported,
            modules,
            included,
            is_read,
            seen,
            parameters,
            likelihoods,
            steps,
            types,
            free,
            typed,
            switched_off,
        }
    }

    /// Begins the work on a file.
    pub(super) fn start(&self, file: FileId) {
        self.current.set(Some(file));
    }

    /// Ends the work on a file: returns its reads and clears the cache.
    pub(super) fn finish(&self) -> Reads {
        self.modules.borrow_mut().clear();
        self.free.borrow_mut().clear();
        self.typed.clear();
        self.parameters.borrow_mut().clear();
        self.seen.borrow_mut().clear();
        self.is_read.borrow_mut().clear();
        self.switched_off.borrow_mut().clear();
        self.context.take_reads()
    }

    /// Begins another name, with the full number of steps.
    pub(super) fn begin(&self) {
        self.steps.set(STEPS);
        self.types.set(Confidence::Exact);
    }

    /// Records the confidence of a type that the current name depends on.
    fn depend_on(&self, sure: Confidence) {
        self.types.set(self.types.get().min(sure));
    }

    /// Takes one step further into the dependencies of a name.
    fn deeper(&self, depth: u32) -> Result<u32, ResolveError> {
        self.steps.set(self.steps.get().checked_sub(1).ok_or(TOO_DEEP)?);
        depth.checked_sub(1).ok_or(TOO_DEEP)
    }

    /// Returns the member of a value that is called by a method of all functions, and the effect of that method.
    fn function_method(
        &self,
        file: FileId,
        relation: Relation,
        called: &'a NameRef,
    ) -> Option<(&'a str, FunctionMethod)> {
        // Other heads take the first segment, a variable.
        let members = usize::from(!matches!(called.head, Head::Value(_)));
        let [.., name, method] = called.path.get(members..)? else { return None };
        let effect = self.rules(file).function_method(method).filter(|_| relation == Relation::Calls)?;
        // A method of the project may have the name, too.
        self.context.methods(method).is_empty().then_some((name, effect))
    }

    /// Returns true if a called name makes another function of one of these symbols, which lack such a method.
    fn is_bound(&self, file: FileId, called: &NameRef, symbols: &[Decl]) -> bool {
        self.rules(file).function_method(called.name()) == Some(FunctionMethod::Hold)
            && symbols.iter().all(|it| *self.symbol(*it).name != *called.name())
    }

    pub(in crate::link) fn rules(&self, file: FileId) -> &'static dyn LanguageRules {
        languages::of(self.context.language(file))
    }

    pub(super) fn symbol(&self, symbol: Decl) -> &'a Symbol {
        self.context.symbol(symbol)
    }

    fn node(&self, declaration: Decl) -> Node {
        Node::Symbol(declaration.id(self.context.project()))
    }

    fn nodes(&self, declarations: Vec<Decl>) -> Vec<Node> {
        declarations.into_iter().map(|declaration| self.node(declaration)).collect()
    }

    /// Returns the node of a declaration of a file; `None` is code outside of all of them.
    pub(super) fn code_node(&self, file: FileId, declaration: Option<LocalSymbol>) -> Node {
        declaration.map_or(Node::File(file), |declaration| self.node(Decl::new(file, declaration)))
    }

    fn scope_node(&self, scope: Scope) -> Node {
        self.code_node(scope.file, scope.module)
    }

    fn scope_of(&self, file: FileId, from: Option<LocalSymbol>) -> Scope {
        let facts = self.context.facts(file);
        let module = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent)
            .find(|symbol| facts.symbols[*symbol].kind == SymbolKind::Module);
        Scope { file, module }
    }

    /// Returns the call at a position among the references of a file.
    fn called(&self, file: FileId, call: u32) -> Result<&'a Reference, ResolveError> {
        self.context.facts(file).references.get(call as usize).ok_or(ResolveError::ReceiverType)
    }

    // -- Names --------------------------------------------------------------------------------------------

    /// Resolves a name from its head along its path.
    fn name(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        relation: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let is_value = match name.head {
            Head::SelfType => name.path.len() > 1 && &*name.path[0] == "self",
            Head::Local(Some(_)) => name.path.len() > 1,
            Head::Value(Some(_)) => true,
            _ => false,
        };
        let found = if is_value && self.rules(file).evaluates_paths() {
            self.value_path(file, from, name, relation, depth)
        } else {
            self.prefix(file, from, name, name.path.len(), relation, depth)
        };
        let (found, sure) = match found {
            Err(_) | Ok((Resolution::Values(_), _))
                if relation == Relation::Calls && self.rules(file).has_extension_methods() =>
            {
                self.extension_method(HintScope { file, from }, name, depth).map_or(found, Ok)?
            }
            found => found?,
        };
        match found {
            Resolution::Symbols(members) if name.head == Head::SelfType && name.path.len() == 2 => {
                Ok((Resolution::Symbols(self.of_own_block(file, from, members)), sure))
            }
            Resolution::Scope(scope) => {
                let (found, known) = self.whole(scope, depth).unwrap_or((found, Confidence::Exact));
                Ok((found, known.min(sure)))
            }
            found => Ok((found, sure)),
        }
    }

    /// Returns a declaration and those of the same name beside it under other conditions.
    fn variants(&self, declaration: Decl) -> Vec<Decl> {
        let symbol = self.symbol(declaration);
        let Some(parent) = symbol.parent.filter(|_| symbol.condition.is_some()) else {
            return vec![declaration];
        };
        let mut all: Vec<Decl> =
            self.context.members(Decl::new(declaration.file, parent), &symbol.name).collect();
        all.retain(|other| self.symbol(*other).condition.is_some());
        self.context.built(self.rules(declaration.file), &mut all);
        all
    }

    /// Selects the members in the block around the code, if `self` may have members of several blocks: a trait may be
    /// implemented for a type and for references to it.
    fn of_own_block(&self, file: FileId, from: Option<LocalSymbol>, members: Vec<Decl>) -> Vec<Decl> {
        let Some(from) = from.filter(|_| members.len() > 1) else { return members };
        let mut around = self.context.self_and_ancestors(Decl::new(file, from));
        let Some(block) = around.find(|it| self.symbol(*it).kind == SymbolKind::Impl) else { return members };
        let is_own = |member: &Decl| self.context.parent(*member) == Some(block);
        if members.iter().any(is_own) { members.into_iter().filter(is_own).collect() } else { members }
    }

    /// Resolves the first `len` segments of a path, at least one.
    fn prefix(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        len: usize,
        relation: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        let path = &name.path[..len];
        let place = HintScope { file, from };
        match &name.head {
            Head::Super => return self.super_path(place, name, relation, depth),
            Head::Local(Some(hint)) if path.len() == 1 && relation == Relation::Calls => {
                return self.called_value(place, hint, depth);
            }
            _ => {}
        }
        let (mut found, mut confidence, rest) = self.head(place, name, path, relation, depth)?;
        let separator = self.rules(file).separator();
        for (at, segment) in rest.iter().enumerate() {
            let is_last = at + 1 == rest.len();
            let wanted = if is_last { relation } else { Relation::References };
            let of_class = match &name.head {
                Head::SelfType if at == 0 => self.is_static(file, from),
                Head::Local(Some(hint)) | Head::Value(Some(hint)) if at == 0 => {
                    matches!(**hint, TypeHint::Value(_)) && self.are_classes(&found)
                }
                _ => self.are_classes(&found),
            };
            let (next, step) =
                self.step(found, segment, separator, wanted, Namespace::of(&rest[at + 1..]), depth)?;
            let next = self.on_side(file, next, of_class);
            (found, confidence) = (self.narrowed(next, wanted), confidence.min(step));
        }
        Ok((found, confidence))
    }

    /// Resolves the head of a path. Returns the rest of the path as well.
    fn head(
        &self,
        place: HintScope,
        name: &'a NameRef,
        path: &'a [Box<str>],
        relation: Relation,
        depth: u32,
    ) -> Result<(Resolution<'a>, Confidence, &'a [Box<str>]), ResolveError> {
        let HintScope { file, from } = place;
        let rest = path.get(1..).unwrap_or_default();
        let (found, confidence) = match &name.head {
            Head::Symbol(symbol) => self.own_head(Decl::new(file, *symbol), path, depth)?,
            Head::Import(import) => self.import_head(file, *import, &path[0], Namespace::of(rest), depth)?,
            Head::Free => match self.free(file, from, name, relation, depth) {
                Err(NOT_DEFINED) if self.rules(file).has_packages() => {
                    if let Some((package, len)) = self.longest_package(file, path) {
                        return Ok((Resolution::Scope(package), Confidence::Exact, &path[len..]));
                    }
                    self.outside_of_project(file, path, depth).ok_or(NOT_DEFINED)?
                }
                found => found?,
            },
            Head::SelfType => {
                let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
                (Resolution::Symbols(vec![owner]), Confidence::Exact)
            }
            Head::TypeParameter if path.len() > 1 => {
                let (types, len) = self.parameter_types(file, from, path, depth)?;
                return Ok((Resolution::Symbols(types), Confidence::Exact, &path[len..]));
            }
            Head::Local(Some(hint)) if path.len() > 1 => {
                let (values, confidence) = self.hinted(place, hint, depth)?;
                (Resolution::of(values), confidence)
            }
            Head::Value(Some(hint)) => {
                let (values, confidence) = self.hinted(place, hint, depth)?;
                return Ok((Resolution::of(values), confidence, path));
            }
            Head::TypeParameter => return Err(ResolveError::Local),
            Head::Local(_) if path.len() == 1 => return Err(ResolveError::Local),
            Head::Local(_) | Head::Value(None) | Head::Super => return Err(ResolveError::ReceiverType),
        };
        Ok((found, confidence, rest))
    }

    /// Resolves a symbol of the same file. A scope may declare its name several times (conditional compilation,
    /// overloads), and import it as well.
    fn own_head(&self, symbol: Decl, path: &'a [Box<str>], depth: u32) -> ResolveResult<'a> {
        let (name, namespace) = (&*path[0], Namespace::of(&path[1..]));
        let scope = Scope { file: symbol.file, module: self.symbol(symbol).parent };
        if !self.context.declared(scope, name).contains(&symbol.symbol) {
            return Ok((Resolution::Symbols(self.variants(symbol)), Confidence::Exact));
        }
        self.in_scope(scope, name, View::Own, namespace, &mut Vec::new(), depth).ok_or(NOT_DEFINED)
    }

    /// Resolves a path that starts with `super`.
    fn super_path(
        &self,
        place: HintScope,
        name: &'a NameRef,
        relation: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let HintScope { file, from } = place;
        let owner = self.enclosing_type(file, from).ok_or(OUTSIDE_SELF)?;
        if self.rules(file).has_overloads() && name.path.len() == 1 {
            return self.base_constructors(owner);
        }
        let ancestors = self.ancestors(owner).ok_or(OUTSIDE_SELF)?;
        // `super()` runs the constructor of the nearest ancestor that has one.
        let member = name.path.get(1).map_or("constructor", |member| &**member);
        let is_run = name.path.len() == 3 && self.runs_value(file, name.name(), relation);
        match (self.inherited(ancestors, member, relation, depth), name.path.len()) {
            (Some((members, sure)), len) if len <= 2 || is_run => {
                let members = self.on_side(file, Resolution::Symbols(members), self.is_static(file, from));
                Ok((members, sure))
            }
            (Some(_), _) => Err(ResolveError::ReceiverType),
            (None, 1) => {
                let base = ancestors.first().ok_or(OUTSIDE_SELF)?;
                Ok((Resolution::Symbols(vec![base.ty]), base.confidence))
            }
            (None, _) => Err(if ancestors.is_empty() { OUTSIDE_SELF } else { NO_MEMBER }),
        }
    }

    /// Resolves one more segment of a path.
    fn step(
        &self,
        at: Resolution<'a>,
        segment: &'a str,
        separator: &str,
        wanted: Relation,
        namespace: Namespace,
        depth: u32,
    ) -> ResolveResult<'a> {
        match at {
            Resolution::External(path, origin) => {
                if let Some(module) = self.module_in_directory(&path, origin, segment) {
                    return Ok((Resolution::Scope(module), Confidence::Exact));
                }
                // The first name inside a package is enough; longer chains are values that it returns.
                let path = if path.matches(separator).count() < 3 {
                    format!("{path}{separator}{segment}")
                } else {
                    path
                };
                Ok((Resolution::External(path, origin), Confidence::Exact))
            }
            Resolution::Scope(scope) => match self.in_module(scope, segment, namespace, depth) {
                Some(found) => Ok(found),
                None => {
                    let (whole, sure) = self.whole(scope, depth).ok_or(NOT_IN_MODULE)?;
                    let depth = self.deeper(depth)?;
                    let (found, known) = self.step(whole, segment, separator, wanted, namespace, depth)?;
                    Ok((found, known.min(sure)))
                }
            },
            Resolution::Symbols(symbols) => {
                let symbols = symbols.into_iter().map(Shape::Declared);
                self.step_into_any(symbols, segment, wanted, namespace, depth)
            }
            Resolution::Values(values) => {
                self.step_into_any(values.into_iter(), segment, wanted, namespace, depth)
            }
        }
    }

    /// Resolves one more segment, for any of several values.
    fn step_into_any(
        &self,
        values: impl Iterator<Item = Shape<'a>>,
        segment: &'a str,
        wanted: Relation,
        namespace: Namespace,
        depth: u32,
    ) -> ResolveResult<'a> {
        let (mut members, mut others) = (Vec::new(), Vec::new());
        let mut confidence = Confidence::Exact;
        let mut missing = NO_MEMBER;
        for value in values {
            let found = match value {
                Shape::Declared(symbol) => self.step_into(symbol, segment, wanted, namespace, depth),
                other => self.member_of_value(other, segment, wanted, depth),
            };
            match found {
                Ok((Resolution::Symbols(found), sure)) => {
                    members.extend(found);
                    confidence = confidence.min(sure);
                }
                Ok((Resolution::Values(found), sure)) => {
                    others.extend(found);
                    confidence = confidence.min(sure);
                }
                Ok(found) => return Ok(found),
                Err(why) => missing = why,
            }
        }
        match (members.is_empty(), others.is_empty()) {
            (false, _) => Ok((Resolution::Symbols(members), confidence)),
            (true, false) => Ok((Resolution::Values(others), confidence)),
            (true, true) => Err(missing),
        }
    }

    /// Looks up a name in a module, or beside it in its package.
    fn in_module(
        &self,
        scope: Scope,
        name: &'a str,
        namespace: Namespace,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let found = self.in_scope(scope, name, View::Named, namespace, &mut Vec::new(), depth);
        found.or_else(|| self.beside_package(scope, name))
    }

    fn step_into(
        &self,
        symbol: Decl,
        segment: &'a str,
        wanted: Relation,
        namespace: Namespace,
        depth: u32,
    ) -> ResolveResult<'a> {
        let declaration = self.symbol(symbol);
        let Decl { file, symbol: local } = symbol;
        if declaration.kind == SymbolKind::Module {
            let scope = Scope { file, module: Some(local) };
            return self.in_module(scope, segment, namespace, depth).ok_or(NOT_IN_MODULE);
        }
        if let Some((members, confidence)) = self.member(symbol, segment, wanted, depth) {
            return Ok((Resolution::Symbols(members), confidence));
        }
        if self.context.default_names(symbol, segment) {
            let scope = self.scope_of(file, Some(local));
            let found = self.in_scope(scope, segment, View::Own, namespace, &mut Vec::new(), depth);
            if let Some((found, _)) = found {
                return Ok((found, Confidence::Inferred));
            }
        }
        let is_typed = has_own_type(declaration.kind);
        if is_typed && self.rules(file).evaluates_paths() {
            return self.member_of_constant(symbol, segment, wanted, depth);
        }
        let is_value = is_typed || declaration.kind == SymbolKind::TypeAlias;
        if is_value || declaration.modifiers.contains(Modifiers::ACCESSOR) {
            return self.step_into_declared_type(symbol, segment, wanted, namespace, depth);
        }
        let runs = self.runs_value(file, segment, wanted);
        if runs
            && segment != TypeHint::CALL
            && let Some((signatures, _)) = self.member(symbol, TypeHint::CALL, wanted, depth)
        {
            return Ok((Resolution::Symbols(signatures), Confidence::Inferred));
        }
        let (is_callable, is_type) = (declaration.kind.is_callable(), declaration.kind.is_type());
        if runs && is_callable || (is_callable || is_type) && self.rules(file).is_prototype(segment) {
            return Ok((Resolution::Symbols(vec![symbol]), Confidence::Exact));
        }
        let knows_its_members = declaration.kind.has_members();
        Err(if knows_its_members { NO_MEMBER } else { ResolveError::ReceiverType })
    }

    /// Resolves a member of the values of a declaration's type. A declaration that holds functions is run by a member
    /// that runs its value.
    fn step_into_declared_type(
        &self,
        symbol: Decl,
        segment: &'a str,
        wanted: Relation,
        namespace: Namespace,
        depth: u32,
    ) -> ResolveResult<'a> {
        let depth = self.deeper(depth)?;
        let declaration = self.symbol(symbol);
        let values = self.declared_type(symbol, depth);
        let is_function = |value: &Shape<'_>| matches!(value, Shape::Written(TypeHint::Function(..), _));
        let holds_functions = || match (&values, &declaration.ty) {
            (Ok((values, _)), _) => values.iter().all(is_function),
            // `const toString = Object.prototype.toString`
            (Err(_), Some(TypeHint::Value(name))) => self.is_of_prototype(symbol.file, name),
            (Err(_), _) => false,
        };
        let is_run = segment != TypeHint::CALL && self.runs_value(symbol.file, segment, wanted);
        if is_run && has_own_type(declaration.kind) && holds_functions() {
            return Ok((Resolution::Symbols(vec![symbol]), Confidence::Inferred));
        }
        let (values, sure) = values?;
        let (found, confidence) =
            self.step_into_any(values.into_iter(), segment, wanted, namespace, depth)?;
        Ok((found, confidence.min(sure)))
    }

    /// Returns true if a name has a segment that denotes the members of a class's instances.
    fn is_of_prototype(&self, file: FileId, name: &NameRef) -> bool {
        name.path.iter().any(|segment| self.rules(file).is_prototype(segment))
    }

    /// Returns true if a call of this member of a function runs the function, or makes another one that does.
    pub(super) fn runs_value(&self, file: FileId, member: &str, wanted: Relation) -> bool {
        let runs = member == TypeHint::CALL || self.rules(file).function_method(member).is_some();
        runs && wanted == Relation::Calls
    }

    /// Resolves a name that no scope of its file declares: by a glob import, a global declaration, a built-in or a
    /// package.
    fn free(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &'a NameRef,
        relation: Relation,
        depth: u32,
    ) -> ResolveResult<'a> {
        let first = &*name.path[0];
        let scope = self.scope_of(file, from);
        let namespace = Namespace::of(&name.path[1..]);
        if let Some(found) = self.in_function(file, from, first, namespace, depth) {
            return Ok(found);
        }
        let rules = self.rules(file);
        if rules.has_implicit_receiver() {
            let wanted = if name.path.len() > 1 { Relation::References } else { relation };
            if let Some(found) = self.implicit_member(file, from, first, wanted, depth) {
                return Ok(found);
            }
        }
        let space = if rules.merges_declarations() { Space::of_first(name, relation) } else { Space::Both };
        // Types of the file that an interface extends are found by the parser, so this is the value that a class extends.
        let own_space = match space {
            Space::Type if relation == Relation::Inherits => Space::Value,
            space => space,
        };
        let declared = self.free_in_scope(scope, first, namespace, depth);
        if let Some(found) = declared.clone().and_then(|found| self.of_space(found, own_space)) {
            return Ok(found);
        }
        if rules.has_packages()
            && let Some(found) = self.in_outer_packages(scope, first, namespace, depth)
        {
            return Ok(found);
        }
        let globals = self.globals(file, first);
        let globals =
            (!globals.is_empty()).then(|| (Resolution::Symbols(globals.to_vec()), Confidence::Exact));
        if let Some(found) = globals.clone().and_then(|found| self.of_space(found, space)) {
            return Ok(found);
        }
        if let Some(path) = self.rules(file).builtin(first) {
            return Ok((Resolution::External(path, Origin::StandardLibrary), Confidence::Exact));
        }
        if name.path.len() > 1
            && let Some(module) = self.rules(file).free_head(&self.context, scope, first)
        {
            return Ok((target(module)?, Confidence::Exact));
        }
        // `typeof` names a value where a type is expected.
        declared.or(globals).filter(|_| own_space == Space::Type).ok_or(NOT_DEFINED)
    }

    /// Calls [`in_scope`](Self::in_scope), with a cache.
    fn free_in_scope(
        &self,
        scope: Scope,
        name: &'a str,
        namespace: Namespace,
        depth: u32,
    ) -> Option<(Resolution<'a>, Confidence)> {
        let look = || self.in_scope(scope, name, View::Own, namespace, &mut Vec::new(), depth);
        // A lookup on behalf of another name may be cut off early.
        if depth + 1 < DEPTH {
            return look();
        }
        let known = self.free.borrow().get(&(scope, name, namespace)).cloned();
        let (found, types) = known.unwrap_or_else(|| {
            let before = self.types.replace(Confidence::Exact);
            let found = look();
            let types = self.types.replace(before);
            // A lookup that ran out of steps is not cached: earlier parts of the name may have used them.
            if self.steps.get() > 0 {
                self.free.borrow_mut().insert((scope, name, namespace), (found.clone(), types));
            }
            (found, types)
        });
        self.depend_on(types);
        found
    }
}

/// Returns true for declarations that hold a value, whose type may be written.
fn has_own_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant)
}

fn target<'a>(module: ModuleTarget) -> Result<Resolution<'a>, ResolveError> {
    match module {
        ModuleTarget::Scope(scope) => Ok(Resolution::Scope(scope)),
        ModuleTarget::External(path, origin) => Ok(Resolution::External(path, origin)),
        ModuleTarget::Missing => Err(NO_MODULE),
    }
}
