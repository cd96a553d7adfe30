//! Small project of three services, with its model.

use sscg_core::{Confidence, Manifests, Project};
use sscg_graph::{CodeGraph, link};
use sscg_knowledge::graph::{EndpointNode, EventNode, FileNode, InteractionSite, ServiceNode, SymbolNode};
use sscg_knowledge::query::Semantics;
use sscg_knowledge::{
    BuildOptions, BuildReport, Contract, ContractOperation, ContractType, EdgeData, EdgeKind, Endpoint,
    Entity, EventUse, FactEvidence, KnowledgeGraph, Message, MessageDirection, Model, Node, NodeIndex,
    Relationship, Request, SchemaField, Service, Site, Source, build,
};
use sscg_parse::project_file;

/// Returns a project of these files, by path and text, and its code graph.
pub(crate) fn linked(files: &[(&str, &str)]) -> (Project, CodeGraph) {
    let file = |(path, text): &(&str, &str)| project_file(path, text).expect("tests use known languages");
    let project = Project::new(files.iter().map(file).collect(), Manifests::default());
    let graph = link(&project);
    (project, graph)
}

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "services/orders/src/orders.ts",
        "import { charge } from './clients';
import { log } from '../../../shared/log';

export class Order { id: string = ''; }
export class OrderRepository { find(): Order { return new Order(); } }

export function createOrder(): Order { charge(); announce(); return new Order(); }
export function getOrder(): Order { log(); return new OrderRepository().find(); }
export function announce(): void { log(); }
",
    ),
    ("services/orders/src/clients.ts", "export function charge(): void {}\n"),
    (
        "services/payments/src/payments.ts",
        "import { log } from '../../../shared/log';

export interface Money { cents: number }
export interface Capturable { capture(): Money }
export class Payment implements Capturable { capture(): Money { return { cents: 1 }; } }
export class CardPayment extends Payment {}
export function createPayment(): Payment { log(); return new CardPayment(); }
export function onOrderPlaced(): void { createPayment(); }
",
    ),
    (
        "services/shipping/src/shipping.ts",
        "import { createPayment, type Money } from '../../payments/src/payments';

export interface OrderModel { id: string; total: Money }
export function ship(): void { createPayment(); }
export function price(money: Money): number { return money.cents; }
",
    ),
    ("services/shipping/src/alone.ts", "export const ALONE = 1;\n"),
    ("shared/log.ts", "export function log(): void {}\n"),
];

pub(crate) fn evidence(confidence: Confidence, source: Source, file: &str) -> FactEvidence {
    FactEvidence { confidence, source, file: file.into(), line: 1 }
}

pub(crate) fn exact() -> FactEvidence {
    evidence(Confidence::Exact, Source::Code, "")
}

pub(crate) fn service(name: &str, root: &str) -> Service {
    Service { name: name.into(), root: Some(root.into()), ..Service::default() }
}

pub(crate) fn site(project: &Project, key: &str) -> Site {
    let symbol = *project.symbols_with_key(key).first().expect("the project declares it");
    Site { file: project.symbol_file(symbol), symbol: Some(symbol), line: project.symbol(symbol).name_line }
}

pub(crate) fn operation(method: &str, path: &str, secured: bool) -> ContractOperation {
    ContractOperation {
        method: method.into(),
        path: path.into(),
        operation_id: "".into(),
        summary: "".into(),
        secured,
        line: 3,
    }
}

pub(crate) fn contract(file: &str, contract_type: ContractType) -> Contract {
    Contract {
        file: file.into(),
        contract_type,
        version: "1.2.0".into(),
        title: "".into(),
        service: None,
        hints: Vec::new(),
        deprecated: false,
        operations: Vec::new(),
        messages: Vec::new(),
        schemas: Vec::new(),
    }
}

pub(crate) fn endpoint(service: &str, method: &str, path: &str, handler: Option<Site>) -> Endpoint {
    Endpoint { service: service.into(), method: method.into(), path: path.into(), handler, evidence: exact() }
}

pub(crate) fn request(from: &str, site: Site, to: &str, method: &str, path: &str) -> Request {
    Request {
        from: from.into(),
        site,
        to: to.into(),
        method: method.into(),
        path: path.into(),
        evidence: exact(),
    }
}

pub(crate) fn event(service: &str, name: &str, direction: MessageDirection, site: Option<Site>) -> EventUse {
    EventUse {
        service: service.into(),
        event: name.into(),
        channel: "bus".into(),
        transport: "kafka".into(),
        direction,
        site,
        evidence: exact(),
    }
}

/// Returns the model of the small project.
pub(crate) fn model(project: &Project) -> Model {
    use MessageDirection::{Consumes, Publishes};
    let orders = |name: &str| site(project, &format!("services/orders/src/orders.ts::{name}"));
    let payments = |name: &str| site(project, &format!("services/payments/src/payments.ts::{name}"));
    let shipping = |name: &str| site(project, &format!("services/shipping/src/shipping.ts::{name}"));
    let charge = site(project, "services/orders/src/clients.ts::charge");
    let within_process = |service: &str, name: &str, direction, site| EventUse {
        transport: "process".into(),
        ..event(service, name, direction, Some(site))
    };
    Model {
        services: vec![
            Service {
                domain: "sales".into(),
                description: "Takes orders".into(),
                stack: [("language".into(), vec!["typescript".into()])].into(),
                ..service("orders", "services/orders")
            },
            service("payments", "services/payments"),
            service("shipping", "services/shipping"),
        ],
        libraries: vec!["shared".into()],
        contracts: vec![
            Contract {
                operations: vec![
                    operation("GET", "/orders/{orderId}", true),
                    operation("POST", "/orders", false),
                    operation("POST", "/orders/{orderId}/returns", false),
                ],
                ..contract("contracts/orders/openapi.yaml", ContractType::OpenApi)
            },
            Contract {
                messages: vec![Message {
                    event: "order.placed".into(),
                    channel: "orders".into(),
                    direction: Publishes,
                    required: vec!["order_id".into(), "total".into()],
                }],
                ..contract("contracts/orders/asyncapi.yaml", ContractType::AsyncApi)
            },
            contract("contracts/schemas/total.schema.json", ContractType::JsonSchema),
        ],
        endpoints: vec![
            endpoint("orders", "GET", "/orders/{id}", Some(orders("getOrder"))),
            endpoint("orders", "POST", "/orders", Some(orders("createOrder"))),
            endpoint("payments", "POST", "/payments", Some(payments("createPayment"))),
        ],
        requests: vec![
            request("orders", charge, "payments", "POST", "/payments"),
            request("payments", payments("onOrderPlaced"), "orders", "GET", "/orders/{}"),
            request("shipping", shipping("ship"), "orders", "GET", "/nowhere"),
        ],
        events: vec![
            event("orders", "order.placed", Publishes, Some(orders("announce"))),
            event("payments", "order.placed", Consumes, Some(payments("onOrderPlaced"))),
            event("orders", "order.lost", Publishes, Some(orders("announce"))),
            event("payments", "refund.issued", Consumes, Some(payments("onOrderPlaced"))),
            within_process("orders", "cart.updated", Publishes, orders("announce")),
            within_process("shipping", "cart.updated", Consumes, shipping("ship")),
        ],
        entities: vec![
            Entity {
                name: "Order".into(),
                description: "What a customer asks for".into(),
                owning_service: "orders".into(),
                fields: vec![field("id", "string", true), field("total", "number", false)],
                symbol: orders("Order").symbol,
                evidence: exact(),
            },
            Entity {
                name: "Payment".into(),
                description: "".into(),
                owning_service: "payments".into(),
                fields: vec![field("cents", "integer", true)],
                symbol: None,
                evidence: evidence(Confidence::Exact, Source::Declared, "sscg-services.toml"),
            },
        ],
        relationships: vec![Relationship {
            from: "Order".into(),
            to: "Payment".into(),
            relationship_type: "has_one".into(),
            cardinality: "1:1".into(),
            evidence: evidence(Confidence::Exact, Source::Declared, "sscg-services.toml"),
        }],
        errors: Vec::new(),
        ..Model::default()
    }
}

pub(crate) fn field(name: &str, ty: &str, required: bool) -> SchemaField {
    SchemaField { name: name.into(), ty: ty.into(), required, description: "".into() }
}

/// Returns the graph of the small project.
pub(crate) fn built() -> (KnowledgeGraph, BuildReport) {
    let (project, graph) = linked(FILES);
    let model = model(&project);
    build(&project, &graph, model, &BuildOptions::default())
}

/// True if there is an edge of a kind between two nodes, by their ids.
pub(crate) fn has_edge(graph: &KnowledgeGraph, source: &str, kind: EdgeKind, target: &str) -> bool {
    edge_confidence(graph, source, kind, target).is_some()
}

/// Returns the confidence of the edge of a kind between two nodes, by their ids.
pub(crate) fn edge_confidence(
    graph: &KnowledgeGraph,
    source: &str,
    kind: EdgeKind,
    target: &str,
) -> Option<Confidence> {
    let (source, target) = (graph.find(source)?, graph.find(target)?);
    let mut edges = graph.edges_out(source).filter(|edge| edge.kind == kind && edge.target == target);
    edges.next().map(|edge| edge.evidence.confidence)
}

pub(crate) fn add_service(graph: &mut KnowledgeGraph, name: &str) -> NodeIndex {
    graph.add_node(ServiceNode { service_name: name.into(), ..ServiceNode::default() }.into())
}

pub(crate) fn add_file(graph: &mut KnowledgeGraph, path: &str, service: &str) -> NodeIndex {
    let node = FileNode { file_path: path.into(), language: "rust".into(), service_name: service.into() };
    graph.add_node(node.into())
}

pub(crate) fn add_symbol(graph: &mut KnowledgeGraph, path: &str, name: &str, service: &str) -> NodeIndex {
    let node = SymbolNode {
        symbol_name: name.into(),
        kind: sscg_core::SymbolKind::Function,
        language: "rust".into(),
        service_name: service.into(),
        file_path: path.into(),
        line_start: 1,
        line_end: 2,
        signature: format!("fn {name}()").into(),
        is_exported: true,
    };
    graph.add_node(node.into())
}

pub(crate) fn add_event(graph: &mut KnowledgeGraph, name: &str) -> NodeIndex {
    graph.add_node(EventNode { event_name: name.into(), ..EventNode::default() }.into())
}

pub(crate) fn add_endpoint(graph: &mut KnowledgeGraph, service: &str, method: &str, path: &str) -> NodeIndex {
    let node = EndpointNode {
        method: method.into(),
        path: path.into(),
        service_name: service.into(),
        ..EndpointNode::default()
    };
    graph.add_node(node.into())
}

/// Adds an edge without data.
pub(crate) fn join(graph: &mut KnowledgeGraph, source: NodeIndex, kind: EdgeKind, target: NodeIndex) {
    graph.add_edge(source, target, kind, EdgeData::None, exact());
}

/// Adds the use of an event with a transport.
pub(crate) fn join_event(
    graph: &mut KnowledgeGraph,
    service: NodeIndex,
    kind: EdgeKind,
    event: NodeIndex,
    transport: &str,
) {
    let site = InteractionSite { transport: transport.into(), ..InteractionSite::default() };
    graph.add_edge(service, event, kind, EdgeData::Event(vec![site]), exact());
}

/// Returns the ids of nodes in order.
pub(crate) fn ids(graph: &KnowledgeGraph, nodes: impl IntoIterator<Item = NodeIndex>) -> Vec<String> {
    let mut ids: Vec<String> = nodes.into_iter().map(|node| graph.node(node).id().to_owned()).collect();
    ids.sort();
    ids
}

/// Model that computes similarity as the cosine of the words of two texts.
pub(crate) struct Words;

impl Semantics for Words {
    fn similarities(&self, query: &str, nodes: &[&Node]) -> Result<Vec<f32>, String> {
        let words = |text: &str| -> Vec<String> {
            let mut words: Vec<String> = text
                .split(|char: char| !char.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect();
            words.sort();
            words.dedup();
            words
        };
        let asked = words(query);
        let cosine = |node: &&Node| {
            let said = words(&node.document());
            let common = asked.iter().filter(|word| said.contains(word)).count();
            common as f32 / ((asked.len() * said.len()) as f32).sqrt()
        };
        Ok(nodes.iter().map(cosine).collect())
    }
}
