//! Tests of reading selected files of a tree, of any kind.

use sscg_index::read_files;

use crate::tree::Tree;

#[test]
fn wanted_files_are_read_by_the_rules_of_the_index() {
    let tree = Tree::new(&[
        (".gitignore", "out/\n"),
        (".sscgignore", "by_rule.yaml\n"),
        (".hidden/a.yaml", "a"),
        ("out/a.yaml", "a"),
        ("by_rule.yaml", "a"),
        ("b/c.yaml", "text"),
        ("b/large.yaml", "too long"),
        ("b/mark", "only that it is there"),
        ("b/other.txt", "not wanted"),
        ("empty.yaml", ""),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("b/c.yaml", tree.root().join("link.yaml")).expect("writable");
    let files = read_files(&tree.root(), |path| match path {
        "b/mark" => Some(0),
        path => path.ends_with(".yaml").then_some(4),
    });
    let files: Vec<_> = files.iter().map(|(path, content)| (path.as_str(), content.as_deref())).collect();
    let [(large, Err(why)), rest @ ..] = [files[1], files[0], files[2], files[3]] else {
        panic!("{files:?}")
    };
    assert_eq!(large, "b/large.yaml");
    assert!(why.starts_with("too large"), "{why}");
    assert_eq!(rest, [("b/c.yaml", Ok(&b"text"[..])), ("b/mark", Ok(&[][..])), ("empty.yaml", Ok(&[][..]))]);
    assert_eq!(files.len(), 4);
}
