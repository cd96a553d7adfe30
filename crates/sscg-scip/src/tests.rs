use std::collections::BTreeMap;
use std::sync::Arc;

use protobuf::{Message, MessageField};
use scip::types::{Document, Index, Metadata, Occurrence, PositionEncoding, SymbolRole};
use sscg_core::{FileId, Manifests, Project};
use sscg_graph::{Applied, CodeGraph, Comparison, EdgeSource, SourceTree, Target, link};
use sscg_parse::project_file;

use crate::{ImportedIndex, ReadOptions, ScipError, SourceText, WriteOptions, read, write};

/// Project with its texts.
struct Tree {
    project: Project,
    texts: BTreeMap<String, String>,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let read = files.iter().map(|(path, text)| project_file(path, text).expect("a known language"));
        let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { project: Project::new(read.collect(), Manifests::default()), texts }
    }

    fn text(&self, file: FileId) -> Option<SourceText> {
        let text = self.texts.get(&*self.project.files()[file].path)?.clone();
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        Some(SourceText { text, hash })
    }

    fn read(&self, index: &Index) -> ImportedIndex {
        self.read_bytes(&index.write_to_bytes().expect("a message"))
    }

    fn read_bytes(&self, bytes: &[u8]) -> ImportedIndex {
        let options = ReadOptions::default().with_root("/work/shop");
        read(bytes, &self.project, &|file| self.text(file), &options).expect("an index")
    }

    fn apply(&self, found: &ImportedIndex, graph: Arc<CodeGraph>) -> Applied {
        let hash = |file| self.text(file).map(|text| text.hash);
        found.occurrences.apply(&SourceTree::new(&self.project, &hash), graph)
    }

    fn write(&self, graph: &CodeGraph) -> Vec<u8> {
        write(&self.project, graph, &|file| self.text(file), &WriteOptions::default())
    }
}

/// Creates a document: range, symbol, and whether it is a definition.
fn document(path: &str, occurrences: &[(&[i32], &str, bool)]) -> Document {
    let occurrences = occurrences.iter().map(|(range, symbol, is_definition)| Occurrence {
        range: range.to_vec(),
        symbol: (*symbol).to_owned(),
        symbol_roles: if *is_definition { SymbolRole::Definition as i32 } else { 0 },
        ..Occurrence::default()
    });
    Document { relative_path: path.to_owned(), occurrences: occurrences.collect(), ..Document::default() }
}

fn index(documents: Vec<Document>) -> Index {
    Index { documents, ..Index::default() }
}

/// Lists occurrences as `line name -> target`.
fn listed(found: &ImportedIndex) -> Vec<String> {
    let list = &found.occurrences;
    let target = |at: u32| match &list.targets[at as usize] {
        Target::External(external) => format!("<{}>", external.name),
        Target::Declared(sites) => {
            let sites = sites.iter().map(|site| format!("{}:{}:{}", site.path, site.line, site.name));
            sites.collect::<Vec<_>>().join(" ")
        }
    };
    let occurrences = list.files.iter().flat_map(|file| &file.occurrences);
    occurrences.map(|it| format!("{} {} -> {}", it.line, it.name, target(it.target))).collect()
}

const CODE: &str = "from b import f as g\n\n'𝒳'; g(1)\nx = len([])\n";

fn tree() -> Tree {
    Tree::new(&[("a.py", CODE), ("b.py", "def f(n):\n    return n\n")])
}

const F: &str = "scip-python python shop 1.0 `shop.b`/f().";

fn callee() -> Document {
    document(
        "b.py",
        &[
            (&[0, 0, 0], "scip-python python shop 1.0 `shop.b`/__init__:", true),
            (&[0, 4, 5], F, true),
            (&[0, 6, 7], "local 0", true),
            (&[1, 11, 12], "local 0", false),
        ],
    )
}

#[test]
fn names_and_targets_are_read_from_ranges() {
    let caller = document(
        "a.py",
        &[
            (&[0, 5, 6], "scip-python python shop 1.0 `shop.b`/__init__:", false),
            (&[0, 14, 15], F, false),
            // An alias, after a character of two units.
            (&[2, 6, 7], F, false),
            (&[3, 4, 7], "scip-python python python-stdlib 3.11 builtins/len().", false),
            // Not a name, a wrong name, nothing.
            (&[3, 2, 3], F, false),
            (&[3, 0, 1], F, false),
            (&[9, 0, 1], F, false),
        ],
    );
    let found = tree().read(&index(vec![caller, callee()]));
    assert_eq!(
        listed(&found),
        [
            "1 b -> b.py:0:",
            "1 f -> b.py:1:f",
            "3 g -> b.py:1:f",
            "4 len -> <builtins.len>",
            "1 f -> b.py:1:f",
            "1 n -> b.py:1:n",
            "2 n -> b.py:1:n"
        ]
    );
    assert_eq!((found.documents, found.foreign, found.stale.len()), (2, 0, 0));
}

#[test]
fn ranges_count_in_the_encoding_of_their_document() {
    for (encoding, start) in [
        (PositionEncoding::UTF8CodeUnitOffsetFromLineStart, 8),
        (PositionEncoding::UTF16CodeUnitOffsetFromLineStart, 6),
        (PositionEncoding::UTF32CodeUnitOffsetFromLineStart, 5),
        (PositionEncoding::UnspecifiedPositionEncoding, 6),
    ] {
        let mut caller = document("a.py", &[(&[2, start, start + 1], F, false)]);
        caller.position_encoding = encoding.into();
        let found = tree().read(&index(vec![caller, callee()]));
        assert_eq!(listed(&found)[0], "3 g -> b.py:1:f", "{encoding:?}");
    }
}

#[test]
fn a_document_of_another_text_is_stale() {
    let caller = document("a.py", &[(&[2, 6, 7], F, false)]);
    let mut moved = callee();
    moved.occurrences[1].range = vec![1, 4, 5];
    let found = tree().read(&index(vec![caller.clone(), moved]));
    assert_eq!((&found.stale[..], listed(&found).len()), (&["b.py".to_owned()][..], 0));
    assert_eq!(found.stale_occurrences, 1);
    let mut other = caller;
    other.text = "another text".to_owned();
    let found = tree().read(&index(vec![other, callee()]));
    assert_eq!(found.stale, ["a.py"]);
}

#[test]
fn an_index_of_a_directory_around_or_in_the_project_is_read() {
    for (root, path, expected) in [
        ("file:///work", "shop/b.py", 0),
        ("file:///work/shop", "./b.py", 0),
        ("file:///work/%73hop", "b.py", 0),
        ("file:///work/shop", "shop/b.py", 1),
        ("file:///work/other", "b.py", 0),
    ] {
        let mut callee = callee();
        callee.relative_path = path.to_owned();
        let mut index = index(vec![callee]);
        index.metadata =
            MessageField::some(Metadata { project_root: root.to_owned(), ..Metadata::default() });
        assert_eq!(tree().read(&index).foreign, expected, "{root} {path}");
    }
    let below = Tree::new(&[("lib/b.py", "def f(n):\n    return n\n")]);
    let mut index = index(vec![callee()]);
    index.metadata = MessageField::some(Metadata {
        project_root: "file:///work/shop/lib".to_owned(),
        ..Metadata::default()
    });
    assert_eq!(below.read(&index).foreign, 0);
}

#[test]
fn what_is_no_index_is_an_error() {
    let tree = tree();
    let read = |bytes: &[u8]| read(bytes, &tree.project, &|_| None, &ReadOptions::default()).map(|_| ());
    assert!(matches!(read(b"{\"documents\": []}"), Err(ScipError::Malformed { .. })));
    assert_eq!(read(b""), Err(ScipError::Empty));
    let bytes = index(vec![callee()]).write_to_bytes().expect("a message");
    for end in 1..bytes.len() {
        // A part is an error or an index with fewer occurrences, and never a panic.
        let _ = read(&bytes[..end]);
    }
}

#[test]
fn external_symbols_have_the_names_of_the_language() {
    let name = |symbol: &str| {
        let parsed = scip::symbol::parse_symbol(symbol).expect("a symbol");
        let external = crate::external::external(&parsed).expect("it has a name");
        format!("{} {:?}", external.name, external.origin)
    };
    assert_eq!(name("scip-python python python-stdlib 3.11 os/path/join()."), "os.path.join StandardLibrary");
    assert_eq!(name("scip-python python requests 2.0 `requests.api`/get()."), "requests.api.get ThirdParty");
    assert_eq!(
        name("scip-typescript npm typescript 5.0 lib/`lib.es5.d.ts`/Array#push()."),
        "Array.push StandardLibrary"
    );
    assert_eq!(
        name("scip-typescript npm @types/react 18 `index.d.ts`/useState()."),
        "react.useState ThirdParty"
    );
    assert_eq!(name("rust-analyzer cargo std 1.0 sync/Arc#new()."), "sync::Arc::new StandardLibrary");
    assert_eq!(name("rust-analyzer cargo serde 1.0 de/Error#"), "serde::de::Error ThirdParty");
}

/// Reads back what was written of these files, and compares it with their graph.
fn round_trip(files: &[(&str, &str)]) -> (Comparison, Index) {
    let tree = Tree::new(files);
    let graph = Arc::new(link(&tree.project));
    let bytes = tree.write(&graph);
    assert_eq!(bytes, tree.write(&graph), "the same graph gives the same bytes");
    let found = tree.read_bytes(&bytes);
    assert_eq!((found.foreign, found.stale.len()), (0, 0));
    let applied = tree.apply(&found, Arc::clone(&graph));
    (applied.comparison, Index::parse_from_bytes(&bytes).expect("an index"))
}

const SHAPES: &str = "\
import math
from base import Shape as Base

LIMIT = 3


class Circle(Base):
    \"\"\"Round.\"\"\"

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius + LIMIT

    def area_of(self, area):
        return self.area() + Circle(area).area()


def run():
    shape = Circle(1)
    return shape.area(), len([])
";

#[test]
fn what_is_written_agrees_with_the_graph_when_it_is_read() {
    let base = "class Shape:\n    def area(self):\n        pass\n";
    let (comparison, index) = round_trip(&[("base.py", base), ("shapes.py", SHAPES)]);
    assert_eq!(
        (comparison.contradicted.len(), comparison.added, comparison.stale),
        (0, 0, 0),
        "{comparison:?}"
    );
    assert!(comparison.agreed >= 12, "{comparison:?}");

    let [base, shapes] = &index.documents[..] else { panic!("two documents") };
    assert_eq!((&*base.relative_path, &*shapes.language), ("base.py", "Python"));
    let circle = shapes.symbols.iter().find(|it| it.display_name == "Circle").expect("it is described");
    assert_eq!(circle.symbol, "sscg . . . `shapes.py`/Circle#");
    assert_eq!(circle.documentation, ["Round."]);
    assert_eq!(circle.relationships[0].symbol, "sscg . . . `base.py`/Shape#");
    assert!(circle.relationships[0].is_implementation);
    let area = shapes.symbols.iter().find(|it| it.symbol.ends_with("area().")).expect("it is described");
    assert_eq!(area.relationships[0].symbol, "sscg . . . `base.py`/Shape#area().");
    assert!(area.relationships[0].is_reference);
    let defined = shapes.occurrences.iter().find(|it| it.symbol == area.symbol && it.symbol_roles & 1 == 1);
    let defined = defined.expect("it has a definition");
    assert_eq!((&defined.range[..], &defined.enclosing_range[..]), (&[12, 8, 12][..], &[12, 4, 13, 44][..]));
    // A parameter with the name of the method is no reference.
    let references =
        shapes.occurrences.iter().filter(|it| it.symbol == area.symbol && it.symbol_roles & 1 == 0);
    let ranges: Vec<&[i32]> = references.map(|it| &it.range[..]).collect();
    assert_eq!(ranges, [&[16, 20, 24][..], &[16, 42, 46], &[21, 17, 21]]);
    assert!(index.external_symbols.iter().any(|it| it.display_name == "builtins.len"));
}

#[test]
fn overloads_members_and_modules_of_other_languages_are_written() {
    let rust = "\
pub trait Shape { fn area(&self) -> u32; }
pub struct Square(u32);
impl Shape for Square { fn area(&self) -> u32 { self.0 } }
impl Square { pub fn new(side: u32) -> Self { Square(side) } }
pub fn run() -> u32 { Square::new(1).area() }
";
    let typescript = "\
export interface Shape { area(): number }
export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number { return this.side * this.side }
}
export function size(shape: string): number
export function size(shape: Shape): number
export function size(shape: any): number { return new Square(1).area() }
size(new Square(2))
";
    for files in [[("src/lib.rs", rust)], [("shapes.ts", typescript)]] {
        let (comparison, index) = round_trip(&files);
        assert_eq!((comparison.contradicted.len(), comparison.added), (0, 0), "{comparison:?}");
        assert!(comparison.agreed >= 4, "{comparison:?}");
        let symbols: Vec<&str> = index.documents[0].symbols.iter().map(|it| it.symbol.as_str()).collect();
        let mut distinct = symbols.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), symbols.len(), "each symbol is described once: {symbols:?}");
        for symbol in symbols {
            let parsed = scip::symbol::parse_symbol(symbol).expect("it is in the grammar of symbols");
            assert_eq!(scip::symbol::format_symbol(parsed), symbol);
        }
    }
}
