//! Requests and events in Go, Java and C#, and calls of gRPC services.

use crate::passed::{ORDERS, check};

const GO_MOD: (&str, &str) = ("web/go.mod", "module example.com/web\n\ngo 1.22\n");

#[test]
fn go_asks_over_net_http_and_resty() {
    let client = "package main

import (
\t\"context\"
\t\"fmt\"
\t\"net/http\"
\t\"os\"

\t\"github.com/go-resty/resty/v2\"
)

type client struct{ base string }

func newClient() *client { return &client{base: os.Getenv(\"ORDERS_URL\")} }

func (c *client) order(id string) { http.Get(fmt.Sprintf(\"%s/orders/%s\", c.base, id)) }

func (c *client) cancel(ctx context.Context, id string) {
\treq, _ := http.NewRequestWithContext(ctx, http.MethodDelete, c.base+\"/orders/\"+id, nil)
\treq.Header.Get(\"http://orders/no\")
\thttp.DefaultClient.Do(req)
}

func place() { (&http.Client{Timeout: 1}).Post(\"http://orders:80/orders\", \"\", nil) }

func list() {
\tapi := resty.New().SetBaseURL(\"http://orders\")
\tapi.R().SetHeader(\"a\", \"b\").Get(\"/orders\")
}
";
    check(
        &[("web/main.go", client), GO_MOD, ORDERS],
        &[],
        &[
            "web client.order asks orders: GET /orders/{} (inferred)",
            "web client.cancel asks orders: DELETE /orders/{} (inferred)",
            "web place asks orders: POST /orders (exact)",
            "web list asks orders: GET /orders (exact)",
        ],
    );
}

#[test]
fn go_sends_messages_through_brokers() {
    let web = "package main

import (
\t\"context\"

\t\"github.com/nats-io/nats.go\"
\t\"github.com/segmentio/kafka-go\"
)

const topic = \"orders.placed\"

func publish(ctx context.Context, w *kafka.Writer) {
\tw.WriteMessages(ctx, kafka.Message{Topic: topic, Value: []byte(\"x\")})
}

func listen() { kafka.NewReader(kafka.ReaderConfig{Topic: topic, GroupID: \"web\"}) }

func subjects() {
\tnc, err := nats.Connect(nats.DefaultURL)
\tif err != nil { return }
\tnc.Publish(\"orders.lost\", nil)
\tmsg := &nats.Msg{Subject: \"orders.found\"}
\tnc.PublishMsg(msg)
\tnc.QueueSubscribe(\"orders.>\", \"web\", func(m *nats.Msg) {})
}
";
    check(
        &[("web/main.go", web), GO_MOD],
        &[],
        &[
            "web publish publishes orders.placed of orders.placed over kafka (exact)",
            "web listen consumes orders.placed of orders.placed over kafka (exact)",
            "web subjects publishes orders.lost of orders.lost over nats (exact)",
            "web subjects publishes orders.found of orders.found over nats (exact)",
            "web subjects consumes orders.> of orders.> over nats (exact)",
        ],
    );
}

#[test]
fn go_names_topics_of_messages_and_of_partitions() {
    let web = "package main

import \"github.com/confluentinc/confluent-kafka-go/v2/kafka\"

func publish(p *kafka.Producer) {
\ttopic := \"orders.placed\"
\tp.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic}}, nil)
}

func seek(c *kafka.Consumer) {
\ttopic := \"orders.lost\"
\tc.Seek(kafka.TopicPartition{Topic: &topic, Offset: 1}, 0)
}
";
    check(
        &[("web/main.go", web), GO_MOD],
        &[],
        &["web publish publishes orders.placed of orders.placed over kafka (exact)"],
    );
}

#[test]
fn java_asks_through_templates_builders_and_interfaces() {
    let client = "package web;

import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

class Client {
    private static final String BASE = \"http://orders\";
    private final RestTemplate rest = new RestTemplate();
    private final WebClient web;

    Client(WebClient.Builder builder) { this.web = builder.baseUrl(\"http://orders/\").build(); }

    void order(String id) { rest.getForObject(BASE + \"/orders/{id}\", String.class, id); }

    void place() { web.post().uri(\"/orders\").retrieve(); }
}
";
    let feign = "package web;

import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.web.bind.annotation.*;

@FeignClient(name = \"orders\", path = \"/orders\")
interface Orders {
    @DeleteMapping(\"/{id}\")
    void cancel(@PathVariable String id);
}
";
    check(
        &[("web/Client.java", client), ("web/Orders.java", feign), ORDERS],
        &[],
        &[
            "web Client.order asks orders: GET /orders/{} (exact)",
            "web Client.place asks orders: POST /orders (exact)",
            "web Orders.cancel asks orders: DELETE /orders/{} (exact)",
        ],
    );
}

#[test]
fn interfaces_of_java_ask_at_the_address_in_their_annotation() {
    let with_address = "package web;

import jakarta.ws.rs.*;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

@RegisterRestClient(baseUri = \"http://orders:8080/api\")
@Path(\"/orders\")
interface Orders {
    @GET
    String list();
}
";
    let with_path = "package web;

import org.springframework.web.service.annotation.*;

@HttpExchange(\"/orders\")
interface Exchange {
    @GetExchange(\"/{id}\")
    String show(String id);
}
";
    let with_both = "package web;

import org.springframework.web.service.annotation.*;

@HttpExchange(value = \"/orders\", url = \"http://orders\")
interface Both {
    @GetExchange(\"/{id}\")
    String show(String id);
}
";
    check(
        &[
            ("web/Orders.java", with_address),
            ("web/Exchange.java", with_path),
            ("web/Both.java", with_both),
            ORDERS,
        ],
        &[],
        &[
            "web Both.show asks orders: GET /orders/{} (exact)",
            "web Orders.list asks orders: GET /api/orders (exact)",
        ],
    );
}

#[test]
fn java_sends_messages_through_brokers() {
    let web = "package web;

import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

class Events {
    static final String PLACED = \"orders.placed\";
    private final KafkaTemplate<String, String> kafka;
    private final RabbitTemplate rabbit;

    Events(KafkaTemplate<String, String> kafka, RabbitTemplate rabbit) { this.kafka = kafka; this.rabbit = rabbit; }

    void placed() { kafka.send(PLACED, \"x\"); }

    void lost() { rabbit.convertAndSend(\"orders\", \"order.lost\", new Object()); }

    @KafkaListener(topics = {PLACED, \"orders.paid\"}, groupId = \"web\")
    void on(String message) {}
}
";
    check(
        &[("web/Events.java", web)],
        &[],
        &[
            "web Events.placed publishes orders.placed of orders.placed over kafka (exact)",
            "web Events.lost publishes order.lost of orders over rabbitmq (exact)",
            "web Events.on consumes orders.paid of orders.paid over kafka (exact)",
            "web Events.on consumes orders.placed of orders.placed over kafka (exact)",
        ],
    );
}

#[test]
fn csharp_asks_and_sends_messages() {
    let client = "namespace Web;

public class OrdersClient(HttpClient http)
{
    private const string Base = \"api/orders/\";

    public Task<Order[]> List() => http.GetFromJsonAsync<Order[]>(Base);

    public async Task Cancel(string id) { await http.DeleteAsync($\"{Base}{id}\"); }
}
";
    let program = "var builder = WebApplication.CreateBuilder(args);
builder.Services.AddHttpClient<OrdersClient>(it => it.BaseAddress = new(\"https+http://orders\"));
";
    let events = "using Confluent.Kafka;
using MassTransit;

namespace Web;

public class Checkout
{
    private readonly IPublishEndpoint _bus;
    private readonly IProducer<string, string> _producer;

    public Checkout(IPublishEndpoint bus) { _bus = bus; }

    public async Task Place() { await _bus.Publish(new OrderPlaced(1)); }

    public async Task Log() { await _producer.ProduceAsync(\"logs\", new Message<string, string>()); }
}

public record OrderPlaced(int Id);

public class Shipping : IConsumer<OrderPlaced>
{
    public Task Consume(ConsumeContext<OrderPlaced> context) => Task.CompletedTask;
}
";
    check(
        &[("web/OrdersClient.cs", client), ("web/Program.cs", program), ("web/Events.cs", events), ORDERS],
        &[],
        &[
            "web OrdersClient.List asks orders: GET /api/orders (exact)",
            "web OrdersClient.Cancel asks orders: DELETE /api/orders/{} (exact)",
            "web Checkout.Place publishes OrderPlaced of OrderPlaced over  (exact)",
            "web Checkout.Log publishes logs of logs over kafka (exact)",
            "web Shipping consumes OrderPlaced of OrderPlaced over  (exact)",
        ],
    );
}

#[test]
fn a_client_of_a_library_asks_for_the_service_that_registers_it() {
    let client = "namespace Shared;

public class OrdersClient(HttpClient http) : IOrders
{
    public Task<string> Show(string id) => http.GetStringAsync($\"/orders/{id}\");
}
";
    let program = "using Shared;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddHttpClient<IOrders, OrdersClient>(it => it.BaseAddress = new Uri(\"http://orders\"));
";
    check(
        &[("shared/OrdersClient.cs", client), ("web/Program.cs", program), ORDERS],
        &[],
        &["web  asks orders: GET /orders/{} (exact)"],
    );
}

#[test]
fn interfaces_of_refit_ask_at_the_address_of_their_registration() {
    let client = "using Refit;

namespace Web;

public interface IOrders
{
    [Get(\"/orders/{id}\")]
    Task<string> Show(string id);

    [Post(\"/orders\")]
    Task Place([Body] string order);
}
";
    let program = "var builder = WebApplication.CreateBuilder(args);
builder.Services.AddRefitClient<IOrders>().ConfigureHttpClient(c => c.BaseAddress = new Uri(\"http://orders\"));
";
    check(
        &[("web/IOrders.cs", client), ("web/Program.cs", program), ORDERS],
        &[],
        &[
            "web IOrders.Show asks orders: GET /orders/{} (exact)",
            "web IOrders.Place asks orders: POST /orders (exact)",
        ],
    );
}

const CART: (&str, &str) = (
    "protos/cart.proto",
    "package shop.v1;\nservice Cart { rpc AddItem(Item) returns (Empty); rpc GetItems(Empty) returns (Item); }\n",
);

#[test]
fn clients_of_grpc_services_ask_their_servers() {
    let go = "package main

import (
\tpb \"example.com/protos\"
\t\"google.golang.org/grpc\"
)

type server struct{ pb.UnimplementedCartServer }

func (s *server) AddItem(in *pb.Item) (*pb.Empty, error) { return nil, nil }

func main() { pb.RegisterCartServer(grpc.NewServer(), &server{}) }
";
    let go_client = "package main

import pb \"example.com/protos\"

func add(conn any) { pb.NewCartClient(conn).AddItem(nil) }
";
    let java = "package web;

class Baskets {
    private final CartGrpc.CartBlockingStub stub = CartGrpc.newBlockingStub(null);

    void items() { stub.getItems(null); }
}
";
    let csharp = "namespace Shop;

public class Baskets(Cart.CartClient client)
{
    public async Task Add() => await client.AddItemAsync(new Item());

    public void List(IServiceProvider services) => services.GetRequiredService<Cart.CartClient>().GetItems(null);
}
";
    let python = "import cart_pb2_grpc

def items(channel):
    stub = cart_pb2_grpc.CartStub(channel)
    return stub.GetItems(None)
";
    let rust = "use shop::cart_client::CartClient;
pub async fn items() { CartClient::connect(\"x\").await.unwrap().get_items(()).await; }
";
    let javascript = "const grpc = require('@grpc/grpc-js');
const proto = grpc.loadPackageDefinition({}).shop.v1;
const client = new proto.Cart('cart:80', grpc.credentials.createInsecure());
function items() { client.getItems({}, () => {}); }
";
    check(
        &[
            CART,
            ("cart/main.go", go),
            ("cart/go.mod", "module example.com/cart\n"),
            ("a/main.go", go_client),
            ("a/go.mod", "module example.com/a\n"),
            ("b/Baskets.java", java),
            ("c/Baskets.cs", csharp),
            ("d/items.py", python),
            ("e/src/lib.rs", rust),
            ("f/items.js", javascript),
        ],
        &[],
        &[
            "a add asks cart: GRPC /shop.v1.Cart/AddItem (exact)",
            "b Baskets.items asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
            "c Baskets.Add asks cart: GRPC /shop.v1.Cart/AddItem (exact)",
            "c Baskets.List asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
            "d items asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
            "e items asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
            "f items asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
        ],
    );
}

const CART_SERVER: (&str, &str) = (
    "cart/main.go",
    "package main

import (
\tpb \"example.com/protos\"
\t\"google.golang.org/grpc\"
)

func main() { pb.RegisterCartServer(grpc.NewServer(), nil) }
",
);

#[test]
fn clients_that_the_tree_declares_are_those_of_the_contract_if_they_are_generated() {
    let class = "export class CartClient {\n    getItems(request: unknown, done: unknown): void {}\n}\n";
    let client = "import { CartClient } from './protos/shop';

const client = new CartClient('cart:80');

export function items(): void {
    client.getItems({}, () => {});
}
";
    let generated =
        format!("/* eslint-disable */\n// Code generated by protoc-gen-ts_proto. DO NOT EDIT.\n{class}");
    check(
        &[
            CART,
            CART_SERVER,
            ("cart/go.mod", "module example.com/cart\n"),
            ("a/protos/shop.ts", &generated),
            ("a/items.ts", client),
            ("b/protos/shop.ts", class),
            ("b/items.ts", client),
        ],
        &[],
        &["a items asks cart: GRPC /shop.v1.Cart/GetItems (exact)"],
    );
}

#[test]
fn values_that_are_no_clients_ask_no_grpc_service() {
    let go = "package main

import (
\tpb \"example.com/protos\"
\t\"example.com/store\"
)

func add(conn any, known pb.CartClient) {
\tclient := pb.NewCartClient(conn)
\tstore.New().GetItems()
\tclient.AddItem(nil)
\tknown.GetItems(nil)
}
";
    let python = "import cart_pb2_grpc

def items(channel, cart):
    stub = cart_pb2_grpc.CartStub(channel)
    stub.AddItem(None).GetItems()
    return cart.GetItems(None)
";
    let own = "export class CartClient { constructor(readonly store: Store) {} }
export function items(store: Store) { new db.Cart(store, 1); return new CartClient(store).store.getItems(); }
";
    let rust = "use shop::cart_client::CartClient;
#[cfg(test)]
mod tests {
    use super::*;
    pub async fn items() { CartClient::connect(\"x\").await.unwrap().get_items(()).await; }
}
";
    let base = "namespace Shop;

public class CartBase { }
public class Cart : CartBase { }
";
    check(
        &[
            CART,
            CART_SERVER,
            ("a/main.go", go),
            ("a/go.mod", "module example.com/a\n"),
            ("b/items.py", python),
            ("c/items.ts", own),
            ("d/src/lib.rs", rust),
            ("e/Cart.cs", base),
        ],
        &[],
        &[
            "a add asks cart: GRPC /shop.v1.Cart/AddItem (exact)",
            "a add asks cart: GRPC /shop.v1.Cart/GetItems (exact)",
            "b items asks cart: GRPC /shop.v1.Cart/AddItem (exact)",
            "b items asks cart: GRPC /shop.v1.Cart/GetItems (inferred)",
        ],
    );
}

#[test]
fn imports_tell_grpc_services_of_one_name_apart() {
    let newer =
        ("protos/v2.proto", "package shop.v2;\nservice Cart { rpc AddItem(Item) returns (Empty); }\n");
    let server = CART_SERVER.1.replace("example.com/protos", "example.com/gen/shop/v1");
    let newer_server = CART_SERVER.1.replace("example.com/protos", "example.com/gen/shop/v2");
    let client = "package main

import pb \"example.com/gen/shop/v2\"

func add(conn any) { pb.NewCartClient(conn).AddItem(nil) }
";
    let unknown = client.replace("gen/shop/v2", "protos");
    check(
        &[
            CART,
            newer,
            ("cart/main.go", &server),
            ("newer/main.go", &newer_server),
            ("a/main.go", client),
            ("b/main.go", &unknown),
        ],
        &[],
        &[
            "b add asks cart: GRPC /shop.v1.Cart/AddItem (ambiguous)",
            "a add asks newer: GRPC /shop.v2.Cart/AddItem (exact)",
            "b add asks newer: GRPC /shop.v2.Cart/AddItem (ambiguous)",
        ],
    );
}
