//! Progress of indexing, for someone who waits at a terminal.

use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sscg::Observer;

/// Runs `work` with an observer that shows a progress bar on standard error; hidden if that is no terminal.
pub(crate) fn with_bar<T>(work: impl FnOnce(Observer<'_>) -> T) -> T {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    // Small projects are finished before anyone could read the bar.
    bar.enable_steady_tick(Duration::from_millis(200));
    let outcome = work(&|progress| {
        bar.set_message(progress.phase());
        if let Some((done, total)) = progress.counts() {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    outcome
}
