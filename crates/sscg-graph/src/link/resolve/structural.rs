//! Interfaces that types satisfy by having their methods, without naming them.

use rustc_hash::FxHashMap;
use sscg_core::{FileId, LocalSymbol, NameRef, Relation, Symbol, SymbolKind};

use super::{DEPTH, Linker, Resolution};
use crate::link::lineage::Bases;
use crate::link::tables::{Decl, MOST_OF_A_NAME};

/// Methods by name.
type MethodSet<'a> = FxHashMap<&'a str, Decl>;

/// Names of the types that each type of a file embeds, by file; filled on demand.
type Embedded<'a> = FxHashMap<FileId, FxHashMap<LocalSymbol, Vec<&'a NameRef>>>;

/// Maximum number of types that one type embeds, directly or not.
const MAX_EMBEDDED: usize = 32;

/// Maximum number of interfaces of one type.
const MOST_INTERFACES: usize = 32;

impl<'a> Linker<'a> {
    /// Returns the interfaces of the project that each type of a file satisfies.
    pub(super) fn structural_bases(&self, file: FileId) -> Vec<Bases> {
        if !self.rules(file).has_structural_interfaces() {
            return Vec::new();
        }
        let symbols = self.context.facts(file).symbols.iter_enumerated();
        let types = symbols.filter(|(_, it)| it.kind.is_type() && it.kind != SymbolKind::Interface);
        let mut embedded = Embedded::default();
        types
            .filter_map(|(local, _)| {
                let ty = Decl::new(file, local);
                let named = self.satisfied_by(ty, &mut embedded);
                let (is_block, name) = Default::default();
                (!named.is_empty()).then_some(Bases { declaration: ty, is_block, named, name })
            })
            .collect()
    }

    fn satisfied_by(&self, ty: Decl, embedded: &mut Embedded<'a>) -> Vec<Option<Decl>> {
        let methods = self.method_set(ty, embedded);
        let mut interfaces: Vec<Decl> = Vec::new();
        for name in methods.keys() {
            for required in self.context.required(name).iter().take(MOST_OF_A_NAME) {
                let interface = self
                    .context
                    .parent(*required)
                    .filter(|_| self.context.is_of_family(required.file, ty.file));
                interfaces.extend(interface);
            }
        }
        interfaces.sort_unstable();
        interfaces.dedup();
        interfaces.retain(|interface| {
            let required = self.method_set(*interface, embedded);
            required.iter().all(|(name, required)| {
                let method = methods.get(name);
                method.is_some_and(|method| same_signature(self.symbol(*method), self.symbol(*required)))
            })
        });
        self.context.built(self.rules(ty.file), &mut interfaces);
        interfaces.truncate(MOST_INTERFACES);
        interfaces.into_iter().map(Some).collect()
    }

    /// Returns the methods of a type, those of embedded types included.
    fn method_set(&self, ty: Decl, embedded: &mut Embedded<'a>) -> MethodSet<'a> {
        let mut set = MethodSet::default();
        let mut types = vec![ty];
        let mut at = 0;
        while let Some(ty) = types.get(at).copied() {
            at += 1;
            let own = self.context.facts(ty.file).children(ty.symbol);
            let own = own.map(|member| Decl::new(ty.file, member));
            let methods =
                own.chain(self.blocks(ty).iter().copied()).map(|method| (method, self.symbol(method)));
            for (method, symbol) in methods.filter(|(_, symbol)| symbol.kind == SymbolKind::Method) {
                set.entry(&*symbol.name).or_insert(method);
            }
            let of_file = embedded.entry(ty.file).or_insert_with(|| self.embedded(ty.file));
            for name in of_file.get(&ty.symbol).into_iter().flatten() {
                if types.len() >= MAX_EMBEDDED {
                    break;
                }
                self.begin();
                let scope = self.symbol(ty).parent;
                if let Ok((Resolution::Symbols(bases), _)) =
                    self.name(ty.file, scope, name, Relation::Inherits, DEPTH)
                {
                    types.extend(bases.into_iter().filter(|base| !types.contains(base)).collect::<Vec<_>>());
                }
            }
        }
        set
    }

    /// Returns the names of the types that each type of a file embeds.
    fn embedded(&self, file: FileId) -> FxHashMap<LocalSymbol, Vec<&'a NameRef>> {
        let mut embedded: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for reference in &self.context.facts(file).references {
            if let Some(from) = reference.from.filter(|_| reference.relation == Relation::Inherits) {
                embedded.entry(from).or_default().push(&reference.target);
            }
        }
        embedded
    }
}

/// Returns true if two methods take and return types of the same names. A type may be known by another name in another
/// package, so that only the last segment counts.
fn same_signature(method: &Symbol, required: &Symbol) -> bool {
    let same = |(a, b): (&sscg_core::TypeHint, &sscg_core::TypeHint)| match (a.named(), b.named()) {
        (Some((a, _)), Some((b, _))) => a.name() == b.name(),
        _ => true,
    };
    let results = [&method.ty, &required.ty].map(|it| it.iter());
    let [own, wanted] = results;
    method.parameters.len() == required.parameters.len()
        && method.ty.is_some() == required.ty.is_some()
        && method.parameters.iter().zip(&required.parameters).all(same)
        && own.zip(wanted).all(same)
}
