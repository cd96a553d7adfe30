//! Symbols of a project in the grammar of SCIP.

use protobuf::MessageField;
use rustc_hash::FxHashMap;
use scip::symbol::format_symbol;
use scip::types::descriptor::Suffix;
use scip::types::symbol_information::Kind;
use scip::types::{Descriptor, Package, Symbol};
use sscg_core::{FileId, IndexVec, Project, SymbolId, SymbolKind};
use sscg_graph::{ExternalSymbol, Origin};

use crate::external::STANDARD_LIBRARY;

/// Scheme of all symbols.
const SCHEME: &str = "sscg";

/// Strings of all symbols of a project. Overloads have disambiguators, other declarations with the same path share one.
pub(crate) struct Symbols {
    files: IndexVec<FileId, String>,
    symbols: IndexVec<SymbolId, String>,
}

impl Symbols {
    pub(crate) fn new(project: &Project) -> Self {
        let files = project.files().ids().map(|file| format(project, file, path(project, file)));
        let files = files.collect();
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        let symbols = project.symbol_ids().map(|symbol| {
            let file = project.symbol_file(symbol);
            let mut descriptors = path(project, file);
            let mut around: Vec<SymbolId> = project.self_and_ancestors(symbol).collect();
            around.reverse();
            for symbol in around {
                let receiver = project.symbol(symbol).receiver.as_ref();
                let receiver = receiver.into_iter().flat_map(|receiver| receiver.path.iter());
                descriptors.extend(receiver.map(|segment| descriptor(segment, Suffix::Type)));
                descriptors
                    .push(descriptor(project.symbol_name(symbol), suffix(project.symbol_kind(symbol))));
            }
            let text = format(project, file, descriptors.clone());
            let last = descriptors.last_mut().expect("a symbol has a descriptor");
            let number = seen.entry(text.clone()).or_default();
            *number += 1;
            if *number == 1 || last.suffix.enum_value() != Ok(Suffix::Method) {
                return text;
            }
            last.disambiguator = format!("+{}", *number - 1);
            format(project, file, descriptors)
        });
        Self { files, symbols: symbols.collect() }
    }

    pub(crate) fn file(&self, file: FileId) -> &str {
        &self.files[file]
    }

    pub(crate) fn symbol(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol]
    }
}

/// Returns the string of an external symbol.
pub(crate) fn external(external: &ExternalSymbol) -> String {
    let name = match external.origin {
        Origin::StandardLibrary => STANDARD_LIBRARY,
        Origin::ThirdParty => "",
    };
    // `a::b`, `a.b`, `a/b.c`: the last name is the symbol.
    let separator = if external.name.contains("::") { "::" } else { "." };
    let mut names: Vec<&str> = external.name.split(separator).filter(|name| !name.is_empty()).collect();
    let last = names.pop().unwrap_or(&external.name);
    let mut descriptors: Vec<Descriptor> =
        names.into_iter().map(|name| descriptor(name, Suffix::Namespace)).collect();
    descriptors.push(descriptor(last, Suffix::Term));
    symbol(name, descriptors)
}

/// Returns the descriptors of a file: one per directory, and one for the file.
fn path(project: &Project, file: FileId) -> Vec<Descriptor> {
    let path = &project.files()[file].path;
    path.split('/').map(|segment| descriptor(segment, Suffix::Namespace)).collect()
}

fn descriptor(name: &str, suffix: Suffix) -> Descriptor {
    Descriptor { name: name.to_owned(), suffix: suffix.into(), ..Descriptor::default() }
}

fn format(project: &Project, file: FileId, descriptors: Vec<Descriptor>) -> String {
    symbol(project.package_of(file).map_or("", |package| &package.name), descriptors)
}

fn symbol(package: &str, descriptors: Vec<Descriptor>) -> String {
    // A name with a space would end the field.
    let package = Package { name: package.replace(' ', "  "), ..Package::default() };
    format_symbol(Symbol {
        scheme: SCHEME.to_owned(),
        package: MessageField::some(package),
        descriptors,
        ..Symbol::default()
    })
}

fn suffix(kind: SymbolKind) -> Suffix {
    match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => Suffix::Method,
        SymbolKind::Module => Suffix::Namespace,
        SymbolKind::Macro => Suffix::Macro,
        SymbolKind::Impl => Suffix::Type,
        kind if kind.is_type() => Suffix::Type,
        _ => Suffix::Term,
    }
}

/// Returns the kind of a declaration in SCIP.
pub(crate) fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Function | SymbolKind::Component => Kind::Function,
        SymbolKind::Method => Kind::Method,
        SymbolKind::Constructor => Kind::Constructor,
        SymbolKind::Class => Kind::Class,
        SymbolKind::Interface => Kind::Interface,
        SymbolKind::Struct => Kind::Struct,
        SymbolKind::Union => Kind::Union,
        SymbolKind::Enum => Kind::Enum,
        SymbolKind::EnumMember => Kind::EnumMember,
        SymbolKind::Trait => Kind::Trait,
        SymbolKind::Module => Kind::Module,
        SymbolKind::TypeAlias => Kind::TypeAlias,
        SymbolKind::Constant => Kind::Constant,
        SymbolKind::Variable => Kind::Variable,
        SymbolKind::Field => Kind::Field,
        SymbolKind::Macro => Kind::Macro,
        _ => Kind::UnspecifiedKind,
    }
}
