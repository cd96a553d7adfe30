//! Import statements.

use sscg_core::{Import, ImportKind};

use super::grammar::{FIELDS, Kind, kind};
use super::walk::{Level, Walk};
use crate::scope::Binding;
use crate::text::headline;
use crate::tree::{span, text};

impl<'s> Walk<'_, 's> {
    /// Visits an import statement. Returns the modules it names.
    pub(super) fn import(&mut self) -> String {
        let node = self.cursor.node();
        let statement = span(node);
        let from = match kind(node) {
            Kind::FutureImport => Some("__future__"),
            _ => node.child_by_field_id(FIELDS.module_name).map(|module| text(module, self.source)),
        };
        let mut modules: Vec<&str> = from.into_iter().collect();
        self.children(|walk| {
            let child = walk.cursor.node();
            let at = child.start_byte() as u32;
            let (name, alias) = match kind(child) {
                Kind::WildcardImport => ("*", None),
                Kind::DottedName if walk.field() == FIELDS.name => (walk.text(), None),
                Kind::AliasedImport => {
                    let part = |field| child.child_by_field_id(field).map(|part| text(part, walk.source));
                    let Some(name) = part(FIELDS.name) else { return };
                    (name, part(FIELDS.alias))
                }
                _ => return,
            };
            let (kind, module, name, local) = match from {
                None => {
                    modules.push(name);
                    let root = name.split('.').next().unwrap_or(name);
                    (ImportKind::Module, name, "", alias.unwrap_or(root))
                }
                Some(module) if name == "*" => (ImportKind::Glob, module, "", ""),
                Some(module) => (ImportKind::Named, module, name, alias.unwrap_or(name)),
            };
            let import = walk.builder.import(Import {
                condition: None,
                kind,
                module: module.into(),
                name: name.into(),
                local: local.into(),
                reexport: walk.at.level == Level::Module,
                scope: walk.at.symbol,
                span: statement,
                line: walk.builder.line(at),
            });
            walk.names.imports.insert(at, import);
            walk.has_globs |= kind == ImportKind::Glob;
            if matches!(module, "typing" | "typing_extensions") {
                walk.typing.insert(local);
            }
            if !local.is_empty() {
                walk.scopes.declare(walk.at.scope, local, Binding::Import(import));
            }
        });
        headline(&modules.join(", "))
    }
}
