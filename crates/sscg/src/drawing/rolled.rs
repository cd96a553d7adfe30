//! Drawings whose nodes are files or directories.

use std::collections::{BTreeMap, BTreeSet};

use sscg_core::{Confidence, FileId, NodeId, Relation};
use sscg_format::{DrawnEdge, DrawnNode, Role};
use sscg_graph::{Edge, Node, dependencies_first};
use sscg_index::Snapshot;

use super::{DrawingOptions, DrawnUnit};
use crate::structure::CommunityMap;

/// Nodes and edges of a module in which each node stands for a file, or for the files of a directory.
pub(super) struct Rolled {
    pub(super) nodes: Vec<DrawnNode>,
    pub(super) edges: Vec<DrawnEdge>,
    /// Number of nodes that did not fit the limit.
    pub(super) omitted: usize,
}

/// Rolls up files of a project. Nodes beyond the limit are those with the fewest declarations. O(files × depth + edges), and
/// O(directories²) for directories.
///
/// `declarations` are the nodes of the graph that a drawing of declarations would have.
pub(super) fn roll_up(
    snapshot: &Snapshot,
    files: &[FileId],
    declarations: &[NodeId],
    unit: DrawnUnit,
    options: &DrawingOptions,
) -> Rolled {
    let Snapshot { project, graph, .. } = snapshot;
    let path = |file: FileId| &*project.files()[file].path;
    let split = match unit {
        DrawnUnit::Directory => split_directories(files.iter().map(|file| path(*file)), options.nodes),
        _ => BTreeSet::new(),
    };
    let name = |file: FileId| match unit {
        DrawnUnit::Directory => directory(path(file), &split),
        _ => path(file),
    };
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for file in files {
        groups.entry(name(*file)).or_default().file = Some(*file);
    }
    let communities = snapshot.derived(CommunityMap::of);
    for node in declarations {
        let Node::Symbol(symbol) = graph.node(*node) else { continue };
        let chunk = project.chunk_of_symbol(symbol);
        if let Some(group) = groups.get_mut(name(project.chunk_file(chunk))) {
            group.members += 1;
            if let Some(community) = communities.get(snapshot, chunk) {
                *group.communities.entry(community).or_default() += 1;
            }
        }
    }
    let mut ranked: Vec<(&str, Group)> = groups.into_iter().collect();
    ranked.sort_by(|a, b| b.1.members.cmp(&a.1.members).then(a.0.cmp(b.0)));
    let omitted = ranked.len().saturating_sub(options.nodes);
    ranked.truncate(options.nodes);
    ranked.sort_by_key(|(name, _)| *name);
    let place = |file: FileId| ranked.binary_search_by_key(&name(file), |(name, _)| name).ok();
    let places: BTreeMap<FileId, usize> =
        files.iter().filter_map(|file| Some((*file, place(*file)?))).collect();

    let mut edges: BTreeMap<(usize, usize, Relation), (usize, Confidence)> = BTreeMap::new();
    let is_drawn = |edge: &&Edge| !edge.relation.is_containment() && options.edges.admits(edge);
    for edge in graph.edges().iter().filter(is_drawn) {
        let end = |node: NodeId| places.get(&graph.node(node).file(project)?).copied();
        let (Some(source), Some(target)) = (end(edge.source), end(edge.target)) else { continue };
        if source != target {
            let rolled = edges.entry((source, target, edge.relation)).or_insert((0, edge.confidence));
            *rolled = (rolled.0 + 1, rolled.1.max(edge.confidence));
        }
    }
    let (order, _) =
        dependencies_first(ranked.len(), edges.keys().map(|(source, target, _)| (*source, *target)));
    let mut at = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, node)| at[*node] = place);
    let edges: BTreeMap<(usize, usize, Relation), (usize, Confidence)> = edges
        .into_iter()
        .map(|((source, target, relation), rolled)| ((at[source], at[target], relation), rolled))
        .collect();
    let edges = edges.into_iter().map(|((source, target, relation), (count, confidence))| {
        DrawnEdge::default()
            .with_source(source)
            .with_target(target)
            .with_relation(relation.as_str())
            .with_confidence(confidence)
            .with_count(count)
    });
    let node = |at: &usize| {
        let (name, group) = &ranked[*at];
        let name = if name.is_empty() { "." } else { name };
        let node = DrawnNode::default()
            .with_id(name)
            .with_name(name)
            .with_role(Role::Member)
            .with_members(Some(group.members))
            .with_community(group.community());
        match (unit, group.file) {
            (DrawnUnit::File, Some(file)) => {
                node.with_kind("file").with_file(name).with_language(project.files()[file].language.name)
            }
            _ => node.with_kind("directory"),
        }
    };
    Rolled { nodes: order.iter().map(node).collect(), edges: edges.collect(), omitted }
}

/// Files that one node stands for.
#[derive(Default)]
struct Group {
    /// One of the files.
    file: Option<FileId>,
    /// Number of declarations.
    members: usize,
    /// Number of declarations in each community.
    communities: BTreeMap<u32, usize>,
}

impl Group {
    /// Returns the community with the most declarations.
    fn community(&self) -> Option<u32> {
        let most = self.communities.iter().max_by_key(|(number, count)| (**count, u32::MAX - **number));
        most.map(|(number, _)| *number)
    }
}

/// Returns the directories that are drawn as their own files and the directories in them, each apart: those with the most files
/// first, as long as all nodes fit `limit`. The first directory with several parts is split in any case, as one node shows
/// nothing.
fn split_directories<'p>(paths: impl Iterator<Item = &'p str>, limit: usize) -> BTreeSet<&'p str> {
    let mut directories: BTreeMap<&str, Directory<'p>> = BTreeMap::new();
    for path in paths {
        let mut around = "";
        for (at, _) in path.match_indices('/') {
            let directory = directories.entry(around).or_default();
            directory.files += 1;
            directory.parts.insert(&path[..at]);
            around = &path[..at];
        }
        let directory = directories.entry(around).or_default();
        directory.files += 1;
        directory.parts.insert("");
    }
    let mut split = BTreeSet::new();
    let mut nodes = 1;
    let mut whole = BTreeSet::from([""]);
    loop {
        let fits = |name: &&&str| {
            let parts = directories[**name].parts.len();
            directories[**name].parts.iter().any(|part| !part.is_empty())
                && (nodes - 1 + parts <= limit || nodes == 1)
        };
        let Some(name) = whole.iter().filter(fits).max_by_key(|name| directories[**name].files).copied()
        else {
            return split;
        };
        whole.remove(name);
        split.insert(name);
        let parts = &directories[name].parts;
        nodes = nodes - 1 + parts.len();
        whole.extend(parts.iter().filter(|part| !part.is_empty()));
    }
}

/// Directory of a project.
#[derive(Default)]
struct Directory<'p> {
    /// Number of files below it.
    files: usize,
    /// Directories in it, and an empty name if it has files of its own.
    parts: BTreeSet<&'p str>,
}

/// Returns the directory that stands for a file: the outermost around it that is not split, or its own.
fn directory<'p>(path: &'p str, split: &BTreeSet<&str>) -> &'p str {
    let around = std::iter::once("").chain(path.match_indices('/').map(|(at, _)| &path[..at]));
    let own = path.rfind('/').map_or("", |at| &path[..at]);
    around.into_iter().find(|directory| !split.contains(directory)).unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(paths: &[&'static str], limit: usize) -> Vec<&'static str> {
        let split = split_directories(paths.iter().copied(), limit);
        let names: BTreeSet<&str> = paths.iter().map(|path| directory(path, &split)).collect();
        names.into_iter().collect()
    }

    #[test]
    fn directories_with_many_files_are_split_as_far_as_fits() {
        let paths = ["a.py", "src/b.py", "src/x/c.py", "src/x/y/d.py", "lib/z/e.py", "lib/z/f.py"];
        assert_eq!(drawn(&paths, 9), ["", "lib/z", "src", "src/x", "src/x/y"]);
        assert_eq!(drawn(&paths, 4), ["", "lib/z", "src", "src/x"]);
        assert_eq!(drawn(&paths, 3), ["", "lib/z", "src"]);
        // One node would show nothing.
        assert_eq!(drawn(&paths, 1), ["", "lib", "src"]);
        let packages = ["packages/a/x.py", "packages/b/x.py", "packages/c/x.py"];
        assert_eq!(drawn(&packages, 2), ["packages/a", "packages/b", "packages/c"]);
        assert_eq!(drawn(&["x.py"], 5), [""]);
    }
}
