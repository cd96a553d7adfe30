//! Brandes' dependency accumulation over the shortest paths from one node to all others.

use rayon::prelude::*;

use crate::Csr;

/// Place of a node that has not been reached.
const UNREACHED: u32 = u32::MAX;

/// Largest path count that is kept as a plain number: neither its inverse nor a sum of as many terms as there are
/// edges leaves the range of `f64`.
const MOST_PATHS: f64 = 1e290;

/// Prefetch distance: a row is read this many nodes early. Past the nodes reached so far, an arbitrary row is read.
const READ_AHEAD: usize = 8;

/// Returns for each node the sum, over `sources`, of its shares in the shortest paths from a source to the others.
pub(super) fn sum_dependencies(graph: &Csr, sources: &[u32]) -> Vec<f64> {
    let node_count = graph.node_count();
    // Each group is summed by one thread, and groups are added in order, so the bits do not depend on the number of
    // threads. There are enough groups to distribute, and few enough that adding them up costs nothing.
    let group_size = sources.len().div_ceil(256).max(8);
    let threads = rayon::current_num_threads().min(sources.len().div_ceil(group_size)).max(1);
    let mut searches: Vec<Search> = (0..threads).map(|_| Search::new(node_count)).collect();
    let mut sums = vec![0.0; node_count];
    for groups in sources.chunks(group_size * threads) {
        searches.par_iter_mut().zip(groups.par_chunks(group_size)).for_each(|(search, group)| {
            for &source in group {
                search.run(graph, source);
            }
        });
        for search in &mut searches {
            for (sum, dependency) in sums.iter_mut().zip(&mut search.dependencies) {
                *sum += std::mem::take(dependency);
            }
        }
    }
    sums
}

/// State of one thread that searches from one source after another.
///
/// A search numbers the nodes in the order in which it reaches them. Except when it looks up the number of a node, it
/// works on these *places*, so that nodes at the same distance from the source are adjacent in memory.
struct Search {
    /// Sum over the sources so far, by node.
    dependencies: Vec<f64>,
    /// Place of each node, if reached.
    places: Vec<u32>,
    /// Node at each place. One entry longer than the number of nodes, so that the next node can be written before it
    /// is known to be new; the same holds for the next two fields.
    nodes: Vec<u32>,
    /// Number of shortest paths to each place. Zero past the last one.
    paths: Vec<f64>,
    /// Start of the successors of each place.
    starts: Vec<u32>,
    /// Places that continue the shortest paths to a place, grouped by place.
    successors: Vec<u32>,
}

impl Search {
    fn new(node_count: usize) -> Self {
        Self {
            dependencies: vec![0.0; node_count],
            places: vec![UNREACHED; node_count],
            nodes: vec![0; node_count + 1],
            paths: vec![0.0; node_count + 1],
            starts: vec![0; node_count + 1],
            successors: Vec::new(),
        }
    }

    fn run(&mut self, graph: &Csr, source: u32) {
        let reached = self.follow_paths(graph, source);
        if self.paths[..reached].iter().all(|paths| *paths <= MOST_PATHS) {
            self.accumulate(reached);
        } else {
            self.accumulate_by_logarithm(reached);
        }
        self.paths[..reached].fill(0.0);
        for node in &self.nodes[..reached] {
            self.places[*node as usize] = UNREACHED;
        }
    }

    /// Assigns places to the nodes reached from the source, level by level, and counts paths. Returns the number of
    /// reached nodes.
    ///
    /// Branches on a new node, or on an edge of a shortest path, would be unpredictable. The loop is therefore
    /// branch-free: unwanted values are written where they will be overwritten, or add zero.
    fn follow_paths(&mut self, graph: &Csr, source: u32) -> usize {
        let (places, nodes) = (&mut self.places[..], &mut self.nodes[..]);
        let (paths, starts) = (&mut self.paths[..], &mut self.starts[..]);
        places[source as usize] = 0;
        nodes[0] = source;
        paths[0] = 1.0;
        let (mut at, mut reached, mut found) = (0, 1, 0);
        while at < reached {
            let level_end = reached;
            while at < level_end {
                // Rows are far apart in memory. Touch one that comes up soon, so that it is cached by then.
                let ahead = nodes.get(at + READ_AHEAD).map(|node| graph.neighbors(*node).first().copied());
                std::hint::black_box(ahead);
                let neighbors = graph.neighbors(nodes[at]);
                let paths_here = paths[at].to_bits();
                starts[at] = found as u32;
                if self.successors.len() < found + neighbors.len() {
                    self.successors.resize(found + neighbors.len(), 0);
                }
                let successors = &mut self.successors[found..found + neighbors.len()];
                let mut count = 0;
                for &neighbor in neighbors {
                    let place = &mut places[neighbor as usize];
                    let is_new = *place == UNREACHED;
                    *place = if is_new { reached as u32 } else { *place };
                    let place = *place;
                    nodes[reached] = neighbor;
                    reached += usize::from(is_new);
                    let is_next = place as usize >= level_end;
                    successors[count] = place;
                    count += usize::from(is_next);
                    let mask = u64::from(is_next).wrapping_neg();
                    paths[place as usize] += f64::from_bits(paths_here & mask);
                }
                found += count;
                at += 1;
            }
        }
        starts[reached] = found as u32;
        reached
    }

    /// Adds the dependency of the source on each place to the sum of its node. Overwrites the path counts.
    fn accumulate(&mut self, reached: usize) {
        let (paths, starts) = (&mut self.paths[..], &self.starts[..]);
        // All places except the source, farthest first.
        for place in (1..reached).rev() {
            let successors = &self.successors[starts[place] as usize..starts[place + 1] as usize];
            // Dependency per path that arrives here.
            let per_path: f64 = successors.iter().map(|successor| paths[*successor as usize]).sum();
            let dependency = per_path * paths[place];
            self.dependencies[self.nodes[place] as usize] += dependency;
            paths[place] = (1.0 + dependency) / paths[place];
        }
    }

    /// Variant of `accumulate` for path counts above `MOST_PATHS`.
    fn accumulate_by_logarithm(&mut self, reached: usize) {
        let successors =
            |place: usize| &self.successors[self.starts[place] as usize..self.starts[place + 1] as usize];
        let mut logarithms = vec![f64::NEG_INFINITY; reached];
        logarithms[0] = 0.0;
        for place in 0..reached {
            for &successor in successors(place) {
                let (a, b) = (logarithms[place], logarithms[successor as usize]);
                logarithms[successor as usize] = a.max(b) + (a.min(b) - a.max(b)).exp().ln_1p();
            }
        }
        let mut dependencies = vec![0.0; reached];
        for place in (1..reached).rev() {
            for &successor in successors(place) {
                let share = (logarithms[place] - logarithms[successor as usize]).exp();
                dependencies[place] += share * (1.0 + dependencies[successor as usize]);
            }
        }
        for (node, dependency) in self.nodes.iter().zip(&dependencies).skip(1) {
            self.dependencies[*node as usize] += dependency;
        }
    }
}
