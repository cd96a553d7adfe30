//! Conditions of the C preprocessor, for a build on the usual platform: Linux on x86-64 with GCC or Clang.
//!
//! Options of a build are not known. A macro that the compiler does not define is assumed to be undefined, unless its name
//! is one that a configuration script defines if the system has something.

use sscg_core::{FileId, IndexVec, ModuleSystem, Project, ProjectFile};

/// Likelihood of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::link) enum Likelihood {
    /// The condition holds on no usual platform.
    Never,
    Unlikely,
    Likely,
    Always,
}

/// Macros that compilers for the usual platform define, with their values.
const DEFINED: &[(&str, i64)] = &[
    ("__linux__", 1),
    ("__linux", 1),
    ("linux", 1),
    ("__gnu_linux__", 1),
    ("__unix__", 1),
    ("__unix", 1),
    ("unix", 1),
    ("__GNUC__", 13),
    ("__GNUC_MINOR__", 2),
    ("__STDC__", 1),
    ("__STDC_VERSION__", 201_710),
    ("__STDC_HOSTED__", 1),
    ("__ELF__", 1),
    ("__x86_64__", 1),
    ("__x86_64", 1),
    ("__amd64__", 1),
    ("__amd64", 1),
    ("__LP64__", 1),
    ("_LP64", 1),
    ("__SIZEOF_POINTER__", 8),
    ("__CHAR_BIT__", 8),
    ("CHAR_BIT", 8),
];

/// Macros that compilers for other platforms define.
const UNDEFINED: &[&str] = &[
    "_WIN32",
    "_WIN64",
    "WIN32",
    "WIN64",
    "__WIN32__",
    "_WIN32_WCE",
    "_WINDOWS",
    "WINDOWS",
    "_MSC_VER",
    "__MINGW32__",
    "__MINGW64__",
    "__CYGWIN__",
    "__MSYS__",
    "__BORLANDC__",
    "__TURBOC__",
    "__WATCOMC__",
    "__DMC__",
    "__APPLE__",
    "__MACH__",
    "__OSX__",
    "MACOS",
    "TARGET_OS_MAC",
    "TARGET_OS_IPHONE",
    "TARGET_OS_OSX",
    "__FreeBSD__",
    "__FreeBSD_kernel__",
    "__OpenBSD__",
    "__NetBSD__",
    "__DragonFly__",
    "__bsdi__",
    "__sun",
    "__sun__",
    "sun",
    "__SVR4",
    "__svr4__",
    "_AIX",
    "__hpux",
    "hpux",
    "__sgi",
    "__osf__",
    "__HAIKU__",
    "__BEOS__",
    "__QNX__",
    "__QNXNTO__",
    "__MVS__",
    "__PASE__",
    "__OS400__",
    "__VMS",
    "VMS",
    "__vms",
    "__ANDROID__",
    "ANDROID",
    "__EMSCRIPTEN__",
    "__wasm__",
    "__wasi__",
    "__Fuchsia__",
    "__vxworks",
    "__VXWORKS__",
    "MSDOS",
    "__MSDOS__",
    "__DJGPP__",
    "__DOS__",
    "OS2",
    "__OS2__",
    "AMIGA",
    "__riscos",
    "__SYMBIAN32__",
    "__GNU__",
    "__SUNPRO_C",
    "__SUNPRO_CC",
    "__xlC__",
    "__IBMC__",
    "__IBMCPP__",
    "__INTEL_COMPILER",
    "__ICC",
    "_M_IX86",
    "_M_X64",
    "_M_AMD64",
    "_M_ARM",
    "_M_ARM64",
    "__i386__",
    "__i386",
    "__arm__",
    "__aarch64__",
    "__ARM_NEON",
    "__powerpc__",
    "__powerpc64__",
    "__PPC__",
    "__ppc__",
    "__s390__",
    "__s390x__",
    "__mips__",
    "__riscv",
    "__sparc__",
    "__ia64__",
    "__alpha__",
    "__loongarch__",
    "__BIG_ENDIAN__",
];

/// Words in the paths of files for other platforms: names of folders, and parts of names of files.
const SYSTEMS: &[&str] = &[
    "win32",
    "win64",
    "windows",
    "winnt",
    "mingw",
    "mingw32",
    "cygwin",
    "msvc",
    "darwin",
    "macos",
    "macosx",
    "osx",
    "ios",
    "freebsd",
    "netbsd",
    "openbsd",
    "dragonfly",
    "bsd",
    "sunos",
    "solaris",
    "illumos",
    "aix",
    "hpux",
    "irix",
    "os390",
    "zos",
    "ibmi",
    "haiku",
    "beos",
    "qnx",
    "vms",
    "os2",
    "msdos",
    "amiga",
    "riscos",
    "wince",
    "emscripten",
    "wasm",
    "wasi",
    "fuchsia",
    "vxworks",
    "android",
    "uwp",
];

/// Names of folders that would be too common as parts of names of files.
const FOLDERS: &[&str] = &["win", "mac", "dos"];

/// Returns true for each file that its path restricts to another platform.
pub(super) fn other_platforms(project: &Project) -> IndexVec<FileId, bool> {
    let is_other =
        |it: &ProjectFile| it.language.modules == ModuleSystem::Includes && is_for_other_platform(&it.path);
    project.files().iter().map(is_other).collect()
}

/// Returns true if the path of a file restricts it to another platform: `src/win/tcp.c`, `env_windows.cc`.
fn is_for_other_platform(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_system = |word: &str| SYSTEMS.iter().any(|system| word.eq_ignore_ascii_case(system));
    let is_folder = |word: &str| is_system(word) || FOLDERS.iter().any(|it| word.eq_ignore_ascii_case(it));
    let stem = name.split('.').next().unwrap_or(name);
    folders.split('/').any(is_folder) || is_folder(stem) || stem.split(['_', '-']).any(is_system)
}

/// Returns the likelihood of a condition such as `defined(__linux__) && !(A > 2)`. O(bytes).
pub(in crate::link) fn likelihood(condition: &str) -> Likelihood {
    let mut rest = Parser { rest: condition };
    match rest.expression(0, MAX_DEPTH) {
        Some(Value { holds: true, is_known: true, .. }) => Likelihood::Always,
        Some(Value { holds: false, is_known: true, .. }) => Likelihood::Never,
        Some(Value { holds: false, .. }) => Likelihood::Unlikely,
        _ => Likelihood::Likely,
    }
}

/// Maximum nesting depth of an expression.
const MAX_DEPTH: u32 = 32;

/// Value of an expression.
#[derive(Clone, Copy)]
struct Value {
    number: Option<i64>,
    holds: bool,
    /// True if `holds` does not depend on options of the build.
    is_known: bool,
}

impl Value {
    fn of(number: i64) -> Self {
        Self { number: Some(number), holds: number != 0, is_known: true }
    }

    fn assumed(holds: bool) -> Self {
        Self { number: None, holds, is_known: false }
    }
}

/// Binary operators by precedence, the longest of one precedence first.
const OPERATORS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|", "^", "&"],
    &["==", "!="],
    &["<=", ">=", "<<", ">>", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'c> {
    rest: &'c str,
}

impl<'c> Parser<'c> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        rest.inspect(|rest| self.rest = rest).is_some()
    }

    /// Takes one of the operators, unless a longer one starts with it.
    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        let text = self.rest.trim_start();
        let all = || OPERATORS.iter().flat_map(|it| it.iter());
        let found = operators.iter().copied().find(|it| text.starts_with(it))?;
        let is_longer =
            all().any(|it| it.len() > found.len() && it.starts_with(found) && text.starts_with(it));
        (!is_longer && self.eat(found)).then_some(found)
    }

    fn expression(&mut self, level: usize, depth: u32) -> Option<Value> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand(depth) };
        let mut value = self.expression(level + 1, depth)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.expression(level + 1, depth)?;
            value = combine(operator, value, right);
        }
        Some(value)
    }

    fn operand(&mut self, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        if self.eat("!") {
            let value = self.operand(depth)?;
            let number = value.number.map(|number| i64::from(number == 0));
            return Some(Value { number, holds: !value.holds, is_known: value.is_known });
        }
        if self.eat("-") {
            let value = self.operand(depth)?;
            return Some(Value { number: value.number.map(i64::wrapping_neg), ..value });
        }
        if self.eat("(") {
            let value = self.expression(0, depth)?;
            return self.eat(")").then_some(value);
        }
        let word = self.word()?;
        if word == "defined" {
            let is_open = self.eat("(");
            let name = self.word()?;
            return (!is_open || self.eat(")")).then(|| defined(name));
        }
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(number(word).map_or(Value::assumed(true), Value::of));
        }
        if self.eat("(") {
            // A test of the compiler: `__has_include(<a.h>)`, `__GNUC_PREREQ(4, 3)`.
            self.skip_arguments()?;
            return Some(Value::assumed(true));
        }
        Some(match DEFINED.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => Value::of(*value),
            None if UNDEFINED.contains(&word) => Value::of(0),
            None => Value::assumed(has_feature(word)),
        })
    }

    fn word(&mut self) -> Option<&'c str> {
        let text = self.rest.trim_start();
        let end = text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn skip_arguments(&mut self) -> Option<()> {
        let mut open = 1;
        let end = self.rest.find(|it| {
            open += match it {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            open == 0
        })?;
        self.rest = &self.rest[end + 1..];
        Some(())
    }
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

fn defined(name: &str) -> Value {
    if DEFINED.iter().any(|(it, _)| *it == name) {
        Value::of(1)
    } else if UNDEFINED.contains(&name) {
        Value::of(0)
    } else {
        Value::assumed(has_feature(name))
    }
}

/// Returns true for a macro that is likely defined.
fn has_feature(name: &str) -> bool {
    name.starts_with("HAVE_") || name.contains("_HAVE_") || name.starts_with("__has_")
}

fn combine(operator: &str, left: Value, right: Value) -> Value {
    let decides = |value: Value, with: bool| value.is_known && value.holds == with;
    let of_both = |holds: bool, with: bool| Value {
        number: None,
        holds,
        is_known: left.is_known && right.is_known || decides(left, with) || decides(right, with),
    };
    match operator {
        "||" => return of_both(left.holds || right.holds, true),
        "&&" => return of_both(left.holds && right.holds, false),
        _ => {}
    }
    let (Some(a), Some(b)) = (left.number, right.number) else {
        // A recent version is more likely.
        return Value::assumed(matches!(operator, ">" | ">=" | "!=" | "&" | "+" | "-" | "*" | "/"));
    };
    Value::of(match operator {
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b).unwrap_or(0),
        _ => a.checked_rem(b).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_for_linux() {
        for (condition, expected) in [
            ("defined(__linux__)", Likelihood::Always),
            ("defined _WIN32", Likelihood::Never),
            ("!defined(_WIN32) && !defined(__APPLE__)", Likelihood::Always),
            ("defined(_WIN32) || defined(__linux__)", Likelihood::Always),
            ("defined(_WIN32) && defined(OPTION)", Likelihood::Never),
            ("defined(OPTION)", Likelihood::Unlikely),
            ("!defined(OPTION)", Likelihood::Likely),
            ("defined(HAVE_UNISTD_H)", Likelihood::Likely),
            ("__GNUC__ > 3 && (__GNUC__ == 4 || __GNUC__ >= 5)", Likelihood::Always),
            ("__STDC_VERSION__ < 199901L", Likelihood::Never),
            ("LIBRARY_VERSION >= 0x300 ", Likelihood::Likely),
            ("__has_include(<a/b.h>)", Likelihood::Likely),
            ("!(1 + 1 == 2)", Likelihood::Never),
            ("1 <<", Likelihood::Likely),
            ("", Likelihood::Likely),
        ] {
            assert_eq!(likelihood(condition), expected, "{condition}");
        }
        assert_eq!(likelihood(&"!".repeat(1_000)), Likelihood::Likely);
        assert_eq!(likelihood(&"(".repeat(1_000)), Likelihood::Likely);
    }

    #[test]
    fn paths_restrict_files() {
        for (path, is_other) in [
            ("src/win/tcp.c", true),
            ("src/unix/linux.c", false),
            ("src/unix/aix-common.c", true),
            ("util/env_windows.cc", true),
            ("util/windows.cc", true),
            ("windowed.c", false),
            ("mac_address.c", false),
        ] {
            assert_eq!(is_for_other_platform(path), is_other, "{path}");
        }
    }
}
