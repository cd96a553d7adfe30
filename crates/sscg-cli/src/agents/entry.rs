//! What a registered server says: how it is started.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

/// How the server is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
}

/// The fields of a registered server, in the order in which they are written.
pub(crate) type Entry = Vec<(&'static str, Field)>;

/// The value of a field.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Field {
    Text(String),
    List(Vec<String>),
}

impl Launch {
    /// Program and arguments, as most agents have it.
    pub(crate) fn plain(&self) -> Entry {
        vec![("command", Field::Text(self.program.clone())), ("args", Field::List(self.arguments.clone()))]
    }

    /// The same for a server that is registered already: what it is told beside the options given here stays as it is.
    pub(crate) fn over(&self, registered: &Self) -> Self {
        let mut arguments = registered.arguments.clone();
        if let [_, options @ ..] = self.arguments.as_slice() {
            options.chunks(2).for_each(|option| set_option(&mut arguments, option));
        }
        Self { program: self.program.clone(), arguments }
    }

    /// The same, after the type of the server.
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

/// How a registered server is started, whichever way the agent writes that; `None` if it is not started at all.
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

/// Whether a registered server is this program, wherever it stands and whatever it is told.
pub(crate) fn is_own(server: &Value) -> bool {
    launch_of(server).is_some_and(|launch| {
        let name = Path::new(&launch.program).file_stem();
        name.is_some_and(|name| name == "sscg")
            && launch.arguments.first().is_some_and(|first| first == "mcp")
    })
}
