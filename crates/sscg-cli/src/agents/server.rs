//! The server in the configuration of an agent.

use serde_json::Value;

use super::change::{Part, Presence};
use super::{Entry, Field, NAME, is_own, json, toml};

/// The language of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, in which there may be comments and trailing commas.
    Json,
    Toml,
}

/// A server, and where it stands in the configuration of an agent.
pub(crate) struct Server {
    pub(super) format: Format,
    /// The keys on the way to the servers, the first that are there counting.
    pub(super) places: &'static [&'static [&'static str]],
    pub(super) entry: Entry,
}

impl Server {
    /// What is registered under the name of the server.
    pub(crate) fn registered(&self, text: &str) -> Result<Option<Value>, String> {
        let document = self.parse(text)?;
        let server = at(&document, self.place(&document)).and_then(|servers| servers.get(NAME));
        Ok(server.cloned())
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        let (_, text) = split_mark(text);
        match self.format {
            Format::Json => json::parse(text),
            Format::Toml => toml::parse(text),
        }
    }

    fn place(&self, document: &Value) -> &'static [&'static str] {
        let there = self.places.iter().find(|keys| at(document, keys).is_some_and(Value::is_object));
        there.or(self.places.last()).expect("an agent has servers somewhere")
    }
}

impl Part for Server {
    fn find(&self, text: &str) -> Result<Presence, String> {
        let fields = self.entry.iter().map(|(name, field)| ((*name).to_owned(), value(field)));
        let wanted = Value::Object(fields.collect());
        Ok(match self.registered(text)? {
            None => Presence::Absent,
            Some(server) if server == wanted => Presence::Same,
            Some(server) if is_own(&server) => Presence::Older,
            Some(_) => Presence::Foreign,
        })
    }

    fn insert(&self, text: &str) -> Result<String, String> {
        let keys = self.place(&self.parse(text)?);
        let (mark, text) = split_mark(text);
        let inserted = match self.format {
            Format::Json => json::insert(text, keys, NAME, &self.entry)?,
            Format::Toml => toml::insert(text, keys, NAME, &self.entry),
        };
        Ok(mark.to_owned() + &inserted)
    }

    fn remove(&self, text: &str) -> Result<String, String> {
        let keys = self.place(&self.parse(text)?);
        let (mark, text) = split_mark(text);
        let removed = match self.format {
            Format::Json => json::remove(text, keys, NAME)?,
            Format::Toml => toml::remove(text, keys, NAME)?,
        };
        Ok(mark.to_owned() + &removed)
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let mut document = self.parse(text)?;
        let keys = self.place(&document);
        drop_at(&mut document, keys);
        Ok(document)
    }
}

/// The byte order mark that some editors on Windows write, and the text after it.
fn split_mark(text: &str) -> (&str, &str) {
    let length = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text.split_at(length)
}

fn at<'v>(document: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(document, |value, key| value.get(key))
}

/// Takes the server out, and the objects that hold nothing else; null is left of nothing.
fn drop_at(value: &mut Value, keys: &[&str]) {
    if let Some(object) = value.as_object_mut() {
        match keys {
            [] => drop(object.remove(NAME)),
            [key, rest @ ..] => {
                if let Some(inner) = object.get_mut(*key) {
                    drop_at(inner, rest);
                    if inner.is_null() {
                        object.remove(*key);
                    }
                }
            }
        }
        if object.is_empty() {
            *value = Value::Null;
        }
    }
}

fn value(field: &Field) -> Value {
    match field {
        Field::Text(text) => Value::from(text.as_str()),
        Field::List(texts) => Value::from(texts.clone()),
    }
}
