//! Entities, the services that own and use them, and the types that implement them.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sscg_core::Confidence;
use sscg_core::SymbolKind::{Class, Enum, Interface, Struct, TypeAlias};

use super::{Builder, names};
use crate::graph::{EntityNode, entity_id, service_id};
use crate::{
    EdgeData, EdgeKind, Entity, FactEvidence, Model, NodeData, NodeIndex, NodeKind, Problem, Source,
};

impl Builder<'_> {
    pub(super) fn add_entities(&mut self, model: &Model) {
        for entity in &model.entities {
            self.add_entity(entity);
        }
        self.match_symbols();
        for reference in &model.references {
            let Some(service) = self.service(&reference.service, "a reference", &reference.evidence) else {
                continue;
            };
            match self.graph.find(&entity_id(&reference.entity)) {
                Some(entity) => {
                    let evidence = reference.evidence.clone();
                    self.graph.add_edge(
                        service,
                        entity,
                        EdgeKind::ReferencesEntity,
                        EdgeData::None,
                        evidence,
                    );
                }
                None => {
                    let message = format!(
                        "{} is said to use the entity {}, which there is not; it is left out",
                        reference.service, reference.entity
                    );
                    let file = reference.evidence.file.clone();
                    self.problems.push(Problem::new(file, message).at(reference.evidence.line));
                }
            }
        }
        for relationship in &model.relationships {
            let end = |name: &str| self.graph.find(&entity_id(name));
            let (Some(from), Some(to)) = (end(&relationship.from), end(&relationship.to)) else {
                let message = format!(
                    "`{} {} {}` names an entity that there is not; it is left out",
                    relationship.from, relationship.relationship_type, relationship.to
                );
                let file = relationship.evidence.file.clone();
                self.problems.push(Problem::new(file, message).at(relationship.evidence.line));
                continue;
            };
            let data = EdgeData::Relationship {
                relationship_type: relationship.relationship_type.clone(),
                cardinality: relationship.cardinality.clone(),
            };
            let evidence = relationship.evidence.clone();
            self.graph.add_edge(from, to, EdgeKind::DomainRelationship, data, evidence);
            self.refer_along(from, to, &relationship.evidence);
        }
    }

    fn add_entity(&mut self, entity: &Entity) {
        let is_known = |builder: &mut Self| {
            !entity.owning_service.is_empty()
                && builder.service(&entity.owning_service, "an entity", &entity.evidence).is_some()
        };
        let owner: Arc<str> =
            if is_known(self) { Arc::from(&*entity.owning_service) } else { Arc::default() };
        let node = self.graph.add_node(
            EntityNode {
                entity_name: entity.name.clone(),
                description: entity.description.clone(),
                owning_service: Arc::clone(&owner),
                fields: entity.fields.clone(),
            }
            .into(),
        );
        if let Some(service) = self.graph.find(&service_id(&owner)) {
            let evidence = entity.evidence.clone();
            self.graph.add_edge(service, node, EdgeKind::OwnsEntity, EdgeData::None, evidence);
        }
        if let Some(symbol) = entity.symbol.map(|symbol| self.code.symbol(symbol)) {
            let evidence = entity.evidence.clone();
            self.graph.add_edge(symbol, node, EdgeKind::ImplementsEntity, EdgeData::None, evidence);
        }
    }

    /// Matches types to entities by name. Types of the owning service implement the entity; another service with such a
    /// type references it. If the owner has no such type, or is unknown, all of the types implement the entity.
    fn match_symbols(&mut self) {
        let mut entities: Vec<(NodeIndex, Vec<NodeIndex>)> = Vec::new();
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for (entity, node) in self.graph.nodes_of(NodeKind::DomainEntity) {
            by_name.entry(names::entity(&node.name())).or_insert(entities.len());
            entities.push((entity, Vec::new()));
        }
        if entities.is_empty() {
            return;
        }
        for (index, node) in self.graph.nodes_of(NodeKind::Symbol) {
            if let NodeData::Symbol(symbol) = node.data()
                && matches!(symbol.kind, Class | Interface | TypeAlias | Struct | Enum)
                && let Some(at) = by_name.get(&names::entity(last(&symbol.symbol_name)))
            {
                entities[*at].1.push(index);
            }
        }
        for (entity, types) in entities {
            self.add_types(entity, &types);
        }
    }

    fn add_types(&mut self, entity: NodeIndex, types: &[NodeIndex]) {
        let owner = match self.graph.node(entity).data() {
            NodeData::DomainEntity(entity) => Arc::clone(&entity.owning_service),
            _ => return,
        };
        let service = |builder: &Self, ty: &NodeIndex| builder.graph.node(*ty).service_name().to_owned();
        let is_own = |ty: &NodeIndex| service(self, ty) == *owner;
        let owner_has_it = !owner.is_empty() && types.iter().any(is_own);
        let services: BTreeSet<String> = types.iter().map(|ty| service(self, ty)).collect();
        // Types of one name in several services are ambiguous candidates.
        let confidence =
            if owner_has_it || services.len() == 1 { Confidence::Inferred } else { Confidence::Ambiguous };
        for ty in types {
            let NodeData::Symbol(symbol) = self.graph.node(*ty).data() else { continue };
            let (file, line, user) = (symbol.file_path.to_string(), symbol.line_start, service(self, ty));
            let evidence = FactEvidence { confidence, source: Source::Name, file: file.into(), line };
            if !owner_has_it || user == *owner {
                let kind = EdgeKind::ImplementsEntity;
                self.graph.add_edge(*ty, entity, kind, EdgeData::None, evidence.clone());
            }
            if user != *owner
                && let Some(user) = self.graph.find(&service_id(&user))
            {
                let evidence = FactEvidence { confidence: Confidence::Inferred, ..evidence };
                self.graph.add_edge(user, entity, EdgeKind::ReferencesEntity, EdgeData::None, evidence);
            }
        }
    }

    /// Adds a reference from the owner of `from` to `to`, if another service owns `to`.
    fn refer_along(&mut self, from: NodeIndex, to: NodeIndex, evidence: &FactEvidence) {
        let owner = |node| self.graph.sources(node, EdgeKind::OwnsEntity).next();
        if let (Some(user), Some(owner)) = (owner(from), owner(to))
            && user != owner
        {
            let confidence = evidence.confidence.min(Confidence::Inferred);
            let evidence = FactEvidence { confidence, ..evidence.clone() };
            self.graph.add_edge(user, to, EdgeKind::ReferencesEntity, EdgeData::None, evidence);
        }
    }
}

/// Returns the name of a symbol without its qualifiers.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
