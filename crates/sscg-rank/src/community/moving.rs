//! Local moving: nodes move to where modularity gains most, until no node gains by moving.

use std::collections::VecDeque;

use super::level::{Level, Links};

/// Minimum gain of a move, as a fraction of the node's strength. It exceeds the rounding error of coarse graph
/// weights, so that each move is a real gain and moving terminates.
const LEAST_GAIN: f64 = 2e-6;

/// Moves nodes between `communities`, whose numbers are less than the number of nodes; never at a loss.
///
/// Each node of the queue moves to the community, among those of its neighbors and an empty one, that gains most. The
/// neighbors outside its new community may then gain by moving, too, and are queued. This is the fast local move
/// procedure of the Leiden paper.
///
/// `penalty` is resolution / 2m. `order` holds each node once. At most `max_visits` nodes are visited. Returns true
/// if any node moved.
pub(super) fn move_nodes(
    level: &impl Level,
    penalty: f64,
    order: Vec<u32>,
    max_visits: usize,
    communities: &mut [u32],
) -> bool {
    let node_count = level.node_count();
    let (mut community_strengths, mut sizes) = (vec![0.0; node_count], vec![0_u32; node_count]);
    for (&community, strength) in communities.iter().zip(level.strengths()) {
        community_strengths[community as usize] += strength;
        sizes[community as usize] += 1;
    }
    let mut empty: Vec<u32> =
        (0..node_count as u32).filter(|community| sizes[*community as usize] == 0).collect();
    // The queue never grows: no node is in it twice.
    let mut queue = VecDeque::from(order);
    let mut queued = vec![true; node_count];
    let mut links = Links::new(node_count);
    let mut moved = false;
    for _ in 0..max_visits {
        let Some(node) = queue.pop_front() else { break };
        queued[node as usize] = false;
        let home = communities[node as usize];
        for (other, weight) in level.others(node) {
            links.add(communities[other as usize], weight);
        }
        // Gain of joining a community over being alone.
        let strength = level.strengths()[node as usize];
        let penalty = penalty * strength;
        let stay = links.get(home) - penalty * (community_strengths[home as usize] - strength);
        let (mut best, mut most) = (home, stay + LEAST_GAIN * strength);
        links.drain(|community, link| {
            let gain = link - penalty * community_strengths[community as usize];
            if gain > most && community != home {
                (best, most) = (community, gain);
            }
        });
        if most < 0.0
            && sizes[home as usize] > 1
            && let Some(alone) = empty.pop()
        {
            best = alone;
        }
        if best == home {
            continue;
        }
        moved = true;
        community_strengths[home as usize] -= strength;
        community_strengths[best as usize] += strength;
        sizes[best as usize] += 1;
        sizes[home as usize] -= 1;
        if sizes[home as usize] == 0 {
            empty.push(home);
        }
        communities[node as usize] = best;
        for (other, _) in level.others(node) {
            if communities[other as usize] != best && !queued[other as usize] {
                queued[other as usize] = true;
                queue.push_back(other);
            }
        }
    }
    moved
}
