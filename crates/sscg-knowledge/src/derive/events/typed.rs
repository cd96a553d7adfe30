//! Messages of Java (Spring, MicroProfile) and .NET (MassTransit, Confluent.Kafka, RabbitMQ.Client), whose clients are
//! known by their types.

use sscg_core::FileId;
use sscg_core::wiring::{Call, Decorator, Expression};

use super::{Action, Does, nothing};
use crate::derive::code::{At, Code};
use crate::derive::passed::LibraryUse;
use crate::derive::value::{ExternalValue, Piece, TextPattern, Value};

/// Packages of clients.
pub(super) const LIBRARIES: &[&str] = &[
    "com.rabbitmq.client",
    "io.micronaut.configuration.kafka",
    "org.apache.kafka",
    "org.eclipse.microprofile.reactive.messaging",
    "org.springframework.amqp",
    "org.springframework.cloud.stream",
    "org.springframework.jms",
    "org.springframework.kafka",
];

/// Names that only code with messages of .NET has. Its packages are imported for whole projects.
pub(super) const DOTNET_NAMES: &[&str] = &[
    "BasicConsume",
    "BasicConsumeAsync",
    "BasicPublish",
    "BasicPublishAsync",
    "IBus",
    "IBusControl",
    "IConsumer",
    "IProducer",
    "IPublishEndpoint",
    "ISendEndpoint",
];

/// Types of clients, and the broker of each; empty if the client hides it.
const CLIENTS: &[(&str, &str)] = &[
    ("AmqpTemplate", "rabbitmq"),
    ("Channel", "rabbitmq"),
    ("ConnectionFactory", "rabbitmq"),
    ("ConsumeContext", ""),
    ("ConsumerBuilder", "kafka"),
    ("IBus", ""),
    ("IBusControl", ""),
    ("IChannel", "rabbitmq"),
    ("IConsumer", "kafka"),
    ("IModel", "rabbitmq"),
    ("IProducer", "kafka"),
    ("IPublishEndpoint", ""),
    ("ISendEndpoint", ""),
    ("JmsTemplate", "jms"),
    ("KafkaConsumer", "kafka"),
    ("KafkaTemplate", "kafka"),
    ("ProducerBuilder", "kafka"),
    ("ProducerRecord", "kafka"),
    ("RabbitTemplate", "rabbitmq"),
    ("StreamBridge", ""),
];

/// True if calls by this name may publish or consume.
pub(super) fn is_method(name: &str) -> bool {
    matches!(
        name,
        "BasicConsume"
            | "BasicConsumeAsync"
            | "BasicPublish"
            | "BasicPublishAsync"
            | "Produce"
            | "ProduceAsync"
            | "ProducerRecord"
            | "Publish"
            | "QueueBind"
            | "QueueBindAsync"
            | "Send"
            | "Subscribe"
            | "basicConsume"
            | "basicPublish"
            | "convertAndSend"
            | "convertSendAndReceive"
            | "queueBind"
            | "send"
            | "subscribe"
    )
}

/// Returns the message operations of a call of a typed client.
pub(super) fn called<'c>(
    code: &'c Code<'_>,
    at: At<'c>,
    call: &'c Call,
    external: &ExternalValue<'c>,
) -> Vec<LibraryUse<Action>> {
    let (_, ty, _) = external.typed();
    let Some((ty, transport)) = CLIENTS.iter().find(|(known, _)| *known == ty) else { return Vec::new() };
    let text = |name: &str, position: usize| {
        let argument = call.named(name).or_else(|| call.positional(position));
        argument.map_or_else(nothing, |argument| topics(code, at.with(argument)))
    };
    let count = call.arguments.len();
    let (does, texts) = match (*ty, call.callee.last_name().unwrap_or_default()) {
        ("KafkaTemplate" | "StreamBridge", "send") | ("ProducerRecord", "ProducerRecord") => {
            (Does::Send, vec![text("topic", 0), nothing()])
        }
        ("IProducer" | "ProducerBuilder", "Produce" | "ProduceAsync") => {
            (Does::Send, vec![text("topic", 0), nothing()])
        }
        ("KafkaConsumer" | "IConsumer" | "ConsumerBuilder", "subscribe" | "Subscribe") => {
            (Does::Listen, vec![text("topics", 0), nothing()])
        }
        ("JmsTemplate", "convertAndSend" | "send") => (Does::Send, vec![text("destination", 0), nothing()]),
        ("RabbitTemplate" | "AmqpTemplate", "convertAndSend" | "convertSendAndReceive" | "send") => {
            match count {
                0 | 1 => return Vec::new(),
                2 => (Does::Send, vec![text("routingKey", 0), nothing()]),
                _ => (Does::Send, vec![text("routingKey", 1), text("exchange", 0)]),
            }
        }
        ("Channel" | "IChannel" | "IModel" | "ConnectionFactory", name) => match name
            .to_lowercase()
            .trim_end_matches("async")
        {
            "basicpublish" => (Does::Send, vec![text("routingKey", 1), text("exchange", 0)]),
            "queuebind" => (Does::Bind, vec![text("routingKey", 2), text("exchange", 1), text("queue", 0)]),
            "basicconsume" => (Does::Consume, vec![text("queue", 0)]),
            _ => return Vec::new(),
        },
        (_, "Publish" | "Send") => {
            let Some(name) = message_type(code, at, call) else { return Vec::new() };
            (Does::Send, vec![vec![vec![Piece::Text(name.into())]], nothing()])
        }
        _ => return Vec::new(),
    };
    LibraryUse::each(at.file, call, &Action { transport, does }, true, texts)
}

/// Returns the name of the type of a published message: `Publish<OrderPlaced>(..)`, `Publish(new OrderPlaced(..))`.
fn message_type(code: &Code<'_>, at: At<'_>, call: &Call) -> Option<String> {
    if let Some(ty) = call.types.first() {
        return ty.last_name().map(str::to_owned);
    }
    let message = at.with(call.positional(0)?);
    if let Some(made) = code.wired(at.file).call(message.expression)
        && made.callee.last_name().is_some_and(|name| name.starts_with(char::is_uppercase))
    {
        return made.callee.last_name().map(str::to_owned);
    }
    code.values(message).into_iter().find_map(|value| match value {
        Value::Instance(class, _) => Some(code.project.symbol_name(class).to_owned()),
        _ => None,
    })
}

/// Returns the names in a list, such as `List.of("a", "b")`, or the single name in its place.
fn topics(code: &Code<'_>, at: At<'_>) -> Vec<TextPattern> {
    let made = code.wired(at.file).call(at.expression);
    let is_list = |call: &&Call| {
        matches!(call.callee.last_name(), Some("of" | "asList" | "singletonList" | "singleton"))
    };
    if let Some(list) = made.filter(is_list) {
        return list.arguments.iter().flat_map(|topic| code.texts(at.with(&topic.value))).collect();
    }
    code.elements(at).into_iter().flat_map(|topic| code.texts(topic)).collect()
}

/// Annotations of methods that consume messages: the names of the argument for the channel, and what the method does.
const LISTENERS: &[(&str, &str, &[&str], Does)] = &[
    ("Incoming", "", &["value"], Does::Listen),
    ("JmsListener", "jms", &["destination"], Does::Listen),
    ("KafkaListener", "kafka", &["topics", "topicPattern"], Does::Listen),
    ("Outgoing", "", &["value"], Does::Send),
    ("RabbitListener", "rabbitmq", &["queues"], Does::Consume),
    ("StreamListener", "", &["value", "target"], Does::Listen),
];

/// Returns the events that an annotation makes a method publish or consume.
pub(super) fn decorated(code: &Code<'_>, file: FileId, decorator: &Decorator) -> Vec<LibraryUse<Action>> {
    let call = &decorator.call;
    let name = call.callee.last_name().unwrap_or_default();
    let Some((_, transport, names, does)) = LISTENERS.iter().find(|(known, ..)| *known == name) else {
        return Vec::new();
    };
    let at = At { file, offset: call.span.start, expression: &call.callee };
    if !code.external(at).iter().any(|external| external.is_imported) {
        return Vec::new();
    }
    let channel: Option<&Expression> =
        names.iter().find_map(|name| call.named(name)).or_else(|| call.positional(0));
    let Some(channel) = channel else { return Vec::new() };
    let channels = topics(code, at.with(channel));
    let texts = match does {
        Does::Consume => vec![channels],
        _ => vec![channels, nothing()],
    };
    let mut uses = LibraryUse::each(file, call, &Action { transport, does: *does }, true, texts);
    // The consumer is the method, not its annotation.
    uses.iter_mut().for_each(|found| found.offset = decorator.target.start);
    uses
}

/// Interface of the consumers of MassTransit. Confluent.Kafka has one of the same name with two type arguments.
const CONSUMER: &str = "IConsumer";

/// Messages of MassTransit that contain others.
const CONTAINERS: &[&str] = &["Batch", "Fault"];

/// Returns the messages that the consumers of MassTransit in a file consume, by their declarations:
/// `class Shipping : IConsumer<OrderPlaced>`.
pub(super) fn consumers(code: &Code<'_>, file: FileId) -> Vec<LibraryUse<Action>> {
    let mut uses = Vec::new();
    for symbol in code.project.symbols_of(file).map(|symbol| code.project.symbol(symbol)) {
        // The project can declare an interface of this name.
        let is_own = || code.declared_or_linked(file, symbol.span.start, CONSUMER).is_some();
        if !symbol.kind.is_type() || !symbol.signature.contains(CONSUMER) || is_own() {
            continue;
        }
        uses.extend(consumed(&symbol.signature).into_iter().map(|message| LibraryUse {
            file,
            offset: symbol.span.start,
            line: symbol.name_line,
            kind: Action { transport: "", does: Does::Listen },
            texts: vec![vec![Piece::Text(message.into())], vec![Piece::Text("".into())]],
            is_sure: true,
        }));
    }
    uses
}

/// Returns the messages that a class consumes by the bases in its signature.
fn consumed(signature: &str) -> Vec<&str> {
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    let Some((head, bases)) = signature.split_once(':') else { return Vec::new() };
    let bases = bases.split(" where ").next().unwrap_or(bases);
    let declared = head.split('(').next().unwrap_or(head).split_once('<');
    let parameters: Vec<&str> =
        declared.map_or("", |(_, parameters)| parameters).split(|char| !is_name(char)).collect();
    let mut messages = Vec::new();
    for (at, _) in bases.match_indices(CONSUMER) {
        let is_whole = !bases[..at].ends_with(is_name);
        let arguments = type_arguments(&bases[at + CONSUMER.len()..]).filter(|_| is_whole);
        let Some([message]) = arguments.as_deref() else { continue };
        let message = plain(message);
        if !parameters.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

/// Returns the name of a message's type without its namespace, and of the message in a container.
fn plain(message: &str) -> &str {
    let (path, arguments) = message.split_at(message.find('<').unwrap_or(message.len()));
    let name = path.rsplit('.').next().unwrap_or(path).trim();
    match type_arguments(arguments).as_deref() {
        Some([inner]) if CONTAINERS.contains(&name) => plain(inner),
        _ => name,
    }
}

/// Returns the type arguments at the start of a text: `Batch<A>` and `B` for `<Batch<A>, B>`.
fn type_arguments(text: &str) -> Option<Vec<&str>> {
    let text = text.strip_prefix('<')?;
    let (mut arguments, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, char) in text.char_indices() {
        match char {
            '<' | '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if depth == 0 => {
                arguments.push(text[start..at].trim());
                return Some(arguments);
            }
            '>' => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumers_name_their_messages() {
        for (signature, messages) in [
            ("class A : IConsumer<Shop.Placed>, IConsumer<Paid>", &["Placed", "Paid"][..]),
            ("class A : IConsumer<Batch<Placed>>, IConsumer<Fault<Shop.Paid>>", &["Placed", "Paid"]),
            ("class A<T>(ILogger<T> log) : IConsumer<T> where T : class", &[]),
            ("class A(ILogger<Placed> log) : IConsumer<Placed>", &["Placed"]),
            ("class A<T> : Base<T> where T : IConsumer<Placed>", &[]),
            ("class A : IConsumer<string, byte[]>, IMyConsumer<Placed>, MyIConsumer<Paid>", &[]),
            ("interface IConsumer<T>", &[]),
            ("class A : IConsumer<Placed", &[]),
        ] {
            assert_eq!(consumed(signature), messages, "{signature}");
        }
    }
}
