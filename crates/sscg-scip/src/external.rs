//! Names of symbols that are declared outside of a project.

use scip::types::descriptor::Suffix;
use scip::types::{Descriptor, Symbol};
use sscg_graph::{ExternalSymbol, Origin};

/// Package of external symbols of a standard library in indexes that this crate writes.
pub(crate) const STANDARD_LIBRARY: &str = "standard-library";

/// Packages of standard libraries and runtimes, with their managers, as indexers name them.
const STANDARD: &[(&str, &str)] = &[
    (".", STANDARD_LIBRARY),
    ("cargo", "alloc"),
    ("cargo", "core"),
    ("cargo", "std"),
    ("gomod", "github.com/golang/go/src"),
    ("maven", "jdk"),
    ("npm", "@types/node"),
    ("npm", "typescript"),
    ("python", "python-stdlib"),
];

/// Returns the external symbol of a parsed symbol; `None` if it has no name.
pub(crate) fn external(symbol: &Symbol) -> Option<ExternalSymbol> {
    let (manager, package) = (symbol.package.manager.as_str(), symbol.package.name.as_str());
    let is_standard = STANDARD
        .iter()
        .any(|(of, name)| (*of == manager || *of == "." && manager.is_empty()) && *name == package);
    let mut names: Vec<&str> = Vec::new();
    // Packages are imported by their names, files of a package are not.
    let is_imported_by_package = matches!(manager, "npm" | "cargo");
    if is_imported_by_package && !is_standard {
        names.push(package.trim_start_matches("@types/"));
    }
    for Descriptor { name, suffix, .. } in &symbol.descriptors {
        let is_file = matches!(suffix.enum_value(), Ok(Suffix::Namespace)) && manager == "npm";
        let is_hidden = name.is_empty() || is_file && !is_module(name) || name.starts_with("__init__");
        if !is_hidden {
            names.push(name.trim_matches('"'));
        }
    }
    let separator = if manager == "cargo" { "::" } else { "." };
    let origin = if is_standard { Origin::StandardLibrary } else { Origin::ThirdParty };
    (!names.is_empty()).then(|| ExternalSymbol::new(names.join(separator), origin))
}

/// Returns true if a namespace of an npm package is a module that code names, not a file: `declare module "fs"`.
fn is_module(name: &str) -> bool {
    name.starts_with('"')
}
