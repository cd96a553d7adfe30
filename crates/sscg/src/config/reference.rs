//! Documentation of the configuration.

use std::fmt::Write;

use super::keys::{Key, Section, keys, split};

/// Returns `docs/configuration.md`: every key with its meaning, default and values.
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

/// Returns an `sscg.toml` without effect: every key with its default, commented out, below its meaning.
pub fn template() -> String {
    let mut out =
        String::from("# Options of sscg with their defaults; uncomment those that you want to change.\n");
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

Every weight, threshold and limit is a key of `sscg.toml`. If several sources set a key, the first of these wins:

1. command-line flags,
2. environment variables,
3. the project's file: the nearest `sscg.toml` from the searched directory up to the top of its repository,
4. the user's file: `sscg/sscg.toml` in the user's configuration directory (`~/.config` on Linux and macOS, `%APPDATA%`
   on Windows), or the file that `SSCG_CONFIG` names,
5. the defaults below.

Files are merged key by key. `sscg config show` prints every key with its value and source; `sscg config init`
writes a template with all keys, commented out. An empty environment variable counts as not set, and so does a key whose
value is the empty string.

The project's file comes with the code, whoever wrote it. It therefore cannot set where data is sent or kept, or for how
long: keys marked *user only* are ignored there, with a warning. Unknown keys and values out of range are errors.

This page is generated from the source code by `UPDATE_EXPECT=1 cargo test -p sscg`.
";

/// Maximum length of a line in bytes.
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

/// Returns the values that a key accepts, and who may set it.
fn values(key: &Key) -> String {
    let alone = if key.is_trusted { "; user only" } else { "" };
    format!("{}{alone}", key.kind)
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Appends a text wrapped to lines, the first with another prefix.
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
