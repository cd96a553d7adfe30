//! References of attributes and derives.

use sscg_core::Relation;
use tree_sitter::Node;

use super::attribute::{Attribute, is_builtin_derive};
use super::name::path_name;
use super::trivia::LeadingTrivia;
use super::walk::{ReferenceForm, Walk, WalkContext};

impl<'s> Walk<'s> {
    /// Adds references for the attributes and derives that may name an item of the project.
    pub(super) fn attributes(&mut self, trivia: &LeadingTrivia<'_>, context: WalkContext) {
        let decorates = ReferenceForm::Plain(Relation::Decorates);
        for item in &trivia.attributes {
            let Some(attribute) = Attribute::of(*item, self.source) else { continue };
            if let Some(arguments) = attribute.arguments
                && matches!(attribute.path, "derive" | "cfg_attr")
            {
                let written = self.text(arguments);
                let derived = match attribute.path {
                    "derive" => Some(written.trim_matches(['(', ')'])),
                    // The condition of `cfg_attr` is unknown, but the derives are named in any case.
                    _ => written.split_once("derive(").and_then(|(_, rest)| Some(rest.split_once(')')?.0)),
                };
                for derive in derived.into_iter().flat_map(|derived| derived.split(',')) {
                    let name = path_name(derive.trim())
                        .filter(|name| name.path.last().is_some_and(|name| !is_builtin_derive(name)));
                    if let Some(name) = name {
                        self.use_name(decorates, name, context);
                    }
                }
                self.named_in_strings(arguments, context);
            } else if !attribute.is_builtin()
                && let Some(name) = path_name(attribute.path)
            {
                self.use_name(decorates, name, context);
                if let Some(arguments) = attribute.arguments {
                    self.named_in_strings(arguments, context);
                }
            }
        }
    }

    /// Adds references to functions that an attribute names in strings, as in serde:
    /// `skip_serializing_if = "Vec::is_empty"`.
    fn named_in_strings(&mut self, arguments: Node<'_>, context: WalkContext) {
        let mut cursor = arguments.walk();
        let tokens: Vec<Node<'_>> = arguments.children(&mut cursor).collect();
        // `cfg_attr(feature = "serde", serde(default = "one"))`
        let inner = tokens.iter().filter(|token| token.kind() == "token_tree");
        inner.for_each(|tree| self.named_in_strings(*tree, context));
        for window in tokens.windows(3) {
            let [key, is, value] = window else { continue };
            let names = KEYS_OF_PATHS.contains(&self.text(*key)) && self.text(*is) == "=";
            let path = self.text(*value).strip_prefix('"').and_then(|path| path.strip_suffix('"'));
            let is_path = |path: &&str| path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
            let name = path.filter(|_| names).filter(is_path).and_then(path_name);
            if let Some(name) = name {
                self.use_name(ReferenceForm::Plain(Relation::References), name, context);
            }
        }
    }
}

/// Keys of attributes whose strings are paths of functions or modules.
const KEYS_OF_PATHS: [&str; 6] =
    ["default", "deserialize_with", "schema_with", "serialize_with", "skip_serializing_if", "with"];
