//! Choice among several declarations that a use may refer to.

use sscg_core::{Confidence, FileId, Head, LocalSymbol, Modifiers, NameRef, Relation, Symbol, SymbolKind};

use super::scopes::Namespace;
use super::{DEPTH, Linker, NOT_DEFINED, Outcome, Resolution, ResolveResult};
use crate::graph::{ExternalSymbol, Node, Origin, Reason};
use crate::link::languages::Typing;
use crate::link::signature::is_specialization;
use crate::link::tables::Decl;

/// Maximum number of candidates for a method of a receiver of unknown type, or for a macro.
const MAX_CANDIDATES: usize = 5;

/// Maximum number of candidates that are listed. With more, an edge to the first one has their number.
const MOST_LISTED: usize = 32;

impl<'a> Linker<'a> {
    pub(super) fn narrowed(&self, found: Resolution<'a>, relation: Relation) -> Resolution<'a> {
        match found {
            Resolution::Symbols(symbols) => Resolution::Symbols(self.narrow(symbols, relation)),
            other => other,
        }
    }

    /// Selects the declarations of one name that fit the use: types where a type is expected, functions with a body
    /// rather than overloads, and code of the default build.
    pub(in crate::link) fn narrow(&self, mut symbols: Vec<Decl>, relation: Relation) -> Vec<Decl> {
        symbols.sort_unstable();
        symbols.dedup();
        let mut symbols = self.merged(symbols, relation);
        if self.is_one_name(&symbols) {
            return symbols;
        }
        if symbols.len() > 1 && symbols.iter().all(|it| self.rules(it.file).packages_are_names()) {
            // A type may have a shorter name as an attribute, beside its own.
            let lengths = symbols.iter().map(|it| self.symbol(*it).name.len());
            let length = if relation == Relation::Decorates { lengths.max() } else { lengths.min() };
            symbols.retain(|it| Some(self.symbol(*it).name.len()) == length);
        }
        // A template stands for its specializations.
        if symbols.len() > 1 && !symbols.iter().all(|it| is_specialization(self.symbol(*it))) {
            symbols.retain(|it| !is_specialization(self.symbol(*it)));
        }
        // In Rust, functions without a body are those of traits and of other languages.
        let marks_bodiless = symbols.first().is_some_and(|it| self.rules(it.file).evaluates_paths());
        let mut keep = |fits: &dyn Fn(&Symbol) -> bool| {
            if symbols.len() > 1 && symbols.iter().any(|symbol| fits(self.symbol(*symbol))) {
                symbols.retain(|symbol| fits(self.symbol(*symbol)));
            }
        };
        match relation {
            Relation::UsesType | Relation::Inherits | Relation::Implements => keep(&|s| s.kind.is_type()),
            Relation::Calls | Relation::Instantiates => keep(&|s| s.kind.is_callable() || s.kind.is_type()),
            // A field and a method may share a name, and only the field is read.
            Relation::References | Relation::ReadsFrom | Relation::AssignsTo => {
                keep(&|s| s.kind != SymbolKind::Method);
            }
            _ => {}
        }
        keep(&|symbol| symbol.kind != SymbolKind::Macro);
        // A function that a macro makes has no body in the text, and is no declaration of another either.
        let is_made = |symbol: &Symbol| {
            marks_bodiless
                && symbol.kind.is_callable()
                && !symbol.modifiers.intersects(Modifiers::ABSTRACT | Modifiers::DECLARE)
        };
        keep(&|symbol| symbol.body.is_some() || is_made(symbol));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::DECLARE));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::OVERLOAD));
        keep(&|symbol| !symbol.modifiers.contains(Modifiers::TEST));
        if let [first, _, ..] = symbols[..] {
            self.context.built(self.rules(first.file), &mut symbols);
        }
        symbols
    }

    /// Selects static or instance members among those of one name, where no value has both.
    pub(super) fn on_side(&self, file: FileId, found: Resolution<'a>, of_class: bool) -> Resolution<'a> {
        let rules = self.rules(file);
        let Resolution::Symbols(mut members) = found else { return found };
        let is_meant = |member: &Decl| self.symbol(*member).modifiers.contains(Modifiers::STATIC) == of_class;
        let has_sides = rules.typing() == Typing::Dynamic && !rules.instances_have_static_methods();
        if has_sides && members.len() > 1 && members.iter().any(is_meant) {
            members.retain(is_meant);
        }
        Resolution::Symbols(members)
    }

    /// Returns true if the result is classes rather than instances of classes.
    pub(super) fn are_classes(&self, found: &Resolution<'_>) -> bool {
        let is_class = |symbol: &Decl| self.symbol(*symbol).kind.is_type();
        matches!(found, Resolution::Symbols(symbols) if symbols.iter().all(is_class))
    }

    /// Returns true if code belongs to a static member, where `this` is the class.
    pub(super) fn is_static(&self, file: FileId, from: Option<LocalSymbol>) -> bool {
        let facts = self.context.facts(file);
        let is_member = |symbol: &LocalSymbol| {
            let parent = facts.symbols[*symbol].parent;
            parent.is_some_and(|parent| facts.symbols[parent].kind.is_type())
        };
        let member = std::iter::successors(from, |symbol| facts.symbols[*symbol].parent).find(is_member);
        member.is_some_and(|member| facts.symbols[member].modifiers.contains(Modifiers::STATIC))
    }

    pub(in crate::link) fn outcome(
        &self,
        symbols: Vec<Decl>,
        relation: Relation,
        confidence: Confidence,
    ) -> (Outcome, Relation) {
        let (symbols, sure) = self.first_of_variants(self.narrow(symbols, relation));
        let confidence = confidence.min(sure);
        let relation = self.relation_to(&symbols, relation);
        let is_one = symbols.len() == 1
            || self.is_one_name(&symbols)
            || relation == Relation::Imports && self.are_overloads(&symbols);
        if !is_one && symbols.len() > MOST_LISTED {
            return (Outcome::SomeOf(vec![self.node(symbols[0])], symbols.len()), relation);
        }
        let confidence = match is_one {
            true if relation == Relation::Calls && self.hides_callee(&symbols) => {
                confidence.min(Confidence::Inferred)
            }
            true => confidence,
            false => Confidence::Ambiguous,
        };
        (Outcome::Nodes(self.nodes(symbols), confidence), relation)
    }

    /// Returns the relation of code to the symbols that it uses, given the relation by syntax.
    fn relation_to(&self, symbols: &[Decl], relation: Relation) -> Relation {
        let constructs = |symbol: &Decl| {
            let kind = self.symbol(*symbol).kind;
            (kind.is_type() && kind != SymbolKind::Component) || kind == SymbolKind::EnumMember
        };
        let all_are = |kind| symbols.iter().all(|symbol| self.symbol(*symbol).kind == kind);
        let is_passed = |symbol: &Decl| {
            let symbol = self.symbol(*symbol);
            symbol.kind == SymbolKind::Method && !symbol.modifiers.contains(Modifiers::ACCESSOR)
        };
        let may_leave_out_receiver =
            || symbols.first().is_none_or(|first| self.rules(first.file).has_implicit_receiver());
        match relation {
            Relation::Calls if symbols.iter().all(constructs) => Relation::Instantiates,
            // The name of a function may look like that of a type.
            Relation::Instantiates if all_are(SymbolKind::Function) || all_are(SymbolKind::Method) => {
                Relation::Calls
            }
            // A method that is not called is passed as a value. An accessor is a property.
            Relation::ReadsFrom if symbols.iter().all(is_passed) => Relation::References,
            // A bare name of a field has an implicit receiver.
            Relation::References if all_are(SymbolKind::Field) && may_leave_out_receiver() => {
                Relation::ReadsFrom
            }
            Relation::References if all_are(SymbolKind::Constant) => Relation::UsesConstant,
            // Local variables are not declarations, so this one belongs to a file or module.
            Relation::References if all_are(SymbolKind::Variable) => Relation::UsesGlobal,
            other => other,
        }
    }

    /// Returns true if a call of these symbols runs code that they do not determine: the callees of a macro are known only
    /// after its expansion, and a variable may hold any function.
    fn hides_callee(&self, symbols: &[Decl]) -> bool {
        let is_variable = |symbol: &Decl| {
            let kind = self.symbol(*symbol).kind;
            self.rules(symbol.file).typing() == Typing::Dynamic
                && matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field)
        };
        symbols.iter().all(|it| self.symbol(*it).kind == SymbolKind::Macro) || symbols.iter().any(is_variable)
    }

    fn any_of(&self, candidates: Vec<Decl>) -> Outcome {
        Outcome::Nodes(self.nodes(candidates), Confidence::Ambiguous)
    }

    fn nodes(&self, declarations: Vec<Decl>) -> Vec<Node> {
        declarations.into_iter().map(|declaration| self.node(declaration)).collect()
    }

    /// Resolves a macro by name, since macros are scoped by textual order: one in the same file, otherwise the only one
    /// of the project. A macro that is imported from outside, or denoted by a path to there, is external.
    pub(super) fn macro_target(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        name: &str,
    ) -> Outcome {
        let external = |path: String, origin| {
            let separator = self.rules(file).separator();
            let name = if path.ends_with(name) { path } else { format!("{path}{separator}{name}") };
            Outcome::External(ExternalSymbol { name: name.into(), origin }, Confidence::Exact)
        };
        if let [first, ..] = &*macro_name.path
            && macro_name.path.len() > 1
            && let Ok((Resolution::External(path, origin), _)) =
                self.macro_head(file, from, macro_name, first)
        {
            return external(path, origin);
        }
        let scope = self.scope_of(file, from);
        if macro_name.path.len() == 1
            && let [import] = self.context.imported(scope, name)
            && let Ok((Resolution::External(path, origin), _)) = self.import(file, *import, DEPTH)
        {
            return external(path, origin);
        }
        let all = self.reachable_macros(file, from, name);
        let here: Vec<_> = all.iter().copied().filter(|symbol| symbol.file == file).collect();
        let (candidates, sure) =
            if here.is_empty() { (all, Confidence::Inferred) } else { (here, Confidence::Exact) };
        match candidates.len() {
            0 => match self.rules(file).builtin(name) {
                Some(name) => {
                    let external = ExternalSymbol { name: name.into(), origin: Origin::StandardLibrary };
                    Outcome::External(external, Confidence::Exact)
                }
                None => Outcome::Unresolved(Reason::NoMacro),
            },
            1 => Outcome::Nodes(vec![self.node(candidates[0])], sure),
            2..=MAX_CANDIDATES => self.any_of(candidates),
            _ => Outcome::Unresolved(Reason::ManyMacros),
        }
    }

    /// Returns the macros of a name that code may use: exported ones, and those of its package; of test builds only if it
    /// is part of one. A file of no package may be part of any, and if nothing else declares the name, a file of another
    /// package may be part of this one.
    fn reachable_macros(&self, file: FileId, from: Option<LocalSymbol>, name: &str) -> Vec<Decl> {
        let mut all = self.context.macros(name).to_vec();
        let rules = self.rules(file);
        if !rules.exports_macros() {
            return all;
        }
        let is_of_tests = |file: FileId, symbol: Option<LocalSymbol>| {
            self.context.is_test_file(file) || symbol.is_some_and(|it| self.is_test(Decl::new(file, it)))
        };
        let is_built = |it: &Decl| !is_of_tests(it.file, Some(it.symbol));
        let has_other = rules.builtin(name).is_some() || all.iter().any(is_built);
        if has_other && !is_of_tests(file, from) {
            all.retain(is_built);
        }
        let package = |file| self.context.package(file).map(std::ptr::from_ref);
        let own = package(file);
        let is_reachable = |it: &&Decl| {
            let declared_in = package(it.file);
            declared_in.is_none() || declared_in == own || self.context.peek(**it).exported
        };
        let reachable: Vec<Decl> = all.iter().filter(is_reachable).copied().collect();
        if reachable.is_empty() && rules.builtin(name).is_none() { all } else { reachable }
    }

    /// Resolves the first segment of a macro's path.
    pub(super) fn macro_head(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        macro_name: &'a NameRef,
        first: &'a str,
    ) -> ResolveResult<'a> {
        match &macro_name.head {
            Head::Import(import) => self.import_head(file, *import, first, Namespace::Prefix, DEPTH),
            Head::Free => self.free(file, from, macro_name, Relation::References, DEPTH),
            _ => Err(NOT_DEFINED),
        }
    }

    /// Returns true if a declaration is only part of test builds.
    pub(super) fn is_test(&self, symbol: Decl) -> bool {
        std::iter::successors(Some(symbol), |symbol| {
            let parent = self.context.peek(*symbol).parent?;
            Some(Decl::new(symbol.file, parent))
        })
        .any(|symbol| self.context.peek(symbol).modifiers.contains(Modifiers::TEST))
    }

    /// Resolves a method call whose receiver has no type in the text. Candidates are the methods of that name in the
    /// file and in the files that it imports from. The calling method is excluded, since it would be called on `self`,
    /// and so is test code unless the caller is a test. Where built-in types have such a method, the receiver is more
    /// likely one of those.
    pub(super) fn method_by_name(
        &self,
        file: FileId,
        from: Option<LocalSymbol>,
        name: &str,
        arguments: Option<u8>,
    ) -> Outcome {
        let rules = self.rules(file);
        if rules.is_common_method(name) {
            return Outcome::Unresolved(Reason::BuiltInMethod);
        }
        let imported = self.imported_files(file);
        let caller = from.map(|from| Decl::new(file, from));
        let may_take = |symbol: &Decl| {
            arguments.is_none_or(|count| !rules.has_overloads() || self.takes(*symbol, count, true))
        };
        let callable = |symbol: &Decl| {
            let has_receiver = !self.context.peek(*symbol).modifiers.contains(Modifiers::STATIC);
            (has_receiver || rules.instances_have_static_methods())
                && self.context.is_of_family(symbol.file, file)
                && may_take(symbol)
        };
        let all: Vec<Decl> = self.context.methods(name).iter().copied().filter(callable).collect();
        let from_test = caller.is_some_and(|caller| self.is_test(caller));
        let near = |symbol: &Decl| {
            let at = symbol.file;
            let reachable = at == file || imported.contains(&at);
            reachable && Some(*symbol) != caller && (from_test || !self.is_test(*symbol))
        };
        let candidates = self.narrow(all.iter().copied().filter(near).collect(), Relation::Calls);
        match candidates.len() {
            0 => Outcome::Unresolved(Reason::ReceiverType),
            found @ 1..=MAX_CANDIDATES => {
                // Without declared types, values may also come from files that are not imported.
                let is_other = |symbol: &&Decl| Some(**symbol) != caller && !candidates.contains(symbol);
                let others =
                    if rules.typing() == Typing::Static { 0 } else { all.iter().filter(is_other).count() };
                match (found, others) {
                    (1, 0) => Outcome::Nodes(self.nodes(candidates), Confidence::Inferred),
                    (_, 0) => self.any_of(candidates),
                    _ => Outcome::SomeOf(self.nodes(candidates), found + others),
                }
            }
            _ => Outcome::Unresolved(Reason::ManyMethods),
        }
    }
}
