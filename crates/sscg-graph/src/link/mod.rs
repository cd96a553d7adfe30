//! Linking: from facts to edges.
//!
//! Linking runs in four passes over immutable tables ([`tables`]), each parallel by file:
//! 1. *owners*: the type of each implementation block;
//! 2. *bases*: the types that each type extends or implements ([`lineage`]);
//! 3. *passed*: the values that calls pass to functions, in rounds, for callees that types do not determine ([`flow`]);
//! 4. *references*: every use of a name ([`edges`]), with the results of the other passes ([`resolve`]).
//!
//! Language rules for names of code in other files are behind one trait, with an implementation per module system
//! ([`languages`]). The reads of each pass from other files are recorded ([`context`]), so that after a change only the
//! affected files are linked again ([`live`]), in another process as well ([`saved`]).

mod abstract_value;
mod context;
mod edges;
mod flow;
mod interface;
mod languages;
mod lineage;
mod live;
mod passed;
mod resolve;
mod saved;
mod signature;
mod tables;

use std::mem;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sscg_core::{FileId, IndexVec, Language, Project};

use crate::graph::{CodeGraph, FileLinks};
use context::LinkContext;
use flow::Evaluator;
use languages::{Layout, RuleContext, Typing};
use lineage::{Bases, Lineages, Owners, subtypes_key};
pub use live::LiveGraph;
use passed::{FilePassed, Passed, ROUNDS, Round};
use resolve::{FoundBefore, Linker};
use tables::{Decl, LookupKey, Tables};

/// Resolves every import and reference of the project. Deterministic, parallel by file; time is linear in references
/// times the depth of re-export and inheritance chains. For a project that changes, use [`LiveGraph`].
///
/// ```
/// use sscg_core::{Manifests, Project};
///
/// let texts = [("a.py", "def helper(): pass\n"), ("b.py", "import a\n\ndef main():\n    a.helper()\n    gone()\n")];
/// let files = texts.iter().filter_map(|(path, text)| sscg_parse::project_file(path, text)).collect();
/// let project = Project::new(files, Manifests::default());
/// let graph = sscg_graph::link(&project);
/// let [helper] = graph.nodes_labeled(&project, "a.py::helper")[..] else { panic!("one node") };
/// let callers: Vec<_> = graph.edges_at(helper, sscg_graph::Direction::Incoming).collect();
/// assert!(callers.iter().any(|edge| graph.label(&project, edge.source) == "b.py::main"));
/// assert_eq!(graph.unresolved("gone").len(), 1);
/// ```
pub fn link(project: &Project) -> CodeGraph {
    Links::new(project).1
}

/// State of linking a project, except the graph.
struct Links {
    tables: Tables,
    layout: Layout,
    owners: Owners,
    lineages: Lineages,
    /// Rounds of the third pass.
    rounds: Vec<Round>,
    files: IndexVec<FileId, FilePasses>,
}

/// Results of the passes for one file, and their reads.
#[derive(Default, Serialize, Deserialize)]
struct FilePasses {
    owners: Vec<(Decl, Decl)>,
    owners_read: Reads,
    bases: Vec<Bases>,
    bases_read: Reads,
    references_read: Reads,
}

/// Reads on behalf of one file, in order.
#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reads {
    /// Files whose facts, or whose type relations from other files, were read, including the file itself.
    files: Box<[FileId]>,
    /// Files whose body facts were read.
    flows: Box<[FileId]>,
    /// Keys of method and macro names that were looked up in all files, and of other lookups.
    names: Box<[LookupKey]>,
}

impl Links {
    fn new(project: &Project) -> (Self, CodeGraph) {
        let tables = Tables::new(project);
        let layout = Layout::new(project, &tables);
        let files: Vec<FileId> = project.files().ids().collect();
        let passes = files.iter().map(|_| FilePasses::default()).collect();
        let (owners, lineages) = (Owners::default(), Lineages::default());
        let mut links = Self { tables, layout, owners, lineages, rounds: Vec::new(), files: passes };
        links.find_owners(project, &files);
        links.find_bases(project, &files, true);
        links.find_passed(project);
        let graph = CodeGraph::of_links(project, links.find_edges(project, &files));
        (links, graph)
    }

    /// Runs the first pass over some files; returns the files whose declarations have other results than before.
    fn find_owners(&mut self, project: &Project, files: &[FileId]) -> Vec<FileId> {
        let (owners, lineages, passed) = Default::default();
        let nothing = FoundBefore { owners: &owners, lineages: &lineages, passed: &passed };
        let found = self.pass(project, nothing, files, |linker, file| linker.owners_of(file));
        let mut changed = Vec::new();
        for (file, (owners, reads)) in files.iter().zip(found) {
            let passes = &mut self.files[*file];
            let before = mem::replace(&mut passes.owners, owners);
            passes.owners_read = reads;
            // Order matters: the first type of a block is its owner.
            if before != passes.owners {
                let owners = before.iter().chain(&passes.owners);
                changed.extend(owners.flat_map(|(block, ty)| [block.file, ty.file]));
            }
        }
        if !changed.is_empty() {
            self.owners = Owners::new(self.files.iter().flat_map(|passes| &passes.owners).copied());
        }
        changed
    }

    /// Runs the second pass over some files, after the first with its result. Returns the files with types that inherit
    /// something else than before, and the keys of the types whose subtypes changed.
    fn find_bases(
        &mut self,
        project: &Project,
        files: &[FileId],
        owners_changed: bool,
    ) -> (Vec<FileId>, Vec<LookupKey>) {
        let (lineages, passed) = Default::default();
        let owners = FoundBefore { owners: &self.owners, lineages: &lineages, passed: &passed };
        let found = self.pass(project, owners, files, |linker, file| linker.bases_of(file));
        let mut is_changed = owners_changed;
        for (file, (bases, reads)) in files.iter().zip(found) {
            let passes = &mut self.files[*file];
            is_changed |= passes.bases != bases;
            passes.bases = bases;
            passes.bases_read = reads;
        }
        if !is_changed {
            return (Vec::new(), Vec::new());
        }
        let bases = self.files.iter().flat_map(|passes| &passes.bases);
        let lineages = Lineages::new(&self.owners, bases);
        let changed = lineages.differing(&self.lineages).map(|declaration| declaration.file).collect();
        let extended = lineages.differing_subtypes(&self.lineages).map(subtypes_key).collect();
        self.lineages = lineages;
        (changed, extended)
    }

    /// Runs the third pass over all files.
    fn find_passed(&mut self, project: &Project) {
        let mut round = Round::new(self.files.len());
        let mut files: Vec<FileId> = self.files.ids().collect();
        for nth in 0..ROUNDS {
            let changed = round.update(&files, self.find_passed_in(project, nth, &files));
            files = round.readers(&changed);
            self.rounds.push(round.clone());
        }
    }

    /// Runs one round of the third pass over some files, after the previous rounds.
    fn find_passed_in(&self, project: &Project, nth: usize, files: &[FileId]) -> Vec<(FilePassed, Reads)> {
        let nothing = Passed::default();
        let passed = nth.checked_sub(1).map_or(&nothing, |before| &self.rounds[before].passed);
        let found = FoundBefore { owners: &self.owners, lineages: &self.lineages, passed };
        self.pass(project, found, files, |linker, file| Evaluator::new(linker).passed_by_file(file))
    }

    /// Runs the fourth pass over some files.
    fn find_edges(&mut self, project: &Project, files: &[FileId]) -> Vec<FileLinks> {
        let passed = &self.rounds[ROUNDS - 1].passed;
        let found = FoundBefore { owners: &self.owners, lineages: &self.lineages, passed };
        let found = self.pass(project, found, files, FileLinks::new);
        let store = |(file, (links, reads)): (&FileId, (FileLinks, Reads))| {
            self.files[*file].references_read = reads;
            links
        };
        files.iter().zip(found).map(store).collect()
    }

    fn pass<'a, T: Send>(
        &'a self,
        project: &'a Project,
        found: FoundBefore<'a>,
        files: &[FileId],
        find: impl Fn(&Linker<'a>, FileId) -> T + Sync,
    ) -> Vec<(T, Reads)> {
        let context = || RuleContext::new(LinkContext::new(project, &self.tables), &self.layout);
        let linker = || Linker::new(context(), found);
        let find = |linker: &mut Linker<'a>, file: &FileId| {
            linker.start(*file);
            let found = find(linker, *file);
            (found, linker.finish())
        };
        files.par_iter().map_init(linker, find).collect()
    }
}

/// Returns true if the types of a language's values are known only when it runs.
pub(crate) fn is_dynamically_typed(language: Language) -> bool {
    languages::of(language).typing() == Typing::Dynamic
}

/// Returns true if decorators of a language are functions that take what they decorate.
pub(crate) fn has_decorators(language: Language) -> bool {
    is_dynamically_typed(language)
}

/// Returns true if inferred targets of uses in a language follow from types rather than from names.
pub(crate) fn infers_from_types(language: Language) -> bool {
    languages::of(language).infers_from_types()
}

/// Returns true if the code of a file states the types of its values, although its language is typed dynamically.
pub(crate) fn states_types(language: Language, path: &str) -> bool {
    languages::of(language).states_types(path)
}

/// Returns true if all values of a language have a method of this name.
pub(crate) fn is_universal_method(language: Language, name: &str) -> bool {
    languages::of(language).is_universal_method(name)
}

/// Returns true if operators, statements or functions of a language call a method of this name by themselves.
pub(crate) fn is_implicit(language: Language, name: &str) -> bool {
    languages::of(language).is_implicit(name)
}

/// Returns true for an external type that calls no member of its subtypes, except implicit ones.
pub(crate) fn is_inert(language: Language, ty: &str) -> bool {
    languages::of(language).is_inert(ty)
}

/// Returns true if members of built-in types of a language often have a name.
pub(crate) fn is_common_method(language: Language, name: &str) -> bool {
    languages::of(language).is_common_method(name)
}
