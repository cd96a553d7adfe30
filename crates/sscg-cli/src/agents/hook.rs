//! Hook of an agent in its settings: a command that it runs when it is about to search, or has searched.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::change::{Part, Presence};
use super::json::{self, OPTIONS};
use super::server::{drop_empty, split_mark};

/// Place and form of hooks in the settings of an agent, which are JSON.
pub(crate) struct HookForm {
    /// Event of a tool call.
    pub(super) event: &'static str,
    /// Tools whose calls are reported, as the agent matches them.
    pub(super) tools: &'static str,
    /// Time limit, in the unit of the agent.
    pub(super) timeout: &'static str,
    pub(super) nesting: Nesting,
}

/// Form of the list of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// Groups with a matcher and a list of commands.
    Groups,
    /// Commands with a matcher each, in a file with a version.
    Commands,
}

/// Command of ours among the hooks of an agent.
pub(crate) struct Hook {
    pub(super) form: &'static HookForm,
    pub(super) command: String,
}

/// Key of all hooks.
const HOOKS: &str = "hooks";
/// Key of the version of a file with hooks only.
const VERSION: &str = "version";

impl Hook {
    /// Returns the command line of a hook. It has no failure for the shell, as agents take some exit codes for a refusal of
    /// the call: a program that is gone says nothing.
    pub(super) fn command(program: &str, agent: &str) -> String {
        let program = if program.contains(' ') { format!("\"{program}\"") } else { program.to_owned() };
        let ignored = if cfg!(windows) { "" } else { " || true" };
        format!("{program} hook {agent}{ignored}")
    }

    /// Returns our commands in a document.
    fn registered<'v>(&self, document: &'v Value) -> impl Iterator<Item = &'v str> {
        let listed =
            document.get(HOOKS).and_then(|hooks| hooks.get(self.form.event)).and_then(Value::as_array);
        let entries = listed.into_iter().flatten();
        let commands = entries.flat_map(|entry| match entry.get(HOOKS).and_then(Value::as_array) {
            Some(inner) => inner.iter().collect(),
            None => vec![entry],
        });
        commands.filter_map(|hook| hook.get("command")?.as_str()).filter(|command| is_own(command))
    }

    fn entry(&self) -> CstInputValue {
        let text = |text: &str| CstInputValue::String(text.to_owned());
        let object = |fields: Vec<(&str, CstInputValue)>| {
            CstInputValue::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        };
        let HookForm { tools, timeout, nesting, .. } = self.form;
        let timeout = CstInputValue::Number((*timeout).to_owned());
        let command = text(&self.command);
        match nesting {
            Nesting::Groups => {
                let hook =
                    object(vec![("type", text("command")), ("command", command), ("timeout", timeout)]);
                object(vec![("matcher", text(tools)), (HOOKS, CstInputValue::Array(vec![hook]))])
            }
            Nesting::Commands => {
                object(vec![("command", command), ("matcher", text(tools)), ("timeout", timeout)])
            }
        }
    }

    /// Removes our commands from a document, and what holds nothing else.
    pub(super) fn drop_from(&self, document: &mut Value) {
        let is_own = |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(is_own);
        let event = document.get_mut(HOOKS).and_then(|hooks| hooks.get_mut(self.form.event));
        if let Some(Value::Array(entries)) = event {
            entries.retain_mut(|entry| match entry.get_mut(HOOKS).and_then(Value::as_array_mut) {
                Some(inner) => {
                    let had_own = inner.iter().any(is_own);
                    inner.retain(|hook| !is_own(hook));
                    !(had_own && inner.is_empty())
                }
                None => !is_own(entry),
            });
        }
        if self.form.nesting == Nesting::Commands
            && let Some(object) = document.as_object_mut()
        {
            object.remove(VERSION);
        }
        drop_empty(document, &[HOOKS, self.form.event]);
    }
}

/// True if a command line is a hook of this program, whatever its path.
fn is_own(command: &str) -> bool {
    let command = command.trim_end_matches(" || true");
    command.rsplit_once(" hook ").is_some_and(|(program, agent)| {
        let program = program.trim_matches('"').trim_end_matches(".exe");
        let name = program.rsplit(['/', '\\']).next();
        name == Some("sscg") && agent.chars().all(|char| char.is_alphanumeric() || char == '-')
    })
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())
}

/// Returns the elements of a list that are objects.
fn objects(list: &CstArray) -> Vec<CstObject> {
    list.elements().iter().filter_map(CstNode::as_object).collect()
}

fn command_of(hook: &CstObject) -> Option<String> {
    hook.get("command")?.value()?.as_string_lit()?.decoded_value().ok()
}

/// Returns the list of an event.
fn list(root: &CstRootNode, event: &str) -> Option<CstArray> {
    root.object_value()?.object_value(HOOKS)?.array_value(event)
}

impl Part for Hook {
    fn find(&self, text: &str) -> Result<Presence, String> {
        let document = json::parse(split_mark(text).1)?;
        let registered: Vec<&str> = self.registered(&document).collect();
        Ok(match registered.as_slice() {
            [] => Presence::Absent,
            // Other fields, such as the matcher, belong to the user.
            [command] if *command == self.command => Presence::Same,
            _ => Presence::Older,
        })
    }

    fn insert(&self, text: &str) -> Result<String, String> {
        let (mark, text) = split_mark(text);
        let root = parse(text)?;
        let object = root.object_value_or_create().ok_or("it holds something else than an object")?;
        if self.form.nesting == Nesting::Commands && object.get(VERSION).is_none() {
            object.insert(0, VERSION, CstInputValue::Number("1".to_owned()));
        }
        let other = |key: &str, kind: &str| format!("{key:?} is something else than {kind}");
        let hooks = object.object_value_or_create(HOOKS).ok_or_else(|| other(HOOKS, "an object"))?;
        let event = self.form.event;
        let list = hooks.array_value_or_create(event).ok_or_else(|| other(event, "a list"))?;
        list.append(self.entry());
        list.ensure_multiline();
        Ok(mark.to_owned() + &root.to_string())
    }

    fn update(&self, text: &str) -> Result<String, String> {
        let document = json::parse(split_mark(text).1)?;
        if self.registered(&document).count() > 1 {
            return self.insert(&self.remove(text)?);
        }
        let (mark, text) = split_mark(text);
        let root = parse(text)?;
        let entries = list(&root, self.form.event).map_or_else(Vec::new, |list| objects(&list));
        let inner = entries.iter().flat_map(|entry| match entry.array_value(HOOKS) {
            Some(inner) => objects(&inner),
            None => vec![entry.clone()],
        });
        for hook in inner.filter(|hook| command_of(hook).is_some_and(|command| is_own(&command))) {
            let command = hook.get("command").ok_or("it has no command")?;
            command.set_value(CstInputValue::String(self.command.clone()));
        }
        Ok(mark.to_owned() + &root.to_string())
    }

    fn remove(&self, text: &str) -> Result<String, String> {
        let (mark, text) = split_mark(text);
        let root = parse(text)?;
        let is_own = |hook: &CstObject| command_of(hook).is_some_and(|command| is_own(&command));
        let Some(list) = list(&root, self.form.event) else { return Err("it has no hooks".to_owned()) };
        for entry in objects(&list) {
            match entry.array_value(HOOKS) {
                Some(inner) => {
                    let own: Vec<CstObject> = objects(&inner).into_iter().filter(is_own).collect();
                    let had_own = !own.is_empty();
                    own.into_iter().for_each(CstObject::remove);
                    if had_own && inner.elements().is_empty() {
                        entry.remove();
                    }
                }
                None if is_own(&entry) => entry.remove(),
                None => {}
            }
        }
        json::remove_empty(&root, &[HOOKS, self.form.event]);
        Ok(mark.to_owned() + &root.to_string())
    }

    fn rest(&self, text: &str) -> Result<Value, String> {
        let mut document = json::parse(split_mark(text).1)?;
        self.drop_from(&mut document);
        Ok(document)
    }
}
