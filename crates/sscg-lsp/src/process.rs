//! Process of a server, and its messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{LanguageServerOptions, LspError, Wait};

/// Maximum size of a message in bytes. Larger ones do not answer a question of this crate.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Maximum number of bytes of standard error that an error shows.
const SHOWN_BYTES: usize = 400;

/// Time in which a server may end by itself.
const EXIT_TIME: Duration = Duration::from_millis(500);

/// Process of a server. Dropping it ends the process.
pub(crate) struct Process {
    program: String,
    child: Child,
    /// Messages to the server, which a thread writes: a server that reads nothing must not block the caller.
    input: Option<Sender<String>>,
    messages: Receiver<Value>,
    /// Last bytes of standard error.
    output: Arc<Mutex<Vec<u8>>>,
}

impl Process {
    pub(crate) fn start(options: &LanguageServerOptions) -> Result<Self, LspError> {
        let [program, arguments @ ..] = &options.command[..] else { return Err(LspError::NoCommand) };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&options.root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: std::io::Error| LspError::Start {
            program: program.clone(),
            message: match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such program".to_owned(),
                _ => error.to_string(),
            },
        };
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        let (input, texts) = channel::<String>();
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            for text in texts {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        // A full channel makes the server wait, not the memory grow.
        let (send, messages) = sync_channel(1024);
        thread::spawn(move || {
            let Some(mut output) = output.map(BufReader::new) else { return };
            while let Some(message) = read_message(&mut output) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let shown = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&shown);
        thread::spawn(move || {
            let Some(mut errors) = errors else { return };
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = errors.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..read]);
                let extra = kept.len().saturating_sub(SHOWN_BYTES);
                kept.drain(..extra);
            }
        });
        Ok(Self { program: program.clone(), child, input: Some(input), messages, output: shown })
    }

    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// Sends a message, without a wait for the server to read it.
    pub(crate) fn send(&mut self, message: &Value) -> Result<(), LspError> {
        let text = message.to_string();
        let text = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let is_sent = self.input.as_ref().is_some_and(|input| input.send(text).is_ok());
        if is_sent { Ok(()) } else { Err(self.ended()) }
    }

    /// Waits for the next message.
    pub(crate) fn receive(&mut self, wait: Wait<'_>) -> Result<Value, LspError> {
        loop {
            if wait.is_canceled() {
                return Err(LspError::Canceled { program: self.program.clone() });
            }
            // Checked first: messages that are there would be taken without a look at the time.
            let Some(step) = wait.step() else {
                return Err(LspError::Timeout { program: self.program.clone(), output: self.shown() });
            };
            match self.messages.recv_timeout(step) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    fn ended(&mut self) -> LspError {
        // The last lines of standard error may still be on their way.
        self.wait(EXIT_TIME);
        thread::sleep(Duration::from_millis(20));
        LspError::Ended { program: self.program.clone(), output: self.shown() }
    }

    fn shown(&self) -> String {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&output).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Waits until the process has ended. Returns false if it has not.
    fn wait(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                Ok(None) => return false,
                _ => return true,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Servers end when their input does.
        self.input = None;
        if !self.wait(EXIT_TIME) {
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }
}

/// Reads the next message; `None` at the end of the output, or if it is not a message.
fn read_message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        output.by_ref().take(1024).read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim();
        match line.split_once(':') {
            _ if line.is_empty() && length.is_some() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<usize>().ok().filter(|length| *length <= MAX_MESSAGE_BYTES);
            }
            // Some programs print a line before their first message.
            _ => {}
        }
    }
    let mut bytes = vec![0; length?];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
