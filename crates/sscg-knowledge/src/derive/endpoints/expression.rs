//! Texts, external items and functions that expressions in routes denote.

use std::cell::Cell;

use sscg_core::wiring::{Call, Expression, Function};
use sscg_core::{FileId, ModuleSystem, SymbolId};

use super::reader::{DEPTH, RouteReader};
use super::router::PathText;
use crate::derive::code::At;
use crate::derive::value::Value;

/// Maximum number of expressions followed to find one function.
const STEPS: u32 = 200;

impl<'a> RouteReader<'a> {
    /// Returns the call that an expression is.
    pub(super) fn call(&self, it: At<'a>) -> Option<&'a Call> {
        self.code.wired(it.file).call(it.expression)
    }

    /// Returns the dotted name of the external item that an expression denotes: `express.Router`, `axum.routing.get`.
    pub(super) fn external_name(&self, it: At<'a>) -> Option<String> {
        let values = self.code.denoted(it);
        match it.expression {
            // Macros and attributes of Rocket, which a crate can import without naming them.
            Expression::Name(name) if values.is_empty() => {
                let is_unnamed = self.is_rust(it.file) && self.code.is_unnamed(it.file, it.offset, name);
                is_unnamed.then(|| name.to_string())
            }
            _ => values.into_iter().find_map(|value| match value {
                Value::External(external) if !external.path.contains("()") => Some(external.path),
                _ => None,
            }),
        }
    }

    /// Returns the dotted name of what a method of an external value of C# makes: `WebApplication.CreateBuilder.Build`.
    pub(super) fn built_name(&self, it: At<'a>) -> Option<String> {
        let is_builder = self.is_csharp(it.file) && matches!(it.expression.last_name(), Some("Build"));
        let external = is_builder.then(|| self.code.external(it).into_iter().next())??;
        Some(external.path.replace("()", ""))
    }

    /// True if a file is C# code.
    pub(super) fn is_csharp(&self, file: FileId) -> bool {
        self.code.project.files()[file].language.modules == ModuleSystem::Namespaces
    }

    /// True if a file is Python code.
    pub(super) fn is_python(&self, file: FileId) -> bool {
        self.code.project.files()[file].language.modules == ModuleSystem::PythonPackages
    }

    /// True if a file is Rust code.
    pub(super) fn is_rust(&self, file: FileId) -> bool {
        self.code.project.files()[file].language.modules == ModuleSystem::RustCrates
    }

    /// Returns the text of an expression, with `{}` for unknown pieces; `None` if no piece is known.
    pub(super) fn text(&self, it: At<'a>) -> Option<PathText> {
        PathText::of(self.code, it)
    }

    /// Returns the text of a prefix; empty and not exact if unknown.
    pub(super) fn text_or_unknown(&self, it: At<'a>) -> PathText {
        self.text(it).unwrap_or_default()
    }

    /// Returns the texts of an expression: its own, or those of its elements if it is a list.
    pub(super) fn texts(&self, it: At<'a>) -> Vec<PathText> {
        self.code.elements(it).into_iter().filter_map(|element| self.text(element)).collect()
    }

    /// Returns the function that an expression denotes, with its file. Wrappers around it are skipped.
    pub(super) fn function(&self, it: At<'a>) -> Option<(FileId, &'a Function)> {
        self.function_within(it, DEPTH, &Cell::new(STEPS))
    }

    /// Returns the function within a depth, and within steps that all alternatives share.
    fn function_within(&self, it: At<'a>, depth: u32, steps: &Cell<u32>) -> Option<(FileId, &'a Function)> {
        let depth = depth.checked_sub(1)?;
        steps.set(steps.get().checked_sub(1)?);
        let known = match it.expression {
            Expression::Function(_) => {
                let function = self.code.wired(it.file).wiring.function(it.expression);
                function.map(|function| (it.file, function))
            }
            Expression::Call(_) => {
                let argument = self.call(it)?.positional(0);
                let function =
                    argument.filter(|it| matches!(it, Expression::Function(_) | Expression::Name(_)));
                function.and_then(|function| self.function_within(it.with(function), depth, steps))
            }
            _ => self.code.declaration(it).and_then(|symbol| self.function_of(symbol)),
        };
        known.or_else(|| {
            self.code.denoted(it).into_iter().find_map(|value| match value {
                Value::Function(value) | Value::Call(value) => self.function_within(value, depth, steps),
                Value::Symbol(symbol) => self.function_of(symbol),
                _ => None,
            })
        })
    }

    /// Returns the function of a declaration.
    fn function_of(&self, symbol: SymbolId) -> Option<(FileId, &'a Function)> {
        let project = self.code.project;
        let file = project.symbol_file(symbol);
        let (span, name) = (project.symbol(symbol).span, project.symbol_name(symbol));
        let mut functions = self.code.wired(file).wiring.functions.iter();
        let function = functions.find(|function| {
            span.contains(function.span) && (function.name.is_empty() || *function.name == *name)
        });
        function.filter(|_| project.symbol_kind(symbol).is_callable()).map(|function| (file, function))
    }
}
