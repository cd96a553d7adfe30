//! `docs/cli.md`: the commands and their options, as clap defines them.

use std::fmt::Write;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};
use expect_test::expect_file;

use crate::Cli;

const INTRODUCTION: &str = "\
# The command line

Answers go to standard output, everything else (progress, notes, errors with a `hint:`) to standard error. `-h` prints
short help for a command, `--help` full help. Several words in the place of a command, as in `sscg \"how are retries
scheduled\"`, are a question for `sscg search`.

| exit code | meaning |
| --- | --- |
| 0 | found, or done |
| 1 | nothing found: an empty answer, a name that nothing has, a directory without source files in `index` and `status` |
| 2 | an error: wrong usage, a project that cannot be searched, a file that cannot be written, a failed check of `sscg doctor` or `sscg self-check` |

Permanent settings are described in [`configuration.md`](configuration.md). A flag overrides an environment variable, which
overrides a file. Besides the variables below, `NO_COLOR` turns colors off and `CLICOLOR_FORCE` turns them on, `SSCG_PAGER` or
`PAGER` names the pager of answers on a terminal (empty for none), `SSCG_CONFIG` names your configuration file, and
`SSCG_MODEL_KEY` and `SSCG_RERANK_KEY` hold keys of servers. Builds with LanceDB have more options, for indexes that many
machines share: [`scale.md`](scale.md).

JSON output names its format in `schema`; the name stays the same as long as fields are only added. Answers have
`schema_version` instead ([`output.md`](output.md)).

This page is generated from the source code by `UPDATE_EXPECT=1 cargo test -p sscg-cli`.
";

/// Returns the page.
fn reference() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = INTRODUCTION.to_owned();
    page += "\n## Options of every command\n\n";
    arguments(&mut page, root.get_arguments().filter(|argument| argument.is_global_set()));
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        describe(&mut page, "sscg", command);
    }
    page
}

fn describe(page: &mut String, parent: &str, command: &Command) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_long_about().or(command.get_about());
    // Writing to a string does not fail.
    let _ =
        write!(page, "\n## `{name}`\n\n{}.\n", about.map_or_else(String::new, plain).trim_end_matches('.'));
    let own: Vec<&Arg> = command.get_arguments().filter(|argument| !argument.is_global_set()).collect();
    if !own.is_empty() {
        page.push('\n');
        arguments(page, own.into_iter());
    }
    if let Some(examples) = command.get_after_long_help().map(StyledStr::to_string) {
        let examples = examples.trim_start_matches("Examples:").trim_matches('\n').replace("\n  ", "\n");
        let _ = write!(page, "\n```sh\n{}\n```\n", examples.trim_start());
    }
    for inner in command.get_subcommands().filter(|command| command.get_name() != "help") {
        describe(page, &name, inner);
    }
}

fn arguments<'c>(page: &mut String, arguments: impl Iterator<Item = &'c Arg>) {
    for argument in arguments.filter(|argument| !argument.is_hide_set()) {
        if matches!(argument.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong)
            || matches!(argument.get_action(), ArgAction::Version)
        {
            continue;
        }
        let short = argument.get_help().map_or_else(String::new, plain);
        let long = argument.get_long_help().map_or_else(String::new, plain);
        // Notes that clap does not have are in brackets after the help.
        let (short, notes) =
            short.split_once(" [").map_or((short.as_str(), ""), |(short, notes)| (short, notes));
        let details =
            long.split_once("\n\n").map_or_else(String::new, |(_, details)| details.replace('\n', " "));
        let mut line = format!("- {}: {}.", usage(argument), short.trim_end_matches('.'));
        if !details.is_empty() {
            let _ = write!(line, " {details}");
        }
        let takes_values = argument.get_action().takes_values();
        let values: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set() && takes_values)
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if !values.is_empty() {
            let _ = write!(line, " One of {}.", values.join(", "));
        }
        let defaults =
            argument.get_default_values().iter().filter(|default| takes_values && !default.is_empty());
        for default in defaults {
            let _ = write!(line, " Default: `{}`.", default.to_string_lossy());
        }
        for note in notes.trim_end_matches(']').split("] [").filter(|note| !note.is_empty()) {
            let _ = match note.split_once(": ") {
                Some(("env", variable)) => write!(line, " Environment: `{variable}`."),
                Some(("default", default)) => write!(line, " Default: {default}."),
                _ => write!(line, " {note}."),
            };
        }
        if let Some(variable) = argument.get_env() {
            let _ = write!(line, " Environment: `{}`.", variable.to_string_lossy());
        }
        *page += &line;
        page.push('\n');
    }
}

/// Formats the usage of an argument: `` `-n`, `--limit <N>` ``, `` `[PATH]` ``.
fn usage(argument: &Arg) -> String {
    let value = argument.get_value_names().map_or_else(String::new, |names| names.join(" "));
    let Some(long) = argument.get_long() else {
        return if argument.is_required_set() { format!("`<{value}>`") } else { format!("`[{value}]`") };
    };
    let short = argument.get_short().map_or_else(String::new, |short| format!("`-{short}`, "));
    let value = if argument.get_action().takes_values() { format!(" <{value}>") } else { String::new() };
    format!("{short}`--{long}{value}`")
}

fn plain(text: &StyledStr) -> String {
    text.to_string().trim().to_owned()
}

#[test]
#[cfg_attr(feature = "lancedb", ignore = "the page is for the default build")]
fn the_page_about_the_command_line_is_that_of_the_source_code() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    // A package from crates.io has no documentation beside it.
    if docs.is_dir() {
        expect_file![docs.join("cli.md")].assert_eq(&reference());
    }
}

#[test]
fn every_command_and_option_is_explained_in_short() {
    fn check(command: &Command) {
        let about = command.get_about().map(plain).unwrap_or_default();
        assert!(!about.is_empty() && about.len() <= 110, "{}: {about:?}", command.get_name());
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let help = argument.get_help().map(plain).unwrap_or_default();
            assert!(
                !help.is_empty() && help.len() <= 170,
                "{} {}: {help:?}",
                command.get_name(),
                argument.get_id()
            );
        }
        command.get_subcommands().filter(|inner| inner.get_name() != "help").for_each(check);
    }
    let mut root = Cli::command();
    root.build();
    check(&root);
    root.debug_assert();
}
