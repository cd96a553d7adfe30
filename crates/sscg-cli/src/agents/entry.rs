//! Entry of a registered server: its launch command.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

/// Launch command of the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
}

/// Fields of a registered server, in the order in which they are written.
pub(crate) type Entry = Vec<(&'static str, Field)>;

/// Value of a field.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Field {
    Text(String),
    List(Vec<String>),
}

impl Launch {
    /// Returns program and arguments, the form of most agents.
    pub(crate) fn plain(&self) -> Entry {
        vec![("command", Field::Text(self.program.clone())), ("args", Field::List(self.arguments.clone()))]
    }

    /// Returns the launch for a server that is already registered: its arguments stay, except the options given here.
    pub(crate) fn over(&self, registered: &Self) -> Self {
        let mut arguments = registered.arguments.clone();
        if let [_, options @ ..] = self.arguments.as_slice() {
            options.chunks(2).for_each(|option| set_option(&mut arguments, option));
        }
        Self { program: self.program.clone(), arguments }
    }

    /// Returns the same fields after the type of the server.
    pub(crate) fn with_type(&self, name: &str) -> Entry {
        let mut entry = self.plain();
        entry.insert(0, ("type", Field::Text(name.to_owned())));
        entry
    }
}

/// Sets an option, a name and a value, in arguments that may have it as one or two of them.
fn set_option(arguments: &mut Vec<String>, option: &[String]) {
    let is_same = |argument: &String| {
        let rest = argument.strip_prefix(&option[0]);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let start = arguments.iter().position(is_same).unwrap_or(arguments.len());
    let length = match arguments.get(start) {
        Some(argument) if *argument == option[0] => 2,
        _ => 1,
    };
    let end = arguments.len().min(start + length);
    arguments.splice(start..end, option.iter().cloned());
}

/// Returns the launch of a registered server, in any agent's form; `None` if it has no command.
pub(crate) fn launch_of(server: &Value) -> Option<Launch> {
    let texts = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
    };
    match server.get("command")? {
        Value::String(program) => {
            let arguments = server.get("args").map_or_else(|| Some(Vec::new()), texts)?;
            Some(Launch { program: program.clone(), arguments })
        }
        command => {
            let mut command = texts(command)?.into_iter();
            Some(Launch { program: command.next()?, arguments: command.collect() })
        }
    }
}

/// True if a registered server is this program, whatever its path and its options.
pub(crate) fn is_own(server: &Value) -> bool {
    launch_of(server).is_some_and(|launch| {
        let name = Path::new(&launch.program).file_stem();
        name.is_some_and(|name| name == "sscg")
            && launch.arguments.first().is_some_and(|first| first == "mcp")
    })
}
