//! Patterns in the connections of results.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ResultItem, SubgraphEdge, SymbolRef};

/// Patterns in the connections of results, by edges of exact confidence; at most five of each, those that connect most
/// results first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Patterns {
    /// Results that several others call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hubs: Vec<Hub>,
    /// Types and values among the results that several others use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_results: Vec<Hub>,
    /// Non-results that several results call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_dependencies: Vec<SharedDependency>,
    /// Non-result types in the declarations of several results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_types: Vec<SharedDependency>,
    /// Results that lead to the same one through several others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diamonds: Vec<Diamond>,
    /// Cycles of results that depend on each other, by `chunk_id`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<String>>,
}

/// Result that several others depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Hub {
    /// `chunk_id`.
    pub result: String,
    /// `chunk_id`s of the others.
    pub used_by: Vec<String>,
}

/// Symbol outside of the results that several of them depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SharedDependency {
    /// Symbol.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// `chunk_id`s of the results.
    pub used_by: Vec<String>,
}

/// Two results with several paths between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Diamond {
    /// Start of the paths, by `chunk_id`.
    pub top: String,
    /// Nodes on the paths.
    pub sides: Vec<String>,
    /// End of the paths.
    pub bottom: String,
}

/// Kinds of results that are called.
const CALLABLE: [&str; 5] = ["function", "method", "constructor", "component", "macro"];

/// Maximum number of patterns of each kind.
const MOST: usize = 5;

impl Patterns {
    /// Finds the patterns; `cycles` are the results that depend on each other in a cycle. Neighbors of results, which
    /// come last, do not count. O(edges × results).
    pub fn find(results: &[ResultItem], edges: &[SubgraphEdge], cycles: Vec<Vec<String>>) -> Self {
        let mut patterns = Self { cycles, ..Self::default() };
        let results = &results[..results.partition_point(|result| result.source.is_search())];
        if results.len() < 2 {
            return patterns;
        }
        patterns.among_results(results, edges);
        let named = |details: fn(&ResultItem) -> Vec<&SymbolRef>| shared(results, details);
        patterns.shared_dependencies =
            named(|result| result.details.calls.iter().map(|call| &call.symbol).collect());
        patterns.shared_types = named(|ResultItem { details, .. }| {
            let signature = details.types_in.iter().chain(&details.types_out).map(|it| &it.ty);
            let types = signature.chain(&details.extends).chain(&details.implements);
            // Built-in types connect nothing.
            types.filter(|ty| !ty.file.is_empty()).collect()
        });
        patterns
    }

    fn among_results(&mut self, results: &[ResultItem], edges: &[SubgraphEdge]) {
        let places: BTreeMap<&str, usize> =
            results.iter().enumerate().map(|(at, result)| (result.chunk_id.as_str(), at)).collect();
        let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); results.len()];
        let is_callable = |at: usize| CALLABLE.contains(&results[at].kind.as_str());
        for edge in edges.iter().filter(|edge| is_sure(edge)) {
            if let (Some(source), Some(target)) = (places.get(&*edge.src), places.get(&*edge.tgt))
                && (edge.rel == "calls" || !is_callable(*target))
            {
                users[*target].insert(*source);
            }
        }
        for users in &mut users {
            keep_outermost(users, |at| &results[*at]);
        }
        let ids = |places: &BTreeSet<usize>| -> Vec<String> {
            places.iter().map(|at| results[*at].chunk_id.clone()).collect()
        };
        for (at, used_by) in users.iter().enumerate().filter(|(_, used_by)| used_by.len() > 1) {
            let hub = Hub { result: results[at].chunk_id.clone(), used_by: ids(used_by) };
            if is_callable(at) { self.hubs.push(hub) } else { self.shared_results.push(hub) }
        }
        for (bottom, sides) in users.iter().enumerate() {
            // Sides below each top; a diamond has at least two.
            let mut tops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for side in sides {
                for top in users[*side].iter().filter(|top| **top != bottom && !sides.contains(*top)) {
                    tops.entry(*top).or_default().insert(*side);
                }
            }
            let diamonds = tops.into_iter().filter(|(_, sides)| sides.len() > 1);
            self.diamonds.extend(diamonds.map(|(top, sides)| Diamond {
                top: results[top].chunk_id.clone(),
                sides: ids(&sides),
                bottom: results[bottom].chunk_id.clone(),
            }));
        }
        keep_most(&mut self.hubs, |hub| hub.used_by.len());
        keep_most(&mut self.shared_results, |hub| hub.used_by.len());
        keep_most(&mut self.diamonds, |diamond| diamond.sides.len());
        self.cycles.truncate(MOST);
    }

    /// True if there are no patterns.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True if a symbol is no result, but used by several.
    pub fn is_shared(&self, symbol: &SymbolRef) -> bool {
        let same = |shared: &SharedDependency| key(&shared.symbol) == key(symbol);
        self.shared_dependencies.iter().chain(&self.shared_types).any(same)
    }
}

/// True if an edge between nodes has exact confidence. Imports are excluded: they reveal nothing about the code's
/// behavior.
fn is_sure(edge: &SubgraphEdge) -> bool {
    !edge.boundary && edge.confidence.is_exact() && edge.rel != "imports"
}

/// Returns the symbols outside of the results that several results name in the same way.
fn shared(results: &[ResultItem], named_by: fn(&ResultItem) -> Vec<&SymbolRef>) -> Vec<SharedDependency> {
    let mut users: BTreeMap<(&str, &str), (&SymbolRef, BTreeSet<usize>)> = BTreeMap::new();
    for (at, result) in results.iter().enumerate() {
        for symbol in named_by(result).into_iter().filter(|symbol| symbol.confidence.is_exact()) {
            let is_result =
                results.iter().any(|result| !symbol.id.is_empty() && result.chunk_id == symbol.id);
            if is_result {
                continue;
            }
            let (_, used_by) = users.entry(key(symbol)).or_insert((symbol, BTreeSet::new()));
            used_by.insert(at);
        }
    }
    let ids = |places: BTreeSet<usize>| places.iter().map(|at| results[*at].chunk_id.clone()).collect();
    let mut shared: Vec<SharedDependency> = users
        .into_values()
        .map(|(symbol, mut used_by)| {
            keep_outermost(&mut used_by, |at| &results[*at]);
            (symbol, used_by)
        })
        .filter(|(_, used_by)| used_by.len() > 1)
        .map(|(symbol, used_by)| SharedDependency { symbol: symbol.clone(), used_by: ids(used_by) })
        .collect();
    keep_most(&mut shared, |shared| shared.used_by.len());
    shared
}

/// Drops results inside of other ones: a class that uses what its method uses is no second use.
fn keep_outermost<'a>(places: &mut BTreeSet<usize>, result: impl Fn(&usize) -> &'a ResultItem) {
    let all = places.clone();
    places.retain(|at| !all.iter().any(|other| result(at).stands_in(result(other))));
}

fn key(symbol: &SymbolRef) -> (&str, &str) {
    (&symbol.file, &symbol.name)
}

fn keep_most<T>(patterns: &mut Vec<T>, size: impl Fn(&T) -> usize) {
    patterns.sort_by_key(|pattern| std::cmp::Reverse(size(pattern)));
    patterns.truncate(MOST);
}
