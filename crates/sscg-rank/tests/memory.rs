//! Memory use of ranking, counted by the allocator. A separate binary, so that nothing else allocates meanwhile.

use peak_alloc::PeakAlloc;
use sscg_core::Adjacency;
use sscg_rank::{PageRankOptions, RandomWalk, pagerank};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Graph in which each node calls five others, most of them later ones.
struct Calls(u32);

impl Adjacency for Calls {
    fn node_count(&self) -> usize {
        self.0 as usize
    }
    fn edge_count(&self) -> usize {
        5 * self.node_count()
    }
    fn for_each_out(&self, node: u32, visit: &mut dyn FnMut(u32, f32)) {
        for call in 1..=5_u32 {
            let away = node.wrapping_mul(0x9E37_79B9).rotate_left(call) % 1000 + call;
            let target = if call == 5 && away > 900 { node.saturating_sub(away) } else { node + away };
            visit(target % self.0, call as f32);
        }
    }
}

/// Checks the limit of 16 bytes per edge and 32 per node.
#[test]
fn ranking_takes_no_more_than_stated() {
    let graph = Calls(100_000);
    let before = MEMORY.current_usage();
    let walk = RandomWalk::new(&graph);
    let allowed = 16 * walk.edge_count() + 32 * walk.node_count();
    for seeds in [&[(7, 1.0), (5_000, 2.0)][..], &[]] {
        MEMORY.reset_peak_usage();
        let ranking = pagerank(&walk, seeds, &PageRankOptions::default());
        let taken = MEMORY.peak_usage() - before;
        assert!(ranking.converged);
        assert!(taken <= allowed, "{taken} bytes are more than {allowed}");
    }
}
