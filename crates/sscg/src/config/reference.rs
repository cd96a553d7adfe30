//! The configuration in words.

use std::fmt::Write;

use super::keys::{Key, Section, keys, split};

/// `docs/configuration.md`: every key with its meaning, default and values.
pub fn reference() -> String {
    let mut out = INTRODUCTION.to_owned();
    for_each_section(|section, of_section| {
        out += &format!("\n## `[{}]`\n\n", section.name);
        wrap(&mut out, &section.about, "", "");
        out.push('\n');
        for key in of_section {
            wrap(&mut out, &entry(key), "- ", "  ");
        }
    });
    out
}

/// An `sscg.toml` that changes nothing: every key with its default, commented out, under what it means.
pub fn template() -> String {
    let mut out = String::from(
        "# Options of sscg. Each is shown with its default; uncomment what you want to change.\n",
    );
    for_each_section(|section, of_section| {
        out.push('\n');
        wrap(&mut out, &section.about, "# ", "# ");
        out += &format!("[{}]\n", section.name);
        for key in of_section {
            let about = format!("{} ({})", key.about, values(key));
            wrap(&mut out, &about, "# ", "# ");
            out += &format!("# {} = {}\n", split(&key.name).1, key.default);
        }
    });
    out
}

const INTRODUCTION: &str = "\
# Configuration

Every weight, threshold and limit is a key of `sscg.toml`. What is said in several places counts from the first of these
that says it:

1. flags of the command,
2. environment variables,
3. the project's file: the nearest `sscg.toml` from the searched directory up to the top of its repository,
4. the user's file: `sscg/sscg.toml` in the user's configuration directory (`~/.config` on Linux and macOS, `%APPDATA%`
   on Windows), or the file that `SSCG_CONFIG` names,
5. the defaults below.

Files are merged key by key. `sscg config show` prints every key with its value and where that comes from; `sscg config
init` writes a file with all keys, commented out, to start from. An environment variable that is empty counts as not set,
and so does a key whose value is the empty text.

The project's file comes with the code, whoever wrote that. So it cannot say where data is sent or kept, or for how long:
the keys marked *yours alone* are left out there, with a warning. A key that there is not, and a value that is out of range, is an error.

This page is made from the source code; `UPDATE_EXPECT=1 cargo test -p sscg` writes it anew.
";

/// How long a line may become.
const WIDTH: usize = 118;

fn for_each_section(mut tell: impl FnMut(&Section, &[&Key])) {
    for section in &keys().sections {
        let of_section: Vec<&Key> = keys().of_section(&section.name).collect();
        if !of_section.is_empty() {
            tell(section, &of_section);
        }
    }
}

fn entry(key: &Key) -> String {
    let mut text = format!("**`{}`** = `{}`: {}", split(&key.name).1, key.default, key.about);
    // Writing to a string does not fail.
    let _ = write!(text, " *{}.*", capital(&values(key)));
    let others: Vec<String> =
        [&key.flag, &key.variable].into_iter().flatten().map(|name| format!("`{name}`")).collect();
    if !others.is_empty() {
        let _ = write!(text, " {}.", others.join(", "));
    }
    text
}

/// Which values a key takes, and who may set it.
fn values(key: &Key) -> String {
    let alone = if key.is_trusted { "; yours alone" } else { "" };
    format!("{}{alone}", key.kind)
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Adds a text in lines, of which the first starts differently.
fn wrap(out: &mut String, text: &str, first: &str, rest: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.len() + 1 + word.len() > WIDTH {
            *out += &line;
            out.push('\n');
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    *out += &line;
    out.push('\n');
}
