//! Output with and without colors.

use anstream::adapter::strip_str;
use expect_test::expect;

use crate::machine::Machine;
use crate::sandbox::Sandbox;

/// Replaces styles by readable marks: `<bold>name</>`.
fn marked(text: &str) -> String {
    let names = [
        ("0", "/"),
        ("1", "bold"),
        ("2", "dim"),
        ("31", "red"),
        ("32", "green"),
        ("33", "yellow"),
        ("34", "blue"),
        ("35", "magenta"),
        ("36", "cyan"),
    ];
    let marked = names.iter().fold(text.to_owned(), |text, (number, name)| {
        text.replace(&format!("\x1b[{number}m"), &format!("<{name}>"))
    });
    assert!(!marked.contains('\x1b'), "a style that is not one of the few: {marked:?}");
    marked
}

/// True if anything has a style.
fn is_painted(text: &str) -> bool {
    text.contains("\x1b[")
}

#[test]
fn without_its_styles_an_answer_is_the_text_that_is_piped() {
    let sandbox = Sandbox::of_project("parcel");
    sandbox.write("web/src/Row.jsx", "export const Row = (p) => <li className=\"row\">{p.name}</li>;\r\n");
    sandbox.write("depot.yaml", "# where\ndepot:\n  town: Ulm\n  lamps:\n    - on\n");
    sandbox.write("page.html", "<h1>Depots</h1>\n<p class=\"a\">Open all day.</p>\n");
    sandbox.write(
        "app/(shop)/über.ts",
        "/** Größe einer Kiste. */\nexport const größe = (n: number) => `${n} m²`;\n",
    );
    for arguments in [
        &["search", "how is the shortest path between two towns found"][..],
        &["search", "value added tax of a country", "--explain", "--call-depth", "3", "--communities"],
        &["search", "follow the events of a parcel", "--ego-graph", "2", "--budget", "600"],
        &["search", "größe einer kiste"],
        &["search", "row of a list", "--language", "js"],
        &["symbol", "Session"],
        &["symbol", "ParcelList"],
        &["symbol", "Money", "--call-depth", "2"],
        &["docs", "where are depots open"],
        &["docs", "town of the depot", "--language", "yaml"],
        &["docs", "package name"],
        &["impact", "Depot > closest"],
        &["trace", "plan_tour", "shortest_path"],
        &["neighbors", "vat_for", "--depth", "2"],
        &["expand", "vat_for", "web/src/api.ts"],
        &["pack", "--count", "4"],
        &["search", "plan a tour", "--format", "compact"],
    ] {
        let plain = sandbox.run(arguments);
        assert_eq!(plain.code, 0, "{arguments:?}: {}", plain.stderr);
        assert!(!is_painted(&plain.stdout), "{arguments:?}");
        let painted = sandbox.run(&[arguments, &["--color", "always"]].concat());
        assert_eq!(strip_str(&painted.stdout).to_string(), plain.stdout, "{arguments:?}");
        let is_for_people = !arguments.contains(&"compact");
        assert_eq!(is_painted(&painted.stdout), is_for_people, "{arguments:?}");
        marked(&painted.stdout);
    }
}

#[test]
fn an_answer_in_colors() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "shop.py",
        "from till import pay\n\n\nclass Shop:\n    \"\"\"Sells boxes.\"\"\"\n\n    def sell(self, box, count=1):\n        # To the till.\n        \
         return pay(box) * count\n",
    );
    sandbox.write("till.py", "RATE = 1.5\n\n\ndef pay(box):\n    return box.price * RATE\n");
    let run = sandbox.run(&["search", "sell boxes and pay", "--limit", "3", "--color", "always"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    expect![[r#"
        <bold>Search</>: "sell boxes and pay" | 3 results across 2 files <dim>| 137/8,000 tokens</>

        <cyan>[1]</> <bold>Shop.sell</> — <magenta>shop.py</><green>:7-9</>
        <cyan>[2]</> <bold>Shop</> — <magenta>shop.py</><green>:4-9</>
        <cyan>[3]</> <bold>pay</> — <magenta>till.py</><green>:4-5</>
        <cyan>[1]</> <blue>→</> <cyan>[3]</>

        <dim># shop.py:4-9</>
        <dim>4	</><magenta>class</> <cyan>Shop</>:
        <dim>5	</>    <green>"""Sells boxes."""</>
        <dim>7	</>    <magenta>def</> <blue>sell</>(self, box, count=<yellow>1</>):
        <dim>8	</>        <dim># To the till.</>
        <dim>9	</>        <magenta>return</> <blue>pay</>(box) * count

        <dim># till.py:4-5</>
        <dim>4	</><magenta>def</> <blue>pay</>(box):
        <dim>5	</>    <magenta>return</> box.price * <yellow>RATE</>
    "#]]
    .assert_eq(&marked(&run.stdout));
    let run = sandbox.run(&["impact", "pay", "--color", "always"]);
    expect![[r#"
        <bold>Impact</>: pay | 2 affected in 1 file <dim>| 97/8,000 tokens</>

        <cyan>[1]</> <bold>pay</> (<magenta>till.py</><green>:4-5</>): <dim>function</>
          <magenta>def</> pay(box)

        <bold>1 step away</>:
        <cyan>[2]</> <bold>Shop.sell</> (<magenta>shop.py</><green>:7-9</>): <dim>method, relevance 1.00</>
          <blue>calls</> <cyan>[1]</> at 9
        <cyan>[3]</> <magenta>shop.py</>: <dim>file, relevance 0.30</>
          <blue>imports</> <cyan>[1]</> at 1
    "#]]
    .assert_eq(&marked(&run.stdout));
}

#[test]
fn the_flag_counts_before_the_environment_and_that_before_what_is_found() {
    let sandbox = Sandbox::of_project("parcel");
    let is_painted_with = |environment: &[(&str, &str)], flags: &[&str]| {
        let mut command = sandbox.command();
        command.args(["symbol", "vat_for"]).args(flags).envs(environment.iter().copied());
        let run = sandbox.read(command.output().expect("the command starts"));
        assert_eq!(run.code, 0, "{}", run.stderr);
        is_painted(&run.stdout)
    };
    for (environment, flags, expected) in [
        (&[][..], &[][..], false),
        (&[("TERM", "xterm-256color"), ("CLICOLOR", "1")], &[], false),
        (&[("CLICOLOR_FORCE", "1")], &[], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[], false),
        (&[("CLICOLOR_FORCE", "1")], &["--color", "never"], false),
        (&[("CLICOLOR_FORCE", "1")], &["--color=auto"], true),
        (&[("NO_COLOR", "1"), ("TERM", "dumb")], &["--color=always"], true),
    ] {
        assert_eq!(is_painted_with(environment, flags), expected, "{environment:?} {flags:?}");
    }
}

#[test]
fn help_and_errors_follow_the_same_choice() {
    let sandbox = Sandbox::new();
    for (arguments, colors) in [
        (&["impact", "--help", "--color", "always"][..], true),
        (&["--color=always", "search", "--help"], true),
        (&["--help"], false),
        (&["search", "--color", "always"], true),
        (&["search", "--color", "never"], false),
        (&["search", "anything", "--color=always"], true),
        (&["search", "anything"], false),
    ] {
        let run = sandbox.run(arguments);
        assert_eq!(is_painted(&run.stdout) || is_painted(&run.stderr), colors, "{arguments:?}: {run:?}");
    }
    let run = sandbox.run(&["search", "anything", "--color", "always"]);
    assert!(marked(&run.stderr).contains("<bold><red>error</>: "), "{}", run.stderr);
    let machine = Machine::new();
    machine.write("project/clock.py", "def tick(clock):\n    return clock.time + 1\n");
    let run = machine.run(&["doctor", "--color", "always"]);
    assert!(marked(&run.stdout).contains("<green>ok</>    project  "), "{}", run.stdout);
}

#[test]
fn what_would_steer_a_terminal_is_shown_instead() {
    let sandbox = Sandbox::new();
    let code = "def alarm():\r\n    # \x1b]0;owned\x07 \x1b[2J\rhidden \u{202e}desrever\u{2066}\r\n    return \"\x1b[31m\u{9b}1m\tö\"\r\n";
    sandbox.write("alarm.py", code);
    let plain = sandbox.run(&["symbol", "alarm"]);
    assert!(plain.stdout.contains("\x1b]0;owned\x07 \x1b[2J\rhidden"), "{:?}", plain.stdout);
    let painted = sandbox.run(&["symbol", "alarm", "--color", "always"]).stdout;
    expect![[r#"
        <bold>Search</>: "symbol = alarm" | 1 result <dim>| 99/8,000 tokens</>

        <bold>alarm</> — <magenta>alarm.py</><green>:1-3</>
            <dim>function | exported</>
            <dim>Signature:</> <magenta>def</> alarm()
            <dim>Called by:</> none known

        <dim># alarm.py:1-3</>
        <dim>1	</><magenta>def</> <blue>alarm</>():
        <dim>2	</>    <dim># \u{1b}]0;owned\u{7} \u{1b}[2J\u{d}hidden \u{202e}desrever\u{2066}</>
        <dim>3	</>    <magenta>return</> <green>"\u{1b}[31m\u{9b}1m	ö"</>
    "#]]
    .assert_eq(&marked(&painted).replace('\r', "<CR>"));
    let odd = |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r' | '\x1b');
    assert_eq!(painted.chars().find(odd), None, "{painted:?}");
    if cfg!(unix) {
        sandbox.write("ding\x1b[5m.py", b"\0\x01");
        let run = sandbox.run(&["search", "alarm", "--verbose", "--color", "always"]);
        assert!(run.stderr.contains(r"ding\u{1b}[5m.py"), "{:?}", run.stderr);
    }
}
