//! Included files: `#include "a/b.h"`.

use rustc_hash::FxHashMap;
use sscg_core::{FileId, Id, ModuleSystem, Project};

use super::{ModuleTarget, RuleContext, directory, normalize};
use crate::graph::Origin;
use crate::link::tables::Scope;

/// Files that may be included, by name.
pub(super) struct Headers(FxHashMap<Box<str>, Vec<FileId>>);

impl Headers {
    pub(super) fn new(project: &Project) -> Self {
        let mut headers: FxHashMap<Box<str>, Vec<FileId>> = FxHashMap::default();
        for (file, entry) in project.files().iter_enumerated() {
            if entry.language.modules == ModuleSystem::Includes {
                headers.entry(name(&entry.path).into()).or_default().push(file);
            }
        }
        Self(headers)
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Maximum number of files of one name that are compared with an included path.
const MOST_OF_A_NAME: usize = 64;

/// Returns the file that an include directive names: beside the including file, or below any directory of the tree, of
/// which the one nearest to the including file counts. Include directories are not read from a build.
pub(super) fn resolve(context: &RuleContext<'_>, from: Scope, module: &str) -> ModuleTarget {
    let path = module.trim_start_matches('<').trim_end_matches('>');
    let including = context.path(from.file);
    let beside = normalize(directory(including), path).filter(|_| path == module);
    if let Some(file) = beside.and_then(|path| context.first_file([path])) {
        return ModuleTarget::Scope(Scope::file(file));
    }
    let is_standard = path != module && is_standard_header(path);
    let suffix = path.trim_start_matches("../");
    let named = context.layout.headers.0.get(name(path)).map_or(&[][..], Vec::as_slice);
    let is_named = |file: &&FileId| {
        let rest = context.path(**file).strip_suffix(suffix);
        rest.is_some_and(|rest| {
            // A project that has the library's headers keeps them at the top of a directory for headers.
            if is_standard { rest.ends_with("include/") } else { rest.is_empty() || rest.ends_with('/') }
        })
    };
    let found = named.iter().filter(is_named).take(MOST_OF_A_NAME);
    match found.max_by_key(|file| (shared(including, context.path(**file)), std::cmp::Reverse(file.index())))
    {
        Some(file) => ModuleTarget::Scope(Scope::file(*file)),
        None if path == module => ModuleTarget::External(path.to_owned(), Origin::ThirdParty),
        None => ModuleTarget::External(path.to_owned(), Origin::StandardLibrary),
    }
}

/// Headers of the standard library of C and of POSIX.
const STANDARD: &[&str] = &[
    "aio",
    "alloca",
    "assert",
    "complex",
    "ctype",
    "dirent",
    "dlfcn",
    "endian",
    "errno",
    "fcntl",
    "fenv",
    "float",
    "fnmatch",
    "ftw",
    "getopt",
    "glob",
    "grp",
    "iconv",
    "inttypes",
    "iso646",
    "langinfo",
    "libgen",
    "limits",
    "locale",
    "malloc",
    "math",
    "memory",
    "mqueue",
    "netdb",
    "poll",
    "pthread",
    "pwd",
    "regex",
    "sched",
    "search",
    "semaphore",
    "setjmp",
    "signal",
    "spawn",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "strings",
    "syslog",
    "termios",
    "tgmath",
    "threads",
    "time",
    "uchar",
    "ucontext",
    "unistd",
    "utime",
    "wchar",
    "wctype",
    "wordexp",
];

/// Folders of headers of the system.
const STANDARD_FOLDERS: &[&str] = &["arpa", "asm", "linux", "net", "netinet", "sys"];

fn is_standard_header(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => STANDARD_FOLDERS.contains(&folder),
        None => path.strip_suffix(".h").is_some_and(|name| STANDARD.contains(&name)),
    }
}

/// Returns the number of directories that two paths share.
pub(in crate::link) fn shared(a: &str, b: &str) -> usize {
    directory(a).split('/').zip(directory(b).split('/')).take_while(|(a, b)| a == b).count()
}
