//! Types in the details of declarations.

use sscg::SearchRequest;
use sscg_format::{Details, SignatureType};

use crate::tree::Tree;

fn details(files: &[(&str, &str)], name: &str) -> Details {
    let answer = Tree::of(files).answer(&SearchRequest::new(format!("symbol = {name}")));
    answer.results.first().expect("a declaration").details.clone()
}

/// Returns the types in and out: `parameter: name (file:line)`.
fn types(files: &[(&str, &str)], name: &str) -> String {
    let one = |SignatureType { parameter, ty, line, inferred, .. }: &SignatureType| {
        let parameter = if parameter.is_empty() { String::new() } else { format!("{parameter}: ") };
        let origin = match (ty.file.as_str(), line) {
            ("", _) => String::new(),
            (file, 0) => format!(" ({file})"),
            (file, line) => format!(" ({file}:{line})"),
        };
        format!("{parameter}{}{origin}{}", ty.name, if *inferred { " inferred" } else { "" })
    };
    let all = |types: &[SignatureType]| types.iter().map(one).collect::<Vec<_>>().join(", ");
    let Details { types_in, types_out, .. } = details(files, name);
    format!("{} -> {}", all(&types_in), all(&types_out))
}

#[test]
fn parameters_and_results_have_the_origin_of_their_types() {
    let rust = "use http::Request;
pub struct Place;
pub struct Store<T>(T);
impl<T> Store<T> {
    pub fn find(&self, at: Option<&mut Place>, all: Vec<Request<T>>, deep: bool) -> Result<Vec<Place>, String> { Ok(Vec::new()) }
    pub fn new(first: T) -> Self { Self(first) }
    pub fn clear(&mut self) {}
}
";
    let files = [("Cargo.toml", "[package]\nname = 'a'\n[dependencies]\nhttp = '1'\n"), ("src/lib.rs", rust)];
    assert_eq!(
        types(&files, "Store > find"),
        "at: Place (src/lib.rs:2), all: Request (http), deep: bool -> Place (src/lib.rs:2)"
    );
    assert_eq!(types(&files, "Store > new"), "first: T -> Store (src/lib.rs:3)");
    assert_eq!(types(&files, "Store > clear"), " -> ");

    let python = "from models import Result as Found

class Store:
    def find(self, key: str, known: 'Found | None' = None, *rest: int) -> list[Found]:
        ...
    def reset(self) -> None:
        ...
";
    let files = [("models.py", "class Result:\n    pass\n"), ("store.py", python)];
    assert_eq!(
        types(&files, "Store > find"),
        "key: str, known: Result (models.py:1), rest: int -> Result (models.py:1)"
    );
    assert_eq!(types(&files, "Store > reset"), " -> ");

    let typescript = "import { Request } from 'express';
export interface User { id: string }
export class Service {
  async load({ url }: Request, token: string, deep = false): Promise<Map<string, User | null>> { return x; }
  async close(): Promise<void> {}
  count(): number { return 1; }
}
";
    let files = [("package.json", "{\"dependencies\": {\"express\": \"5\"}}"), ("a.ts", typescript)];
    assert_eq!(types(&files, "Service > load"), "Request (express), token: string -> User (a.ts:2)");
    assert_eq!(types(&files, "Service > close"), " -> ");
    assert_eq!(types(&files, "Service > count"), " -> number");

    let go = "package a

type Shape struct{}

func Merge(a, b *Shape, deep bool) ([]Shape, error) { return nil, nil }
";
    assert_eq!(
        types(&[("a.go", go)], "Merge"),
        "a: Shape (a.go:3), b: Shape (a.go:3), deep: bool -> Shape (a.go:3)"
    );

    let java = "class Order {}
class Store {
  public static <T> java.util.List<Order> find(final Order like, int... limits) { return null; }
}
";
    assert_eq!(
        types(&[("Store.java", java)], "Store > find"),
        "like: Order (Store.java:1), limits: int... -> Order (Store.java:1)"
    );

    let csharp = "class Order {}
class Store {
    public async Task<Order> Find([In] Order like, string name = \"a, b\") => null;
}
";
    assert_eq!(
        types(&[("Store.cs", csharp)], "Store > Find"),
        "like: Order (Store.cs:1), name: string -> Order (Store.cs:1)"
    );

    let c = "struct item { int n; };
static struct item *next(const struct item *it, unsigned long count) { return 0; }
";
    assert_eq!(types(&[("a.c", c)], "next"), "it: item (a.c:1), count: unsigned long -> item (a.c:1)");
}

#[test]
fn result_types_are_inferred_where_all_returned_values_have_one() {
    let python = "class User:
    def rename(self, name):
        self.name = name
        return self

    @classmethod
    def guest(cls):
        return cls()

class Admin:
    pass

def find(key):
    if not key:
        return None
    found = User()
    return found

def renamed(key):
    return find(key).rename('x')

def either(key):
    if key:
        return User()
    return Admin()

def some(key):
    if key:
        return User()
    return key

def every():
    yield User()
";
    let python = |name| types(&[("a.py", python)], name);
    for inferred in ["find", "renamed", "User > rename", "User > guest"] {
        assert!(python(inferred).ends_with("-> User (a.py:1) inferred"), "{inferred}: {}", python(inferred));
    }
    for unknown in ["either", "some", "every"] {
        assert_eq!(python(unknown), " -> ", "{unknown}");
    }

    let typescript = "export class User {
  rename() {
    return this;
  }
  static guest() {
    return new this();
  }
}
export class Admin {}
export function find(id: string) { if (!id) return null; return new User(); }
export const found = (id: string) => find(id);
export async function loaded() { return await find('x'); }
export function either(id: string) { if (id) { return new Admin(); } return new User(); }
export function written(id: string): string { return id; }
export function unknown(id: any) { return id; }
";
    let typescript = |name| types(&[("a.ts", typescript)], name);
    for inferred in ["find", "found", "loaded", "User > rename", "User > guest"] {
        let types = typescript(inferred);
        assert!(types.ends_with("-> User (a.ts:1) inferred"), "{inferred}: {types}");
    }
    assert_eq!(typescript("either"), "id: string -> ");
    assert_eq!(typescript("written"), "id: string -> string");
    assert_eq!(typescript("unknown"), "id: any -> ");
}

#[test]
fn type_parameters_have_their_bounds_and_defaults() {
    let of = |path, text, name| {
        let parameters = details(&[(path, text)], name).type_parameters;
        parameters.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let typescript = "export class Store<T extends object = {}, K extends keyof T = keyof T> {}";
    assert_eq!(of("a.ts", typescript, "Store"), "T: object = {}, K: keyof T = keyof T");
    let rust = "pub struct Map<'a, K: Ord + 'a, const N: usize = 4>(&'a [K; N]);";
    assert_eq!(of("src/lib.rs", rust, "Map"), "'a, K: Ord + 'a, N: usize = 4");
    let python = "class Box[T: int = bool]:\n    pass\n\ndef first[*Ts](all: tuple[*Ts]):\n    pass\n";
    assert_eq!(of("a.py", python, "Box"), "T: int = bool");
    assert_eq!(of("a.py", python, "first"), "*Ts");
    let python = "from typing import Generic, TypeVar\nT = TypeVar('T', bound=int)\nclass Old(Generic[T]):\n    pass\n";
    assert_eq!(of("a.py", python, "Old"), "T: int");
    let java = "class Store<T extends Comparable<T> & Runnable> {}";
    assert_eq!(of("Store.java", java, "Store"), "T: Comparable<T> & Runnable");
    let csharp = "class Store<T, K> where T : class, new() {}";
    assert_eq!(of("Store.cs", csharp, "Store"), "T: class, new(), K");
    let go = "package a\n\nfunc Sum[T int | float64, K comparable](all map[K]T) T { return 0 }\n";
    assert_eq!(of("a.go", go, "Sum"), "T: int | float64, K: comparable");
}

#[test]
fn implementations_come_before_declarations_of_the_same_name() {
    let found = |files: &[(&str, &str)], name: &str| {
        let answer = Tree::of(files).answer(&SearchRequest::new(format!("symbol = {name}")));
        let files = answer.results.iter().map(|result| result.file.clone()).collect::<Vec<_>>().join(" ");
        (files, answer.results[0].details.declared_in.join(" "))
    };
    let own = |files: &str, declared: &str| (files.to_owned(), declared.to_owned());
    let typed = "export class Client {\n  send(text: string): void;\n}\n";
    let script = "export class Client {\n  send(text) { this.text = text; }\n}\n";
    let files = [("index.d.ts", typed), ("lib/client.js", script)];
    assert_eq!(found(&files, "Client > send"), own("lib/client.js index.d.ts", "index.d.ts:2"));
    let files = [("a.pyi", "def open(path: str) -> int: ...\n"), ("b.py", "def open(path):\n    return 1\n")];
    assert_eq!(found(&files, "open"), own("b.py a.pyi", "a.pyi:1"));
    let files = [
        ("a.h", "int push(int value);\n"),
        ("b.c", "#include \"a.h\"\nint push(int value) { return value; }\n"),
    ];
    assert_eq!(found(&files, "push"), own("b.c a.h", "a.h:1"));
}
