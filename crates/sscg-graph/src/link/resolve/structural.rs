//! Interfaces that types satisfy by having their methods, without naming them.

use rustc_hash::FxHashMap;
use sscg_core::{FileId, Relation, Symbol, SymbolKind};

use super::{DEPTH, Linker, Resolution};
use crate::link::lineage::Bases;
use crate::link::tables::{Decl, MOST_OF_A_NAME};

/// Methods by name.
type MethodSet<'a> = FxHashMap<&'a str, Decl>;

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
        types
            .filter_map(|(local, _)| {
                let ty = Decl::new(file, local);
                let named = self.satisfied_by(ty);
                let (is_block, name) = Default::default();
                (!named.is_empty()).then_some(Bases { declaration: ty, is_block, named, name })
            })
            .collect()
    }

    fn satisfied_by(&self, ty: Decl) -> Vec<Option<Decl>> {
        let methods = self.method_set(ty);
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
            let required = self.method_set(*interface);
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
    fn method_set(&self, ty: Decl) -> MethodSet<'a> {
        let mut set = MethodSet::default();
        let mut embedded = vec![ty];
        let mut at = 0;
        while let Some(ty) = embedded.get(at).copied() {
            at += 1;
            let facts = self.context.facts(ty.file);
            let own = facts.children(ty.symbol).map(|member| Decl::new(ty.file, member));
            let methods =
                own.chain(self.blocks(ty).iter().copied()).map(|method| (method, self.symbol(method)));
            for (method, symbol) in methods.filter(|(_, symbol)| symbol.kind == SymbolKind::Method) {
                set.entry(&*symbol.name).or_insert(method);
            }
            let named = facts.references.iter().filter(|it| it.relation == Relation::Inherits);
            for reference in named.filter(|it| it.from == Some(ty.symbol)) {
                if embedded.len() >= MAX_EMBEDDED {
                    break;
                }
                self.begin();
                let scope = self.symbol(ty).parent;
                let found = self.name(ty.file, scope, &reference.target, Relation::Inherits, DEPTH);
                if let Ok((Resolution::Symbols(bases), _)) = found {
                    embedded.extend(
                        bases.into_iter().filter(|base| !embedded.contains(base)).collect::<Vec<_>>(),
                    );
                }
            }
        }
        set
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
