//! Colors, where a terminal supports them.
//!
//! Piped output is unchanged. On a terminal the same text has styles, and control sequences are escaped. `--color`
//! decides, then the environment (`NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM`), also for clap's own messages. Only
//! the sixteen named terminal colors are used, never black, white or a background, so that any theme shows them.

mod answer;
mod code;
mod frame;
mod painted;

use std::env;
use std::io::stdout;

use anstream::AutoStream;
use anstream::stream::RawStream;
use anstyle::{AnsiColor, Style};
use clap::{ColorChoice, ValueEnum};

pub(crate) use answer::{explored, found};
pub(crate) use painted::Painted;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const BLUE: Style = AnsiColor::Blue.on_default();
pub(crate) const MAGENTA: Style = AnsiColor::Magenta.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

/// Applies the user's choice to all output.
pub(crate) fn choose(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Returns the value of `--color` where clap returns no arguments, because they ask for help or are wrong.
pub(crate) fn choice_in_arguments() -> ColorChoice {
    let arguments: Vec<String> = env::args_os().map(|argument| argument.to_string_lossy().into()).collect();
    let value =
        arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix("--color")? {
            "" => arguments.get(at + 1).map(String::as_str),
            value => value.strip_prefix('='),
        });
    value.and_then(|value| ColorChoice::from_str(value, false).ok()).unwrap_or_default()
}

/// True if answers have colors.
fn is_on() -> bool {
    takes_color(&stdout())
}

fn takes_color(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Formats a message, its first word in the color of its kind: `error: ...`.
pub(crate) fn message(text: &str) -> Painted {
    let label = text.split_once(": ").map_or("", |(label, _)| label);
    let style = match label {
        "error" => RED.bold(),
        "warning" => YELLOW.bold(),
        "hint" => GREEN,
        "note" | "skipped" => DIM,
        _ => PLAIN,
    };
    let mut message = Painted::default();
    message.push(style, label);
    message.push(PLAIN, &text[label.len()..]);
    message.push(PLAIN, "\n");
    message
}
