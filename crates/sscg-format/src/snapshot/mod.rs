//! Smart structural snapshots: source code of one file that shows what was looked for, what that refers to in the same
//! file, and nothing else.
//!
//! A snapshot is valid source code: it starts with a comment that names the file, what is in it stands in the order and
//! with the indentation of the file, and nothing marks what was left out. The rules:
//!
//! - **Targets** are shown as their [`Shown`] says: in full, without comments, with the bodies of the functions in them
//!   left out, or as declarations. A target at [`Shown::Name`] is not shown. A statement at the root has no declaration,
//!   and neither has a constant: at [`Shown::Signature`] the one is left out and the other shown whole.
//! - **What the shown text of targets refers to** in the same file, by an edge of any confidence or by the scopes of the
//!   file, is shown as well. Functions and methods are declarations, types are their heads without members, and
//!   constants, variables, fields and type aliases are whole, with the bodies of functions in them left out. Types
//!   and macros of at most 12 lines without functions in them are whole, too; a member of an enumeration stands for
//!   all of it where that is so short. Of a constant or variable of more than 12 lines or 800 bytes the value is left out.
//! - **What is around** anything that is shown is shown as a head: classes, implementation blocks, modules, functions.
//!   The expression that an arrow leads to becomes a block of what is shown in it. What cannot be taken apart (an object
//!   literal) is shown with the bodies in it left out.
//! - **References end there.** What declarations that were pulled in and heads refer to pulls in imports, so that each
//!   name in the text can be traced, but no further declarations.
//! - **Imports** are reduced to the names that the shown text uses. Imports of all names of a module stay if the module,
//!   as far as the graph knows, declares one of the free names in it. Imports for their effects, and of traits for
//!   their methods alone, are left out.
//! - Comments and attributes belong to what they stand on. Heads and declarations keep attributes of one line, not
//!   comments.
//! - Functions without their bodies are what the language has for that (`f();`, `def f(): ...`). Where it has nothing, as
//!   in JavaScript, the body is a comment that says that it is left out, as is a value.
//! - Between two things there is one blank line where there is any in the file.
//!
//! What stands in a statement at the root (`if TYPE_CHECKING:`, `describe("..", () => { .. })`) is shown without the
//! statement, unless that is a target itself.

mod comments;
mod document;
mod file;
mod globs;
mod needs;
mod plan;
mod render;

use sscg_core::{ChunkId, FileId, Id, LocalImport, LocalSymbol, Project, Shown};
use sscg_graph::CodeGraph;

use file::File;
use needs::Links;
use plan::Plan;

/// A type or macro of more lines is shown as its head where it is referred to.
const SHORT: u32 = 12;

/// A structural snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructuralSnapshot {
    /// The source code; empty if nothing is shown.
    pub text: String,
    /// The declarations that stand in it, in source order, whole or in part.
    pub symbols: Vec<LocalSymbol>,
    /// The imports that it holds for them, in source order.
    pub imports: Vec<LocalImport>,
}

/// The snapshot of a file that shows some of its chunks, each as far as its level says. Of a document it is the text
/// of the targets in order. `source` is the text that the file's facts were taken from.
///
/// Nothing of the file is parsed again but import statements of which not all is kept, and, if a target is shown without
/// comments, the snapshot itself. O(symbols + references of the file + bytes that are shown).
///
/// # Panics
/// If a target is no chunk of the file, or `source` is not its text.
pub fn snapshot(
    project: &Project,
    graph: &CodeGraph,
    file: FileId,
    source: &str,
    targets: &[(ChunkId, Shown)],
) -> StructuralSnapshot {
    let first = project.chunks_of(file).start.index();
    let targets: Vec<_> =
        targets.iter().map(|(chunk, shown)| (Id::new(chunk.index() - first), *shown)).collect();
    let links = Links { project, graph, file };
    let entry = &project.files()[file];
    let Some(syntax) = sscg_parse::syntax(entry.language) else {
        return document::render(&entry.facts, source, entry.language.stub, &targets);
    };
    let extension = sscg_parse::extension_of_path(&entry.path).unwrap_or_default();
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
