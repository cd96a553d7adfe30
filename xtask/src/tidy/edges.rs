//! Allowed dependencies between crates.

use cargo_metadata::{DependencyKind, Metadata};

/// An allowed dependency: the dependent crate, its dependency, and the reason.
type Edge = (&'static str, &'static str, &'static str);

/// All allowed dependencies between crates of the workspace. Dev-dependencies do not count: a test may use crates above
/// the crate that it tests.
const ALLOWED: &[Edge] = &[
    ("sscg-parse", "sscg-core", "facts are written in the vocabulary"),
    ("sscg-parse", "sscg-pdf", "reads PDF documents; behind the feature `pdf`"),
    ("sscg-graph", "sscg-core", "links facts into typed edges"),
    ("sscg-rank", "sscg-core", "ranks the nodes of any `Adjacency`"),
    ("sscg-embed", "sscg-core", "embeds chunks"),
    ("sscg-index", "sscg-core", "stores facts and chunks"),
    ("sscg-index", "sscg-parse", "parses the files that changed"),
    ("sscg-index", "sscg-graph", "a snapshot holds the linked graph"),
    ("sscg-index", "sscg-embed", "a snapshot holds the chunks' vectors"),
    ("sscg-lance", "sscg-core", "stores the rows of the vocabulary"),
    ("sscg-lance", "sscg-index", "implements its `Store`"),
    ("sscg-retrieve", "sscg-core", "candidates are chunks"),
    ("sscg-retrieve", "sscg-graph", "selects a connected subgraph"),
    ("sscg-retrieve", "sscg-rank", "fuses and ranks the candidates"),
    ("sscg-retrieve", "sscg-embed", "embeds the question, reranks the candidates"),
    ("sscg-retrieve", "sscg-index", "finds the candidates"),
    ("sscg-format", "sscg-core", "an answer is written in the vocabulary"),
    ("sscg-format", "sscg-graph", "renders subgraphs"),
    ("sscg-format", "sscg-parse", "renders sources with unneeded bodies collapsed"),
    ("sscg-scip", "sscg-core", "reads and writes symbols of a project"),
    ("sscg-scip", "sscg-graph", "reads occurrences, writes edges"),
    ("sscg-knowledge", "sscg-core", "services are made of symbols"),
    ("sscg-knowledge", "sscg-graph", "services stand on the code graph"),
    ("sscg-knowledge", "sscg-rank", "services have a rank too"),
    ("sscg", "sscg-core", "the facade joins all libraries"),
    ("sscg", "sscg-parse", "the facade joins all libraries"),
    ("sscg", "sscg-graph", "the facade joins all libraries"),
    ("sscg", "sscg-rank", "the facade joins all libraries"),
    ("sscg", "sscg-embed", "the facade joins all libraries"),
    ("sscg", "sscg-index", "the facade joins all libraries"),
    ("sscg", "sscg-scip", "the facade joins all libraries; behind the feature `scip`"),
    ("sscg", "sscg-lsp", "the facade joins all libraries"),
    ("sscg", "sscg-lance", "the facade joins all libraries; behind the feature `lancedb`"),
    ("sscg", "sscg-retrieve", "the facade joins all libraries"),
    ("sscg", "sscg-format", "the facade joins all libraries"),
    ("sscg", "sscg-knowledge", "the facade joins all libraries"),
    ("sscg-cli", "sscg", "a thin consumer of the facade"),
    ("sscg-cli", "sscg-mcp", "`sscg mcp` is the server: one program to install"),
    ("sscg-mcp", "sscg", "a thin consumer of the facade"),
    ("sscg-examples", "sscg", "shows what a program that embeds SSCG does"),
    ("sscg-examples", "sscg-core", "shows what programs do with single crates"),
    ("sscg-examples", "sscg-parse", "shows what programs do with single crates"),
    ("sscg-examples", "sscg-graph", "shows what programs do with single crates"),
    ("sscg-examples", "sscg-rank", "shows what programs do with single crates"),
    ("sscg-examples", "sscg-mcp", "shows a client of the server"),
    ("sscg-fuzz", "sscg", "indexes, links and asks about any files"),
    ("sscg-fuzz", "sscg-parse", "holds the parser to its rules on any bytes"),
    ("xtask", "sscg", "evaluates and measures what users get"),
    ("xtask", "sscg-core", "measures the parser by itself"),
    ("xtask", "sscg-embed", "makes the built-in model"),
    ("xtask", "sscg-format", "measures answers and their parts"),
    ("xtask", "sscg-graph", "measures walks over the graph"),
    ("xtask", "sscg-index", "pairs for the embedding model are made of the terms it keeps"),
    ("xtask", "sscg-parse", "holds the parser to its rules on any tree"),
    ("xtask", "sscg-rank", "measures ranking beside other libraries"),
    ("xtask", "sscg-retrieve", "measures signals and their weights"),
];

/// External crates that only one workspace crate may use: the external crate, the workspace crate, and the reason.
const CONFINED: &[Edge] = &[(
    "lancedb",
    "sscg-lance",
    "the default build has no database server and no protoc; everyone else goes through `Store`",
)];

pub(super) fn check(metadata: &Metadata) -> Vec<String> {
    let members: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut dependencies = Vec::new();
    for package in &metadata.packages {
        let built =
            package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
        dependencies.extend(built.map(|dependency| (package.name.as_str(), dependency.name.as_str())));
    }
    dependencies.sort_unstable();
    dependencies.dedup();
    problems(&members, &dependencies)
}

fn problems(members: &[&str], dependencies: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    for &(from, to) in dependencies {
        if members.contains(&to) && !ALLOWED.iter().any(|&(a, b, _)| (a, b) == (from, to)) {
            problems.push(format!(
                "{from} depends on {to}, which the table in xtask/src/tidy/edges.rs does not allow"
            ));
        }
        for (_, room, reason) in CONFINED.iter().filter(|&&(name, room, _)| name == to && room != from) {
            problems.push(format!("{from} depends on {to}, which only {room} may: {reason}"));
        }
    }
    for &(from, to, _) in ALLOWED {
        for name in [from, to].into_iter().filter(|name| !members.contains(name)) {
            problems.push(format!("the table in xtask/src/tidy/edges.rs names {name}, which is no member"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<&'static str> {
        ALLOWED.iter().flat_map(|&(from, to, _)| [from, to]).collect()
    }

    #[test]
    fn an_edge_of_the_table_is_allowed() {
        assert!(problems(&members(), &[("sscg-parse", "sscg-core"), ("sscg-parse", "serde")]).is_empty());
    }

    #[test]
    fn an_edge_against_the_flow_of_data_is_found() {
        assert_eq!(problems(&members(), &[("sscg-core", "sscg-parse")]).len(), 1);
        assert_eq!(problems(&members(), &[("sscg-rank", "sscg-graph")]).len(), 1);
    }

    #[test]
    fn lancedb_outside_its_room_is_found() {
        assert!(problems(&members(), &[("sscg-lance", "lancedb")]).is_empty());
        assert_eq!(problems(&members(), &[("sscg-index", "lancedb")]).len(), 1);
    }

    #[test]
    fn a_row_for_a_crate_that_is_gone_is_found() {
        let mut members = members();
        members.retain(|name| *name != "sscg-lance");
        let rows = ALLOWED.iter().filter(|(from, to, _)| [*from, *to].contains(&"sscg-lance")).count();
        assert!(rows > 0);
        assert_eq!(problems(&members, &[]).len(), rows);
    }
}
