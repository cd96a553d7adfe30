//! Layered values from several sources, of which the most specific wins.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sscg_index::describe;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::files::{FILE_NAME, project_file};
use super::keys::{Key, join, keys, split};
use crate::{Config, Error};

/// Values with their sources. A layer overrides the layers added before it; a key that is not set has its default.
///
/// ```
/// let mut layers = sscg::Layers::default();
/// layers.set("rank.weights.graph", "0.1")?;
/// assert_eq!(layers.config().rank.weights.graph, 0.1);
/// assert!(layers.set("rank.weights.graph", "-1").is_err());
/// # Ok::<(), sscg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Layers {
    set: BTreeMap<&'static str, (Value, ValueSource)>,
    warnings: Vec<String>,
}

/// Source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueSource {
    /// Default value.
    Default,
    /// Configuration file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Line number, 1-based.
        line: usize,
    },
    /// Environment variable with this name.
    Variable(String),
    /// Command-line flag, or the key itself if it has none.
    Flag(String),
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Trust in a file: only with full trust may it set where data is sent and kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// User's own file.
    Full,
    /// File that came with the code.
    Limited,
}

impl Layers {
    /// Reads the user's file, the project's file and the environment for the directory `root`; each overrides those
    /// before it. A missing file is skipped. The project's file cannot set providers or directories: such keys are
    /// ignored, with a [warning](Layers::warnings).
    ///
    /// # Errors
    /// If a file cannot be read or is not TOML, and for unknown keys and values that a key does not accept.
    pub fn read(
        root: &Path,
        user_file: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Error> {
        let mut layers = Self::default();
        if let Some(path) = user_file {
            layers.add_file(path, Trust::Full)?;
        }
        let is_users = |path: &PathBuf| {
            user_file.is_some_and(|user| user.canonicalize().is_ok_and(|user| user == *path))
        };
        if let Some(path) = project_file(root).filter(|path| !is_users(path)) {
            layers.add_file(&path, Trust::Limited)?;
        }
        layers.add_environment(variable)?;
        Ok(layers)
    }

    fn add_file(&mut self, path: &Path, trust: Trust) -> Result<(), Error> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                let message = format!("cannot read {}: {}", path.display(), describe(&error));
                return Err(Error::configuration(message, "make it a readable text file, or remove it"));
            }
        };
        let broken = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| line_at(&text, span.start));
            let message = format!("{}:{line}: {}", path.display(), error.message());
            Error::configuration(message, "the file is TOML: https://toml.io")
        };
        let table: Table = text.parse().map_err(broken)?;
        let places = DeTable::parse(&text).map_err(broken)?;
        let file = File { path, text: &text, places: places.get_ref(), trust };
        self.add_section(&file, "", &table)
    }

    fn add_section(&mut self, file: &File<'_>, section: &str, table: &Table) -> Result<(), Error> {
        for (name, value) in table {
            let name = join(section, name);
            let Some(key) = keys().get(&name) else {
                match value {
                    Value::Table(table) if keys().has_section(&name) => {
                        self.add_section(file, &name, table)?
                    }
                    _ if keys().has_section(&name) => {
                        let message = format!("{}: {name} is a section, not {value}", file.origin(&name));
                        let hint = format!("write its keys below [{name}]");
                        return Err(Error::configuration(message, hint));
                    }
                    _ => {
                        let message =
                            format!("{}: there is no key {}", file.origin(&name), name.escape_debug());
                        return Err(Error::configuration(message, keys().suggest(&name)));
                    }
                }
                continue;
            };
            let origin = file.origin(&name);
            if key.is_trusted && file.trust == Trust::Limited {
                self.warnings.push(format!("{origin}: {}", distrust(key)));
                continue;
            }
            if key.name != name {
                self.warnings.push(format!("{origin}: {name} is now {}", key.name));
            }
            let value = key.check(value.clone()).map_err(|message| invalid(key, &origin, &message))?;
            self.set.insert(&key.name, (value, origin));
        }
        Ok(())
    }

    fn add_environment(&mut self, variable: impl Fn(&str) -> Option<OsString>) -> Result<(), Error> {
        for key in &keys().keys {
            let Some(name) = &key.variable else { continue };
            // An empty variable counts as not set.
            let Some(text) = variable(name).filter(|text| !text.is_empty()) else { continue };
            let origin = ValueSource::Variable(name.clone());
            let text = text.to_str().ok_or_else(|| invalid(key, &origin, "it is not UTF-8"))?;
            self.insert(key, text, origin)?;
        }
        Ok(())
    }

    /// Sets a key to the value of a text, which overrides all layers so far.
    ///
    /// # Errors
    /// If there is no such key, or it does not accept the value.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let unknown = || Error::configuration(format!("there is no key {name}"), keys().suggest(name));
        let key = keys().get(name).ok_or_else(unknown)?;
        let flag = key.flag.as_deref().unwrap_or(name);
        self.insert(key, text, ValueSource::Flag(flag.to_owned()))
    }

    fn insert(&mut self, key: &'static Key, text: &str, origin: ValueSource) -> Result<(), Error> {
        let value = key.parse(text).map_err(|message| invalid(key, &origin, &message))?;
        self.set.insert(&key.name, (value, origin));
        Ok(())
    }

    /// Returns warnings about values that are ignored, and about keys that have another name now.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the effective options.
    pub fn config(&self) -> Config {
        let mut table = Table::new();
        for key in &keys().keys {
            let (section, name) = split(&key.name);
            let inner = section.split('.').fold(&mut table, |table, section| {
                let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
                inner.as_table_mut().expect("a section is no key")
            });
            inner.insert(name.to_owned(), self.get(key).0.clone());
        }
        table.try_into().expect("each value was held to the type of its key")
    }

    /// Returns the full name of every key with the source of its value.
    pub fn origins(&self) -> impl Iterator<Item = (&'static str, &ValueSource)> {
        keys().keys.iter().map(|key| {
            (key.name.as_str(), self.set.get(key.name.as_str()).map_or(&ValueSource::Default, |set| &set.1))
        })
    }

    /// Returns the value of a key with its source.
    fn get<'l>(&'l self, key: &'l Key) -> (&'l Value, &'l ValueSource) {
        let set = self.set.get(key.name.as_str());
        set.map_or((&key.default, &ValueSource::Default), |(value, origin)| (value, origin))
    }
}

/// Formats the effective values by section, each with its source, as a valid configuration file.
impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for section in &keys().sections {
            let mut of_section = keys().of_section(&section.name).peekable();
            if of_section.peek().is_none() {
                continue;
            }
            writeln!(f, "{separator}[{}]", section.name)?;
            for key in of_section {
                let (value, origin) = self.get(key);
                writeln!(f, "{} = {value} # {origin}", split(&key.name).1)?;
            }
            separator = "\n";
        }
        Ok(())
    }
}

/// File that is being read.
struct File<'f> {
    path: &'f Path,
    text: &'f str,
    /// Parsed keys with their spans.
    places: &'f DeTable<'f>,
    trust: Trust,
}

impl File<'_> {
    fn origin(&self, name: &str) -> ValueSource {
        let mut table = Some(self.places);
        let mut start = 0;
        for part in name.split('.') {
            let entry = table.and_then(|table| table.get_key_value(part));
            let Some((key, value)) = entry else { break };
            start = key.span().start;
            table = match value.get_ref() {
                DeValue::Table(inner) => Some(inner),
                _ => None,
            };
        }
        ValueSource::File { path: self.path.to_owned(), line: line_at(self.text, start) }
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

fn invalid(key: &Key, origin: &ValueSource, message: &str) -> Error {
    let hint = format!("its default is {}; `sscg config show` prints all keys", key.default);
    Error::configuration(format!("{origin}: {message}"), hint)
}

fn distrust(key: &Key) -> String {
    let others = [&key.variable, &key.flag].into_iter().flatten();
    let others: String = others.map(|name| format!(", or give {name}")).collect();
    format!(
        "{} is not taken from a file that comes with the code; set it in your own {FILE_NAME}{others}",
        key.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::Kind;

    #[test]
    fn whatever_is_in_range_can_be_had() {
        for key in &keys().keys {
            let mut layers = Layers::default();
            let extremes: [String; 2] = match &key.kind {
                Kind::Boolean => ["true".into(), "false".into()],
                Kind::Integer(range) | Kind::Number(range) => {
                    [range.least.unwrap_or(0.0), range.most.unwrap_or(1e15)].map(|it| it.to_string())
                }
                Kind::Text => ["".into(), "somewhere".into()],
                Kind::Choice(choices) => [choices[0].clone(), choices[choices.len() - 1].clone()],
            };
            for text in extremes {
                layers.set(&key.name, &text).expect("in range");
                layers.config();
            }
        }
    }
}
