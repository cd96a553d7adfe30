//! Server in the configuration of an agent.

use serde_json::Value;

use super::change::{Part, Presence};
use super::{Entry, Field, Launch, NAME, is_own, json, launch_of, toml};

/// Format of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, possibly with comments and trailing commas.
    Json,
    Toml,
}

/// Server with its place in the configuration of an agent.
pub(crate) struct Server {
    pub(super) format: Format,
    /// Key paths to the servers: one with our server is used, then the first existing one, then the last.
    pub(super) places: &'static [KeyPath],
    pub(super) launch: Launch,
    /// Conversion to the fields of the agent.
    pub(super) entry: fn(&Launch) -> Entry,
}

/// Key path to a table of servers.
pub(super) type KeyPath = &'static [&'static str];

impl Server {
    /// Returns the entry under the name of the server.
    pub(crate) fn registered(&self, text: &str) -> Result<Option<Value>, String> {
        let document = self.parse(text)?;
        Ok(self.server_in(&document).cloned())
    }

    fn server_in<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        at(document, self.place(document))?.get(NAME)
    }

    /// Returns the entry to register in place of this one.
    fn wanted(&self, registered: Option<&Value>) -> Entry {
        let own = registered.filter(|server| is_own(server)).and_then(launch_of);
        (self.entry)(&own.map_or_else(|| self.launch.clone(), |own| self.launch.over(&own)))
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        let (_, text) = split_mark(text);
        match self.format {
            Format::Json => json::parse(text),
            Format::Toml => toml::parse(text),
        }
    }

    fn place(&self, document: &Value) -> KeyPath {
        let has_table = |keys: &&KeyPath| at(document, keys).is_some_and(is_table);
        let there = self
            .holding(document)
            .next()
            .or_else(|| self.places.iter().copied().find(|keys| has_table(&keys)));
        there.or(self.places.last().copied()).expect("an agent has servers somewhere")
    }

    /// Returns the key paths to servers of the name.
    fn holding(&self, document: &Value) -> impl Iterator<Item = KeyPath> {
        self.places.iter().copied().filter(|keys| at(document, keys).is_some_and(|it| it.get(NAME).is_some()))
    }
}

impl Part for Server {
    fn find(&self, text: &str) -> Result<Presence, String> {
        Ok(match self.registered(text)? {
            None => Presence::Absent,
            Some(server) if !is_own(&server) => Presence::Foreign,
            // Other fields, such as the environment, belong to the user.
            Some(server) => {
                let wanted = self.wanted(Some(&server));
                let is_same = wanted.iter().all(|(name, field)| server.get(name) == Some(&value(field)));
                if is_same { Presence::Same } else { Presence::Older }
            }
        })
    }

    fn insert(&self, text: &str) -> Result<String, String> {
        let keys = self.place(&self.parse(text)?);
        let (mark, text) = split_mark(text);
        let entry = self.wanted(None);
        let inserted = match self.format {
            Format::Json => json::insert(text, keys, NAME, &entry)?,
            Format::Toml => toml::insert(text, keys, NAME, &entry),
        };
        Ok(mark.to_owned() + &inserted)
    }

    fn update(&self, text: &str) -> Result<String, String> {
        let document = self.parse(text)?;
        let server = self.server_in(&document).ok_or("it has no such server")?;
        let mut changed = self.wanted(Some(server));
        changed.retain(|(name, field)| server.get(name) != Some(&value(field)));
        let keys = self.place(&document);
        let (mark, text) = split_mark(text);
        let updated = match self.format {
            Format::Json => json::update(text, keys, NAME, &changed)?,
            Format::Toml => toml::update(text, keys, NAME, &changed)?,
        };
        Ok(mark.to_owned() + &updated)
    }

    fn remove(&self, text: &str) -> Result<String, String> {
        let document = self.parse(text)?;
        let (mark, text) = split_mark(text);
        let removed = self.holding(&document).try_fold(text.to_owned(), |text, keys| match self.format {
            Format::Json => json::remove(&text, keys, NAME),
            Format::Toml => toml::remove(&text, keys, NAME),
        })?;
        Ok(mark.to_owned() + &removed)
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let mut document = self.parse(text)?;
        self.places.iter().for_each(|keys| drop_at(&mut document, keys));
        Ok(document)
    }
}

/// True if a value is a table of servers, not a server with a type: such a server may have the name `servers`.
fn is_table(value: &Value) -> bool {
    value.is_object() && !value.get("type").is_some_and(Value::is_string)
}

/// Splits off the byte order mark that some editors on Windows write.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    let length = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text.split_at(length)
}

fn at<'v>(document: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(document, |value, key| value.get(key))
}

/// Removes the server, and the objects that hold nothing else; an empty document becomes null.
fn drop_at(document: &mut Value, keys: &[&str]) {
    let table = keys.iter().try_fold(&mut *document, |value, key| value.get_mut(*key));
    if let Some(servers) = table.and_then(Value::as_object_mut) {
        servers.remove(NAME);
    }
    drop_empty(document, keys);
}

/// Removes the value at these keys if it is an empty object or list, and the enclosing objects that hold nothing else; an
/// empty document becomes null.
pub(super) fn drop_empty(value: &mut Value, keys: &[&str]) {
    if let ([key, rest @ ..], Some(object)) = (keys, value.as_object_mut())
        && let Some(inner) = object.get_mut(*key)
    {
        drop_empty(inner, rest);
        if inner.is_null() {
            object.remove(*key);
        }
    }
    let is_empty = match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if is_empty {
        *value = Value::Null;
    }
}

fn value(field: &Field) -> Value {
    match field {
        Field::Text(text) => Value::from(text.as_str()),
        Field::List(texts) => Value::from(texts.clone()),
    }
}
