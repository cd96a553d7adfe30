//! Requests and events in small projects: data flow that is followed, and calls that are no requests.

use std::fs;

use sscg_knowledge::{GivenInputs, InputFile, Model, Service, read_inputs};

use crate::code::{derived, indexed};

/// Checks the requests and events of a project against `expected`. The service of a file is the first segment of its
/// path; `variables` are address variables with the names of their services.
pub(crate) fn check(files: &[(&str, &str)], variables: &[(&str, &str)], expected: &[&str]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut services: Vec<Service> = Vec::new();
    for (path, text) in files {
        let file = directory.path().join(path);
        fs::create_dir_all(file.parent().expect("below the root")).expect("writable");
        fs::write(file, text).expect("writable");
        let name = path.split('/').next().unwrap_or_default();
        if !services.iter().any(|service| &*service.name == name) && name != "shared" {
            let holds = variables.iter().filter(|(_, service)| *service == name);
            services.push(Service {
                name: name.into(),
                root: Some(name.into()),
                address_variables: holds.map(|(variable, _)| (*variable).into()).collect(),
                ..Service::default()
            });
        }
    }
    let snapshot = indexed(directory.path());
    let contracts = files.iter().filter(|(path, _)| path.ends_with(".proto"));
    let contracts = contracts
        .map(|(path, text)| InputFile { path: (*path).to_owned(), content: Ok(text.as_bytes().to_vec()) });
    let Model { contracts, .. } = read_inputs(&contracts.collect::<Vec<_>>(), &GivenInputs::default());
    let libraries = vec!["shared".into()];
    let model = derived(&snapshot, Model { services, libraries, contracts, ..Model::default() });
    let requests = model.requests.iter().map(|request| {
        let symbol =
            request.site.symbol.map(|symbol| snapshot.project.qualified_name(symbol)).unwrap_or_default();
        let confidence = request.evidence.confidence.as_str();
        format!(
            "{} {symbol} asks {}: {} {} ({confidence})",
            request.from, request.to, request.method, request.path
        )
    });
    let events = model.events.iter().map(|event| {
        let symbol = event.site.and_then(|site| site.symbol);
        let symbol = symbol.map(|symbol| snapshot.project.qualified_name(symbol)).unwrap_or_default();
        let (confidence, does) =
            (event.evidence.confidence.as_str(), format!("{:?}", event.direction).to_lowercase());
        format!(
            "{} {symbol} {does} {} of {} over {} ({confidence})",
            event.service, event.event, event.channel, event.transport
        )
    });
    let found: Vec<String> = requests.chain(events).collect();
    assert_eq!(found, expected);
}

pub(crate) const ORDERS: (&str, &str) = ("orders/main.ts", "export const name = 'orders';\n");

#[test]
fn a_client_class_asks_what_its_callers_say() {
    let base = "export class ApiClient {
           constructor(private readonly base: string) {}
           request(method: string, path: string) { return fetch(`${this.base}${path}`, { method }); }
           get(path: string) { return this.request('GET', path); }
         }\n";
    let client = "import { ApiClient } from './base';
         const client = new ApiClient(process.env.ORDERS_URL ?? 'http://orders:3001');
         export function order(id: string) { return client.get(`/orders/${id}`); }
         export function cancel(id: string) { return client.request('DELETE', '/orders/' + id); }\n";
    check(
        &[("web/base.ts", base), ("web/client.ts", client), ORDERS],
        &[],
        &[
            "web order asks orders: GET /orders/{} (exact)",
            "web cancel asks orders: DELETE /orders/{} (exact)",
        ],
    );
}

#[test]
fn a_client_type_asks_what_its_callers_say_in_other_languages_too() {
    let rust = "use reqwest::Client;
         pub struct Api { base: String, http: Client }
         impl Api {
             pub fn new(base: String) -> Self { Self { base, http: Client::new() } }
             pub async fn get(&self, path: &str) -> reqwest::Result<String> {
                 self.http.get(format!(\"{}{}\", self.base, path)).send().await?.text().await
             }
         }
         pub async fn order(id: &str) -> reqwest::Result<String> {
             let api = Api::new(std::env::var(\"ORDERS_URL\").unwrap_or_else(|_| \"http://orders:3001\".to_string()));
             api.get(&format!(\"/orders/{id}\")).await
         }\n";
    let python = "import os, httpx
class Api:
    def __init__(self, base):
        self.base = base
    def post(self, path, body):
        return httpx.post(f\"{self.base}{path}\", json=body)
api = Api(os.environ.get(\"ORDERS_URL\", \"http://orders:3001\"))
def place(order):
    return api.post(\"/orders\", order)
";
    check(
        &[
            ("stock/Cargo.toml", "[package]\nname = \"stock\"\n"),
            ("stock/src/main.rs", rust),
            ("web/api.py", python),
            ORDERS,
        ],
        &[],
        &["stock order asks orders: GET /orders/{} (exact)", "web place asks orders: POST /orders (exact)"],
    );
}

#[test]
fn a_variable_is_known_by_a_manifest_or_by_its_name() {
    let client = "import axios from 'axios';
         export const list = () => axios.get(process.env.ORDERS_URL + '/orders?all=1');
         export const one = (id: string) => axios.get(`${process.env.BACKEND}/orders/${id}`);
         export const other = () => axios.get(process.env.ELSEWHERE_URL + '/orders');
         export const cluster = () => axios.post('http://orders.shop.svc.cluster.local/orders');\n";
    check(
        &[("web/client.ts", client), ORDERS],
        &[("BACKEND", "orders")],
        &[
            "web list asks orders: GET /orders (inferred)",
            "web one asks orders: GET /orders/{} (exact)",
            "web cluster asks orders: POST /orders (exact)",
        ],
    );
}

#[test]
fn what_is_no_client_asks_nothing() {
    let code = "import axios from 'axios';
         import express from 'express';
         const app = express();
         const cache = new Map<string, string>();
         app.get('/orders', () => {});
         export const cached = () => cache.get('http://orders/orders');
         export const header = async () => (await axios.get('http://web/self')).headers.get('http://orders/x');
         export const external = () => axios.get('https://api.example.com/orders');
         export const relative = () => fetch('/orders');\n";
    check(&[("web/code.ts", code), ORDERS], &[], &[]);
}

#[test]
fn emitters_of_the_runtime_tell_nothing_of_the_program() {
    let code = "import { EventEmitter } from 'node:events';
         import net from 'node:net';
         export const bus = new EventEmitter();
         process.on('SIGTERM', () => {});
         net.connect(80).on('data', () => {});
         document.addEventListener('click', () => {});
         bus.on('error', () => {});
         bus.on('order.seen', () => {});
         export function local() { const one = new EventEmitter(); one.emit('done'); return 1; }\n";
    check(&[("web/code.ts", code)], &[], &["web  consumes order.seen of order.seen over process (exact)"]);
}

#[test]
fn a_queue_is_listened_to_by_whoever_consumes_it() {
    let setup = "import amqp from 'amqplib';
         export async function send() {
           const channel = await (await amqp.connect('amqp://rabbit')).createChannel();
           await channel.assertQueue('mails');
           await channel.bindQueue('mails', 'shop', 'order.paid');
           channel.publish('shop', 'order.paid', Buffer.from(''));
           channel.sendToQueue('jobs', Buffer.from(''));
         }\n";
    let worker = "import { connect } from 'amqplib';
         export async function work() {
           const channel = await (await connect('amqp://rabbit')).createChannel();
           await channel.consume('mails', () => {});
           await channel.consume('jobs', () => {});
         }\n";
    check(
        &[("sender/send.ts", setup), ("worker/work.ts", worker)],
        &[],
        &[
            "sender send publishes order.paid of shop over rabbitmq (exact)",
            "sender send publishes jobs of jobs over rabbitmq (exact)",
            "worker work consumes order.paid of shop over rabbitmq (exact)",
            "worker work consumes jobs of jobs over rabbitmq (exact)",
        ],
    );
}

#[test]
fn a_function_that_is_shared_sends_what_it_is_given() {
    let shared = "import { Kafka } from 'kafkajs';
         const producer = new Kafka({ brokers: [] }).producer();
         export async function publish(topic: string, value: object) {
           await producer.send({ topic, messages: [{ value: JSON.stringify(value) }] });
         }\n";
    let service = "import { publish } from '../shared/bus';
         const TOPICS = { paid: 'order.paid' } as const;
         export const pay = () => publish(TOPICS.paid, {});
         export const some = (topic: string) => publish(topic, {});\n";
    check(
        &[("shared/bus.ts", shared), ("web/pay.ts", service)],
        &[],
        &["web pay publishes order.paid of order.paid over kafka (exact)"],
    );
}

#[test]
fn a_bus_of_a_shared_package_tells_nothing_of_the_programs_that_use_it() {
    let bus = "import mitt from 'mitt';
         const bus = mitt();
         export function read(name: string) { bus.emit(`${name}.read`); }\n";
    let own = "import mitt from 'mitt';
         const bus = mitt();
         export function pay() { bus.emit('order.paid'); }\n";
    let user = "import { read } from '../shared/inbox';\nexport function open() { read('notification'); }\n";
    check(
        &[("shared/inbox.ts", bus), ("orders/pay.ts", own), ("orders/open.ts", user)],
        &[],
        &["orders pay publishes order.paid of order.paid over process (exact)"],
    );
}
