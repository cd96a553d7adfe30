//! Tests of refreshing without a walk: changes that an open index must detect.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use sscg_core::Corpus;
use sscg_index::{Busy, Index, IndexOptions, MAX_FILE_BYTES, Snapshot, Storage};

use crate::tree::{Tree, check_like_new, declarations, paths, refresh, set_age};

/// Time after which the times of a file reveal every further change, plus a margin.
const SETTLED: Duration = Duration::from_millis(2_200);

/// Creates a tree with every kind of input of discovery. The root is in a directory with its own ignore rules.
fn everything() -> Tree {
    let tree = Tree::new(&[
        ("project/a.py", "def one(): pass\n"),
        ("project/lib/b.py", "def two(): pass\n"),
        ("project/lib/deep/c.rs", "pub fn three() {}\n"),
        ("project/Cargo.toml", "[package]\nname = \"first\"\n"),
        ("project/data.rb", "puts 1\n"),
        // Files excluded by each kind of ignore file.
        ("project/.gitignore", "by_gitignore.py\nignored/\n"),
        ("project/by_gitignore.py", "def by_gitignore(): pass\n"),
        ("project/ignored/d.py", "def ignored(): pass\n"),
        ("project/lib/.ignore", "by_ignore.py\n"),
        ("project/lib/by_ignore.py", "def by_ignore(): pass\n"),
        ("project/lib/deep/.sscgignore", "by_sscgignore.py\n"),
        ("project/lib/deep/by_sscgignore.py", "def by_sscgignore(): pass\n"),
        (".gitignore", "above.py\n"),
        ("project/above.py", "def above(): pass\n"),
        ("project/lib/linked_rules.py", "def linked_rules(): pass\n"),
        ("rules", "linked_rules.py\n"),
        // A repository, and a work tree of another one.
        ("project/.git/info/exclude", "excluded.py\n"),
        ("project/excluded.py", "def excluded(): pass\n"),
        ("common/info/exclude", "by_common.py\n"),
        ("common/worktrees/work/commondir", "../..\n"),
        ("other/info/exclude", "e.py\n"),
        ("other/worktrees/work/commondir", "../..\n"),
        ("project/work/e.py", "def five(): pass\n"),
        ("project/work/by_common.py", "def by_common(): pass\n"),
        ("beside/f.py", "def six(): pass\n"),
        ("project/new/g.py", "def seven(): pass\n"),
    ]);
    let work = tree.root().join("common/worktrees/work");
    write(&tree, "work/.git", &format!("gitdir: {}\n", work.display()));
    for (target, link) in [("../rules", "lib/.gitignore"), ("../missing", "link")] {
        symlink(at(&tree, target), at(&tree, link)).expect("ours");
    }
    let large = File::create(at(&tree, "large.rb")).expect("ours");
    large.set_len(MAX_FILE_BYTES + 1).expect("ours");
    tree
}

/// Change of the tree, with its description.
type Change = (&'static str, fn(&Tree));

fn at(tree: &Tree, path: &str) -> PathBuf {
    tree.root().join("project").join(path)
}

fn write(tree: &Tree, path: &str, text: &str) {
    tree.write(&format!("project/{path}"), text);
}

fn remove(tree: &Tree, path: &str) {
    fs::remove_file(at(tree, path)).expect("ours");
}

fn rename(tree: &Tree, from: &str, to: &str) {
    fs::rename(at(tree, from), at(tree, to)).expect("ours");
}

fn set_modified(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("ours");
}

/// Changes that lead to another snapshot.
const CHANGES: &[Change] = &[
    ("a file comes", |tree| write(tree, "lib/deep/new.py", "def new(): pass\n")),
    ("a file goes", |tree| remove(tree, "lib/b.py")),
    ("a file is renamed", |tree| rename(tree, "a.py", "z.py")),
    ("a file moves", |tree| rename(tree, "a.py", "lib/a.py")),
    ("a file moves out of what is ignored", |tree| rename(tree, "ignored/d.py", "d.py")),
    ("a file of another language comes", |tree| write(tree, "lib/new.rb", "puts 1\n")),
    ("a file of another language goes", |tree| remove(tree, "data.rb")),
    ("a directory comes", |tree| write(tree, "lib/x/y/z.py", "def new(): pass\n")),
    ("a directory goes", |tree| fs::remove_dir_all(at(tree, "lib/deep")).expect("ours")),
    ("a directory is renamed", |tree| rename(tree, "lib/deep", "lib/low")),
    ("a directory takes the place of another", |tree| {
        rename(tree, "lib", "../lib");
        rename(tree, "new", "lib");
    }),
    ("a text grows", |tree| write(tree, "a.py", "def one(): pass\ndef more(): pass\n")),
    ("a text keeps its size", |tree| write(tree, "a.py", "def uno(): pass\n")),
    ("a text keeps its size and its time", |tree| {
        let before = fs::metadata(at(tree, "a.py")).and_then(|file| file.modified()).expect("ours");
        write(tree, "a.py", "def uno(): pass\n");
        set_modified(&at(tree, "a.py"), before);
    }),
    ("a text is replaced by one as old", |tree| {
        let before = fs::metadata(at(tree, "a.py")).and_then(|file| file.modified()).expect("ours");
        write(tree, "../beside/new.py", "def uno(): pass\n");
        set_modified(&at(tree, "../beside/new.py"), before);
        rename(tree, "../beside/new.py", "a.py");
    }),
    ("a text is no text any more", |tree| write(tree, "a.py", "\0")),
    ("a package gets a name", |tree| {
        write(tree, "Cargo.toml", "[package]\nname = \"other\"\n");
    }),
    ("a file grows too large", |tree| {
        write(tree, "a.py", &"#".repeat(MAX_FILE_BYTES as usize + 1));
    }),
    ("a file of another language grows too large", |tree| {
        write(tree, "data.rb", &"#".repeat(MAX_FILE_BYTES as usize + 1));
    }),
    ("a file is not too large any more", |tree| write(tree, "large.rb", "puts 1\n")),
    ("rules come", |tree| write(tree, "lib/deep/.gitignore", "c.rs\n")),
    ("rules go", |tree| remove(tree, ".gitignore")),
    ("rules change", |tree| write(tree, ".gitignore", "ignored/\na.py\n")),
    ("rules of .ignore change", |tree| write(tree, "lib/.ignore", "b.py\n")),
    ("rules of .sscgignore change", |tree| write(tree, "lib/deep/.sscgignore", "c.rs\n")),
    ("rules change where a link leads", |tree| write(tree, "../rules", "b.py\n")),
    ("rules go where a link leads", |tree| remove(tree, "../rules")),
    ("rules come above", |tree| write(tree, "../.ignore", "a.py\n")),
    ("rules come far above", |tree| write(tree, "../../.sscgignore", "a.py\n")),
    ("rules change above", |tree| write(tree, "../.gitignore", "a.py\n")),
    ("rules go above", |tree| remove(tree, "../.gitignore")),
    ("a repository comes above", |tree| write(tree, "../.git/info/exclude", "a.py\n")),
    ("a work tree comes above", |tree| {
        write(tree, "../.git", &fs::read_to_string(at(tree, "work/.git")).expect("ours"));
        write(tree, "../common/info/exclude", "a.py\n");
    }),
    ("what is above stands elsewhere, and a link to it here", |tree| {
        let elsewhere = tree.beside("elsewhere");
        fs::create_dir(&elsewhere).expect("ours");
        fs::write(elsewhere.join(".gitignore"), "a.py\n").expect("ours");
        fs::rename(tree.root(), elsewhere.join("tree")).expect("ours");
        symlink(elsewhere.join("tree"), tree.root()).expect("ours");
    }),
    ("what git excludes changes", |tree| write(tree, ".git/info/exclude", "a.py\n")),
    ("what git excludes goes", |tree| remove(tree, ".git/info/exclude")),
    ("what git excludes of a work tree changes", |tree| {
        write(tree, "../common/info/exclude", "e.py\n");
    }),
    ("a work tree becomes that of another repository", |tree| {
        let other = tree.root().join("other/worktrees/work");
        write(tree, "work/.git", &format!("gitdir: {}\n", other.display()));
    }),
    ("the directory of a work tree names another repository", |tree| {
        write(tree, "../common/worktrees/work/commondir", "../../../other\n");
    }),
    ("the directory of a work tree names nothing", |tree| {
        remove(tree, "../common/worktrees/work/commondir");
    }),
    ("a new repository comes", |tree| write(tree, "lib/.git/info/exclude", "b.py\n")),
    ("a file becomes a link", |tree| {
        remove(tree, "a.py");
        symlink(at(tree, "lib/b.py"), at(tree, "a.py")).expect("ours");
    }),
    ("a file becomes a directory", |tree| {
        remove(tree, "a.py");
        write(tree, "a.py/new.py", "def new(): pass\n");
    }),
    ("a directory becomes a file", |tree| {
        fs::remove_dir_all(at(tree, "new")).expect("ours");
        write(tree, "new", "text\n");
    }),
    ("a directory becomes a link", |tree| {
        rename(tree, "new", "../moved");
        symlink(at(tree, "../moved"), at(tree, "new")).expect("ours");
    }),
    ("a link comes to lead to a directory", |tree| {
        write(tree, "../missing/file", "");
    }),
];

/// Changes that cause a walk, but no other snapshot.
const TRIFLES: &[Change] = &[
    ("a file gets another time", |tree| set_age(&at(tree, "a.py"), 5_000)),
    ("a file gets other permissions", |tree| {
        fs::set_permissions(at(tree, "a.py"), fs::Permissions::from_mode(0o600)).expect("ours");
    }),
    ("a file with rules is written again", |tree| {
        write(tree, ".gitignore", "by_gitignore.py\nignored/\n");
    }),
    ("a hidden file comes", |tree| write(tree, "lib/.hidden.py", "def hidden(): pass\n")),
    ("a directory without files comes", |tree| {
        fs::create_dir(at(tree, "lib/empty")).expect("ours");
    }),
    ("a file comes and goes", |tree| {
        write(tree, "lib/new.py", "def new(): pass\n");
        remove(tree, "lib/new.py");
    }),
];

/// Changes outside of the inputs of discovery, which cause no walk.
const ASIDE: &[Change] = &[
    ("an ignored file changes", |tree| write(tree, "above.py", "def other(): pass\n")),
    ("a file comes where all is ignored", |tree| write(tree, "ignored/new.py", "")),
    ("a file comes beside the root", |tree| write(tree, "../new.py", "")),
    ("git writes its index", |tree| write(tree, ".git/index", "DIRC")),
    ("git locks a work tree", |tree| write(tree, "../common/worktrees/work/locked", "")),
];

/// Returns the contents of a snapshot that depend on discovery.
fn found(snapshot: &Snapshot) -> impl PartialEq + std::fmt::Debug {
    let packages: Vec<String> =
        snapshot.project.packages().iter().map(|package| package.name.to_string()).collect();
    let unsupported = snapshot.unsupported.clone();
    (paths(snapshot), declarations(snapshot), packages, snapshot.skipped.clone(), unsupported)
}

/// Tree whose index does not need to walk.
struct Settled {
    tree: Tree,
    index: Index,
    snapshot: Arc<Snapshot>,
}

impl Settled {
    /// Refreshes all trees and waits until their times reveal every change, which takes as long for many as for one.
    fn all(trees: impl IntoIterator<Item = Tree>) -> Vec<Self> {
        let mut all: Vec<Self> = trees
            .into_iter()
            .map(|tree| {
                let mut index = tree.open_tree(&tree.root().join("project"));
                let (snapshot, _) = refresh(&mut index);
                Self { tree, index, snapshot }
            })
            .collect();
        thread::sleep(SETTLED);
        all.iter_mut().for_each(Self::settle);
        all
    }

    fn settle(&mut self) {
        let (_, walk) = refresh(&mut self.index);
        let (snapshot, report) = refresh(&mut self.index);
        assert!(!report.walked);
        assert_eq!((report.files, report.hashed, report.parsed), (walk.files, 0, 0));
        assert!(Arc::ptr_eq(&snapshot, &self.snapshot));
    }
}

/// Applies each change to a tree of its own. `judge` gets the snapshots before and after, and whether there was a walk.
fn check(changes: &[Change], judge: impl Fn(&Snapshot, &Snapshot, bool) -> bool) {
    let all = Settled::all(changes.iter().map(|_| everything()));
    for ((name, make), Settled { tree, mut index, snapshot: before }) in changes.iter().zip(all) {
        make(&tree);
        let (after, report) = refresh(&mut index);
        check_like_new(&after);
        assert!(judge(&before, &after, report.walked), "{name}: {report:?}, {:?}", found(&after));
        assert!(Arc::ptr_eq(&after, &refresh(&mut index).0), "{name}");
    }
}

#[test]
fn every_change_is_seen_that_makes_a_difference() {
    check(CHANGES, |before, after, walked| walked && found(before) != found(after));
}

#[test]
fn what_may_make_a_difference_is_looked_into() {
    check(TRIFLES, |before, after, walked| walked && std::ptr::eq(before, after));
}

#[test]
fn what_makes_no_difference_costs_no_walk() {
    check(ASIDE, |before, after, walked| !walked && std::ptr::eq(before, after));
}

#[test]
fn a_tree_that_is_left_alone_again_is_not_walked_any_more() {
    let mut settled = Settled::all([everything()]).remove(0);
    let written = SystemTime::now();
    write(&settled.tree, "a.py", "def uno(): pass\n");
    settled.snapshot = refresh(&mut settled.index).0;
    // Another change may still get the same time, unless the refresh took long.
    let is_new = |time: SystemTime| time.elapsed().is_ok_and(|age| age < SETTLED / 2);
    assert!(refresh(&mut settled.index).1.walked || !is_new(written));
    thread::sleep(SETTLED);
    settled.settle();
}

#[test]
fn documents_are_not_looked_for_because_code_changed() {
    let tree = Tree::new(&[("a.py", "def one(): pass\n"), ("a.md", "# One\n"), ("b.md", "# Two\n")]);
    let options = || IndexOptions::default().with_storage(Storage::Ephemeral).with_corpus(Corpus::Documents);
    let mut index = Index::open(&tree.root(), &options()).expect("the tree exists");
    thread::sleep(SETTLED);
    refresh(&mut index);
    tree.write("a.py", "def uno(): pass\n");
    assert!(!refresh(&mut index).1.walked);
    tree.write("a.md", "# Uno\n");
    let (snapshot, report) = refresh(&mut index);
    assert!(report.walked);
    let (new, _) = refresh(&mut Index::open(&tree.root(), &options()).expect("the tree exists"));
    assert_eq!(found(&snapshot), found(&new));
}

#[test]
fn what_cannot_be_read_is_tried_again() {
    let tree = Tree::new(&[("project/a.py", "def one(): pass\n")]);
    let odd = tree.root().join("project").join(std::ffi::OsStr::from_bytes(b"\xff.py"));
    if fs::write(&odd, "def odd(): pass\n").is_err() {
        // Some file systems reject such names.
        return;
    }
    let mut index = tree.open_tree(&tree.root().join("project"));
    thread::sleep(SETTLED);
    for _ in 0..3 {
        let (snapshot, report) = refresh(&mut index);
        assert_eq!((snapshot.skipped.len(), report.walked), (1, true));
    }
    fs::remove_file(odd).expect("ours");
    assert!(refresh(&mut index).1.walked);
}

#[test]
fn what_another_process_is_at_is_asked_for_again() {
    let tree = Tree::new(&[]);
    (0..100).for_each(|n| tree.write(&format!("f{n}.py"), &format!("def f{n}(): pass\n")));
    let options = IndexOptions::default()
        .with_storage(Storage::Directory(tree.beside("index")))
        .with_busy(Busy::UseReady);
    let mut index = Index::open(&tree.root(), &options).expect("the tree exists");
    let store = Arc::clone(index.store().expect("on disk"));
    let lock = store.lock(&tree.root().to_string_lossy()).expect("ours").expect("no one has it");
    thread::sleep(SETTLED);
    for _ in 0..3 {
        let (_, report) = refresh(&mut index);
        assert_eq!((report.files, report.pending, report.walked), (0, 100, true));
    }
    drop(lock);
    assert_eq!(refresh(&mut index).1.files, 100);
    let (snapshot, report) = refresh(&mut index);
    assert_eq!((snapshot.project.files().len(), report.pending, report.walked), (100, 0, false));
}
