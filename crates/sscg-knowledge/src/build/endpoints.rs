//! Endpoints, with the contracts that list them and the code that handles them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sscg_core::Confidence;

use super::contracts::Providers;
use super::{Builder, named, names};
use crate::graph::{ContractNode, EndpointNode, service_id};
use crate::{
    Contract, ContractOperation, ContractType, EdgeData, EdgeKind, Endpoint, FactEvidence, Model, NodeData,
    NodeIndex, Source,
};

/// Method of an endpoint that handles all methods.
pub(super) const ANY: &str = "ANY";

/// Endpoints of the graph.
#[derive(Default)]
pub(super) struct Endpoints {
    by_service: FxHashMap<Arc<str>, Vec<Known>>,
    /// Confidence of the handler that each endpoint names.
    handlers: FxHashMap<NodeIndex, Confidence>,
    /// Provider of each contract, in the order of the contracts.
    pub(super) providers: Vec<Option<Arc<str>>>,
}

/// Endpoint of a service.
pub(super) struct Known {
    /// Path without the names of its parameters.
    pub(super) shape: String,
    pub(super) method: Box<str>,
    pub(super) node: NodeIndex,
}

impl Endpoints {
    pub(super) fn of_service(&self, service: &str) -> &[Known] {
        self.by_service.get(service).map_or(&[], Vec::as_slice)
    }
}

impl Builder<'_> {
    /// Adds contracts and endpoints. A path in a contract and one in code are equal if they differ only in the names of
    /// their parameters; the contract's spelling is used. Endpoints that no contract lists belong to a contract that
    /// represents the service's code.
    pub(super) fn add_endpoints(&mut self, model: &Model) -> Endpoints {
        let mut endpoints = Endpoints::default();
        let providers = Providers::new(model);
        let mut shared = Vec::new();
        for contract in &model.contracts {
            let provider = providers.of(contract, &mut self.problems);
            let service = provider.as_ref().map(|(service, _)| Arc::from(*service));
            let node = self.add_contract(contract, &service.clone().unwrap_or_default(), provider);
            // Several services can handle the calls of a contract, unless it is declared whose it is.
            if contract.contract_type == ContractType::Protobuf && contract.service.is_none() {
                shared.push((contract, node));
            } else {
                self.add_operations(contract, node, &service.clone().unwrap_or_default(), &mut endpoints);
            }
            endpoints.providers.push(service);
        }
        for endpoint in named::endpoints(self.project, model, &mut self.problems) {
            if self.service(&endpoint.service, "an endpoint", &endpoint.evidence).is_some() {
                self.add_endpoint(&endpoint, &mut endpoints);
            }
        }
        for (contract, node) in shared {
            self.add_shared_operations(contract, node, &endpoints);
        }
        endpoints
    }

    fn add_contract(
        &mut self,
        contract: &Contract,
        service: &Arc<str>,
        provider: Option<(&str, FactEvidence)>,
    ) -> NodeIndex {
        let node = self.graph.add_node(
            ContractNode {
                contract_id: contract.file.clone(),
                contract_type: contract.contract_type,
                version: contract.version.clone(),
                service_name: Arc::clone(service),
                status: if contract.deprecated { "deprecated" } else { "active" }.into(),
                title: contract.title.clone(),
                file_path: contract.file.clone(),
            }
            .into(),
        );
        if let Some((service, evidence)) = provider
            && let Some(service) = self.graph.find(&service_id(service))
        {
            self.graph.add_edge(service, node, EdgeKind::ProvidesContract, EdgeData::None, evidence);
        }
        node
    }

    /// Connects a contract whose operations several services may provide to the endpoints that they handle.
    fn add_shared_operations(&mut self, contract: &Contract, node: NodeIndex, endpoints: &Endpoints) {
        for operation in &contract.operations {
            let shape = names::shape(&operation.path);
            let all = endpoints.by_service.values().flatten();
            let same = all.filter(|known| known.shape == shape && known.method == operation.method);
            let mut nodes: Vec<NodeIndex> = same.map(|known| known.node).collect();
            nodes.sort_unstable();
            for endpoint in nodes {
                let evidence = of_contract(contract, operation);
                self.graph.add_edge(node, endpoint, EdgeKind::ExposesEndpoint, EdgeData::None, evidence);
            }
        }
    }

    /// Adds the endpoints that a contract lists to its service.
    fn add_operations(
        &mut self,
        contract: &Contract,
        node: NodeIndex,
        service: &Arc<str>,
        endpoints: &mut Endpoints,
    ) {
        for operation in &contract.operations {
            let (shape, method) = (names::shape(&operation.path), operation.method.clone());
            let own = endpoints.by_service.entry(Arc::clone(service)).or_default();
            let known = own.iter().find(|known| known.shape == shape && known.method == method);
            let endpoint = known.map(|known| known.node).unwrap_or_else(|| {
                let node = self.graph.add_node(listed(operation, service).into());
                own.push(Known { shape, method, node });
                node
            });
            let evidence = of_contract(contract, operation);
            self.graph.add_edge(node, endpoint, EdgeKind::ExposesEndpoint, EdgeData::None, evidence);
        }
    }

    fn add_endpoint(&mut self, endpoint: &Endpoint, endpoints: &mut Endpoints) {
        let service: Arc<str> = Arc::from(&*endpoint.service);
        let shape = names::shape(&endpoint.path);
        let own = endpoints.by_service.entry(Arc::clone(&service)).or_default();
        let has_method = |known: &Known| known.method == endpoint.method || *endpoint.method == *ANY;
        let is_meant = |known: &&Known| known.shape == shape && has_method(known);
        let mut meant: Vec<NodeIndex> = own.iter().filter(is_meant).map(|known| known.node).collect();
        if meant.is_empty() {
            let data = EndpointNode {
                method: endpoint.method.clone(),
                path: endpoint.path.clone(),
                service_name: Arc::clone(&service),
                ..EndpointNode::default()
            };
            let node = self.graph.add_node(data.into());
            own.push(Known { shape, method: endpoint.method.clone(), node });
            let contract = self.code_contract(&service, &endpoint.evidence);
            let evidence = endpoint.evidence.clone();
            self.graph.add_edge(contract, node, EdgeKind::ExposesEndpoint, EdgeData::None, evidence);
            meant.push(node);
        }
        let Some(handler) = endpoint.handler.as_ref().map(|site| self.code.at(site)) else { return };
        for node in meant {
            let evidence = endpoint.evidence.clone();
            let confidence = evidence.confidence;
            self.graph.add_edge(handler, node, EdgeKind::HandlesEndpoint, EdgeData::None, evidence);
            if endpoints.handlers.get(&node).is_none_or(|known| *known < confidence) {
                endpoints.handlers.insert(node, confidence);
                let id = Box::from(self.graph.node(handler).id());
                if let NodeData::Endpoint(endpoint) = self.graph.data_mut(node) {
                    endpoint.handler_symbol = id;
                }
            }
        }
    }

    /// Returns the contract that represents the endpoints found only in a service's code, and adds it if it is missing.
    fn code_contract(&mut self, service: &Arc<str>, evidence: &FactEvidence) -> NodeIndex {
        let contract = self.graph.add_node(
            ContractNode {
                contract_id: format!("code:{service}").into(),
                contract_type: ContractType::Code,
                version: "".into(),
                service_name: Arc::clone(service),
                status: "active".into(),
                title: "".into(),
                file_path: "".into(),
            }
            .into(),
        );
        if let Some(service) = self.graph.find(&service_id(service)) {
            let evidence = FactEvidence { file: "".into(), line: 0, ..evidence.clone() };
            self.graph.add_edge(service, contract, EdgeKind::ProvidesContract, EdgeData::None, evidence);
        }
        contract
    }
}

fn listed(operation: &ContractOperation, service: &Arc<str>) -> EndpointNode {
    EndpointNode {
        method: operation.method.clone(),
        path: operation.path.clone(),
        service_name: Arc::clone(service),
        operation_id: operation.operation_id.clone(),
        summary: operation.summary.clone(),
        secured: operation.secured,
        ..EndpointNode::default()
    }
}

/// Returns the evidence for an endpoint that a contract lists.
fn of_contract(contract: &Contract, operation: &ContractOperation) -> FactEvidence {
    FactEvidence {
        confidence: Confidence::Exact,
        source: Source::Contract,
        file: contract.file.clone(),
        line: operation.line,
    }
}
