//! Headless Chromium, controlled over the DevTools protocol.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Names of the Chromium program.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Flags for no window, a separate profile and no background activity.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// Maximum wait for a condition of a page.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the program in `CHROMIUM`, or an installed one.
pub(super) fn find() -> Option<String> {
    let named = env::var("CHROMIUM").ok();
    let names = named.iter().map(String::as_str).chain(NAMES.iter().copied());
    let answers = |name: &&str| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    names.into_iter().find(answers).map(str::to_owned)
}

/// A running browser with one page.
pub(super) struct Browser {
    process: Child,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    requests: u64,
    /// Messages of the browser that answer no request: exceptions, console messages, network requests.
    events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser with a page of this size in pixels.
    pub(super) fn start(program: &str, (width, height): (u32, u32)) -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let mut command = Command::new("sh");
        // The browser reads requests from file descriptor 3 and writes answers to file descriptor 4.
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", program]).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let answers = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let mut browser =
            Self { process, answers, session: None, requests: 0, events: Vec::new(), _profile: profile };
        let targets = browser.call("Target.getTargets", json!({}))?;
        let pages = targets["targetInfos"].as_array().into_iter().flatten();
        let page = pages.into_iter().find(|target| target["type"] == "page").context("there is no page")?;
        let attached = json!({"targetId": page["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attached)?;
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}))?;
        }
        browser.resize((width, height))?;
        Ok(browser)
    }

    /// Changes the size of the page, in pixels.
    pub(super) fn resize(&mut self, (width, height): (u32, u32)) -> Result<()> {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics).map(drop)
    }

    /// Calls a method of the protocol and returns its result.
    fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.requests += 1;
        let mut request = json!({"id": self.requests, "method": method, "params": params});
        if let Some(session) = &self.session {
            request["sessionId"] = session.as_str().into();
        }
        let mut requests = self.process.stdin.as_ref().expect("its input is a pipe");
        requests.write_all(format!("{request}\0").as_bytes())?;
        loop {
            let mut message = Vec::new();
            self.answers.read_until(0, &mut message)?;
            message.pop();
            let mut message: Value =
                serde_json::from_slice(&message).with_context(|| format!("no answer to {method}"))?;
            if message["id"] != self.requests {
                self.events.push(message);
            } else if message["error"].is_null() {
                return Ok(message["result"].take());
            } else {
                bail!("{method}: {}", message["error"]);
            }
        }
    }

    /// Opens a file with a color scheme (`light` or `dark`) and a motion preference (`reduce` or `no-preference`).
    pub(super) fn open(&mut self, file: &Path, colors: &str, motion: &str) -> Result<()> {
        let features = json!([
            {"name": "prefers-color-scheme", "value": colors},
            {"name": "prefers-reduced-motion", "value": motion},
        ]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}))?;
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}))?;
        Ok(())
    }

    /// Evaluates an expression in the page.
    pub(super) fn value(&mut self, expression: &str) -> Result<Value> {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", params)?;
        if !answer["exceptionDetails"].is_null() {
            bail!("{expression}: {}", answer["exceptionDetails"]);
        }
        Ok(answer["result"]["value"].take())
    }

    /// Waits until an expression in the page is true.
    pub(super) fn wait(&mut self, condition: &str) -> Result<()> {
        let start = Instant::now();
        while self.value(&format!("Boolean({condition})"))? != true {
            if start.elapsed() > PATIENCE {
                bail!("not so after {} s: {condition}", PATIENCE.as_secs());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Presses a key, given as its character, such as `/`, or its name, such as `Enter`.
    pub(super) fn press(&mut self, key: &str) -> Result<()> {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key}))?;
        }
        Ok(())
    }

    /// Inserts a text at the cursor.
    pub(super) fn write(&mut self, text: &str) -> Result<()> {
        self.call("Input.insertText", json!({"text": text})).map(drop)
    }

    /// Clicks at a point of the page.
    pub(super) fn click(&mut self, x: f64, y: f64) -> Result<()> {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event)?;
        }
        Ok(())
    }

    /// Returns a screenshot of the page as a WebP.
    pub(super) fn screenshot(&mut self) -> Result<Vec<u8>> {
        let answer = self.call("Page.captureScreenshot", json!({"format": "webp", "quality": 85}))?;
        let data = answer["data"].as_str().context("there is no picture")?;
        Ok(BASE64_STANDARD.decode(data)?)
    }

    /// Returns the errors, messages and network requests since the last call.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        let complaint = |event: Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(format!("exception: {}", params["exceptionDetails"])),
                "Runtime.consoleAPICalled" => Some(format!("console: {}", params["args"])),
                "Log.entryAdded" => Some(format!("log: {}", params["entry"]["text"])),
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str()?;
                    let is_local = url.starts_with("file:") || url.starts_with("data:");
                    (!is_local).then(|| format!("request: {url}"))
                }
                _ => None,
            }
        };
        std::mem::take(&mut self.events).into_iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Errors are ignored: all state is in a temporary directory.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
