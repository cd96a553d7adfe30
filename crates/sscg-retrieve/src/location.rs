//! Code locations in a text: stack traces, compiler messages, links, paths in prose.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use rustc_hash::FxHashMap;
use sscg_core::{FileId, Project};

use crate::pattern::pattern;

/// Location in a file that a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Path as written, with forward slashes; often a path of another machine.
    path: String,
    /// 1-based line number.
    pub(crate) line: Option<u32>,
    /// Function named by a stack trace.
    pub(crate) function: Option<String>,
}

/// Maximum number of locations; a deeper trace repeats itself.
const MOST: usize = 64;

/// Minimum number of trailing path components that a file must share with a location that it does not match as a whole:
/// `/build/7/tokio/src/io/mod.rs` for `tokio/src/io/mod.rs` in a checkout with another layout.
const SHARED_PARTS: usize = 3;

/// Pattern of a location: the function of a JavaScript, Java, .NET, Rust, Go, sanitizer or debugger trace, a path, and a
/// line in the syntax of Python, JavaScript, Java, .NET, Rust, TypeScript or links. A Python trace names the function
/// last.
static LOCATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?mx-u)
        (?: \bat\s+ (?<net> (?u:[A-Za-z0-9_.`+<>\[\],{other}]+) ) \( (?u: [^()\n]* ) \) \s+ in \s+
          | \bat\s+ (?:async\s+|new\s+)? (?: [\w.]+ / )? (?<js> (?u:[A-Za-z0-9_.$<>{other}]+) ) \s* \(
          | ^(?<go> (?u: [^\s(]\S* ) ) \( (?u: [^\n]* ) \) \n \t
          | \#\d+ \s+ (?: 0x[0-9a-f]+ \s+ in \s+ )? (?<native> (?u: [A-Za-z_~][A-Za-z0-9_:~{other}]* ) ) (?: \s* \( (?u: [^()\n]* ) \) )? \s+ (?: at \s+ )?
          | ^\s*\d+:\s+ (?<rust> (?u: \S.*? ) ) \s*\n\s* at\s+ )?
        (?<path> (?: \w+:[/\\]+ )? (?u: [A-Za-z0-9_@.+\-/\\$\[\]{other}]* [A-Za-z0-9_\]{other}] ) \. [A-Za-z][A-Za-z0-9]{0,4} ) \b
        (?: ["']?,\ line\ (?<python> \d+ ) (?: ,\ in\ (?<in> (?u:[A-Za-z0-9_.<>{other}]+) ) )?
          | :line\ (?<cs> \d+ ) | : (?<line> \d+ ) | \( (?<paren> \d+ ) | \#L (?<hash> \d+ ) )?"#,
    )
});

impl Location {
    /// Returns the locations in a text, the one closest to the failure first. O(text).
    pub(crate) fn all_in(text: &str) -> Vec<Self> {
        let found = LOCATION.captures_iter(text).map(|captures| Self::of(&captures));
        let mut locations: Vec<Self> = Vec::new();
        for location in found {
            if locations.last() != Some(&location) {
                locations.push(location);
            }
        }
        if text.contains("most recent call last") {
            locations.reverse();
        }
        locations.truncate(MOST);
        locations
    }

    fn of(captures: &Captures<'_>) -> Self {
        let number = |group| captures.name(group)?.as_str().parse().ok();
        let functions = ["js", "rust", "in", "net", "go", "native"];
        let function = functions.into_iter().find_map(|group| captures.name(group));
        let path = captures["path"].replace('\\', "/");
        Self {
            path: captures.name("js").and_then(|name| in_package(name.as_str(), &path)).unwrap_or(path),
            line: ["python", "line", "paren", "hash", "cs"].into_iter().find_map(number),
            function: function.and_then(|name| identifier(name.as_str())).map(str::to_owned),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        self.path.rsplit('/').take_while(|part| !part.is_empty() && !part.ends_with(':') && *part != "..")
    }
}

/// Returns the path of a file that a Java trace names, in the directories of its package: `org/junit/Assert.java` for
/// `Assert.java` and `org.junit.Assert.fail`.
fn in_package(function: &str, file: &str) -> Option<String> {
    let is_of_jvm = [".java", ".kt", ".scala", ".groovy"].iter().any(|extension| file.ends_with(extension));
    let (class, _method) = function.rsplit_once('.').filter(|_| is_of_jvm && !file.contains('/'))?;
    let (package, _class) = class.rsplit_once('.')?;
    Some(format!("{}/{file}", package.replace('.', "/")))
}

/// Returns the last identifier of a qualified name: `main` of `app::main::{{closure}}`.
fn identifier(path: &str) -> Option<&str> {
    let is_name =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    path.rsplit(['.', ':']).find(is_name)
}

/// Returns the candidate files of each location: those that share the most trailing path components. O(files +
/// locations).
pub(crate) fn resolve(project: &Project, locations: &[Location]) -> Vec<Vec<FileId>> {
    let mut found: Vec<(usize, Vec<FileId>)> = vec![Default::default(); locations.len()];
    let mut named: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, location) in locations.iter().enumerate() {
        named.entry(location.parts().next().unwrap_or_default()).or_default().push(at);
    }
    for (file, entry) in project.files().iter_enumerated() {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        for &at in named.get(name).into_iter().flatten() {
            let parts = || locations[at].parts().filter(|part| *part != ".");
            let shared = parts().zip(entry.path.rsplit('/')).take_while(|(a, b)| a == b).count();
            let is_whole = shared == parts().count() || shared == entry.path.split('/').count();
            let (most, files) = &mut found[at];
            if (is_whole || shared >= SHARED_PARTS) && shared >= *most {
                if shared > *most {
                    files.clear();
                }
                *most = shared;
                files.push(file);
            }
        }
    }
    found.into_iter().map(|(_, files)| files).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, Option<u32>, Option<String>)> {
        let located = Location::all_in(text).into_iter();
        located.map(|it| (it.path, it.line, it.function)).collect()
    }

    fn place(path: &str, line: u32, function: Option<&str>) -> (String, Option<u32>, Option<String>) {
        (path.to_owned(), Some(line), function.map(str::to_owned))
    }

    #[test]
    fn a_trace_of_python_names_the_failure_last() {
        let trace = "Traceback (most recent call last):\n  File \"/srv/shop/app.py\", line 7, in <module>\n    main()\n  \
                     File \"/srv/shop/cart/total.py\", line 31, in add_tax\n    raise ValueError\nValueError";
        assert_eq!(
            all(trace),
            [place("/srv/shop/cart/total.py", 31, Some("add_tax")), place("/srv/shop/app.py", 7, None)]
        );
    }

    #[test]
    fn names_of_all_scripts_are_names_and_typographic_quotes_are_none() {
        let trace = "  at Größe.zählen (/srv/läden/größe.js:31:9)\nsee “src/cart.rs:7”";
        assert_eq!(
            all(trace),
            [place("/srv/läden/größe.js", 31, Some("zählen")), place("src/cart.rs", 7, None)]
        );
    }

    #[test]
    fn a_trace_of_javascript() {
        let trace = "TypeError: x is undefined\n    at Cart.addTax (file:///srv/shop/cart.js:31:9)\n    \
                     at async run (C:\\shop\\main.ts:4:2)\n    at /srv/shop/index.mjs:1:1";
        assert_eq!(
            all(trace),
            [
                place("file:///srv/shop/cart.js", 31, Some("addTax")),
                place("C:/shop/main.ts", 4, Some("run")),
                place("/srv/shop/index.mjs", 1, None)
            ]
        );
    }

    #[test]
    fn a_trace_of_rust_and_messages_of_compilers() {
        let trace = "thread 'main' panicked at src/cart.rs:31:9:\nstack backtrace:\n   1: shop::cart::add_tax::{{closure}}\n\
                     \x20            at ./src/cart.rs:31:9\n";
        assert_eq!(all(trace), [place("src/cart.rs", 31, None), place("./src/cart.rs", 31, Some("add_tax"))]);
        assert_eq!(all("error[E0308]\n  --> src/a.rs:3:5"), [place("src/a.rs", 3, None)]);
        assert_eq!(all("src/a.ts(10,5): error TS2322"), [place("src/a.ts", 10, None)]);
        assert_eq!(all("tests/t.py:12: AssertionError"), [place("tests/t.py", 12, None)]);
        assert_eq!(
            all("see https://host/o/r/blob/main/src/a.rs#L9-L12"),
            [place("https://host/o/r/blob/main/src/a.rs", 9, None)]
        );
    }

    #[test]
    fn traces_of_other_languages_name_functions_and_lines() {
        let java = "Exception in thread \"main\"\n\tat com.acme.shop.Cart.total(Cart.java:42)\n\tat \
                    java.base/java.util.Map$1.run(Map.java:7)\n";
        let expected = [
            place("com/acme/shop/Cart.java", 42, Some("total")),
            place("java/util/Map.java", 7, Some("run")),
        ];
        assert_eq!(all(java), expected);
        let net = "   at Acme.Shop.Cart.Total(Int32 count, List`1 of) in /src/Shop/Cart.cs:line 42\n   at \
                   Acme.Program.<Main>(String[] args) in C:\\src\\Program.cs:line 7\n";
        let expected =
            [place("/src/Shop/Cart.cs", 42, Some("Total")), place("C:/src/Program.cs", 7, Some("Program"))];
        assert_eq!(all(net), expected);
        let go = "panic: no\n\ngoroutine 1 [running]:\nexample.com/shop/cart.(*Cart).Total(0xc0000)\n\t/src/cart/cart.go:42 \
                  +0x1d\nmain.main()\n\t/src/main.go:7 +0x25\n";
        let expected =
            [place("/src/cart/cart.go", 42, Some("Total")), place("/src/main.go", 7, Some("main"))];
        assert_eq!(all(go), expected);
        let native = "    #0 0x4f1d in shop::Cart::total() /src/cart.cc:42:3\n    #1 0x4f2d in main /src/main.c:7:1\n#2  run \
                      (argc=1) at src/run.c:9\n";
        let expected = [
            place("/src/cart.cc", 42, Some("total")),
            place("/src/main.c", 7, Some("main")),
            place("src/run.c", 9, Some("run")),
        ];
        assert_eq!(all(native), expected);
    }

    #[test]
    fn a_path_in_prose_has_no_line() {
        assert_eq!(
            all("what does src/app/[slug]/page.tsx do?"),
            [("src/app/[slug]/page.tsx".into(), None, None)]
        );
    }

    #[test]
    fn text_without_end_takes_no_time() {
        assert!(Location::all_in(&"a/".repeat(50_000)).is_empty());
        assert_eq!(Location::all_in(&"a.rs:1 b.rs:2 ".repeat(10_000)).len(), MOST);
    }
}
