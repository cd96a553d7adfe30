//! Look-ups: their lists, their omissions, and their exit codes.

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::sandbox::Sandbox;

fn check(sandbox: &Sandbox, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&sandbox.run(arguments).transcript());
}

#[test]
fn callers_are_listed_with_every_line() {
    let sandbox = Sandbox::of_project("parcel");
    check(
        &sandbox,
        &["callers", "Place > distance", "plan_tour"],
        expect![[r#"
            router/src/geo.rs::Place.distance (13-19): 1 line in 1 file
            router/src/depot.rs
              Depot.closest 14
            Complete. No other line of code has the name.
            router/src/plan.rs::plan_tour (15-34): no known use
            Complete. No line of code has the name.
            --- exit 0
        "#]],
    );
    // Modules may precede names, as in code.
    let by_module = sandbox.run(&["callers", "router::geo::Place::distance"]).stdout;
    assert_eq!(by_module, sandbox.run(&["callers", "Place.distance"]).stdout);
    // A directory may follow the names, as elsewhere, or precede the command.
    assert_eq!(
        sandbox.run(&["-C", ".", "uses", "plan_tour"]).stdout,
        sandbox.run(&["uses", "plan_tour"]).stdout
    );
    let in_directory = sandbox.run(&["refs", "plan_tour", "."]).stdout;
    assert_eq!(in_directory, sandbox.run(&["uses", "plan_tour"]).stdout);
}

#[test]
fn what_may_be_meant_is_listed_and_what_cannot_be_is_counted() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "class A:\n    def grow(self):\n        pass\n\ndef f(a: A, x):\n    a.grow()\n    x.grow()\n    a.grow()\n");
    sandbox.write("b.py", "class B:\n    def grow(self):\n        pass\n\ndef g(x):\n    x.grow()\n");
    check(
        &sandbox,
        &["callers", "A > grow"],
        expect![[r#"
            a.py::A.grow (2-3): 2 lines in 1 file
            a.py
              f 6, 8
            May be it too, 2 lines: one of several; other declarations of this name are likelier
            a.py
              f 7: x.grow()
            b.py
              g 6: x.grow()
            Complete with those that may be it. No other line of code has the name.
            --- exit 0
        "#]],
    );
    let run = sandbox.run(&["callers", "A > grow", "--json"]);
    let found: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(found[0]["places"][0]["lines"], serde_json::json!([6, 8]));
    assert_eq!(found[0]["possible"][0]["lines"], serde_json::json!([7]));
}

#[test]
fn calls_of_a_rust_function_give_as_many_arguments_as_it_takes() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/lib.rs",
        "pub struct A;\nimpl A {\n    pub fn measure(&self, by: u32) {}\n}\npub struct B;\nimpl B {\n    pub fn measure(&self) {}\n}\n\
         pub fn f(of: impl Fn()) {\n    of.x.measure(1);\n    of.x.measure();\n    measure(1);\n}\n",
    );
    check(
        &sandbox,
        &["callers", "A > measure"],
        expect![[r#"
            src/lib.rs::A.measure (3-3): no known use
            May be it too, 1 line: one of several
            src/lib.rs
              f 10: of.x.measure(1);
            Complete with those that may be it. Other lines of code with the name: 2 for something else (src/lib.rs 11, 12).
            --- exit 0
        "#]],
    );
}

#[test]
fn a_text_is_found_in_every_file() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(
        "deploy/run.go",
        "package main\n\nfunc main() { panic(\"no road leads to \" + os.Args[1]) }\n",
    );
    sandbox.write("logo.bin", b"no road leads to\0");
    check(
        &sandbox,
        &["text", "no road leads to", "/fn \\w*tour/", "NO DEPOT TO", "nowhere at all"],
        expect![[r#"
            "no road leads to": 2 lines in 2 files
            deploy/run.go
              3 main: func main() { panic("no road leads to " + os.Args[1]) }
            router/src/error.rs
              15 RouteError.fmt: RouteError::Unreachable(name) => write!(f, "no road leads to {name}"),
            "/fn \\w*tour/" (regular expression): 1 line in 1 file
            router/src/plan.rs
              16 plan_tour: pub fn plan_tour(
            "NO DEPOT TO": 2 lines in 1 file, in other letters
            router/src/error.rs
              8 RouteError: /// There is no depot to start from.
              16 RouteError.fmt: RouteError::NoDepot => f.write_str("no depot to start from"),
            "nowhere at all": nowhere
            --- exit 0
        "#]],
    );
    check(
        &sandbox,
        &["text", "/(/"],
        expect![[r#"
        --- stderr
        error: "/(/" cannot be looked for in lines: error: unclosed group
        hint: give a text of one line, or a regular expression of the crate `regex` between slashes
        --- exit 2
    "#]],
    );
}

#[test]
fn long_lines_are_cut_around_the_text() {
    let sandbox = Sandbox::new();
    sandbox.write("a.js", format!("let x = \"{}needle{}\";\n", "a".repeat(5_000), "b".repeat(5_000)));
    sandbox.write("b.txt", "needle\r\nneedles\r\n");
    let run = sandbox.run(&["text", "/needle$/"]);
    assert!(run.stdout.contains("1: needle\n") && !run.stdout.contains("needles"), "{}", run.stdout);
    let run = sandbox.run(&["text", "needle"]);
    assert!(run.stdout.contains("aneedleb") && run.stdout.len() < 300, "{}", run.stdout);
}

#[test]
fn a_list_that_does_not_fit_says_how_much_is_left_out() {
    let sandbox = Sandbox::new();
    let calls: String = (0..200).map(|n| format!("def f{n}():\n    run()\n\n")).collect();
    sandbox.write("a.py", format!("def run():\n    pass\n\n{calls}"));
    sandbox.write("b.py", "def other():\n    pass\n");
    let run = sandbox.run(&["callers", "run", "other", "--budget", "300"]);
    let listed = run.stdout.matches("\n  f").count();
    assert!(listed > 20, "{}", run.stdout);
    let rest = format!(
        "\nCut: {} lines left out, ask with a larger budget.\nb.py::other (1-2): no known use\nComplete. No line of \
         code has the name.\n",
        200 - listed
    );
    assert!(run.stdout.ends_with(&rest), "{}", run.stdout);
    let run = sandbox.run(&["text", "run()", "--budget", "300"]);
    let listed = run.stdout.matches(": run()\n").count() + 1;
    let rest =
        format!("\nCut: {} lines left out, ask with a larger budget or for a longer text.\n", 201 - listed);
    assert!(listed > 10 && run.stdout.ends_with(&rest), "{}", run.stdout);
}

#[test]
fn a_name_that_is_nowhere_does_not_keep_the_others_from_being_looked_up() {
    let sandbox = Sandbox::of_project("parcel");
    for look_up in ["callers", "show"] {
        let run = sandbox.run(&[look_up, "nosuch", "Depot > closest"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.starts_with("router/src/depot.rs:"), "{}", run.stdout);
        assert!(run.stdout.contains("\nerror: nothing is named \"nosuch\"; "), "{}", run.stdout);
    }
}

#[test]
fn lines_with_the_name_that_no_rule_reads_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/lib.rs",
        "pub struct S;\nimpl S {\n    pub fn grow(&self) {}\n}\nmacro_rules! each {\n    ($x:expr) => {\n        $x.grow();\n    \
         };\n}\n// s.grow() is a comment\npub const TEXT: &str = \"s.grow()\";\n",
    );
    sandbox.write("src/other.rs", "fn grow() {}\n");
    check(
        &sandbox,
        &["callers", "S > grow"],
        expect![[r#"
            src/lib.rs::S.grow (3-3): no known use
            May be it too, 1 line: the line has the name, and no rule reads it
            src/lib.rs
              each 7: $x.grow();
            Complete with those that may be it. No other line of code has the name.
            Comments with the name: src/lib.rs 10
            --- exit 0
        "#]],
    );
}

#[test]
fn a_path_through_another_type_leads_to_no_function_of_this_one() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/lib.rs",
        "pub struct Pool;\nimpl Pool {\n    pub fn open() {}\n}\npub type Shared = Pool;\npub fn f<T: Lent>(of: Vec<Wire>) {\n    \
         Pool::open();\n    Wire::open();\n    of.into_iter().map(Wire::open);\n    Shared::open();\n    T::Own::open();\n    \
         <T as Lent>::open();\n}\n",
    );
    check(
        &sandbox,
        &["callers", "Pool > open"],
        expect![[r#"
            src/lib.rs::Pool.open (3-3): 2 lines in 1 file
            src/lib.rs
              f 7, 10
            May be it too, 2 lines: not defined or imported in its file; the line has the name, and no rule reads it
            src/lib.rs
              f 11: T::Own::open();
              f 12: <T as Lent>::open();
            Complete with those that may be it. Other lines of code with the name: 2 for something else (src/lib.rs 8, 9).
            --- exit 0
        "#]],
    );
}

#[test]
fn a_dependency_is_known_by_the_name_that_it_has_in_code() {
    let sandbox = Sandbox::new();
    sandbox.write("wire/Cargo.toml", "[package]\nname = \"post-wire\"\n");
    sandbox.write(
        "wire/src/lib.rs",
        "pub struct Link;\nimpl Link {\n    pub fn close(&self) {}\n    pub fn open() -> Self {\n        Link\n    }\n}\n",
    );
    sandbox.write(
        "post/Cargo.toml",
        "[package]\nname = \"post\"\n[dependencies]\nproto = { package = \"post-wire\", path = \"../wire\" }\n",
    );
    sandbox.write(
        "post/src/lib.rs",
        "pub struct Link {\n    inner: proto::Link,\n}\nimpl Link {\n    pub fn new() -> Self {\n        Self { inner: proto::Link::open() }\n    }\n    \
         pub fn close(&self) {\n        self.inner.close();\n    }\n}\n",
    );
    check(
        &sandbox,
        &["callers", "wire/src/lib.rs::Link.close", "wire/src/lib.rs::Link.open"],
        expect![[r#"
            wire/src/lib.rs::Link.close (3-3): 1 line in 1 file
            post/src/lib.rs
              Link.close 9
            Complete. No other line of code has the name.
            wire/src/lib.rs::Link.open (4-6): 1 line in 1 file
            post/src/lib.rs
              Link.new 6
            Complete. No other line of code has the name.
            --- exit 0
        "#]],
    );
}

#[test]
fn attributes_name_functions_in_strings() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/lib.rs",
        "pub struct Bag {\n    #[serde(default = \"one\", skip_serializing_if = \"Bag::is_light\", rename = \"is_light\")]\n    \
         count: u32,\n}\nimpl Bag {\n    fn is_light(count: &u32) -> bool {\n        *count < 2\n    }\n}\nfn one() -> u32 {\n    1\n}\n",
    );
    check(
        &sandbox,
        &["callers", "Bag > is_light", "one"],
        expect![[r#"
            src/lib.rs::Bag.is_light (6-8): 1 line in 1 file
            src/lib.rs
              Bag.count 2 references
            Complete. No other line of code has the name.
            Held as a value: src/lib.rs 2. Calls through that value are not listed.
            src/lib.rs::one (10-12): 1 line in 1 file
            src/lib.rs
              Bag.count 2 references
            Complete. No other line of code has the name.
            Held as a value: src/lib.rs 2. Calls through that value are not listed.
            --- exit 0
        "#]],
    );
}

#[test]
fn of_many_lines_that_may_be_meant_the_numbers_are_listed_and_every_name_has_its_share() {
    let sandbox = Sandbox::new();
    let calls: String = (0..900).map(|_| "    x.grow()\n").collect();
    sandbox.write("a.py", format!("class A:\n    def grow(self):\n        pass\n\ndef f(x):\n{calls}"));
    sandbox
        .write("b.py", "class B:\n    def grow(self):\n        pass\n\ndef last(x):\n    pass\n\nlast(1)\n");
    let run = sandbox.run(&["callers", "A > grow", "last", "--budget", "3000"]);
    assert!(run.stdout.contains("\na.py 6, 7, 8, 9, "), "{}", run.stdout);
    assert!(run.stdout.contains(", 905\nComplete with those that may be it"), "{}", run.stdout);
    let small = sandbox.run(&["callers", "A > grow", "last", "--budget", "300"]);
    assert!(small.stdout.contains("\nCut: 900 lines left out"), "{}", small.stdout);
    assert!(small.stdout.contains("\nb.py\n  (top level) 8\nComplete"), "{}", small.stdout);
}

#[test]
fn what_code_outside_of_the_project_returns_may_be_the_projects() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.tsx",
        "import { useState } from \"react\";\nclass Store {\n    save() {}\n}\nexport function A() {\n    const [store] = useState(() => new \
         Store());\n    store.save();\n}\n",
    );
    check(
        &sandbox,
        &["callers", "Store > save"],
        expect![[r#"
            a.tsx::Store.save (3-3): no known use
            May be it too, 1 line: the receiver's type is not part of the project
            a.tsx
              A 7: store.save();
            Complete with those that may be it. No other line of code has the name.
            --- exit 0
        "#]],
    );
}

#[test]
fn uses_of_common_names_on_values_from_outside_are_told_apart() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.tsx",
        "import { useState } from \"react\";\nclass Store {\n    get() {}\n}\nexport function A() {\n    const [store] = useState(() => new \
         Store());\n    store.get();\n}\n",
    );
    check(
        &sandbox,
        &["callers", "Store > get"],
        expect![[r#"
            a.tsx::Store.get (3-3): no known use
            Complete. Lines of code with the name: 1 on values from elsewhere (a.tsx 7).
            --- exit 1
        "#]],
    );
}

#[test]
fn what_calls_without_naming_is_listed_or_told() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.py",
        "import threading\nclass Base:\n    def __init__(self):\n        pass\n    def __iadd__(self, other):\n        return self\n\n\
         class Sub(Base):\n    pass\n\nclass Worker(threading.Thread):\n    def run(self):\n        pass\n\nBase()\nSub()\n",
    );
    sandbox.write("b.js", "items.forEach(function visit(item) {\n    show(item);\n});\n");
    check(
        &sandbox,
        &["callers", "Base > __init__", "Base > __iadd__", "Worker > run", "visit"],
        expect![[r#"
            a.py::Base.__init__ (3-4): 2 lines in 1 file
            a.py
              (top level) 15 instantiates through Base
              (top level) 16 instantiates through Sub
            Complete with constructions of Base, Sub. No other line of code has the name.
            a.py::Base.__iadd__ (5-6): no known use
            Complete. No line of code has the name.
            Operators, statements or built-in functions may call it. Such calls are not listed.
            a.py::Worker.run (12-13): no known use
            Complete. No line of code has the name.
            Code outside may call it through threading.Thread. Such calls are not listed.
            b.js::visit (1-3): 1 line in 1 file
            b.js
              (top level) 1 references
            Complete. No other line of code has the name.
            Held as a value: b.js 1. Calls through that value are not listed.
            --- exit 0
        "#]],
    );
}

#[test]
fn decorators_that_take_a_function_are_told_and_annotations_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.py",
        "def route(f):\n    return f\n\n@route\ndef home():\n    pass\n\n@property\ndef size():\n    pass\n",
    );
    sandbox.write("Home.java", "import org.web.Route;\nclass Home {\n    @Route void open() {}\n}\n");
    check(
        &sandbox,
        &["callers", "home", "size", "Home > open"],
        expect![[r#"
            a.py::home (4-6): no known use
            Complete. No line of code has the name.
            Decorated with a.py::route. Calls by a decorator are not listed.
            a.py::size (8-10): no known use
            Complete. No line of code has the name.
            Home.java::Home.open (3-3): no known use
            Complete. No line of code has the name.
            --- exit 1
        "#]],
    );
}

#[test]
fn code_is_shown_with_its_line_numbers() {
    let sandbox = Sandbox::of_project("parcel");
    check(
        &sandbox,
        &["show", "Place > distance", "router/src/lib.rs:3-5", "router/src/geo.rs:7", "README.md:1-2"],
        expect![[r#"
            router/src/geo.rs:13-19 method Place.distance
            13	    /// The great-circle distance to another place, in kilometres, by the haversine formula.
            14	    pub fn distance(&self, other: &Place) -> f64 {
            15	        let (a, b) = (self.latitude.to_radians(), other.latitude.to_radians());
            16	        let step = (other.longitude - self.longitude).to_radians();
            17	        let half = ((b - a) / 2.0).sin().powi(2) + a.cos() * b.cos() * (step / 2.0).sin().powi(2);
            18	        2.0 * EARTH_RADIUS_KM * half.sqrt().asin()
            19	    }
            router/src/lib.rs:3-5
            3	mod depot;
            4	mod error;
            5	mod geo;
            router/src/geo.rs:5-10 struct Place
            5	/// A place by latitude and longitude, in degrees.
            6	#[derive(Clone, Copy, Debug, PartialEq)]
            7	pub struct Place {
            8	    pub latitude: f64,
            9	    pub longitude: f64,
            10	}
            README.md:1-2
            1	# Parcel
            2	
            --- exit 0
        "#]],
    );
    // The first place is always shown, the others are only named.
    check(
        &sandbox,
        &["show", "router/src/lib.rs:1-2", "router/src/plan.rs", "--budget", "200"],
        expect![[r#"
            router/src/lib.rs:1-2
            1	//! Plans which van takes which parcels, and in which order.
            2	
            Left out, the budget is spent: router/src/plan.rs:1-45
            --- exit 0
        "#]],
    );
    // In a file of an unsupported language, a line stands for the block around it.
    sandbox.write("gate/main.go", "package main\n\nfunc open() {\n\tlift()\n}\n\nfunc shut() {\n}\n");
    check(
        &sandbox,
        &["show", "gate/main.go:4"],
        expect![[r#"
            gate/main.go:3-5 function open
            3	func open() {
            4		lift()
            5	}
            --- exit 0
        "#]],
    );
}

#[test]
fn other_text_than_own_code_is_listed_by_number_if_there_is_much_of_it() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.ts", "export const mode = \"penMode\";\n");
    for at in 0..20 {
        sandbox.write(&format!("locales/{at:02}.json"), "\"penMode\": 1\n".repeat(at + 1));
    }
    let run = sandbox.run(&["text", "penMode"]);
    assert!(
        run.stdout.starts_with("\"penMode\": 211 lines in 21 files\nsrc/a.ts\n  1 mode: export const"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\nlocales/01.json 1, 2\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("17, 18, 19, 20\n"), "{}", run.stdout);
    let within = sandbox.run(&["text", "penMode", "--path", "locales/0*.json", "--path", "src"]).stdout;
    assert!(within.starts_with("\"penMode\": 56 lines in 11 files\n"), "{within}");
    assert_eq!(sandbox.run(&["text", "penMode", "-g", "locales/0*.json", "--in", "src"]).stdout, within);
    let mentioned = sandbox.run(&["mentions", "pen_mode", "--path", "src"]).stdout;
    assert!(mentioned.starts_with("\"pen_mode\": 1 line in 1 file\n"), "{mentioned}");
}

#[test]
fn namesakes_that_are_not_own_code_are_named_and_not_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("dist/pool.js", "function drain(pool) { return pool.close(); }\n");
    sandbox.write("src/pool.js", "export function drain(pool) {\n  return pool.close();\n}\n");
    sandbox.write("tests/pool.test.js", "function drain() {}\ntest(\"drains\", () => drain());\n");
    check(
        &sandbox,
        &["show", "drain"],
        expect![[r#"
            src/pool.js:1-3 function drain
            1	export function drain(pool) {
            2	  return pool.close();
            3	}
            Also declared, not the project's own code: dist/pool.js:1-1 function drain; tests/pool.test.js:1-1 function drain
            --- exit 0
        "#]],
    );
    check(
        &sandbox,
        &["show", "pool.js:drain", "dist/pool.js:drain"],
        expect![[r#"
            src/pool.js:1-3 function drain
            1	export function drain(pool) {
            2	  return pool.close();
            3	}
            dist/pool.js:1-1 function drain
            1	function drain(pool) { return pool.close(); }
            Also declared, not the project's own code: dist/pool.js:1-1 function drain
            --- exit 0
        "#]],
    );
    check(
        &sandbox,
        &["text", "drain"],
        expect![[r#"
            "drain": 4 lines in 3 files
            src/pool.js
              1 drain: export function drain(pool) {
            tests/pool.test.js (test) 1, 2
            dist/pool.js (generated)
              1 drain: function drain(pool) { return pool.close(); }
            --- exit 0
        "#]],
    );
}

#[test]
fn files_and_directories_behind_a_text_are_where_it_is_looked_for() {
    let sandbox = Sandbox::of_project("parcel");
    for (behind, options) in [
        (&["router/src/plan.rs"][..], &["--path", "router/src/plan.rs"][..]),
        (&["./router/src/", "router/src/geo.rs"], &["--path", "router/src"]),
    ] {
        for look_up in ["text", "mentions"] {
            let run = sandbox.run(&[&[look_up, "Place"], behind].concat());
            assert_eq!(run.stdout, sandbox.run(&[&[look_up, "Place"], options].concat()).stdout);
            assert!(
                run.stdout.starts_with("\"Place\": ") && !run.stdout.contains("nowhere"),
                "{}",
                run.stdout
            );
        }
    }
}

#[test]
fn the_end_of_a_path_is_enough_if_no_other_ends_so() {
    let sandbox = Sandbox::of_project("parcel");
    let whole = sandbox.run(&["show", "router/src/geo.rs:7-9"]).stdout;
    assert_eq!(sandbox.run(&["show", "src/geo.rs:7-9"]).stdout, whole);
    let run = sandbox.run(&["show", "lib/geo.rs:7-9"]);
    assert!(run.stderr.contains("did you mean router/src/geo.rs?"), "{}", run.stderr);
}

#[test]
fn outlines_of_long_files_count_members() {
    let sandbox = Sandbox::new();
    let members: String = (0..90).map(|at| format!("    def m{at}(self):\n        pass\n")).collect();
    sandbox.write("a.py", format!("class A:\n{members}\ndef f():\n    pass\n"));
    check(
        &sandbox,
        &["outline", "a.py"],
        expect![[r#"
        a.py:1-184
          1-181 class A (90 members)
          183-184 def f()
        --- exit 0
    "#]],
    );
    assert!(sandbox.run(&["outline", "A"]).stdout.contains("def m89(self)"));
}

#[test]
fn nothing_outside_of_the_project_is_shown() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write(".gitignore", "secret.txt\n");
    sandbox.write("secret.txt", "hidden\n");
    for place in ["secret.txt", "../../secret.txt:1-1", "/etc/hostname"] {
        let run = sandbox.run(&["show", place]);
        assert_eq!((run.code, &*run.stdout), (1, ""), "{place}");
        assert!(run.stderr.contains("nothing is named"), "{}", run.stderr);
    }
    check(
        &sandbox,
        &["show", "router/src/lib.rs:900-950"],
        expect![[r#"
            --- stderr
            error: router/src/lib.rs has no lines 900 to 950
            hint: it has lines 1 to 14
            --- exit 2
        "#]],
    );
}

#[test]
fn calls_and_tests_are_listed_with_their_lines() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "store.py",
        "import abc\n\nclass Store(abc.ABC):\n    @abc.abstractmethod\n    def claim(self): ...\n\nclass Disk(Store):\n    def claim(self):\n        return 1\n\n\
         def take(store: Store):\n    return store.claim()\n\ndef twice(store: Store):\n    take(store)\n    return take(store)\n",
    );
    sandbox.write(
        "tests/test_store.py",
        "from store import Disk, take, twice\n\ndef test_take():\n    take(Disk())\n\ndef test_twice():\n    twice(Disk())\n",
    );
    check(
        &sandbox,
        &["callees", "twice", "--depth", "2"],
        expect![[r#"
        store.py::twice (14-16): calls 1 declaration
          15, 16 store.py::take (11-12)
        store.py::take (11-12): calls 2 declarations
          12 store.py::Disk.claim (8-9) (inferred)
          12 store.py::Store.claim (4-5); overridden by store.py::Disk.claim
        --- exit 0
    "#]],
    );
    check(
        &sandbox,
        &["callers", "take", "--bodies", "--relation", "calls"],
        expect![[r#"
            store.py::take (11-12): 3 lines in 2 files
            store.py
              twice 15, 16
            tests/test_store.py (test)
              test_take 4
            Complete. No other line of code has the name.

            store.py:14-16 function twice
            14	def twice(store: Store):
            15	    take(store)
            16	    return take(store)
            tests/test_store.py:3-4 function test_take
            3	def test_take():
            4	    take(Disk())
            --- exit 0
        "#]],
    );
    check(
        &sandbox,
        &["tests", "take"],
        expect![[r#"
        store.py::take: 2 tests
        tests/test_store.py
          3-4 test_take
        tests/test_store.py (2 uses away)
          6-7 test_twice through twice
        --- exit 0
    "#]],
    );
}

#[test]
fn outlines_say_what_files_directories_and_types_declare() {
    let sandbox = Sandbox::of_project("parcel");
    check(
        &sandbox,
        &["outline", "router/src/depot.rs", "RoadNetwork"],
        expect![[r#"
        router/src/depot.rs:1-16
          3-9 pub struct Depot
            6 name, place, vans
          11-16 impl Depot
            12-15 pub fn closest<'a>(depots: &'a [Depot], place: &Place) -> Option<&'a Depot>
        router/src/roads.rs:8-12 struct RoadNetwork
          11 roads
          15-19 pub fn add_road(&mut self, from: &str, to: &str, metres: u64)
          21-35 pub fn shortest_path(&self, from: &str, to: &str) -> Result<u64, RouteError>
        --- exit 0
    "#]],
    );
    check(
        &sandbox,
        &["outline", "web/"],
        expect![[r#"
        web/: 7 files
          web/src/ParcelList.tsx:1-16 ParcelList
          web/src/api.ts:1-32 ApiError, ApiClient
          web/src/format.ts:1-3 formatWeight
          web/src/index.ts:1-4
          web/src/session.ts:1-22 LEEWAY, Session
          web/src/tracking.ts:1-18 latestEvent, followParcel, parseEvent
          web/src/types.ts:1-13 Parcel, TrackingEvent
        --- exit 0
    "#]],
    );
    let run = sandbox.run(&["outline", "nowhere/at/all"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
}

#[test]
fn mentions_are_found_in_every_spelling() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "RETRY_LIMIT = 3\n\ndef retry_limits():\n    return RETRY_LIMIT\n");
    sandbox.write("web/a.ts", "export const retryLimit = 3;\n");
    sandbox.write("settings.yaml", "retry-limit: 3\nretry-limit-max: 4\n");
    sandbox.write("schema.json", "{\"//\": \"Do not edit\", \"RetryLimit\": 3}\n");
    check(
        &sandbox,
        &["mentions", "Config > retry_limit", "limit"],
        expect![[r#"
        "Config > retry_limit": 6 lines in 4 files
        a.py
          1 RETRY_LIMIT: RETRY_LIMIT = 3
          4 retry_limits: return RETRY_LIMIT
        web/a.ts
          1 retryLimit: export const retryLimit = 3;
        settings.yaml
          1: retry-limit: 3
          2: retry-limit-max: 4
        schema.json (generated)
          1: {"//": "Do not edit", "RetryLimit": 3}
        "limit": 2 lines in 1 file
        settings.yaml
          1: retry-limit: 3
          2: retry-limit-max: 4
        --- exit 0
    "#]],
    );
}

#[test]
fn of_declarations_for_several_builds_each_may_be_meant() {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"net\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    sandbox.write(
        "src/lib.rs",
        "#[cfg(unix)]\n#[path = \"unix.rs\"]\nmod imp;\n#[cfg(windows)]\n#[path = \"windows.rs\"]\nmod imp;\n\n\
         pub fn open(socket: &imp::Socket) {\n    socket.send_all();\n}\n",
    );
    let socket = "pub struct Socket;\nimpl Socket {\n    pub fn send_all(&self) {}\n}\n";
    ["src/unix.rs", "src/windows.rs", "src/other.rs"].iter().for_each(|path| sandbox.write(path, socket));
    check(
        &sandbox,
        &["callers", "Socket > send_all"],
        expect![[r#"
            src/other.rs::Socket.send_all (3-3): no known use
            Complete. Lines of code with the name: 1 for something else.
            src/unix.rs::Socket.send_all (3-3): no known use
            May be it too, 1 line: one of several
            src/lib.rs
              open 9: socket.send_all();
            Complete with those that may be it. No other line of code has the name.
            src/windows.rs::Socket.send_all (3-3): no known use
            May be it too, 1 line: a declaration of its name stands for it in other builds
            src/lib.rs
              open 9 through Socket.send_all: socket.send_all();
            Complete with those that may be it. No other line of code has the name.
            --- exit 0
        "#]],
    );
}

#[test]
fn declarations_that_one_build_has_both_of_do_not_stand_for_each_other() {
    let sandbox = Sandbox::new();
    let manifest = |name| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    sandbox.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    // One of two implementations is behind a feature; both may exist in a build.
    sandbox.write("a/Cargo.toml", manifest("a"));
    sandbox.write(
        "a/src/lib.rs",
        "pub struct Key;\nimpl From<u8> for Key {\n    fn from(_: u8) -> Self {\n        Key\n    }\n}\n\
         #[cfg(feature = \"text\")]\nimpl From<&str> for Key {\n    fn from(_: &str) -> Self {\n        Key\n    }\n}\n\
         pub fn open() {\n    Key::from(1_u8);\n}\n\
         #[cfg(unix)]\nmod wire { pub struct Pipe;\n    impl Pipe {\n        pub fn flush(&self) {}\n    }\n}\n\
         #[cfg(windows)]\nmod wire { pub struct Pipe;\n    impl Pipe {\n        pub fn flush(&self) {}\n    }\n}\n\
         pub fn close(pipe: &wire::Pipe) {\n    pipe.flush();\n}\n",
    );
    // Another crate chooses between imports of the same names.
    sandbox.write("b/Cargo.toml", manifest("b"));
    sandbox.write(
        "b/src/lib.rs",
        "#[cfg(unix)]\nuse x::wire;\n#[cfg(windows)]\nuse y::wire;\npub mod wire_of_b;\n",
    );
    sandbox.write(
        "b/src/wire_of_b.rs",
        "pub mod wire {\n    pub struct Pipe;\n    impl Pipe {\n        pub fn flush(&self) {}\n    }\n}\n",
    );
    check(
        &sandbox,
        &["callers", "Key > from", "Pipe > flush"],
        expect![[r#"
            a/src/lib.rs::Key.from (3-5): 1 line in 1 file
            a/src/lib.rs
              open 14
            Complete. No other line of code has the name.
            Code outside may call it through std::convert::From. Such calls are not listed.
            a/src/lib.rs::Key.from~2 (9-11): no known use
            Complete. No line of code has the name.
            Code outside may call it through std::convert::From. Such calls are not listed.
            a/src/lib.rs::wire.Pipe.flush (19-19): no known use
            May be it too, 1 line: one of several
            a/src/lib.rs
              close 29: pipe.flush();
            Complete with those that may be it. No other line of code has the name.
            a/src/lib.rs::wire.Pipe.flush~2 (25-25): no known use
            May be it too, 1 line: one of several
            a/src/lib.rs
              close 29: pipe.flush();
            Complete with those that may be it. No other line of code has the name.
            b/src/wire_of_b.rs::wire.Pipe.flush (4-4): no known use
            Complete. Lines of code with the name: 1 for something else.
            --- exit 0
        "#]],
    );
}
