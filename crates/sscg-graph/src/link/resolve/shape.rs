//! Inferred forms of values.

use sscg_core::{Confidence, FileId, LocalSymbol, TypeHint};

use super::{Resolution, ResolveError};
use crate::link::tables::Decl;

/// File and declaration in which the names of a hint are resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::link) struct HintScope {
    pub(super) file: FileId,
    pub(super) from: Option<LocalSymbol>,
}

impl HintScope {
    pub(super) fn of(declaration: Decl) -> Self {
        Self { file: declaration.file, from: Some(declaration.symbol) }
    }
}

/// Inferred form of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::link) enum Shape<'a> {
    /// Declared entity: an instance of a type, the type itself, a function, an object.
    Declared(Decl),
    /// Function, object, or container type of the language, as written.
    Written(&'a TypeHint, HintScope),
    /// Method of a value of a written type.
    Method(&'a TypeHint, HintScope, &'a str),
    /// Callback that such a method takes.
    Callback(&'a TypeHint, HintScope, &'a str),
}

/// Possible shapes of a value.
pub(super) type Shapes<'a> = Result<(Vec<Shape<'a>>, Confidence), ResolveError>;

impl<'a> Shape<'a> {
    pub(super) fn declaration(self) -> Option<Decl> {
        match self {
            Self::Declared(declaration) => Some(declaration),
            _ => None,
        }
    }

    /// Returns the reason why a name for these values denotes no declaration.
    pub(super) fn without_declaration(values: &[Self]) -> ResolveError {
        let is_outside = |value: &Self| matches!(value, Self::Method(..) | Self::Callback(..));
        if values.iter().any(is_outside) { ResolveError::ExternalType } else { ResolveError::Local }
    }
}

impl<'a> Resolution<'a> {
    /// Converts values to a result: to declarations if all of them are.
    pub(super) fn of(values: Vec<Shape<'a>>) -> Self {
        match values.iter().map(|value| value.declaration()).collect::<Option<Vec<Decl>>>() {
            Some(declarations) => Self::Symbols(declarations),
            None => Self::Values(values),
        }
    }
}
