//! Incremental graph of a project.

use std::hash::Hash;
use std::mem;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use sscg_core::{FileId, Import, LocalImport, ModuleSystem, Project, ProjectFile};

use super::interface::{names, same_bases, same_flow, same_interface};
use super::languages::path_attributes;
use super::passed::ROUNDS;
use super::tables::{LookupKey, global_imports, packages_of};
use super::{Links, Reads};
use crate::graph::{CodeGraph, FileLinks};

/// Graph of a project that changes, always equal to the result of [`link`](crate::link) for its current state.
///
/// After a change, the changed files are linked again, and of the others those with a read that changed or with
/// declarations whose relations changed. If only bodies of functions changed, there are no others, except in Python,
/// where the callee of a call may depend on what other bodies pass, return and store. A change in the set of files, in
/// packages or manifests, of `#[path = ".."]` in Rust, or in the packages that files declare, links everything again.
///
/// A snapshot that is still held elsewhere stays as it is; otherwise the graph is changed in place.
///
/// ```
/// use std::sync::Arc;
///
/// use sscg_core::{Manifests, Project};
/// use sscg_graph::{LiveGraph, link};
///
/// let project = |text: &str| {
///     let texts = [("a.py", text), ("b.py", "from a import f\nf()\n")];
///     let files = texts.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
///     Arc::new(Project::new(files, Manifests::default()))
/// };
/// let mut live = LiveGraph::new(project("def f(): pass\n"));
/// // The new body changes nothing for the other file.
/// let edited = project("def f(): return 1\n");
/// assert_eq!(live.update(Arc::clone(&edited)), 1);
/// assert_eq!(**live.graph(), link(&edited));
/// ```
pub struct LiveGraph {
    project: Arc<Project>,
    links: Links,
    graph: Arc<CodeGraph>,
}

impl LiveGraph {
    /// Links a project. Costs the same as [`link`](crate::link).
    pub fn new(project: Arc<Project>) -> Self {
        let (links, graph) = Links::new(&project);
        Self { project, links, graph: Arc::new(graph) }
    }

    /// Encodes the results and reads of linking, except the graph, for [`LiveGraph::resume`] of the same version of
    /// this crate. O(reads), about 5 bytes each.
    pub fn encode_links(&self) -> Vec<u8> {
        self.links.encode()
    }

    /// Updates the graph of an earlier state of a project to its current one, as [`LiveGraph::update`] does in the
    /// process that linked it. Also returns the number of files that were linked. `None` if the sets of files, packages
    /// or manifests differ, or if another build encoded the links: then everything has to be linked. Decodes the facts
    /// of all files for its tables.
    ///
    /// `links` must be [encoded](LiveGraph::encode_links) links of `before` and `graph`, unchanged.
    ///
    /// # Panics
    /// May panic, or give another graph, if they are not: ids in them are not verified.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use sscg_core::{Manifests, Project};
    /// use sscg_graph::{LiveGraph, link};
    ///
    /// let project = |text: &str| {
    ///     let texts = [("a.py", text), ("b.py", "from a import f\nf()\n")];
    ///     let files = texts.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
    ///     Arc::new(Project::new(files, Manifests::default()))
    /// };
    /// let before = project("def f(): pass\n");
    /// let live = LiveGraph::new(Arc::clone(&before));
    /// let (graph, links) = (Arc::clone(live.graph()), live.encode_links());
    ///
    /// let edited = project("def f(): return 1\n");
    /// let (live, linked) = LiveGraph::resume(before, graph, &links, Arc::clone(&edited)).expect("the same files");
    /// assert_eq!(linked, 1);
    /// assert_eq!(**live.graph(), link(&edited));
    /// ```
    pub fn resume(
        before: Arc<Project>,
        graph: Arc<CodeGraph>,
        links: &[u8],
        project: Arc<Project>,
    ) -> Option<(Self, usize)> {
        if !same_files(&before, &project) {
            return None;
        }
        let links = Links::decode(&before, links)?;
        let mut live = Self { project: before, links, graph };
        let linked = live.update(project);
        Some((live, linked))
    }

    /// Rebases on a project equal to its own, so that the facts of its own can be freed.
    pub fn rebase(&mut self, project: Arc<Project>) {
        self.project = project;
    }

    /// Returns the project of the graph.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the current graph.
    pub fn graph(&self) -> &Arc<CodeGraph> {
        &self.graph
    }

    /// Updates the graph to another state of the project, and returns the number of files that were linked. A file
    /// whose facts are a [clone](sscg_core::LazyFacts::ptr_eq) of the previous ones is unchanged without a comparison.
    ///
    /// Takes the time to link those files, and one pass over the graph's edges to put the new ones in place.
    pub fn update(&mut self, project: Arc<Project>) -> usize {
        let changes = same_files(&self.project, &project).then(|| Changes::between(&self.project, &project));
        let Some(changes) = changes.filter(|changes| !changes.modules_move) else {
            *self = Self::new(project);
            return self.project.files().len();
        };
        let old = mem::replace(&mut self.project, project);
        let (files, links) = self.links.relink(&old, &self.project, changes);
        if !files.is_empty() {
            Arc::make_mut(&mut self.graph).replace(&old, &self.project, &files, links);
        }
        files.len()
    }
}

/// Returns true if two states have the same files, packages and manifests, whatever the contents of the files.
fn same_files(old: &Project, new: &Project) -> bool {
    let file = |(a, b): (&ProjectFile, &ProjectFile)| a.path == b.path && a.language == b.language;
    old.manifests() == new.manifests()
        && old.files().len() == new.files().len()
        && old.files().iter().zip(new.files().iter()).all(file)
}

/// Returns true if two states of a file have the same `path` attributes of modules, in the same modules.
fn same_path_attributes(before: &ProjectFile, after: &ProjectFile) -> bool {
    let of = |file: &ProjectFile| -> Vec<_> {
        let around = |import: &Import| import.scope.map(|scope| file.facts.qualified_name(scope));
        path_attributes(file).map(|it| (it.module.clone(), it.scope, around(it))).collect()
    };
    of(before) == of(after)
}

/// Returns true if two states of a file have the same imports that apply to other files.
fn same_global_imports(before: &ProjectFile, after: &ProjectFile) -> bool {
    let of = |file: &ProjectFile| -> Vec<(LocalImport, Box<str>)> {
        global_imports(file).map(|import| (import, file.facts.imports[import].module.clone())).collect()
    };
    of(before) == of(after)
}

/// Differences between two states of a project.
#[derive(Default)]
struct Changes {
    /// Files with other facts.
    files: Vec<FileId>,
    /// Files whose interface, or type relations from other files, changed.
    seen: FxHashSet<FileId>,
    /// Files whose body facts changed.
    flows: FxHashSet<FileId>,
    /// Keys of lookups whose answers may differ: of names in changed interfaces, and of other changes.
    names: FxHashSet<LookupKey>,
    /// Set when files may belong to other modules than before.
    modules_move: bool,
}

impl Changes {
    fn between(old: &Project, new: &Project) -> Self {
        let mut changes = Self::default();
        for (file, entry) in new.files().iter_enumerated() {
            let (before, after) = (&old.files()[file].facts, &entry.facts);
            if before.ptr_eq(after) || **before == **after {
                continue;
            }
            changes.files.push(file);
            let earlier = &old.files()[file];
            changes.modules_move |= !same_path_attributes(earlier, entry)
                || packages_of(earlier) != packages_of(entry)
                || !same_global_imports(earlier, entry);
            if !same_flow(&before.flow, &after.flow) {
                changes.flows.insert(file);
            }
            let has_bases = entry.language.modules == ModuleSystem::DirectoryPackages;
            if !same_interface(before, after) || has_bases && !same_bases(before, after) {
                changes.seen.insert(file);
                changes.names.extend(names(earlier));
                changes.names.extend(names(entry));
            }
        }
        changes
    }

    fn reach(&self, reads: &Reads) -> bool {
        share_one(&reads.files, &self.seen)
            || share_one(&reads.flows, &self.flows)
            || share_one(&reads.names, &self.names)
    }
}

/// Returns true if a sorted list has an item of a set. Most often the set is small, and the list is long.
fn share_one<T: Ord + Hash>(list: &[T], set: &FxHashSet<T>) -> bool {
    let steps_of_search = list.len().checked_ilog2().unwrap_or(0) as usize + 1;
    if set.len() * steps_of_search < list.len() {
        set.iter().any(|item| list.binary_search(item).is_ok())
    } else {
        list.iter().any(|item| set.contains(item))
    }
}

impl Links {
    /// Applies a change. Returns the files that were linked again, in order, with their new links.
    fn relink(
        &mut self,
        old: &Project,
        new: &Project,
        mut changes: Changes,
    ) -> (Vec<FileId>, Vec<FileLinks>) {
        for file in &changes.files {
            self.tables.update(old, new, *file);
        }
        let files = self.reached(&changes, |file| &self.files[file].owners_read);
        let moved = self.find_owners(new, &files);
        let owners_changed = !moved.is_empty();
        changes.seen.extend(moved);
        let files = self.reached(&changes, |file| &self.files[file].bases_read);
        let (inheriting, extended) = self.find_bases(new, &files, owners_changed);
        changes.seen.extend(inheriting);
        changes.names.extend(extended);
        for nth in 0..ROUNDS {
            let files = self.reached(&changes, |file| self.rounds[nth].reads(file));
            let found = self.find_passed_in(new, nth, &files);
            changes.names.extend(self.rounds[nth].update(&files, found));
        }
        let files = self.reached(&changes, |file| &self.files[file].references_read);
        let links = self.find_edges(new, &files);
        (files, links)
    }

    /// Returns the files that changed, or whose pass has a read that changed.
    fn reached<'r>(&self, changes: &Changes, reads: impl Fn(FileId) -> &'r Reads) -> Vec<FileId> {
        let is_reached = |file: &FileId| {
            // A file may be affected without a change of its own: the edge from a type to a trait that another file
            // implements.
            changes.files.binary_search(file).is_ok()
                || changes.seen.contains(file)
                || changes.reach(reads(*file))
        };
        self.files.ids().filter(is_reached).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;
    use crate::testing::project;

    /// Returns the number of files linked after a change of the texts. Checks the graph and an earlier snapshot.
    fn relinked(before: &[(&str, &str)], after: &[(&str, &str)]) -> usize {
        let mut live = LiveGraph::new(Arc::new(project(before)));
        let snapshot = Arc::clone(live.graph());
        let after = Arc::new(project(after));
        let files = live.update(Arc::clone(&after));
        assert_eq!(**live.graph(), link(&after));
        assert_eq!(*snapshot, link(&project(before)), "a snapshot that is held stays as it was");
        files
    }

    const SHAPES: (&str, &str) = ("shapes.py", "class Shape:\n    def area(self):\n        return 0\n");
    const USE: (&str, &str) =
        ("use.py", "from square import Square\n\ndef total():\n    return Square().area()\n");
    const OTHER: (&str, &str) = ("other.py", "def other():\n    pass\n");

    #[test]
    fn a_change_inside_a_body_is_nobody_elses_business() {
        let longer =
            ("shapes.py", "class Shape:\n    def area(self):\n        x = gone()\n        return x\n");
        let square = ("square.py", "from shapes import Shape\n\nclass Square(Shape):\n    pass\n");
        assert_eq!(relinked(&[OTHER, SHAPES, square, USE], &[OTHER, longer, square, USE]), 1);
        assert_eq!(relinked(&[OTHER, SHAPES, square, USE], &[OTHER, SHAPES, square, USE]), 0);
    }

    #[test]
    fn links_of_other_files_or_damaged_ones_are_not_resumed() {
        let one = Arc::new(project(&[SHAPES, USE]));
        let live = LiveGraph::new(Arc::clone(&one));
        let links = live.encode_links();
        let resume = |links: &[u8], to: &[(&str, &str)]| {
            let (before, graph) = (Arc::clone(&one), Arc::clone(live.graph()));
            LiveGraph::resume(before, graph, links, Arc::new(project(to))).map(|(_, linked)| linked)
        };
        assert_eq!(resume(&links, &[SHAPES, USE]), Some(0));
        assert_eq!(resume(&links, &[OTHER, SHAPES, USE]), None);
        assert_eq!(resume(&links[..links.len() / 2], &[SHAPES, USE]), None);
        let of_fewer = LiveGraph::new(Arc::new(project(&[SHAPES]))).encode_links();
        assert_eq!(resume(&of_fewer, &[SHAPES, USE]), None);
    }

    #[test]
    fn what_a_call_passes_is_seen_by_the_function_that_it_runs() {
        let kinds = ("kinds.py", "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n");
        let run = ("run.py", "def run(thing):\n    walk(thing)\n\ndef walk(thing):\n    thing.go()\n");
        let main =
            |body: &str| format!("from kinds import A, B\nfrom run import run\n\ndef main():\n    {body}\n");
        let [one, more, other] = ["run(A())", "run(A())\n    run(A())", "run(B())"].map(main);
        let [one, more, other] = [&one, &more, &other].map(|main| [kinds, run, ("main.py", &**main), OTHER]);
        assert_eq!(relinked(&one, &more), 1);
        assert_eq!(relinked(&one, &other), 2);
        assert_eq!(relinked(&other, &one), 2);
    }

    #[test]
    fn what_passes_for_a_type_is_seen_where_it_is_taken() {
        let kinds = |base: &str| {
            format!(
                "from typing import Protocol, Sized\nclass Shape({base}):\n    def area(self): ...\nclass Protocols: ...\n"
            )
        };
        let (structural, plain) = (kinds("Protocol"), kinds("Sized"));
        let take = ("take.py", "from kinds import Shape\n\ndef total(shape: Shape):\n    shape.area()\n");
        let main = (
            "main.py",
            "from take import total\nclass Square:\n    def area(self): ...\n\ntotal(Square())\n",
        );
        let [before, after] = [&structural, &plain].map(|kinds| [("kinds.py", &**kinds), take, main]);
        assert_eq!(relinked(&before, &after), 2);
        assert_eq!(relinked(&after, &before), 2);
    }

    #[test]
    fn what_a_signature_gives_is_seen_by_callers() {
        let both = |one: &str, other: &str| {
            format!(
                "struct Box {{\n  int get(){one} {{ return 1; }}\n  int get(){other} {{ return 2; }}\n}};\n"
            )
        };
        let (before, after) = (both("", " const"), both(" const", ""));
        let main = ("main.cc", "#include \"box.h\"\nint run(Box box) { return box.get(); }\n");
        let [before, after] = [&before, &after].map(|text| [("box.h", &**text), main]);
        assert_eq!(relinked(&before, &after), 2);

        let operator =
            |kind: &str| format!("class Id {{ public static {kind} operator long(Id id) => 0; }}\n");
        let (before, after) = (operator("implicit"), operator("explicit"));
        let main = (
            "main.cs",
            "class Store {\n void Put(long at) {}\n void Put(Store all) {}\n void Run(Id id) { Put(id); }\n}\n",
        );
        let [before, after] = [&before, &after].map(|text| [("id.cs", &**text), main]);
        assert_eq!(relinked(&before, &after), 2);
    }

    #[test]
    fn the_order_of_conditional_imports_is_seen_by_blocks() {
        let root = ("src/lib.rs", "mod a;\nmod b;\nmod c;\n");
        let [a, b] = ["src/a.rs", "src/b.rs"].map(|path| (path, "pub struct Imp;\n"));
        let imports =
            ["#[cfg(unix)]\nuse crate::a::Imp as X;\n", "#[cfg(windows)]\nuse crate::b::Imp as X;\n"];
        let block = "impl X { fn f(&self) {} }\n";
        let one = [imports[0], imports[1], block].concat();
        let other = [imports[1], imports[0], block].concat();
        let [before, after] = [&one, &other].map(|text| [root, a, b, ("src/c.rs", &**text)]);
        assert!(relinked(&before, &after) > 0);
    }

    #[test]
    fn a_new_member_is_found_by_those_who_looked_for_it() {
        let empty = ("shapes.py", "class Shape:\n    pass\n");
        let square = ("square.py", "from shapes import Shape\n\nclass Square(Shape):\n    pass\n");
        assert_eq!(relinked(&[OTHER, empty, square, USE], &[OTHER, SHAPES, square, USE]), 3);
    }

    #[test]
    fn another_base_class_is_seen_by_users_of_the_class() {
        let square = |base: &str| format!("from shapes import Shape\n\nclass Square({base}):\n    pass\n");
        let (none, one) = (square(""), square("Shape"));
        let [before, after] = [&none, &one].map(|square| [OTHER, SHAPES, ("square.py", square), USE]);
        assert_eq!(relinked(&before, &after), 2);
        assert_eq!(relinked(&after, &before), 2);
    }

    #[test]
    fn an_implementation_elsewhere_is_seen_by_users_of_the_type() {
        let root = ("src/lib.rs", "mod shape;\nmod area;\nmod user;\n");
        let shape = ("src/shape.rs", "pub struct Shape;\n");
        let user = (
            "src/user.rs",
            "use crate::shape::Shape;\npub fn total(shape: &Shape) -> u32 { shape.area() }\n",
        );
        let body = "use crate::shape::Shape;\nimpl Shape { pub fn area(&self) -> u32 { 0 } }\n";
        let before = [root, shape, user, ("src/area.rs", "")];
        let after = [root, shape, user, ("src/area.rs", body)];
        assert_eq!(relinked(&before, &after), 3);
        assert_eq!(relinked(&after, &before), 3);
    }

    #[test]
    fn what_a_type_implements_elsewhere_starts_at_the_type() {
        let root = ("src/lib.rs", "mod shape;\nmod area;\npub trait Area {}\n");
        let shape = ("src/shape.rs", "pub struct Shape;\n");
        let body = "use crate::shape::Shape;\nuse crate::Area;\nimpl Area for Shape {}\n";
        let [before, after] = ["", body].map(|body| [root, shape, ("src/area.rs", body)]);
        assert_eq!(relinked(&before, &after), 2);
        assert_eq!(relinked(&after, &before), 2);
    }

    #[test]
    fn an_implementation_elsewhere_is_seen_in_the_file_of_the_type() {
        let root = ("src/lib.rs", "mod shape;\nmod area;\n");
        let shape = "pub trait Area { fn area(&self) -> u32; }\npub struct Shape;\npub fn total(shape: &Shape) -> u32 { shape.area() }\n";
        let body = "use crate::shape::{Area, Shape};\nimpl Area for Shape { fn area(&self) -> u32 { 0 } }\n";
        let before = [root, ("src/shape.rs", shape), ("src/area.rs", "")];
        let after = [root, ("src/shape.rs", shape), ("src/area.rs", body)];
        assert_eq!(relinked(&before, &after), 2);
        assert_eq!(relinked(&after, &before), 2);
    }

    #[test]
    fn another_set_of_files_is_linked_as_a_whole() {
        assert_eq!(relinked(&[SHAPES, OTHER], &[SHAPES]), 1);
        assert_eq!(relinked(&[SHAPES], &[SHAPES, OTHER]), 2);
        assert_eq!(relinked(&[], &[]), 0);
    }

    #[test]
    fn another_file_of_a_module_is_seen_by_all() {
        let root = |path: &str| format!("#[path = \"{path}\"]\nmod imp;\npub fn go() {{ imp::run() }}\n");
        let (one, other) = (root("unix.rs"), root("windows.rs"));
        let [unix, windows] =
            ["src/unix.rs", "src/windows.rs"].map(|path| (path, "pub fn run() { super::go() }\n"));
        let [before, after] = [&one, &other].map(|root| [("src/lib.rs", &**root), unix, windows]);
        assert_eq!(relinked(&before, &after), 3);
        // The name of the module around is part of the path.
        let inner = |name: &str| {
            format!("mod {name} {{\n#[path = \"x.rs\"]\nmod imp;\npub fn go() {{ imp::run() }}\n}}\n")
        };
        let (a, b) = (inner("a"), inner("b"));
        let files = ["src/a/x.rs", "src/b/x.rs"].map(|path| (path, "pub fn run() {}\n"));
        relinked(&[("src/lib.rs", &*a), files[0], files[1]], &[("src/lib.rs", &*b), files[0], files[1]]);
        let longer = one.replace("imp::run()", "imp::run(); imp::run()");
        assert_eq!(relinked(&before, &[("src/lib.rs", &*longer), unix, windows]), 1);
    }
}
