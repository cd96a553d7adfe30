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

    /// The same, after the type of the server.
    pub(crate) fn with_type(&self, name: &str) -> Entry {
        let mut entry = self.plain();
        entry.insert(0, ("type", Field::Text(name.to_owned())));
        entry
    }
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
