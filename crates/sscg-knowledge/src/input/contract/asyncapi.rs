//! AsyncAPI 2 and 3.
//!
//! Version 2 describes the view of others: the service sends on channels to which others may `subscribe`. Version 3
//! describes the actions of the service itself.

use serde_json::Value;

use super::about;
use super::reference::{ContractReader, DocumentValue, schemas};
use crate::input::text::text_of;
use crate::{Contract, ContractType, Message, MessageDirection};

pub(super) fn read<'t>(reader: &mut ContractReader<'t, '_>, document: &'t Value) -> Contract {
    let mut contract = about(reader, document, ContractType::AsyncApi);
    let root = reader.root(document);
    let version = text_of(document, "asyncapi");
    contract.messages = match version.split('.').next() {
        Some("2") => channels(reader, root),
        Some("3") => operations(reader, root),
        _ => {
            reader.note(format!(
                "AsyncAPI {version} is not known (2.x and 3.x are); what looks like one of them is read"
            ));
            let mut messages = operations(reader, root);
            messages.extend(channels(reader, root));
            messages
        }
    };
    contract.schemas = schemas(reader, root.get("components").and_then(|it| it.get("schemas")));
    contract
}

/// Returns the messages of version 2, which are part of the channels.
fn channels<'t>(reader: &mut ContractReader<'t, '_>, root: DocumentValue<'t>) -> Vec<Message> {
    let mut messages = Vec::new();
    for (name, channel) in root.get("channels").into_iter().flat_map(DocumentValue::entries) {
        let Some(channel) = reader.resolve(channel) else { continue };
        let sides = [("subscribe", MessageDirection::Publishes), ("publish", MessageDirection::Consumes)];
        for (side, direction) in sides {
            let Some(operation) = channel.get(side) else { continue };
            let required = match operation.get("message") {
                Some(message) => required(reader, message.get("oneOf").unwrap_or(message)),
                None => Vec::new(),
            };
            messages.push(Message { event: name.into(), channel: name.into(), direction, required });
        }
    }
    messages
}

/// Returns the messages of version 3, which operations send and receive on channels.
fn operations<'t>(reader: &mut ContractReader<'t, '_>, root: DocumentValue<'t>) -> Vec<Message> {
    let mut messages = Vec::new();
    for (name, operation) in root.get("operations").into_iter().flat_map(DocumentValue::entries) {
        let Some(operation) = reader.resolve(operation) else { continue };
        let direction = match &*text_of(operation.value, "action") {
            "send" => MessageDirection::Publishes,
            "receive" => MessageDirection::Consumes,
            other => {
                reader.note(format!(
                    "operation {name} neither sends nor receives but {other:?}; it is left out"
                ));
                continue;
            }
        };
        if operation.get("channel").is_none() {
            reader.note(format!("operation {name} has no channel; it is left out"));
        }
        messages.extend(on_channel(reader, operation, direction));
        // The receiver of a request sends the reply. Without a channel, the reply goes to an address that the request
        // carries.
        let reply = operation.get("reply").and_then(|reply| reader.resolve(reply));
        let back = match direction {
            MessageDirection::Publishes => MessageDirection::Consumes,
            MessageDirection::Consumes => MessageDirection::Publishes,
        };
        messages.extend(reply.and_then(|reply| on_channel(reader, reply, back)));
    }
    messages
}

/// Returns the message of an operation or a reply.
fn on_channel<'t>(
    reader: &mut ContractReader<'t, '_>,
    place: DocumentValue<'t>,
    direction: MessageDirection,
) -> Option<Message> {
    let reference = place.get("channel")?;
    let channel = reader.resolve(reference)?;
    let key = text_of(reference.value, "$ref").rsplit('/').next().unwrap_or_default().replace("~1", "/");
    let address = text_of(channel.value, "address");
    let event = if address.is_empty() { &key } else { &*address };
    let required = match place.get("messages").or_else(|| channel.get("messages")) {
        Some(all) if all.value.is_array() => required(reader, all),
        Some(all) => common(all.entries().map(|(_, message)| required(reader, message)).collect()),
        None => Vec::new(),
    };
    Some(Message { event: event.into(), channel: key.as_str().into(), direction, required })
}

/// Returns the fields that the payloads of all these messages require.
fn required<'t>(reader: &mut ContractReader<'t, '_>, messages: DocumentValue<'t>) -> Vec<Box<str>> {
    let mut all = Vec::new();
    for message in messages.items() {
        let Some(payload) = reader.resolve(message).and_then(|message| message.get("payload")) else {
            all.push(Vec::new());
            continue;
        };
        // Version 3 may wrap the schema in an object that also has its format.
        let schema = payload.get("schemaFormat").and_then(|_| payload.get("schema")).unwrap_or(payload);
        let fields = reader.fields(schema).into_iter().filter(|field| field.required);
        all.push(fields.map(|field| field.name).collect());
    }
    common(all)
}

/// Returns the names that are in all lists.
fn common(lists: Vec<Vec<Box<str>>>) -> Vec<Box<str>> {
    let mut lists = lists.into_iter();
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |mut names, list| {
        names.retain(|name| list.contains(name));
        names
    })
}
