//! Keys of the configuration, as described by its types.

use std::fmt;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json};
use toml::{Table, Value};

use super::Config;

/// Key of the configuration.
#[derive(Debug)]
pub(super) struct Key {
    /// Full name with sections: `rank.weights.graph`.
    pub(super) name: String,
    /// Meaning, as Markdown.
    pub(super) about: String,
    pub(super) kind: Kind,
    pub(super) default: Value,
    /// Command-line flag of the key.
    pub(super) flag: Option<String>,
    /// Environment variable of the key.
    pub(super) variable: Option<String>,
    /// Set if the key is ignored in a file that comes with the searched code.
    pub(super) is_trusted: bool,
}

/// Section of the file.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) about: String,
}

/// Values that a key accepts.
#[derive(Debug)]
pub(super) enum Kind {
    Boolean,
    Integer(Range),
    Number(Range),
    Text,
    Choice(Vec<String>),
}

/// Numbers that a key accepts, both ends included.
#[derive(Debug)]
pub(super) struct Range {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
}

/// All sections and keys, in the order of their declaration.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) sections: Vec<Section>,
    pub(super) keys: Vec<Key>,
}

/// Earlier names of keys, with their present names. They are accepted, with a warning, for one version.
const RENAMED: &[(&str, &str)] = &[("watch.patience_ms", "watch.max_delay_ms")];

/// Returns the keys of [`Config`].
pub(super) fn keys() -> &'static Keys {
    static KEYS: LazyLock<Keys> = LazyLock::new(|| {
        let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<Config>();
        let defaults = Table::try_from(Config::default()).expect("options are plain values");
        let mut keys = Keys::default();
        keys.describe("", schema.as_object().expect("options are fields"), &defaults);
        keys
    });
    &KEYS
}

impl Keys {
    /// Adds the keys of a section, then its subsections.
    fn describe(&mut self, section: &str, schema: &Map<String, Json>, defaults: &Table) {
        let properties = schema["properties"].as_object().expect("options are fields");
        let mut inner = Vec::new();
        for (name, default) in defaults {
            // Sections with names that are data share one description.
            let described = properties.get(name).or_else(|| schema.get("additionalProperties"));
            let schema = described.and_then(Json::as_object).expect("options are described");
            let name = join(section, name);
            match default {
                Value::Table(defaults) => inner.push((name, schema, defaults)),
                default => self.keys.push(Key::new(name, schema, default)),
            }
        }
        for (name, schema, defaults) in inner {
            self.sections.push(Section { name: name.clone(), about: about(schema) });
            self.describe(&name, schema, defaults);
        }
    }

    /// Returns the key with this name, or with this earlier name.
    pub(super) fn get(&self, name: &str) -> Option<&Key> {
        let renamed = RENAMED.iter().find(|(before, _)| *before == name);
        let name = renamed.map_or(name, |(_, now)| now);
        self.keys.iter().find(|key| key.name == name)
    }

    pub(super) fn has_section(&self, name: &str) -> bool {
        name.is_empty() || self.sections.iter().any(|section| section.name == name)
    }

    /// Returns the keys directly in a section.
    pub(super) fn of_section(&self, section: &str) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(move |key| split(&key.name).0 == section)
    }

    /// Returns a hint for an unknown key: the most similar name, or all names in its section.
    pub(super) fn suggest(&self, unknown: &str) -> String {
        let (section, last) = split(unknown);
        let names = self.keys.iter().map(|key| key.name.as_str());
        let names = names.chain(self.sections.iter().map(|section| section.name.as_str()));
        let beside: Vec<&str> = names.filter(|name| split(name).0 == section).collect();
        let similarity = |name: &&str| strsim::jaro_winkler(split(name).1, last);
        let most_similar = beside.iter().copied().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        let elsewhere = || self.keys.iter().map(|key| key.name.as_str()).find(|name| split(name).1 == last);
        match most_similar.filter(|name| similarity(name) > LIKE).or_else(elsewhere) {
            Some(name) => format!("did you mean {name}?"),
            None => {
                let beside: Vec<&str> = beside.into_iter().map(|name| split(name).1).collect();
                let what = if section.is_empty() { "the file" } else { section };
                format!("{what} has {}", beside.join(", "))
            }
        }
    }
}

/// Minimum Jaro-Winkler similarity of a name to suggest.
const LIKE: f64 = 0.8;

/// Returns the full name of a name in a section.
pub(super) fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

/// Splits a key into its section and its name there.
pub(super) fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

impl Key {
    fn new(name: String, schema: &Map<String, Json>, default: &Value) -> Self {
        let text = |field| schema.get(field).and_then(Json::as_str).map(str::to_owned);
        let bound = |field| schema.get(field).and_then(Json::as_f64);
        let range = Range { least: bound("minimum"), most: bound("maximum") };
        let kind = match default {
            Value::Boolean(_) => Kind::Boolean,
            Value::Integer(_) => Kind::Integer(range),
            Value::Float(_) => Kind::Number(range),
            _ => choices(schema).map_or(Kind::Text, Kind::Choice),
        };
        Self {
            about: about(schema),
            kind,
            default: default.clone(),
            flag: text("x-flag"),
            variable: text("x-variable"),
            is_trusted: schema.contains_key("x-trusted"),
            name,
        }
    }

    /// Returns the value if the key accepts it.
    pub(super) fn check(&self, value: Value) -> Result<Value, String> {
        let value = match (&self.kind, value) {
            // `1` is a number, too.
            (Kind::Number(_), Value::Integer(whole)) => Value::Float(whole as f64),
            // A key that was true or false before it had several values: its last value is the former `true`.
            (Kind::Choice(choices), Value::Boolean(on)) if choices.iter().any(|it| it == "off") => {
                let last = choices.last().filter(|_| on);
                Value::String(last.map_or("off", |last| last).to_owned())
            }
            (_, value) => value,
        };
        let fits = match (&self.kind, &value) {
            (Kind::Boolean, Value::Boolean(_)) | (Kind::Text, Value::String(_)) => true,
            (Kind::Integer(range), Value::Integer(whole)) => range.contains(*whole as f64),
            (Kind::Number(range), Value::Float(number)) => range.contains(*number),
            (Kind::Choice(choices), Value::String(text)) => choices.contains(text),
            _ => false,
        };
        if fits { Ok(value) } else { Err(format!("{} is {}, not {value}", self.name, self.kind)) }
    }

    /// Parses the value of an environment variable or a flag.
    pub(super) fn parse(&self, text: &str) -> Result<Value, String> {
        let as_text = || Value::String(text.to_owned());
        let value = match self.kind {
            Kind::Boolean => text.parse().map(Value::Boolean).ok(),
            Kind::Integer(_) => text.parse().map(Value::Integer).ok(),
            Kind::Number(_) => text.parse().map(Value::Float).ok(),
            Kind::Text | Kind::Choice(_) => None,
        };
        self.check(value.unwrap_or_else(as_text))
    }
}

/// Returns the doc comment, without the brackets of links.
fn about(schema: &Map<String, Json>) -> String {
    let text = schema.get("description").and_then(Json::as_str).unwrap_or_default();
    text.replace("[`", "`").replace("`]", "`").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the values of an enumeration.
fn choices(schema: &Map<String, Json>) -> Option<Vec<String>> {
    let named = schema.get("enum").and_then(Json::as_array);
    let described = schema.get("oneOf").and_then(Json::as_array);
    let values = named.map(|values| values.iter().collect::<Vec<_>>());
    let values =
        values.or_else(|| Some(described?.iter().filter_map(|choice| choice.get("const")).collect()))?;
    Some(values.into_iter().filter_map(Json::as_str).map(str::to_owned).collect())
}

impl Range {
    /// Returns true if a finite number is in the range.
    fn contains(&self, number: f64) -> bool {
        number.is_finite()
            && self.least.is_none_or(|least| number >= least)
            && self.most.is_none_or(|most| number <= most)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (Some(least), Some(most)) => write!(f, " from {least} to {most}"),
            (Some(least), None) => write!(f, ", at least {least}"),
            (None, Some(most)) => write!(f, ", at most {most}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("true or false"),
            Self::Integer(range) => write!(f, "a whole number{range}"),
            Self::Number(range) => write!(f, "a number{range}"),
            Self::Text => f.write_str("a string"),
            Self::Choice(choices) => write!(f, "one of {}", choices.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_says_what_it_means_and_every_number_has_a_range() {
        for key in &keys().keys {
            assert!(!key.about.is_empty(), "{}", key.name);
            assert_eq!(key.check(key.default.clone()).as_ref(), Ok(&key.default), "{}", key.name);
            if let Kind::Integer(range) | Kind::Number(range) = &key.kind {
                assert!(range.least.is_some(), "give {} a range: #[schemars(range(min = 0.0))]", key.name);
            }
        }
    }
}
