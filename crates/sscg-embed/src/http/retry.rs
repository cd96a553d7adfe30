//! Retry policy.

use std::time::{Duration, SystemTime};

use super::HttpOptions;

/// Returns the wait between attempt number `attempt`, from 1, and the next one; `None` to give up.
pub(super) fn wait(options: &HttpOptions, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
    if attempt > options.retries {
        return None;
    }
    match asked {
        Some(asked) => (asked <= options.max_wait).then_some(asked),
        None => {
            let doubled = options.backoff.saturating_mul(1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX));
            Some(doubled.min(options.max_wait).mul_f64(1.0 - fastrand::f64() / 2.0))
        }
    }
}

/// Parses the wait in the header `Retry-After`: seconds, or a date.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_their_limit() {
        let options = HttpOptions { retries: 100, ..HttpOptions::default() };
        for (attempt, longest) in [(1, 500), (2, 1000), (5, 8000), (8, 60_000), (100, 60_000)] {
            let wait = wait(&options, attempt, None).unwrap();
            let longest = Duration::from_millis(longest);
            assert!(wait <= longest && wait >= longest / 2, "{wait:?} before attempt {attempt} + 1");
        }
        assert_eq!(wait(&options, 101, None), None);
    }

    #[test]
    fn a_provider_that_asks_for_too_long_a_wait_is_given_up() {
        let options = HttpOptions::default();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(wait(&options, 1, seconds(7)), seconds(7));
        assert_eq!(wait(&options, 1, seconds(3600)), None);
        assert_eq!(wait(&options, 6, seconds(7)), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let after = |header| retry_after(header, now).map(|wait| wait.as_secs());
        assert_eq!(after("12"), Some(12));
        assert_eq!(after("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30));
        assert_eq!(after("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(after("soon"), None);
    }
}
