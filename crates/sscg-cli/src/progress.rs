//! Progress of indexing, for someone who waits at a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use sscg::{Observer, Progress};

/// Time between two drawings, and before the first: small projects are finished before anyone could read the bar.
const INTERVAL: Duration = Duration::from_millis(200);

/// Number of characters of the bar.
const WIDTH: usize = 30;

/// Runs `work` with an observer that shows a progress bar on standard error; hidden if that is no terminal.
pub(crate) fn with_bar<T>(work: impl FnOnce(Observer<'_>) -> T) -> T {
    if !stderr().is_terminal() {
        return work(&|_| ControlFlow::Continue(()));
    }
    let latest = Mutex::new(Progress::default());
    let latest = &latest;
    thread::scope(|scope| {
        // Dropped at the end, also of a panic, which ends the other thread.
        let (_working, finished) = channel::<()>();
        scope.spawn(move || {
            let mut width = 0;
            while finished.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let progress = *latest.lock().unwrap_or_else(PoisonError::into_inner);
                width = draw(&line(progress), width);
            }
            draw("", width);
        });
        work(&|progress| {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = progress;
            ControlFlow::Continue(())
        })
    })
}

/// Writes a line over the previous one, which has `previous` characters. Returns the number of its characters.
fn draw(line: &str, previous: usize) -> usize {
    let mut out = stderr().lock();
    // Nobody is left to report an error to. The second return leaves the cursor where other output may start.
    let _ = write!(out, "\r{line:previous$}\r").and_then(|()| out.flush());
    line.chars().count()
}

/// Returns the line for a phase: its name, and its bar if it counts units.
fn line(progress: Progress) -> String {
    let phase = progress.phase();
    let Some((done, total)) = progress.counts() else { return phase.to_owned() };
    let filled = (WIDTH * done.min(total)).checked_div(total).unwrap_or(WIDTH);
    format!("{phase} {}{} {done}/{total}", "█".repeat(filled), "░".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        assert_eq!(line(Progress::Linking), "linking");
        for (done, total, filled) in [(0, 4, 0), (2, 4, 15), (4, 4, 30), (9, 4, 30), (0, 0, 30)] {
            let line = line(Progress::Parsing { done, total });
            assert_eq!(
                (line.matches('█').count(), line.matches('░').count()),
                (filled, 30 - filled),
                "{line}"
            );
            assert!(line.starts_with("parsing ") && line.ends_with(&format!(" {done}/{total}")), "{line}");
        }
    }
}
