//! Smart structural snapshots: source code of one file that shows the targets, the declarations of the same file that
//! they refer to, and nothing else.
//!
//! A snapshot is valid source code: it starts with a comment that names the file, its items have the order and the
//! indentation of the file, and nothing marks what was left out. The rules:
//!
//! - **Targets** are shown at their [`DetailLevel`]: in full, without comments, with function bodies elided, or as
//!   declarations. A target at [`DetailLevel::Name`] is not shown. Statements at the root and constants have no separate
//!   declaration: at [`DetailLevel::Signature`] the former are left out and the latter shown whole.
//! - **References in the shown text of targets** to the same file, by an edge of any confidence or by the scopes of the
//!   file, are shown as well. Functions and methods are declarations, types are their heads without members, and
//!   constants, variables, fields and type aliases are whole, with function bodies elided. Types and macros of at most
//!   12 lines without functions in them are whole, too; an enum member stands for all of the enum where that is so
//!   short. The value of a constant or variable of more than 12 lines or 800 bytes is elided.
//! - **Enclosing declarations** of anything that is shown are shown as heads: classes, implementation blocks, modules,
//!   functions. The expression after an arrow becomes a block with the items shown in it. What cannot be taken apart
//!   (an object literal) is shown with the bodies in it elided.
//! - **References end there.** References in heads and in declarations that were pulled in add imports, so that each
//!   name in the text can be traced, but no further declarations.
//! - **Imports** are reduced to the names that the shown text uses. Glob imports stay if the module, as far as the
//!   graph resolves it, declares one of the free names. Imports for their effects, and of traits for their methods
//!   alone, are left out.
//! - Comments and attributes belong to the declaration that they precede. Heads and declarations keep attributes of one
//!   line, not comments.
//! - Functions without their bodies use the syntax of the language (`f();`, `def f(): ...`). Where there is none, as in
//!   JavaScript, a comment marks the elided body, as it does for a value.
//! - Between two items there is one blank line where there is any in the file.
//!
//! Items in a statement at the root (`if TYPE_CHECKING:`, `describe("..", () => { .. })`) are shown without the
//! statement, unless that is a target itself.

mod comments;
mod document;
mod file;
mod globs;
mod needs;
mod plan;
mod render;

use sscg_core::{ChunkId, DetailLevel, FileId, Id, LocalImport, LocalSymbol, Project};
use sscg_graph::{CodeGraph, Direction, Edge, Node};
use sscg_parse::FileType;

use file::File;
use plan::Plan;

/// Maximum number of lines of a type or macro that is shown whole where it is referred to.
const SHORT: u32 = 12;

/// Structural snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StructuralSnapshot {
    /// Source code; empty if nothing is shown.
    pub text: String,
    /// Declarations in the text, in source order, whole or in part.
    pub symbols: Vec<LocalSymbol>,
    /// Imports for these declarations, in source order.
    pub imports: Vec<LocalImport>,
}

/// Resolution of names.
#[derive(Clone, Copy)]
struct Links<'a> {
    project: &'a Project,
    graph: &'a CodeGraph,
    file: FileId,
}

impl<'a> Links<'a> {
    fn edges_at(self, source: Option<LocalSymbol>) -> impl Iterator<Item = &'a Edge> {
        let node = match source {
            Some(symbol) => Node::Symbol(self.project.symbol_id(self.file, symbol)),
            None => Node::File(self.file),
        };
        self.graph.edges_at(self.graph.id(node), Direction::Outgoing)
    }

    /// Returns the target of an edge if it is a declaration of the file.
    fn local(self, edge: &Edge) -> Option<LocalSymbol> {
        let Node::Symbol(symbol) = self.graph.node(edge.target) else { return None };
        let (file, local) = self.project.local_symbol(symbol);
        (file == self.file).then_some(local)
    }

    /// Returns the name of a node as code writes it.
    fn name(self, node: Node) -> &'a str {
        match node {
            Node::File(_) => "",
            Node::Symbol(symbol) => self.project.symbol_name(symbol),
            Node::External(at) => {
                let name = &*self.graph.externals()[at as usize].name;
                name.rsplit(['.', ':']).next().unwrap_or(name)
            }
        }
    }

    /// True if a node is part of a module.
    fn is_in(self, node: Node, module: Node) -> bool {
        match (node, module) {
            (Node::Symbol(symbol), Node::File(file)) => self.project.symbol_file(symbol) == file,
            (Node::Symbol(symbol), Node::Symbol(module)) => {
                self.project.self_and_ancestors(symbol).any(|outer| outer == module)
            }
            (Node::External(inner), Node::External(module)) => {
                let name = |at: u32| &*self.graph.externals()[at as usize].name;
                name(inner).starts_with(name(module))
            }
            _ => false,
        }
    }
}

/// Returns the snapshot of a file with some of its chunks, each at its detail level. For a document it is the text of
/// the targets in order. `source` is the text that the file's facts come from.
///
/// Only import statements that are reduced are parsed again and, if a target is shown without comments, the snapshot
/// itself. O(symbols + references of the file + bytes shown).
///
/// ```
/// use sscg_core::{DetailLevel, Manifests, Project};
///
/// let source = "import os
/// import sys
///
/// ROOT = os.sep
///
/// def open_root():
///     return open(ROOT)
///
/// def unused():
///     pass
/// ";
/// let project = Project::new(sscg_parse::project_file("a.py", source).into_iter().collect(), Manifests::default());
/// let symbol = project.symbols_named("open_root").next().unwrap();
/// let target = (project.chunk_of_symbol(symbol), DetailLevel::Full);
/// let file = project.symbol_file(symbol);
/// let shown = sscg_format::snapshot(&project, &sscg_graph::link(&project), file, source, &[target]);
/// assert!(shown.text.contains("import os") && shown.text.contains("ROOT = os.sep"));
/// assert!(!shown.text.contains("sys") && !shown.text.contains("unused"));
/// ```
///
/// # Panics
/// Panics if a target is not a chunk of the file, or `source` is not its text.
pub fn snapshot(
    project: &Project,
    graph: &CodeGraph,
    file: FileId,
    source: &str,
    targets: &[(ChunkId, DetailLevel)],
) -> StructuralSnapshot {
    let first = project.chunks_of(file).start.index();
    let targets: Vec<_> =
        targets.iter().map(|(chunk, shown)| (Id::new(chunk.index() - first), *shown)).collect();
    let links = Links { project, graph, file };
    let entry = &project.files()[file];
    let Some(syntax) = sscg_parse::syntax(entry.language) else {
        return document::render(&entry.facts, source, entry.language.stub, &targets);
    };
    let extension = FileType::of_path(&entry.path).map_or("", |it| it.extension);
    let file = File::new(&entry.facts, source, extension, syntax);
    let mut plan = Plan::of_targets(&file, &targets);
    let needs = needs::of_targets(&file, &plan, links);
    plan.add(&file, &needs);
    let imports = needs::imports(&file, &plan, links);
    let body = render::render(&file, &plan, &imports);
    if body.is_empty() {
        return StructuralSnapshot::default();
    }
    let header = format!("{} {}", syntax.line_comment(), entry.path);
    StructuralSnapshot { text: format!("{header}\n\n{body}"), symbols: plan.symbols(), imports }
}
