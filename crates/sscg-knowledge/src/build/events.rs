//! Events, with their publishers and consumers.

use std::sync::Arc;

use sscg_core::Confidence;

use super::Builder;
use super::endpoints::Endpoints;
use crate::graph::{EventNode, service_id};
use crate::{EdgeData, EdgeKind, FactEvidence, MessageDirection, Model, NodeData, NodeIndex, Source};

impl Builder<'_> {
    /// Adds events, one node per name.
    pub(super) fn add_events(&mut self, model: &Model, endpoints: &Endpoints) {
        for event in &model.events {
            let Some(service) = self.service(&event.service, "an event", &event.evidence) else { continue };
            let node = self.event(&event.event, &event.channel);
            let site = self.use_site(event.site.as_ref(), &event.evidence, &event.transport);
            let evidence = event.evidence.clone();
            self.graph.add_edge(service, node, kind(event.direction), EdgeData::Event(vec![site]), evidence);
        }
        for (contract, provider) in model.contracts.iter().zip(&endpoints.providers) {
            for message in &contract.messages {
                let node = self.event(&message.event, &message.channel);
                self.require(node, &message.required, message.direction);
                let Some(service) =
                    provider.as_ref().and_then(|name: &Arc<str>| self.graph.find(&service_id(name)))
                else {
                    continue;
                };
                let evidence = FactEvidence {
                    confidence: Confidence::Exact,
                    source: Source::Contract,
                    file: contract.file.clone(),
                    line: 0,
                };
                let site = self.use_site(None, &evidence, "");
                let sites = EdgeData::Event(vec![site]);
                self.graph.add_edge(service, node, kind(message.direction), sites, evidence);
            }
        }
    }

    /// Returns the node of an event, and adds it if it is missing; the first known channel is kept.
    fn event(&mut self, name: &str, channel: &str) -> NodeIndex {
        let node = self.graph.add_node(
            EventNode { event_name: name.into(), channel: channel.into(), required_fields: Vec::new() }
                .into(),
        );
        if let NodeData::Event(event) = self.graph.data_mut(node)
            && event.channel.is_empty()
        {
            event.channel = channel.into();
        }
        node
    }

    /// Sets the required payload fields: those of a publisher, or else those of a consumer.
    fn require(&mut self, node: NodeIndex, required: &[Box<str>], direction: MessageDirection) {
        if let NodeData::Event(event) = self.graph.data_mut(node)
            && !required.is_empty()
            && (direction == MessageDirection::Publishes || event.required_fields.is_empty())
        {
            event.required_fields = required.to_vec();
        }
    }
}

fn kind(direction: MessageDirection) -> EdgeKind {
    match direction {
        MessageDirection::Publishes => EdgeKind::PublishesEvent,
        MessageDirection::Consumes => EdgeKind::ConsumesEvent,
    }
}
