//! `type` statements.

use sscg_core::{Modifiers, SymbolKind};

use super::grammar::{FIELDS, Kind, kind};
use super::type_parameter::listed;
use super::walk::{Walk, WalkContext};
use crate::builder::Declaration;
use crate::scope::ScopeKind;
use crate::tree::{span, text};

impl Walk<'_, '_> {
    /// Visits `type X[T] = ...`; `start` is the offset of its attached comments.
    pub(super) fn type_alias(&mut self, start: u32) {
        let node = self.cursor.node();
        let mut name = node.child_by_field_id(FIELDS.left);
        let mut parameters = None;
        while let Some(part) = name.filter(|part| kind(*part) != Kind::Identifier) {
            parameters = part.named_child(1).or(parameters);
            name = part.named_child(0);
        }
        let Some(name) = name.filter(|name| !name.byte_range().is_empty()) else {
            return self.children(Self::visit);
        };
        let mut declared = None;
        if self.at.declares {
            declared = Some(self.declare(Declaration {
                name: text(name, self.source),
                kind: SymbolKind::TypeAlias,
                parent: self.at.symbol,
                span: self.whole(node, start),
                name_at: span(name).start,
                body: None,
                signature: text(node, self.source),
                doc: self.comment_above(start, node),
                exported: false,
                modifiers: Modifiers::empty(),
                type_parameters: parameters.map(|list| listed(text(list, self.source))).unwrap_or_default(),
                attributes: Vec::new(),
            }));
        } else {
            self.bind(text(name, self.source), span(name).start, None);
        }
        let scope = self.scopes.open(Some(self.at.scope), ScopeKind::Lexical);
        let symbol = declared.or(self.at.symbol);
        self.within(WalkContext { scope, symbol, root: false, ..self.at }, |walk| {
            walk.children(|walk| {
                if walk.field() == FIELDS.left {
                    walk.type_alias_parameters();
                } else if walk.field() == FIELDS.right {
                    let aliased = walk.annotation();
                    if let Some(symbol) = declared {
                        walk.typed(symbol, aliased);
                    }
                }
            });
        });
    }

    fn type_alias_parameters(&mut self) {
        match self.kind() {
            Kind::Identifier => {}
            Kind::TypeParameter => self.type_parameters(),
            _ => self.children(Self::type_alias_parameters),
        }
    }
}
