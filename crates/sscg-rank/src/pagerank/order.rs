//! Node order in which most edges lead forward.

use crate::Csr;

/// Nodes ordered so that edges lead back only inside strongly connected components, whose nodes are adjacent.
pub(super) struct Order {
    /// Node at each place.
    pub(super) nodes: Box<[u32]>,
    /// Start and end of each component of more than one node, in order.
    pub(super) cycles: Box<[(u32, u32)]>,
}

/// Discovery time of a node that has not been found.
const NEVER: u32 = u32::MAX;

impl Order {
    /// Orders the strongly connected components topologically, and the nodes inside each in reverse postorder of a
    /// depth-first search, which leaves few backward edges. O(nodes + edges).
    ///
    /// Source: R. Tarjan, *Depth-First Search and Linear Graph Algorithms*, 1972.
    pub(super) fn new(graph: &Csr) -> Self {
        let node_count = graph.node_count();
        // Discovery time of each node, and the earliest discovery time that it leads back to.
        let mut found = vec![NEVER; node_count];
        let mut lowest = vec![0; node_count];
        let mut is_open = vec![false; node_count];
        let (mut open, mut path) = (Vec::new(), Vec::new());
        // Nodes in the order in which the search leaves them.
        let mut postorder = Vec::with_capacity(node_count);
        let mut component_of = vec![0_u32; node_count];
        let (mut components, mut time) = (0, 0);
        for root in 0..node_count as u32 {
            if found[root as usize] != NEVER {
                continue;
            }
            path.push((root, 0));
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                if *next == 0 {
                    found[node as usize] = time;
                    lowest[node as usize] = time;
                    is_open[node as usize] = true;
                    open.push(node);
                    time += 1;
                }
                let neighbors = &graph.neighbors(node)[*next..];
                let unseen = neighbors.iter().position(|neighbor| {
                    let neighbor = *neighbor as usize;
                    if is_open[neighbor] {
                        lowest[node as usize] = lowest[node as usize].min(found[neighbor]);
                    }
                    found[neighbor] == NEVER
                });
                if let Some(unseen) = unseen {
                    let neighbor = neighbors[unseen];
                    // The neighbor's lowest node is propagated when the search returns from it.
                    *next += unseen + 1;
                    path.push((neighbor, 0));
                    continue;
                }
                path.pop();
                postorder.push(node);
                if lowest[node as usize] == found[node as usize] {
                    loop {
                        let member = open.pop().expect("the node itself is open");
                        is_open[member as usize] = false;
                        component_of[member as usize] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    lowest[parent] = lowest[parent].min(lowest[node as usize]);
                }
            }
        }
        Self::of_components(&postorder, &component_of, components)
    }

    /// Builds the order from the nodes in postorder and the component of each, numbered in reverse topological order.
    fn of_components(postorder: &[u32], component_of: &[u32], components: u32) -> Self {
        // Counting sort by component, the last first.
        let place = |node: u32| (components - 1 - component_of[node as usize]) as usize;
        let mut starts = vec![0_u32; components as usize + 1];
        for node in postorder {
            starts[place(*node) + 1] += 1;
        }
        for component in 0..components as usize {
            starts[component + 1] += starts[component];
        }
        let cycles = starts.windows(2).filter(|ends| ends[1] - ends[0] > 1).map(|ends| (ends[0], ends[1]));
        let cycles = cycles.collect();
        let mut nodes = vec![0; postorder.len()];
        for node in postorder.iter().rev() {
            let at = &mut starts[place(*node)];
            nodes[*at as usize] = *node;
            *at += 1;
        }
        Self { nodes: nodes.into(), cycles }
    }
}
