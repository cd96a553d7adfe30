//! Tests of the best result.

use std::collections::BTreeSet;

use sscg_core::{Confidence, NodeId, RelationSet};
use sscg_format::{Answer, SymbolRef};
use sscg_graph::{Direction, Node};
use sscg_retrieve::is_test;

use super::facts::Facts;
use super::{Composer, HOP_RANGE_TOKENS, symbol_tokens};

/// Maximum number of tests that are named.
const MOST_TESTS: usize = 2;

/// Maximum number of uses between a test and the declaration.
const MOST_STEPS: usize = 2;

/// Maximum number of declarations on the paths: a test that far from common code says little about it.
const MOST_NODES: usize = 100;

/// Tokens of the line of tests, without their names.
const LINE_TOKENS: usize = 5;

impl Composer<'_> {
    /// Names the nearest tests that lead to the best result, unless the answer shows or names them already: the next
    /// question of whoever changes it. Returns the tokens that they take, at most `budget`.
    pub(super) fn add_tests(&self, answer: &mut Answer, budget: usize) -> usize {
        if self.is_lookup() || answer.weak || !self.is_detailed() || answer.results.len() == 1 {
            return 0;
        }
        let project = &self.snapshot.project;
        let Some(best) = answer.results.iter().find(|result| result.source.is_search()) else { return 0 };
        let best_id = best.chunk_id.clone();
        let chunk = project.chunk_with_key(&best_id).filter(|chunk| !is_test(self.snapshot, *chunk));
        let Some(symbol) = chunk.and_then(|chunk| project.symbol_of_chunk(chunk)) else { return 0 };
        let mut known: BTreeSet<&str> = answer.results.iter().map(|result| &*result.chunk_id).collect();
        known.extend(best.details.called_by.iter().map(|call| &*call.symbol.id));
        let mut taken = LINE_TOKENS;
        let mut tests = self.tests_of(self.snapshot.graph.id(Node::Symbol(symbol)));
        tests.retain(|test| !known.contains(&*test.id));
        tests.truncate(MOST_TESTS);
        tests.retain(|test| {
            let cost = symbol_tokens(test) + HOP_RANGE_TOKENS;
            let fits = taken + cost <= budget;
            taken += if fits { cost } else { 0 };
            fits
        });
        if tests.is_empty() {
            return 0;
        }
        let best = answer.results.iter_mut().find(|result| result.chunk_id == best_id);
        best.expect("it is the best result").details.tested_by = tests;
        taken
    }

    /// Returns tests that use a node or its users, nearest first, then in the order of their files. O(uses of
    /// [`MOST_NODES`]).
    fn tests_of(&self, root: NodeId) -> Vec<SymbolRef> {
        let (snapshot, project) = (self.snapshot, &self.snapshot.project);
        let facts = Facts {
            snapshot,
            project,
            graph: &snapshot.graph,
            is_lookup: false,
            call_depth: None,
            min_confidence: Confidence::Inferred.max(self.request.min_confidence),
        };
        let mut known = BTreeSet::from([root]);
        let (mut last, mut tests) = (vec![root], Vec::new());
        for _ in 0..MOST_STEPS {
            let users = last.iter().flat_map(|node| facts.edges_at(*node, Direction::Incoming));
            let users = users.filter(|edge| RelationSet::CALLS.contains(edge.relation));
            let users: BTreeSet<NodeId> = users.map(|edge| edge.source).collect();
            last.clear();
            let mut found = Vec::new();
            for user in users {
                let Node::Symbol(symbol) = snapshot.graph.node(user) else { continue };
                if known.len() > MOST_NODES || !known.insert(user) {
                    continue;
                }
                match is_test(snapshot, project.chunk_of_symbol(symbol)) {
                    true => found.push(facts.symbol(user, Confidence::Exact)),
                    false => last.push(user),
                }
            }
            found.sort_by(|a, b| (&a.file, &a.id).cmp(&(&b.file, &b.id)));
            tests.extend(found);
        }
        tests
    }
}
