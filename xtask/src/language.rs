//! `cargo xtask language`: the skeleton of a language, and what is missing for it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::workspace::root;

/// Add a language, or list what is missing for one
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Write the directory of a language and what connects it, and list what is missing
    New {
        /// Name of the language, in lower case: `kotlin`
        name: String,
        /// Crate of its tree-sitter grammar
        #[arg(long)]
        grammar: Option<String>,
        /// Version of that crate
        #[arg(long, default_value = "*")]
        version: String,
    },
    /// List what is missing for a language
    Check {
        /// Name of the language
        name: String,
    },
}

pub(crate) fn run(Args { command }: Args) -> Result<()> {
    match command {
        Command::New { name, grammar, version } => {
            let grammar = grammar.unwrap_or_else(|| format!("tree-sitter-{name}"));
            create(&Paths::new(&name)?, &grammar, &version)?;
            check(&Paths::new(&name)?)
        }
        Command::Check { name } => check(&Paths::new(&name)?),
    }
}

/// Places of a language in the workspace.
struct Paths {
    name: String,
    root: PathBuf,
    source: PathBuf,
}

impl Paths {
    fn new(name: &str) -> Result<Self> {
        let is_name = name.starts_with(|it: char| it.is_ascii_lowercase())
            && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
        ensure!(is_name, "`{name}` is no name of a module: use lower case letters, digits and `_`");
        let root = root()?;
        let source = root.join("crates/sscg-parse/src").join(name);
        Ok(Self { name: name.to_owned(), root, source })
    }

    fn fixtures(&self, suite: &str) -> PathBuf {
        self.root.join("fixtures").join(suite).join(&self.name)
    }
}

/// Returns the Rust name of the grammar's type: `Kotlin`.
fn type_name(name: &str) -> String {
    let upper = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    name.split('_').filter(|part| !part.is_empty()).map(upper).collect()
}

fn create(paths: &Paths, grammar: &str, version: &str) -> Result<()> {
    let Paths { name, root, source } = paths;
    ensure!(!source.exists(), "{} exists: see `cargo xtask language check {name}`", source.display());
    fs::create_dir_all(source)?;
    let (library, ty) = (grammar.replace('-', "_"), type_name(name));
    let filled = |template: &str| {
        let template = template.replace("LANGUAGE_NAME", name).replace("LanguageType", &ty);
        template.replace("GRAMMAR_CRATE", &library).replace("STATIC_NAME", &name.to_ascii_uppercase())
    };
    write(&source.join("mod.rs"), &filled(MODULE))?;
    write(&source.join("grammar.rs"), &filled(GRAMMAR))?;
    write(&source.join("library.txt"), &filled(LIBRARY))?;
    write(&paths.fixtures("parser").join(format!("example.{name}")), "")?;
    let parse = root.join("crates/sscg-parse");
    insert_sorted(&root.join("Cargo.toml"), "tree-sitter-", &format!("{grammar} = \"{version}\""))?;
    let manifest = parse.join("Cargo.toml");
    insert_sorted(
        &manifest,
        "tree-sitter-",
        &format!("{grammar} = {{ workspace = true, optional = true }}"),
    )?;
    insert_sorted(&manifest, "lang-", &format!("lang-{name} = [\"dep:{grammar}\"]"))?;
    insert_sorted(&manifest, "    \"lang-", &format!("    \"lang-{name}\","))?;
    let feature = format!("#[cfg(feature = \"lang-{name}\")]\n");
    insert(&parse.join("src/lib.rs"), "#[cfg(feature = \"lang-go\")]\n", &format!("{feature}mod {name};\n"))?;
    let entry = format!("    {}    &SpecFrontend(&crate::{name}::{ty}),\n", feature);
    insert(&parse.join("src/registry.rs"), "    #[cfg(feature = \"lang-go\")]\n    &Spec", &entry)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Inserts a line before the first of those with a prefix that sorts after it; after the last if there is none.
fn insert_sorted(path: &Path, prefix: &str, line: &str) -> Result<()> {
    let text = fs::read_to_string(path)?;
    let mut lines: Vec<&str> = text.lines().collect();
    let known = || lines.iter().enumerate().filter(|(_, known)| known.starts_with(prefix));
    let last = known().next_back().with_context(|| format!("{} has no line `{prefix}..`", path.display()))?.0;
    let at = known().find(|(_, known)| **known > line).map_or(last + 1, |(at, _)| at);
    lines.insert(at, line);
    fs::write(path, lines.join("\n") + "\n")?;
    println!("changed {}", path.display());
    Ok(())
}

/// Inserts lines before the first place of a text in a file.
fn insert(path: &Path, before: &str, lines: &str) -> Result<()> {
    let text = fs::read_to_string(path)?;
    let at =
        text.find(before).with_context(|| format!("{} has no line `{}`", path.display(), before.trim()))?;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = if before.starts_with(['#', ' ']) { at } else { start };
    fs::write(path, format!("{}{lines}{}", &text[..start], &text[start..]))?;
    println!("changed {}", path.display());
    Ok(())
}

/// Prints what a language has and what is missing.
fn check(paths: &Paths) -> Result<()> {
    let Paths { name, root, source } = paths;
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let module = fs::read_to_string(source.join("mod.rs")).unwrap_or_default();
    let lines: usize = files(source)
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|it| it.lines().count())
        .sum();
    let has_fixture = |word: &str| {
        files(&paths.fixtures("parser")).iter().any(|path| path.to_string_lossy().contains(word))
    };
    let golden =
        files(&paths.fixtures("parser")).iter().any(|path| path.to_string_lossy().ends_with(".references"));
    let items = [
        (source.exists(), "a directory in crates/sscg-parse/src"),
        (!module.contains("fill in"), "names, extensions and module system (`fill in` in mod.rs)"),
        (
            read("crates/sscg-parse/src/registry.rs").contains(&format!("crate::{name}::")),
            "a line in registry.rs",
        ),
        (read("crates/sscg-parse/Cargo.toml").contains(&format!("lang-{name}")), "a feature of sscg-parse"),
        (
            !read("crates/sscg-parse/src/plain/languages.rs").contains(&format!("\"{name}\"")),
            "its removal from plain/languages.rs, where its declarations were found by keyword",
        ),
        (has_fixture("broken."), "a fixture of broken code: fixtures/parser"),
        (has_fixture("only_comments."), "a fixture of comments alone: fixtures/parser"),
        (golden, "golden files: `cargo xtask fixtures --bless`, then read them"),
        (paths.fixtures("graph").exists(), "projects in fixtures/graph"),
        (paths.fixtures("snapshot").exists(), "cases in fixtures/snapshot"),
        (
            read("docs/languages.md").contains(&format!("| {name} |")),
            "a row in docs/languages.md (written by `--bless`)",
        ),
        (
            read("docs/benchmarks/edges.md").to_lowercase().contains(name.as_str()),
            "measured edges in docs/benchmarks/edges.md",
        ),
    ];
    println!("{name}: {lines} lines");
    for (is_there, what) in items {
        println!("{} {what}", if is_there { "has    " } else { "missing" });
    }
    println!("then: `cargo xtask corpus DIR` on much real code, and `cargo xtask bench parse`");
    Ok(())
}

/// Returns the files of a directory, in order.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

const LIBRARY: &str = "# Names of LANGUAGE_NAME and its standard library; see `sscg_core::Library`.\n";

const GRAMMAR: &str = r#"//! Node kinds and fields of the grammar.

use crate::grammar::grammar;

grammar! {
    language: GRAMMAR_CRATE::LANGUAGE,
    kinds: {
        Comment = "comment",
    },
    tokens: {},
    leaves: [],
    fields: {
        name = "name",
    },
}
"#;

const MODULE: &str = r#"//! LanguageType, through tree-sitter.

mod grammar;

use std::sync::LazyLock;

use sscg_core::{Corpus, Language, LanguageDef, Library, ModuleSystem};
use tree_sitter::Node;

use self::grammar::{Kind, LANGUAGE, kind};
use crate::highlight::Highlighting;
use crate::scope::{RawHint, RawName, RawType};
use crate::signature::Order;
use crate::spec::{Grammar, Spec, Walk};
use crate::syntax::Ending;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::parse(include_str!("library.txt")));

static STATIC_NAME: LanguageDef = LanguageDef {
    name: "LANGUAGE_NAME",
    aliases: &[],
    // fill in: endings of file names, the module system, and the family of the language.
    extensions: &["LANGUAGE_NAME"],
    version: 1,
    corpus: Corpus::Code,
    is_data: false,
    modules: ModuleSystem::DeclaredPackages,
    family: "LANGUAGE_NAME",
    library: &LIBRARY,
    stub: " { ... }",
};

// fill in: a query of your own if the crate has none.
static HIGHLIGHTING: LazyLock<Highlighting> =
    LazyLock::new(|| Highlighting::new(GRAMMAR_CRATE::LANGUAGE, &[GRAMMAR_CRATE::HIGHLIGHTS_QUERY]));

static SPEC: Spec = Spec {
    languages: &[Language::new(&STATIC_NAME)],
    grammar: &LANGUAGE,
    highlighting: &HIGHLIGHTING,
    line_comment: "//",
    // fill in: the order of the name and the type of a parameter.
    order: Order::TypeName,
    quotes: b"\"'",
    ending: Ending::Signature(";"),
    no_value: "null /* value omitted */",
};

/// Grammar of the language.
pub(crate) struct LanguageType;

impl Grammar for LanguageType {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn visit<'t>(&self, walk: &mut Walk<'t>, node: Node<'t>) {
        match kind(node) {
            Kind::Leaf | Kind::Comment => {}
            // Declarations: `walk.declare(Item::new(..))`, then `walk.inside(symbol, ..)`. References: `walk.reference(..)`.
            _ => walk.children(node),
        }
    }

    fn name<'t>(&self, _walk: &Walk<'t>, _node: Node<'t>, _depth: u32) -> Option<RawName<'t>> {
        None
    }

    fn hint<'t>(&self, _walk: &Walk<'t>, _node: Node<'t>, _depth: u32) -> Option<RawHint<'t>> {
        None
    }

    fn ty<'t>(&self, _walk: &Walk<'t>, _node: Node<'t>) -> Option<RawType<'t>> {
        None
    }
}
"#;
