//! Build constraints of Go, for a build on the usual platform without tags.

/// Operating systems that occur in file names.
const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
];

/// Architectures that occur in file names.
const ARCHITECTURES: &[&str] = &[
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
    "riscv64", "s390x", "wasm",
];

/// Tags that hold.
fn is_set(tag: &str) -> bool {
    matches!(tag, "linux" | "unix" | "amd64" | "gc" | "cgo") || tag.starts_with("go1")
}

/// Returns true if the name of a file restricts it to another platform: `file_windows.go`, `file_linux_arm64.go`.
pub(super) fn is_for_other_platform(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".go").unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let mut parts = stem.rsplit('_');
    let (Some(last), Some(before)) = (parts.next(), parts.next()) else { return false };
    let is_other = |part: &str| (SYSTEMS.contains(&part) || ARCHITECTURES.contains(&part)) && !is_set(part);
    is_other(last) || ARCHITECTURES.contains(&last) && SYSTEMS.contains(&before) && is_other(before)
}

/// Evaluates a constraint such as `linux && !(cgo || race)`; `None` if it is malformed. O(bytes).
pub(super) fn holds(constraint: &str) -> Option<bool> {
    let mut rest = Parser(constraint);
    let value = rest.any(MAX_DEPTH)?;
    rest.0.trim_start().is_empty().then_some(value)
}

/// Maximum nesting depth of a constraint.
const MAX_DEPTH: u32 = 32;

/// Rest of a constraint.
struct Parser<'c>(&'c str);

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(token);
        rest.inspect(|rest| self.0 = rest).is_some()
    }

    fn any(&mut self, depth: u32) -> Option<bool> {
        let mut value = self.all(depth)?;
        while self.eat("||") {
            value |= self.all(depth)?;
        }
        Some(value)
    }

    fn all(&mut self, depth: u32) -> Option<bool> {
        let mut value = self.one(depth)?;
        while self.eat("&&") {
            value &= self.one(depth)?;
        }
        Some(value)
    }

    fn one(&mut self, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        if self.eat("!") {
            return Some(!self.one(depth)?);
        }
        if self.eat("(") {
            let value = self.any(depth)?;
            return self.eat(")").then_some(value);
        }
        let text = self.0.trim_start();
        let end =
            text.find(|it: char| !it.is_alphanumeric() && !matches!(it, '_' | '.')).unwrap_or(text.len());
        let (tag, rest) = text.split_at(end);
        self.0 = rest;
        (!tag.is_empty()).then(|| is_set(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_hold_for_linux_without_tags() {
        for (constraint, value) in [
            ("linux", Some(true)),
            ("!linux", Some(false)),
            ("windows || darwin && cgo", Some(false)),
            ("!nomsgpack", Some(true)),
            ("(windows || unix) && go1.18", Some(true)),
            ("race", Some(false)),
            ("a &&", None),
            ("(a", None),
            ("", None),
        ] {
            assert_eq!(holds(constraint), value, "{constraint}");
        }
        assert_eq!(holds(&"!".repeat(1_000)), None);
    }

    #[test]
    fn names_of_files_restrict_them() {
        for (path, is_other) in [
            ("a/exec_windows.go", true),
            ("exec_linux.go", false),
            ("exec_linux_arm64.go", true),
            ("exec_windows_amd64_test.go", true),
            ("windows.go", false),
            ("file_name.go", false),
        ] {
            assert_eq!(is_for_other_platform(path), is_other, "{path}");
        }
    }
}
