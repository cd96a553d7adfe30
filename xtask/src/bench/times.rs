//! Measured times.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Times in milliseconds.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1e3);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn median(&self) -> f64 {
        self.within(0.5)
    }

    /// Returns the time that this share of all does not exceed.
    pub(super) fn within(&self, share: f64) -> f64 {
        quantile(&self.0, share)
    }
}

impl Extend<f64> for Times {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, times: I) {
        self.0.extend(times);
    }
}

impl IntoIterator for Times {
    type Item = f64;
    type IntoIter = std::vec::IntoIter<f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Formats the median and the time that 95% do not exceed.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |share| {
            let time = self.within(share);
            format!("{time:.0$}", if time < 10.0 { 2 } else { 0 })
        };
        write!(f, "{} / {}", shown(0.5), shown(0.95))
    }
}

/// Returns the time that some work takes.
pub(super) fn timed(mut work: impl FnMut() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Returns the median of at least one number.
pub(super) fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    numbers[((numbers.len() - 1) as f64 * share).round() as usize]
}
