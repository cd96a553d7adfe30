//! Client of a server.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::location::file_uri;
use crate::process::Process;
use crate::{LanguageServerOptions, Location, LspError, Wait};

/// Number of questions that a server has at a time.
const IN_FLIGHT: usize = 32;

/// Time in which a server may begin to load a project after its start.
const LOAD_TIME: Duration = Duration::from_millis(300);

/// Error code of a request whose content changed meanwhile: it can be repeated.
const CONTENT_MODIFIED: i64 = -32801;

/// Maximum number of times that a question is repeated.
const REPEATS: usize = 3;

/// Unit in which positions count characters within their line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Unicode code points.
    Utf32,
}

/// Document of a project.
#[derive(Clone, Copy, Debug)]
pub struct Document<'d> {
    /// Path relative to the root.
    pub path: &'d str,
    /// Language, in the notation of the protocol.
    pub language: &'d str,
    /// Text.
    pub text: &'d str,
}

/// Answer of a server: the id of the request, and its result or error.
type Answer = (i64, Result<Value, Value>);

/// Running server. Dropping it ends the process.
pub struct LanguageServer {
    process: Process,
    root: PathBuf,
    encoding: PositionEncoding,
    next_id: i64,
    /// Work that the server reported to have begun.
    active: HashSet<String>,
}

impl LanguageServer {
    /// Starts a server, and waits until it has loaded the project, if it reports that.
    ///
    /// # Errors
    /// If the program cannot be started, ends, refuses, or is not ready before the wait ends.
    pub fn start<'w>(options: &LanguageServerOptions, wait: impl Into<Wait<'w>>) -> Result<Self, LspError> {
        let wait = wait.into();
        let process = Process::start(options)?;
        let root = options.root.clone();
        let mut server =
            Self { process, root, encoding: PositionEncoding::Utf16, next_id: 0, active: HashSet::new() };
        let root = file_uri(&server.root);
        let result = server.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "clientInfo": {"name": "sscg", "version": env!("CARGO_PKG_VERSION")},
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": "root"}],
                "initializationOptions": options.initialization,
                "capabilities": {
                    "general": {"positionEncodings": ["utf-8", "utf-16"]},
                    "textDocument": {
                        "synchronization": {},
                        "definition": {"linkSupport": true},
                    },
                    "window": {"workDoneProgress": true},
                    "workspace": {"configuration": true, "workspaceFolders": true},
                },
            }),
            wait,
        )?;
        server.encoding = match result["capabilities"]["positionEncoding"].as_str() {
            Some("utf-8") => PositionEncoding::Utf8,
            Some("utf-32") => PositionEncoding::Utf32,
            _ => PositionEncoding::Utf16,
        };
        server.notify("initialized", json!({}))?;
        server.wait_for_load(wait)?;
        Ok(server)
    }

    /// Returns the unit of characters in positions.
    pub fn encoding(&self) -> PositionEncoding {
        self.encoding
    }

    /// Returns the definitions of the names at some positions of a document, in their order: lines and characters counted
    /// from 0, the latter in the given encoding.
    ///
    /// # Errors
    /// If the server ends, or has not answered all questions before the wait ends.
    pub fn definitions<'w>(
        &mut self,
        document: &Document<'_>,
        positions: impl FnOnce(PositionEncoding) -> Vec<(u32, u32)>,
        wait: impl Into<Wait<'w>>,
    ) -> Result<Vec<Vec<Location>>, LspError> {
        let uri = file_uri(&self.root.join(Path::new(document.path)));
        let Document { language, text, .. } = document;
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}))?;
        let positions = positions(self.encoding);
        let answers = self.ask(&uri, &positions, wait.into());
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}))?;
        answers
    }

    fn ask(
        &mut self,
        uri: &str,
        positions: &[(u32, u32)],
        wait: Wait<'_>,
    ) -> Result<Vec<Vec<Location>>, LspError> {
        let mut answers = vec![Vec::new(); positions.len()];
        let mut waiting: HashMap<i64, (usize, usize)> = HashMap::new();
        let mut left: Vec<(usize, usize)> = (0..positions.len()).rev().map(|at| (at, 0)).collect();
        while !(left.is_empty() && waiting.is_empty()) {
            while waiting.len() < IN_FLIGHT
                && let Some((at, repeats)) = left.pop()
            {
                let (line, character) = positions[at];
                let position = json!({"line": line, "character": character});
                let id = self.send_request(
                    "textDocument/definition",
                    json!({"textDocument": {"uri": uri}, "position": position}),
                )?;
                waiting.insert(id, (at, repeats));
            }
            let Some((id, result)) = self.receive(wait)? else { continue };
            let Some((at, repeats)) = waiting.remove(&id) else { continue };
            match result {
                Ok(result) => answers[at] = Location::list(&result),
                Err(error) if error["code"] == CONTENT_MODIFIED && repeats < REPEATS => {
                    left.push((at, repeats + 1));
                }
                // It cannot answer this question.
                Err(_) => {}
            }
        }
        Ok(answers)
    }

    /// Ends the server in the way of the protocol, or else by force.
    pub fn stop(mut self) {
        if self.send_request("shutdown", Value::Null).is_ok() {
            let wait = Wait::until(Instant::now() + Duration::from_millis(500));
            while let Ok(answer) = self.receive(wait) {
                if answer.is_some() {
                    break;
                }
            }
            _ = self.notify("exit", Value::Null);
        }
    }

    /// Waits until the server reports no more work, if it begins some right after its start.
    fn wait_for_load(&mut self, wait: Wait<'_>) -> Result<(), LspError> {
        let begin = wait.at_most(Instant::now() + LOAD_TIME);
        loop {
            match self.receive(if self.active.is_empty() { begin } else { wait }) {
                Ok(_) => {}
                Err(LspError::Timeout { .. }) if self.active.is_empty() => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) -> Result<(), LspError> {
        self.process.send(&message(None, method, params))
    }

    fn send_request(&mut self, method: &str, params: Value) -> Result<i64, LspError> {
        self.next_id += 1;
        self.process.send(&message(Some(self.next_id), method, params))?;
        Ok(self.next_id)
    }

    fn request(&mut self, method: &str, params: Value, wait: Wait<'_>) -> Result<Value, LspError> {
        let id = self.send_request(method, params)?;
        loop {
            match self.receive(wait)? {
                Some((answered, result)) if answered == id => {
                    return result.map_err(|error| LspError::Protocol {
                        program: self.process.program().to_owned(),
                        message: format!("{method}: {}", error["message"].as_str().unwrap_or("refused")),
                    });
                }
                _ => {}
            }
        }
    }

    /// Receives a message. Returns the id and result of an answer; requests of the server are answered, and notifications
    /// are noted.
    fn receive(&mut self, wait: Wait<'_>) -> Result<Option<Answer>, LspError> {
        let mut message = self.process.receive(wait)?;
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message["id"].take()) {
            (None, id) => {
                let result = match message["error"].take() {
                    Value::Null => Ok(message["result"].take()),
                    error => Err(error),
                };
                Ok(id.as_i64().map(|id| (id, result)))
            }
            (Some(method), Value::Null) => {
                if method == "$/progress" {
                    self.note_progress(&message["params"]);
                }
                Ok(None)
            }
            (Some(method), id) => {
                let result = match method.as_str() {
                    // No setting, for each one that the server asks for.
                    "workspace/configuration" => {
                        let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                        Some(json!(vec![Value::Null; items]))
                    }
                    "workspace/workspaceFolders" => {
                        Some(json!([{"uri": file_uri(&self.root), "name": "root"}]))
                    }
                    "client/registerCapability"
                    | "client/unregisterCapability"
                    | "window/workDoneProgress/create"
                    | "window/showMessageRequest" => Some(Value::Null),
                    _ => None,
                };
                let answer = match result {
                    Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    None => {
                        let error = json!({"code": -32601, "message": "not supported"});
                        json!({"jsonrpc": "2.0", "id": id, "error": error})
                    }
                };
                self.process.send(&answer)?;
                Ok(None)
            }
        }
    }

    fn note_progress(&mut self, params: &Value) {
        let token = params["token"].to_string();
        match params["value"]["kind"].as_str() {
            Some("begin") => _ = self.active.insert(token),
            Some("end") => _ = self.active.remove(&token),
            _ => {}
        }
    }
}

fn message(id: Option<i64>, method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if let Some(id) = id {
        message["id"] = id.into();
    }
    if !params.is_null() {
        message["params"] = params;
    }
    message
}
