//! Messages that go through a broker: Kafka, NATS, RabbitMQ, Redis.

use sscg_core::wiring::{Call, Expression};

use super::{Action, Does, nothing};
use crate::derive::code::{At, Code, within};
use crate::derive::passed::LibraryUse;
use crate::derive::value::{ExternalValue, TextPattern};

/// Client packages, and the broker of each.
pub(super) const LIBRARIES: &[(&str, &str)] = &[
    ("@confluentinc/kafka-javascript", KAFKA),
    ("@nats-io/jetstream", NATS),
    ("@nats-io/nats-core", NATS),
    ("@nats-io/transport-node", NATS),
    ("@redis/client", REDIS),
    ("aio_pika", RABBITMQ),
    ("aiokafka", KAFKA),
    ("aioredis", REDIS),
    ("amqp-connection-manager", RABBITMQ),
    ("amqplib", RABBITMQ),
    ("async_nats", NATS),
    ("confluent_kafka", KAFKA),
    ("github.com/IBM/sarama", KAFKA),
    ("github.com/Shopify/sarama", KAFKA),
    ("github.com/confluentinc/confluent-kafka-go", KAFKA),
    ("github.com/go-redis/redis", REDIS),
    ("github.com/nats-io/nats.go", NATS),
    ("github.com/rabbitmq/amqp091-go", RABBITMQ),
    ("github.com/redis/go-redis", REDIS),
    ("github.com/segmentio/kafka-go", KAFKA),
    ("github.com/streadway/amqp", RABBITMQ),
    ("ioredis", REDIS),
    ("kafka", KAFKA),
    ("kafkajs", KAFKA),
    ("lapin", RABBITMQ),
    ("nats", NATS),
    ("node-rdkafka", KAFKA),
    ("pika", RABBITMQ),
    ("rdkafka", KAFKA),
    ("redis", REDIS),
];

const KAFKA: &str = "kafka";
const NATS: &str = "nats";
const RABBITMQ: &str = "rabbitmq";
const REDIS: &str = "redis";

/// True if calls by this name may publish or consume.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.contains(&name)
}

const METHODS: &[&str] = &[
    "AIOKafkaConsumer",
    "ChanSubscribe",
    "Consume",
    "ConsumePartition",
    "ConsumeWithContext",
    "KafkaConsumer",
    "Message",
    "PSubscribe",
    "ProducerMessage",
    "Publish",
    "PublishAsync",
    "PublishMsg",
    "PublishMsgAsync",
    "PublishRequest",
    "PublishWithContext",
    "QueueBind",
    "QueueSubscribe",
    "QueueSubscribeSync",
    "ReaderConfig",
    "Request",
    "RequestMsg",
    "Subscribe",
    "SubscribeSync",
    "SubscribeTopics",
    "TopicPartition",
    "Writer",
    "WriterConfig",
    "basic_consume",
    "basic_publish",
    "bind",
    "bindQueue",
    "consume",
    "produce",
    "pSubscribe",
    "psubscribe",
    "publish",
    "publish_with_headers",
    "queue_bind",
    "queue_subscribe",
    "request",
    "send",
    "sendBatch",
    "sendToQueue",
    "send_and_wait",
    "send_result",
    "ssubscribe",
    "spublish",
    "subscribe",
    "to",
];

/// Returns the message operations of a call of an external value.
pub(super) fn called<'c>(
    code: &'c Code<'_>,
    at: At<'c>,
    call: &'c Call,
    external: &ExternalValue<'c>,
) -> Vec<LibraryUse<Action>> {
    let known = LIBRARIES
        .iter()
        .find_map(|(name, transport)| Some((*name, transport, within(name, &external.path)?)));
    let Some((library, transport, rest)) = known else { return Vec::new() };
    let (before, method) = rest.rsplit_once('.').unwrap_or(("", rest));
    let reader = BrokerReader { code, at, call, transport };
    if library.starts_with("github.com/") {
        return reader.go(method);
    }
    match *transport {
        KAFKA => reader.kafka(before, method),
        NATS => reader.nats(method),
        REDIS => reader.redis(method),
        _ => reader.rabbitmq(before, method, external),
    }
}

/// Reader of the arguments of one call.
struct BrokerReader<'c, 'a> {
    code: &'c Code<'a>,
    at: At<'c>,
    call: &'c Call,
    transport: &'static str,
}

impl<'c> BrokerReader<'c, '_> {
    fn kafka(&self, before: &str, method: &str) -> Vec<LibraryUse<Action>> {
        let first = || self.argument("topic", 0).map(|topic| self.topics(topic)).unwrap_or_default();
        match method {
            "send" | "produce" | "send_and_wait" | "send_result" => {
                let first = self.argument("topic", 0);
                let topics = first.into_iter().flat_map(|first| match self.code.field(first, "topic") {
                    Some(topic) => self.code.texts(topic),
                    None => self.code.texts(first),
                });
                self.each(Does::Send, topics.collect())
            }
            "sendBatch" => {
                let batch = self.call.positional(0).map(|batch| self.at.with(batch));
                let records = batch.and_then(|batch| self.code.field(batch, "topicMessages"));
                let records = records.into_iter().flat_map(|records| self.code.elements(records));
                let topics = records.filter_map(|record| self.code.field(record, "topic"));
                self.each(Does::Send, topics.flat_map(|topic| self.code.texts(topic)).collect())
            }
            "to" if before.ends_with("FutureRecord") || before.ends_with("BaseRecord") => {
                self.each(Does::Send, first())
            }
            "subscribe" => {
                let Some(first) = self.argument("topics", 0) else { return Vec::new() };
                let topics = ["topic", "topics"].iter().find_map(|name| self.code.field(first, name));
                self.each(Does::Listen, self.topics(topics.unwrap_or(first)))
            }
            "KafkaConsumer" | "AIOKafkaConsumer" => {
                let topics = self.call.arguments.iter().filter(|argument| argument.name.is_none());
                let topics = topics.flat_map(|topic| self.topics(self.at.with(&topic.value)));
                self.each(Does::Listen, topics.collect())
            }
            _ => Vec::new(),
        }
    }

    /// Reads a call of a Go client, or a literal of one of its types, whose fields are named arguments.
    fn go(&self, method: &str) -> Vec<LibraryUse<Action>> {
        let texts = |position: usize| {
            let argument = self.call.positional(position).map(|argument| self.at.with(argument));
            argument.map_or_else(nothing, |argument| self.topics(argument))
        };
        let field = |name: &str| {
            self.call.named(name).map(|topic| self.topics(self.at.with(topic))).unwrap_or_default()
        };
        // The first argument of many methods is the context.
        let after_context = usize::from(method.ends_with("WithContext"));
        match (self.transport, method) {
            // Consumers also name topics by their partitions.
            (KAFKA, "TopicPartition") if !self.is_in_message() => Vec::new(),
            (KAFKA, "Message" | "ProducerMessage" | "TopicPartition" | "Writer" | "WriterConfig") => {
                self.each(Does::Send, field("Topic"))
            }
            (KAFKA, "ReaderConfig") => {
                self.each(Does::Listen, [field("Topic"), field("GroupTopics")].concat())
            }
            (KAFKA, "ConsumePartition" | "Subscribe" | "SubscribeTopics") => {
                self.each(Does::Listen, texts(0))
            }
            (KAFKA, "Consume") => self.each(Does::Listen, texts(1)),
            (NATS, "Publish" | "PublishAsync" | "PublishRequest" | "Request") => {
                self.each(Does::Send, texts(0))
            }
            (NATS, "PublishMsg" | "PublishMsgAsync" | "RequestMsg") => self.each(Does::Send, self.subjects()),
            (
                NATS,
                "ChanSubscribe" | "QueueSubscribe" | "QueueSubscribeSync" | "Subscribe" | "SubscribeSync",
            ) => self.each(Does::Listen, texts(0)),
            (REDIS, "Publish") => self.each(Does::Send, texts(1)),
            (REDIS, "PSubscribe" | "Subscribe") => {
                let channels = (1..self.call.arguments.len()).flat_map(texts);
                self.each(Does::Listen, channels.collect())
            }
            (RABBITMQ, "Publish" | "PublishWithContext") => {
                self.each_in(Does::Send, vec![texts(after_context + 1), texts(after_context)])
            }
            (RABBITMQ, "QueueBind") => self.each_in(Does::Bind, vec![texts(1), texts(2), texts(0)]),
            (RABBITMQ, "Consume" | "ConsumeWithContext") => {
                self.each_in(Does::Consume, vec![texts(after_context)])
            }
            _ => Vec::new(),
        }
    }

    /// True if the call is the value of a field of a message.
    fn is_in_message(&self) -> bool {
        let mut calls = self.code.wired(self.at.file).calls();
        calls.any(|call| call.callee.last_name() == Some("Message") && call.span.contains(self.call.span))
    }

    /// Returns the subjects of the messages among the arguments: `&nats.Msg{Subject: "orders.placed"}`.
    fn subjects(&self) -> Vec<TextPattern> {
        let arguments = self.call.arguments.iter().map(|argument| self.at.with(&argument.value));
        let made = arguments.flat_map(|argument| self.code.external(argument)).filter_map(|it| it.made_by);
        let subject = |made: At<'c>| {
            let message = self.code.wired(made.file).call(made.expression)?;
            Some(self.code.texts(made.with(message.named("Subject")?)))
        };
        made.filter_map(subject).flatten().collect()
    }

    fn nats(&self, method: &str) -> Vec<LibraryUse<Action>> {
        let does = match method {
            "publish" | "publish_with_headers" | "request" => Does::Send,
            "subscribe" | "queue_subscribe" => Does::Listen,
            _ => return Vec::new(),
        };
        let subject = self.argument("subject", 0);
        self.each(does, subject.map(|subject| self.code.texts(subject)).unwrap_or_default())
    }

    fn redis(&self, method: &str) -> Vec<LibraryUse<Action>> {
        let first = self.argument("channel", 0);
        match method {
            "publish" | "spublish" => {
                self.each(Does::Send, first.map(|channel| self.code.texts(channel)).unwrap_or_default())
            }
            "subscribe" | "ssubscribe" | "psubscribe" | "pSubscribe" => {
                // Each argument is a channel, except the callback for the messages.
                let channels = self.call.arguments.iter().filter(|argument| argument.name.is_none());
                let channels = channels.flat_map(|channel| self.topics(self.at.with(&channel.value)));
                self.each(Does::Listen, channels.collect())
            }
            _ => Vec::new(),
        }
    }

    fn rabbitmq(&self, before: &str, method: &str, external: &ExternalValue<'c>) -> Vec<LibraryUse<Action>> {
        let texts = |name: &str, position: usize| {
            self.argument(name, position).map_or_else(nothing, |argument| self.code.texts(argument))
        };
        let is_aio = external.split().0 == "aio_pika";
        match method {
            "publish" if is_aio => self.each_in(
                Does::Send,
                vec![texts("routing_key", 1), self.declared(before, external, "exchange")],
            ),
            "bind" if is_aio => {
                let exchange = self.argument("exchange", 0);
                let exchange = exchange.map(|exchange| self.exchange(exchange)).unwrap_or_else(nothing);
                self.each_in(
                    Does::Bind,
                    vec![texts("routing_key", 1), exchange, self.declared(before, external, "queue")],
                )
            }
            "consume" if is_aio => {
                self.each_in(Does::Consume, vec![self.declared(before, external, "queue")])
            }
            "publish" => self.each_in(Does::Send, vec![texts("routingKey", 1), texts("exchange", 0)]),
            "basic_publish" => self.each_in(Does::Send, vec![texts("routing_key", 1), texts("exchange", 0)]),
            "sendToQueue" => self.each_in(Does::Send, vec![texts("queue", 0), nothing()]),
            "bindQueue" => {
                self.each_in(Does::Bind, vec![texts("pattern", 2), texts("source", 1), texts("queue", 0)])
            }
            "queue_bind" => self
                .each_in(Does::Bind, vec![texts("routing_key", 2), texts("exchange", 1), texts("queue", 0)]),
            "consume" | "basic_consume" => self.each_in(Does::Consume, vec![texts("queue", 0)]),
            _ => Vec::new(),
        }
    }

    /// Returns the name that an exchange or queue was declared with, if it is the receiver of the method.
    fn declared(&self, before: &str, external: &ExternalValue<'c>, what: &str) -> Vec<TextPattern> {
        if !before.ends_with(&format!("{what}()")) {
            return nothing();
        }
        let made =
            external.made_by.and_then(|made| Some((made, self.code.wired(made.file).call(made.expression)?)));
        let name =
            made.and_then(|(at, call)| call.named("name").or(call.positional(0)).map(|name| at.with(name)));
        name.map_or_else(nothing, |name| self.code.texts(name))
    }

    /// Returns the name of an exchange that is passed as an object or by name.
    fn exchange(&self, at: At<'c>) -> Vec<TextPattern> {
        match self.code.external(at).into_iter().next() {
            Some(external) => self.declared(external.split().1, &external, "exchange"),
            None => self.code.texts(at),
        }
    }

    fn argument(&self, name: &str, position: usize) -> Option<At<'c>> {
        let argument: Option<&'c Expression> =
            self.call.named(name).or_else(|| self.call.positional(position));
        argument.map(|argument| self.at.with(argument))
    }

    /// Returns the names in a list, or the single name in its place.
    fn topics(&self, at: At<'c>) -> Vec<TextPattern> {
        self.code.elements(at).into_iter().flat_map(|topic| self.code.texts(topic)).collect()
    }

    fn each(&self, does: Does, names: Vec<TextPattern>) -> Vec<LibraryUse<Action>> {
        self.each_in(does, vec![names, nothing()])
    }

    fn each_in(&self, does: Does, texts: Vec<Vec<TextPattern>>) -> Vec<LibraryUse<Action>> {
        LibraryUse::each(self.at.file, self.call, &Action { transport: self.transport, does }, true, texts)
    }
}
