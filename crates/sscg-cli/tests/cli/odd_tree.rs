//! A tree with everything that is not, or hardly, a source file.

use std::fs;

use expect_test::expect;

use crate::sandbox::Sandbox;

fn odd_tree() -> Sandbox {
    let sandbox = Sandbox::new();
    // Pseudo-random bytes, the same in each run.
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let noise: Vec<u8> = noise.take(4096).collect();
    sandbox.write("noise.py", &noise);
    sandbox.write("noise", &noise);
    sandbox.write("empty.rs", "");
    sandbox.write("huge.ts", "");
    let huge = fs::File::options().write(true).open(sandbox.tree().join("huge.ts")).expect("writable");
    huge.set_len(50 * 1024 * 1024).expect("writable");
    let utf16: Vec<u8> = "\u{feff}def wide(): pass".encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.write("wide.py", utf16);
    sandbox.write("latin.py", b"# na\xefve caf\xe9\ndef latin():\n    pass\n");
    sandbox.write(
        "half.rs",
        "pub fn whole() -> u8 {\n    1\n}\n\npub fn torn(input: &str) -> u8 {\n    let first = inp",
    );
    sandbox.write("good.ts", "export function welcome(name: string) {\n  return `welcome ${name}`;\n}\n");
    sandbox.write("locked/inside.py", "def inside():\n    pass\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink("..", sandbox.tree().join("locked/parent")).expect("writable");
        symlink(".", sandbox.tree().join("again")).expect("writable");
        symlink("self.py", sandbox.tree().join("self.py")).expect("writable");
        fs::set_permissions(sandbox.tree().join("locked"), fs::Permissions::from_mode(0o000)).expect("ours");
    }
    sandbox
}

/// True if the directory without permission can be read all the same, as root can.
fn is_privileged(sandbox: &Sandbox) -> bool {
    fs::read_dir(sandbox.tree().join("locked")).is_ok()
}

/// Restores the permission, so that the directory can be removed.
fn unlock(sandbox: &Sandbox) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(sandbox.tree().join("locked"), fs::Permissions::from_mode(0o755)).expect("ours");
    }
    let _ = sandbox;
}

#[test]
fn what_can_be_read_is_searched_and_the_rest_is_named() {
    let sandbox = odd_tree();
    let privileged = is_privileged(&sandbox);
    let plain = sandbox.run(&["search", "welcome someone by name"]);
    let torn = sandbox.run(&["search", "the first of torn input"]);
    let whole = sandbox.run(&["search", "symbol = whole"]);
    let verbose = sandbox.run(&["index", "--verbose"]);
    unlock(&sandbox);

    assert_eq!(plain.code, 0);
    assert!(plain.stdout.contains("export function welcome"), "{}", plain.stdout);
    assert!(torn.stdout.contains("pub fn torn"), "{}", torn.stdout);
    assert_eq!(whole.code, 0);

    // The output for the locked directory depends on the user who runs the test.
    let mut lines: Vec<&str> = verbose.stderr.lines().filter(|line| !line.contains("locked")).collect();
    lines.sort_unstable();
    expect![[r#"
        hint: SSCG does not read the languages of files that are not read; `sscg text` and `sscg mentions` search their text
        not read (no ending): 1 file: noise
        skipped: again: symbolic link
        skipped: huge.ts: too large: 50.0 MiB, the limit is 1 MiB
        skipped: latin.py: not UTF-8
        skipped: noise.py: binary
        skipped: self.py: symbolic link
        skipped: wide.py: UTF-16 text; SSCG reads UTF-8
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
    if privileged {
        assert!(verbose.stderr.contains("skipped: locked/parent: symbolic link\n"), "{}", verbose.stderr);
    } else {
        assert!(verbose.stderr.contains("skipped: locked: unreadable: permission denied\n"));
    }
    let locked = if privileged {
        "3 symbolic link, 1 too large"
    } else {
        "2 symbolic link, 1 too large, 1 unreadable"
    };
    let counted = format!("7 paths skipped (1 UTF-16, 1 binary, 1 not UTF-8, {locked})");
    assert_eq!(plain.stderr, format!("note: {counted}; --verbose names them\n"));
}

#[cfg(unix)]
#[test]
fn names_that_steer_a_terminal_are_not_searched() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def seal():\n    pass\n");
    for name in ["b\n[1] fake — x.py:1-2.py", "c\u{1b}[2J.py", "d\u{202e}.py"] {
        sandbox.write(name, "def seal():\n    pass\n");
    }
    let run = sandbox.run(&["search", "seal", "--verbose"]);
    assert!(run.stdout.contains("| 1 result |"), "{}", run.stdout);
    let told = "skipped: d\\u{202e}.py: unreadable: its name has control characters\n";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let steers = |c: char| !matches!(c, '\n' | '\t') && c.is_control() || c == '\u{202e}';
    assert!(!run.stderr.contains(steers) && !run.stdout.contains(steers));
}
