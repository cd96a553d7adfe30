//! Line-delimited messages: invalid lines are answered here, before they reach the protocol.

use std::io;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Maximum size of a message in bytes.
const MOST_BYTES: usize = 16 << 20;

/// JSON-RPC error code for invalid JSON.
const PARSE_ERROR: i32 = -32_700;

/// JSON-RPC error code for an invalid request.
const INVALID_REQUEST: i32 = -32_600;

/// Line of a stream.
enum Line {
    Whole(Vec<u8>),
    /// Line of more than [`MOST_BYTES`], discarded.
    TooLong,
    End,
}

/// Forwards the client's lines of valid JSON and answers the others with errors, until the client closes its end.
///
/// # Errors
/// Fails if a stream fails.
pub(crate) async fn pass_on(
    input: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    answers: &UnboundedSender<Vec<u8>>,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    loop {
        let (code, message) = match next(&mut input).await? {
            Line::End => return to.shutdown().await,
            Line::TooLong => (INVALID_REQUEST, format!("the message has more than {} MiB", MOST_BYTES >> 20)),
            Line::Whole(line) => match serde_json::from_slice::<Value>(without_mark(&line)) {
                Ok(_) => {
                    to.write_all(&line).await?;
                    continue;
                }
                // Blank lines between messages are ignored.
                Err(_) if without_mark(&line).is_empty() => continue,
                Err(error) => (PARSE_ERROR, format!("the message is no JSON: {error}")),
            },
        };
        let answer = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
        // Once the writer is gone, no one reads answers any more.
        let _ = answers.send(format!("{answer}\n").into_bytes());
    }
}

/// Writes the lines of a server, with answers in between, until the server closes its end.
///
/// # Errors
/// Fails if a stream fails.
pub(crate) async fn write_out(
    from: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    mut answers: UnboundedReceiver<Vec<u8>>,
) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        // A partially read line is kept when an answer comes first.
        tokio::select! {
            read = from.read_until(b'\n', &mut line) => {
                if read? == 0 && line.is_empty() {
                    while let Ok(answer) = answers.try_recv() {
                        output.write_all(&answer).await?;
                    }
                    return output.flush().await;
                }
                output.write_all(&line).await?;
                line.clear();
            }
            Some(answer) = answers.recv() => output.write_all(&answer).await?,
        }
        output.flush().await?;
    }
}

/// Strips surrounding whitespace and a UTF-8 byte order mark from a line.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii()
}

/// Reads the next line, including its end. O(bytes of the line), at most [`MOST_BYTES`] of memory.
async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Line> {
    let mut line = Vec::new();
    let read = (&mut *input).take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut line).await?;
    if read == 0 {
        return Ok(Line::End);
    }
    if line.len() <= MOST_BYTES {
        return Ok(Line::Whole(line));
    }
    if line.ends_with(b"\n") {
        return Ok(Line::TooLong);
    }
    loop {
        let rest = input.fill_buf().await?;
        let (count, is_end) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (rest.len(), rest.is_empty()),
        };
        input.consume(count);
        if is_end {
            return Ok(Line::TooLong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_no_message_is_answered_and_the_rest_goes_on() {
        let long = format!("\"{}\"\n", "x".repeat(MOST_BYTES));
        let input = format!("{{\"id\": 1}}\n\n[1,2\n{long}{{\"id\": 2}}\n\"\\ud83d\"\n\u{feff}{{\"id\": 3}}");
        let (answers, mut answered) = tokio::sync::mpsc::unbounded_channel();
        let mut passed = Vec::new();
        pass_on(input.as_bytes(), &mut passed, &answers).await.expect("memory does not fail");
        assert_eq!(String::from_utf8_lossy(&passed), "{\"id\": 1}\n{\"id\": 2}\n\u{feff}{\"id\": 3}");
        let mut codes = Vec::new();
        while let Ok(answer) = answered.try_recv() {
            let answer: serde_json::Value = serde_json::from_slice(&answer).expect("it is JSON");
            codes.push((answer["id"].is_null(), answer["error"]["code"].as_i64()));
        }
        assert_eq!(codes, [(true, Some(-32_700)), (true, Some(-32_600)), (true, Some(-32_700))]);
    }

    #[tokio::test]
    async fn answers_stand_between_lines() {
        let (answers, answered) = tokio::sync::mpsc::unbounded_channel();
        answers.send(b"answer\n".to_vec()).expect("somebody listens");
        let mut output = Vec::new();
        write_out(&b"one\ntwo\n"[..], &mut output, answered).await.expect("memory does not fail");
        let mut lines: Vec<&str> = std::str::from_utf8(&output).expect("text").lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["answer", "one", "two"]);
    }
}
