//! Versions of external packages, from the lock files at the root of the tree.

use std::path::Path;

use crate::files::read_regular;

/// Notation of versions in each lock file, by file name.
const LOCKS: [(&str, Style); 7] = [
    ("Cargo.lock", Style::Tables),
    ("uv.lock", Style::Tables),
    ("poetry.lock", Style::Tables),
    ("package-lock.json", Style::Modules),
    ("npm-shrinkwrap.json", Style::Modules),
    ("pnpm-lock.yaml", Style::Keys),
    ("yarn.lock", Style::Entries),
];

/// Maximum size of a lock file in bytes; larger ones are skipped, so that an answer does not wait for them.
const MOST_BYTES: u64 = 8 << 20;

#[derive(Clone, Copy, Debug)]
enum Style {
    /// `name = "queue"`, and `version = "1.2.0"` on the next line.
    Tables,
    /// `"node_modules/queue": {`, and `"version": "1.2.0"` on the next line.
    Modules,
    /// `queue@1.2.0:` or `/queue@1.2.0(peer@3.0.0):`.
    Keys,
    /// `queue@^1.0.0:`, and `version "1.2.0"` on the next line.
    Entries,
}

/// Returns the locked version of a package; `None` if no lock file names it, or if several versions are locked. Only
/// regular files are opened: no symbolic links, no pipes. O(bytes of the lock files).
pub(super) fn version(root: &Path, package: &str) -> Option<String> {
    LOCKS
        .iter()
        .find_map(|(name, style)| locked(&read_regular(&root.join(name), MOST_BYTES)?, *style, package))
}

/// Returns the version in the text of a lock file.
fn locked(text: &str, style: Style, package: &str) -> Option<String> {
    let mut versions: Vec<&str> = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let found = match style {
            Style::Tables => quoted_after(line, "name = ")
                .filter(|name| is_same(name, package))
                .and_then(|_| quoted_after(next, "version = ")),
            Style::Modules => line
                .strip_prefix("\"node_modules/")
                .and_then(|rest| rest.strip_suffix("\": {"))
                .filter(|name| *name == package)
                .and_then(|_| quoted_after(next, "\"version\": ")),
            Style::Keys => {
                let key = line.trim_end_matches(':').trim_matches(['\'', '"']);
                let version =
                    after_name(key.strip_prefix('/').unwrap_or(key), package).filter(|_| line.ends_with(':'));
                version.map(|version| version.split('(').next().unwrap_or(version))
            }
            Style::Entries => {
                let is_entry =
                    line.ends_with(':') && after_name(line.trim_start_matches('"'), package).is_some();
                let version = next.strip_prefix("version").filter(|_| is_entry);
                version.map(|version| version.trim_matches([' ', ':', '"']))
            }
        };
        versions.extend(found.filter(|version| version.starts_with(|c: char| c.is_ascii_digit())));
    }
    versions.sort_unstable();
    versions.dedup();
    match versions[..] {
        [only] => Some(only.to_owned()),
        _ => None,
    }
}

/// Returns the text after the `@` that follows a package's name.
fn after_name<'t>(text: &'t str, package: &str) -> Option<&'t str> {
    text.strip_prefix(package)?.strip_prefix('@')
}

/// Returns the quoted text after a key.
fn quoted_after<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    line.strip_prefix(key)?.strip_prefix('"')?.split('"').next()
}

/// Returns true if code may refer to a package by this name: `quinn_proto` is `quinn-proto`, `yaml` is not `PyYAML`.
fn is_same(name: &str, package: &str) -> bool {
    let same = |(a, b): (char, char)| a.eq_ignore_ascii_case(&b) || (a == '-' && b == '_');
    name.len() == package.len() && name.chars().zip(package.chars()).all(same)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn versions_are_found_in_each_kind_of_lock_file() {
        let cargo = "[[package]]\nname = \"quinn-proto\"\nversion = \"0.11.2\"\n\n[[package]]\nname = \"rand\"\nversion = \"0.8.5\"\n\n\
                     [[package]]\nname = \"rand\"\nversion = \"0.9.0\"\n";
        assert_eq!(locked(cargo, Style::Tables, "quinn_proto").as_deref(), Some("0.11.2"));
        assert_eq!(locked(cargo, Style::Tables, "rand"), None, "there are two");
        assert_eq!(locked(cargo, Style::Tables, "quinn"), None);
        let npm = "{\n  \"packages\": {\n    \"node_modules/@scope/queue\": {\n      \"version\": \"2.0.7\",\n    },\n    \
                   \"node_modules/a/node_modules/@scope/queue\": {\n      \"version\": \"1.0.0\",\n";
        assert_eq!(locked(npm, Style::Modules, "@scope/queue").as_deref(), Some("2.0.7"));
        let pnpm = "packages:\n\n  '@scope/queue@2.0.7':\n    resolution: {}\n\n  chai@6.2.2(peer@1.0.0):\n    engines: {}\n\n  \
                    chai@6.2.2:\n    dev: true\n  queue@file:test/queue:\n    x: 1\n";
        assert_eq!(locked(pnpm, Style::Keys, "@scope/queue").as_deref(), Some("2.0.7"));
        assert_eq!(locked(pnpm, Style::Keys, "chai").as_deref(), Some("6.2.2"));
        assert_eq!(locked(pnpm, Style::Keys, "queue"), None, "it is no version");
        let yarn = "\"@scope/queue@^2.0.0\", \"@scope/queue@^2.0.5\":\n  version \"2.0.7\"\n\nchai@^6.0.0:\n  version \"6.2.2\"\n";
        assert_eq!(locked(yarn, Style::Entries, "@scope/queue").as_deref(), Some("2.0.7"));
        assert_eq!(locked(yarn, Style::Entries, "chai").as_deref(), Some("6.2.2"));
        let berry = "\"chai@npm:^6.0.0\":\n  version: 6.2.2\n  resolution: \"chai@npm:6.2.2\"\n";
        assert_eq!(locked(berry, Style::Entries, "chai").as_deref(), Some("6.2.2"));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_not_opened() {
        let tree = tempfile::tempdir().expect("a directory can be made");
        let root = tree.path();
        let made = std::process::Command::new("mkfifo").arg(root.join("Cargo.lock")).status();
        assert!(made.expect("there is mkfifo").success());
        fs::create_dir(root.join("poetry.lock")).expect("a directory can be made");
        fs::write(root.join("real"), "[[package]]\nname = \"yard\"\nversion = \"2.0.7\"\n")
            .expect("it is written");
        std::os::unix::fs::symlink(root.join("real"), root.join("uv.lock")).expect("a link can be made");
        assert_eq!(version(root, "yard"), None);
        fs::rename(root.join("real"), root.join("uv.lock")).expect("it takes the link's place");
        assert_eq!(version(root, "yard").as_deref(), Some("2.0.7"));
    }
}
