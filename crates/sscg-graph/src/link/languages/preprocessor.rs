//! Conditions of the C preprocessor, for a build on the platform of a file: if its path names no other one, Linux on
//! x86-64 with GCC or Clang.
//!
//! Options of a build are not known. A macro that the compiler does not define is assumed to be undefined, unless its name
//! is one that a configuration script defines if the system has something.

use sscg_core::{FileId, IndexVec, Language, ModuleSystem, Project, ProjectFile};

/// Platform for which a file is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::link) enum Platform {
    /// Linux, for a file that is not restricted to another platform.
    Usual,
    Windows,
    Other,
}

/// Compiler that reads a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::link) struct Compiler {
    platform: Platform,
    is_cpp: bool,
}

impl Compiler {
    pub(super) fn new(platform: Platform, language: Language) -> Self {
        Self { platform, is_cpp: language.name == "cpp" }
    }

    /// Returns the value of a macro; none if it depends on options or on a platform that is not known.
    fn value(self, name: &str) -> Option<i64> {
        let usual = DEFINED.iter().find(|(it, _)| *it == name).map(|(_, value)| *value);
        let is_neutral = name.starts_with("__STDC_") || name == "__STDC__" || name.ends_with("CHAR_BIT");
        match self.platform {
            _ if name == "__cplusplus" => self.is_cpp.then_some(201_703),
            Platform::Usual => usual.or_else(|| UNDEFINED.contains(&name).then_some(0)),
            Platform::Windows if WINDOWS.contains(&name) => Some(1),
            Platform::Windows if SYSTEMS_OF_UNIX.contains(&name) => Some(0),
            Platform::Windows | Platform::Other => usual.filter(|_| is_neutral),
        }
    }
}

/// Macros that every compiler for Windows defines, or headers of its system.
const WINDOWS: &[&str] = &["_WIN32", "WIN32", "__WIN32__", "_WINDOWS", "WINDOWS"];

/// Macros that no compiler for Windows defines.
const SYSTEMS_OF_UNIX: &[&str] = &[
    "__linux__",
    "__linux",
    "linux",
    "__gnu_linux__",
    "__unix__",
    "__unix",
    "unix",
    "__APPLE__",
    "__MACH__",
    "__FreeBSD__",
    "__OpenBSD__",
    "__NetBSD__",
    "__sun",
    "_AIX",
    "__ANDROID__",
];

/// Likelihood of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::link) enum Likelihood {
    /// The condition does not hold on the platform.
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

/// Words of [`SYSTEMS`] and [`FOLDERS`] for Windows.
const WINDOWS_NAMES: &[&str] =
    &["win", "win32", "win64", "windows", "winnt", "mingw", "mingw32", "msvc", "wince", "uwp"];

/// Names of folders that would be too common as parts of names of files.
const FOLDERS: &[&str] = &["win", "mac", "dos"];

/// Returns the platform of each file.
pub(super) fn platforms(project: &Project) -> IndexVec<FileId, Platform> {
    let platform = |it: &ProjectFile| match it.language.modules {
        ModuleSystem::Includes => platform(&it.path),
        _ => Platform::Usual,
    };
    project.files().iter().map(platform).collect()
}

/// Returns the platform that the path of a file restricts it to: `src/win/tcp.c`, `env_windows.cc`.
fn platform(path: &str) -> Platform {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_system = |word: &str| SYSTEMS.iter().any(|system| word.eq_ignore_ascii_case(system));
    let is_folder = |word: &str| is_system(word) || FOLDERS.iter().any(|it| word.eq_ignore_ascii_case(it));
    let stem = name.split('.').next().unwrap_or(name);
    let folders = folders.split('/').chain([stem]).filter(|it| is_folder(it));
    let found = folders.chain(stem.split(['_', '-']).filter(|it| is_system(it))).next_back();
    let is_windows = |word: &str| WINDOWS_NAMES.iter().any(|it| word.eq_ignore_ascii_case(it));
    match found {
        None => Platform::Usual,
        Some(word) if is_windows(word) => Platform::Windows,
        Some(_) => Platform::Other,
    }
}

/// Returns the likelihood of a condition such as `defined(__linux__) && !(A > 2)`. O(bytes).
pub(in crate::link) fn likelihood(condition: &str, compiler: Compiler) -> Likelihood {
    let mut rest = Parser { rest: condition, compiler };
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
    compiler: Compiler,
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
            return (!is_open || self.eat(")")).then(|| self.defined(name));
        }
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(number(word).map_or(Value::assumed(true), Value::of));
        }
        if self.eat("(") {
            // A test of the compiler: `__has_include(<a.h>)`, `__GNUC_PREREQ(4, 3)`.
            self.skip_arguments()?;
            return Some(Value::assumed(true));
        }
        Some(self.compiler.value(word).map_or_else(|| Value::assumed(has_feature(word)), Value::of))
    }

    fn defined(&self, name: &str) -> Value {
        match self.compiler.value(name) {
            Some(value) => Value::of(i64::from(value != 0)),
            None => Value::assumed(has_feature(name)),
        }
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
    Value::of(evaluate(operator, a, b))
}

/// Returns the result of a binary operator of integers; comparisons are 0 or 1.
fn evaluate(operator: &str, a: i64, b: i64) -> i64 {
    match operator {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Compiler = Compiler { platform: Platform::Usual, is_cpp: false };

    #[test]
    fn conditions_depend_on_the_compiler() {
        let windows = Compiler { platform: Platform::Windows, is_cpp: false };
        let other = Compiler { platform: Platform::Other, is_cpp: false };
        let cpp = Compiler { is_cpp: true, ..USUAL };
        for (condition, compiler, expected) in [
            ("defined(__cplusplus)", USUAL, Likelihood::Unlikely),
            ("defined(__cplusplus)", cpp, Likelihood::Always),
            ("__cplusplus >= 201103L", cpp, Likelihood::Always),
            ("defined(_WIN32)", windows, Likelihood::Always),
            ("!defined(_WIN32)", windows, Likelihood::Never),
            ("defined(__linux__) || defined(__APPLE__)", windows, Likelihood::Never),
            ("defined(_WIN32)", other, Likelihood::Unlikely),
            ("defined(__linux__)", other, Likelihood::Unlikely),
        ] {
            assert_eq!(likelihood(condition, compiler), expected, "{condition} {compiler:?}");
        }
    }

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
            assert_eq!(likelihood(condition, USUAL), expected, "{condition}");
        }
        assert_eq!(likelihood(&"!".repeat(1_000), USUAL), Likelihood::Likely);
        assert_eq!(likelihood(&"(".repeat(1_000), USUAL), Likelihood::Likely);
    }

    #[test]
    fn paths_restrict_files() {
        for (path, expected) in [
            ("src/win/tcp.c", Platform::Windows),
            ("src/unix/linux.c", Platform::Usual),
            ("src/unix/aix-common.c", Platform::Other),
            ("util/env_windows.cc", Platform::Windows),
            ("util/windows.cc", Platform::Windows),
            ("windowed.c", Platform::Usual),
            ("mac_address.c", Platform::Usual),
        ] {
            assert_eq!(platform(path), expected, "{path}");
        }
    }
}
