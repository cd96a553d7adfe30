//! Types in the signatures of functions, with their origin.

use sscg_core::SymbolId;
use sscg_format::SignatureType;
use sscg_parse::{SignatureTypes, TypedParameter, signature_types};

use super::declared::DeclaredNames;
use super::facts::{Facts, MOST_VALUE_CHARACTERS};
use super::inferred::MAX_VALUES;

/// Names of types without values, and of those that only wrap others.
const NOTHING: [&str; 10] =
    ["None", "NoReturn", "Never", "Promise", "Task", "ValueTask", "never", "null", "undefined", "void"];

impl Facts<'_> {
    /// Returns the types of a function's parameters and of its result.
    pub(super) fn types(&self, symbol: SymbolId) -> (Vec<SignatureType>, Vec<SignatureType>) {
        let declaration = self.project.symbol(symbol);
        if !declaration.kind.is_callable() {
            return Default::default();
        }
        let file = self.project.symbol_file(symbol);
        let language = self.project.files()[file].language;
        let names = DeclaredNames::new(self, symbol);
        let types = signature_types(language, &declaration.name, &declaration.signature);
        let of_parameter = |it: &TypedParameter<'_>| self.declared_or_written(&names, it.name, it.ty);
        let types_in = types.parameters.iter().flat_map(of_parameter).collect();
        let returns_nothing = SignatureTypes::names(types.result).all(|name| NOTHING.contains(&name));
        let mut left = MAX_VALUES;
        let types_out = match types.result {
            "" => self.inferred_result(&names, &mut left),
            _ if returns_nothing => Vec::new(),
            written => self.declared_or_written(&names, "", written),
        };
        (types_in, types_out)
    }

    /// Returns the declared types in a type, or else the type as written.
    fn declared_or_written(
        &self,
        names: &DeclaredNames<'_>,
        parameter: &str,
        ty: &str,
    ) -> Vec<SignatureType> {
        let mut types: Vec<SignatureType> = Vec::new();
        for (node, confidence) in SignatureTypes::names(ty).filter_map(|name| names.find(name)) {
            let ty = self.signature_type(node, confidence).with_parameter(parameter);
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        if types.is_empty() {
            let written = match ty.char_indices().nth(MOST_VALUE_CHARACTERS) {
                Some((end, _)) => format!("{}…", &ty[..end]),
                None => ty.to_owned(),
            };
            let mut ty = SignatureType::default().with_parameter(parameter);
            ty.ty.name = written;
            types.push(ty);
        }
        types
    }
}
