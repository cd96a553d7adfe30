//! Drawings whose nodes are files or directories.

use std::collections::BTreeMap;

use sscg_core::{Confidence, FileId, NodeId, Relation};
use sscg_format::{DrawnEdge, DrawnNode, Role};
use sscg_graph::Node;
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

/// Rolls up files of a project. Directories are those at the greatest depth at which all fit the limit of nodes; nodes beyond
/// it are those with the fewest declarations. O(files × depth + edges).
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
    let depth = match unit {
        DrawnUnit::Directory => fitting_depth(files.iter().map(|file| path(*file)), options.nodes),
        _ => usize::MAX,
    };
    let name = |file: FileId| match unit {
        DrawnUnit::Directory => directory(path(file), depth),
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

    let mut edges: BTreeMap<(usize, usize, Relation), (u32, Confidence)> = BTreeMap::new();
    for edge in
        graph.edges().iter().filter(|edge| !edge.relation.is_containment() && options.edges.admits(edge))
    {
        let end = |node: NodeId| places.get(&graph.node(node).file(project)?).copied();
        let (Some(source), Some(target)) = (end(edge.source), end(edge.target)) else { continue };
        if source != target {
            let rolled = edges.entry((source, target, edge.relation)).or_insert((0, edge.confidence));
            *rolled = (rolled.0 + 1, rolled.1.max(edge.confidence));
        }
    }
    let edges = edges.into_iter().map(|((source, target, relation), (count, confidence))| {
        DrawnEdge::default()
            .with_source(source)
            .with_target(target)
            .with_relation(relation.as_str())
            .with_confidence(confidence)
            .with_count(count as usize)
    });
    let node = |(name, group): &(&str, Group)| {
        let node = DrawnNode::default()
            .with_id(*name)
            .with_name(if name.is_empty() { "." } else { name })
            .with_role(Role::Member)
            .with_members(group.members)
            .with_community(group.community());
        match (unit, group.file) {
            (DrawnUnit::File, Some(file)) => {
                node.with_kind("file").with_file(*name).with_language(project.files()[file].language.name)
            }
            _ => node.with_kind("directory"),
        }
    };
    Rolled { nodes: ranked.iter().map(node).collect(), edges: edges.collect(), omitted }
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

/// Returns the greatest depth of directories at which at most `limit` contain files; at least 1.
fn fitting_depth<'p>(paths: impl Iterator<Item = &'p str> + Clone, limit: usize) -> usize {
    let deepest = paths.clone().map(|path| path.matches('/').count()).max().unwrap_or(0);
    let fits = |depth: &usize| {
        let mut names: Vec<&str> = paths.clone().map(|path| directory(path, *depth)).collect();
        names.sort_unstable();
        names.dedup();
        names.len() <= limit
    };
    (1..=deepest).rev().find(fits).unwrap_or(1)
}

/// Returns the directory of a path, at most `depth` levels deep; empty for a file at the root.
fn directory(path: &str, depth: usize) -> &str {
    let slash = path.match_indices('/').take(depth).last();
    slash.map_or("", |(at, _)| &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_as_deep_as_fits() {
        let paths = ["a.py", "src/b.py", "src/x/c.py", "src/x/y/d.py", "lib/z/e.py"];
        let depth = |limit| fitting_depth(paths.iter().copied(), limit);
        assert_eq!(["", "src", "src/x", "src/x/y", "lib/z"].len(), 5);
        assert_eq!((depth(5), depth(4), depth(3), depth(1)), (3, 2, 1, 1));
        assert_eq!(directory("src/x/y/d.py", 2), "src/x");
        assert_eq!(directory("a.py", 2), "");
    }
}
