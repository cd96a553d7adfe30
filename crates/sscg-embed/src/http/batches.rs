//! Batching of texts into few, concurrent requests.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::EmbedError;

/// Minimum number of bytes per token, with rare exceptions: tokens of code have three to four, and a character outside
/// of the Latin script is one token of three bytes. An exact count would need the provider's tokenizer.
const BYTES_PER_TOKEN: usize = 3;

/// Limits of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Maximum number of texts.
    pub(super) texts: usize,
    /// Maximum number of tokens of all texts together.
    pub(super) tokens: usize,
}

/// Estimates the number of tokens of a text.
pub(super) fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// Truncates a text to about `tokens` tokens.
pub(super) fn cut(text: &str, tokens: usize) -> &str {
    &text[..text.floor_char_boundary(tokens.saturating_mul(BYTES_PER_TOKEN))]
}

/// Splits texts with these numbers of tokens into requests, in order. A text above the limit gets its own request.
pub(super) fn plan(tokens: impl IntoIterator<Item = usize>, limits: Limits) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut end, mut sum) = (0, 0, 0);
    for tokens in tokens {
        if end > start && (end - start >= limits.texts || sum + tokens > limits.tokens) {
            batches.push(start..end);
            (start, sum) = (end, 0);
        }
        end += 1;
        sum += tokens;
    }
    if end > start {
        batches.push(start..end);
    }
    batches
}

/// Processes batches, at most `concurrency` at a time, and hands over each result on the caller's thread. After an
/// error or a break, no further batch is started; those in flight are finished and handed over.
pub(super) fn run<T: Send>(
    batches: &[Range<usize>],
    concurrency: usize,
    work: impl Fn(Range<usize>) -> Result<T, EmbedError> + Sync,
    mut done: impl FnMut(Range<usize>, T) -> ControlFlow<()>,
) -> Result<(), EmbedError> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = || stopped.store(true, Ordering::Relaxed);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..concurrency.min(batches.len()) {
            let sender = sender.clone();
            scope.spawn(|| {
                // Moved into the worker, so that the receiver ends after the last worker.
                let sender = sender;
                while !stopped.load(Ordering::Relaxed)
                    && let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let result = work(batch.clone());
                    if result.is_err() {
                        stop();
                    }
                    sender.send((batch.clone(), result)).expect("the receiver outlives the senders");
                }
            });
        }
        drop(sender);
        let mut first_error = Ok(());
        for (batch, result) in receiver {
            match result {
                Ok(finished) => {
                    if done(batch, finished).is_break() {
                        stop();
                    }
                }
                Err(error) => first_error = first_error.and(Err(error)),
            }
        }
        first_error
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn batches_cover_all_texts_within_their_limits(
            sizes in proptest::collection::vec(0..50_usize, 0..40),
            texts in 1..10_usize,
            tokens in 1..100_usize,
        ) {
            let batches = plan(sizes.iter().copied(), Limits { texts, tokens });
            let mut end = 0;
            for batch in batches {
                prop_assert_eq!(batch.start, end);
                prop_assert!(!batch.is_empty() && batch.len() <= texts);
                prop_assert!(batch.len() == 1 || sizes[batch.clone()].iter().sum::<usize>() <= tokens);
                end = batch.end;
            }
            prop_assert_eq!(end, sizes.len());
        }

        #[test]
        fn a_cut_text_is_a_start_of_it(text: String, limit in 0..10_usize) {
            let start = cut(&text, limit);
            prop_assert!(text.starts_with(start) && tokens(start) <= limit);
            prop_assert!(start.len() == text.len() || start.len() + 3 >= limit * BYTES_PER_TOKEN);
        }
    }
}
