//! Sets of tools that a server offers.

use std::fmt;

use sscg::core::UnknownName;

/// Set of related tools. A server offers only the requested sets: the fewer tools an agent has to choose from, the more
/// often it picks the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Toolset {
    /// `search_code`, `look_up` and `impact`: all that most agents need.
    Search,
    /// Manual indexing: `index_directory`, `reindex`, `index_status`. Searches update the index themselves.
    Index,
    /// `doc_search`: documentation, configuration and data beside the code.
    Docs,
    /// Queries on the code graph: `graph_expand`, `graph_pack`, `graph_trace`, `query_graph_neighborhood`,
    /// `symbol_context`.
    Graph,
    /// Queries on services and their connections: `build_knowledge_graph`, `get_service_context`,
    /// `query_graph_neighborhood`, `hybrid_search`, `find_cross_service_impact`, `validate_service_boundaries`,
    /// `check_cross_service_events`. Its `query_graph_neighborhood` also covers files and symbols, and replaces that of
    /// [`Toolset::Graph`] if both sets are offered.
    Knowledge,
}

impl Toolset {
    /// All sets; the first is the default.
    pub const ALL: &[Self] = &[Self::Search, Self::Index, Self::Docs, Self::Graph, Self::Knowledge];

    /// Returns the name of the set.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Index => "index",
            Self::Docs => "docs",
            Self::Graph => "graph",
            Self::Knowledge => "knowledge",
        }
    }

    /// Parses a list such as `search,docs`; `all` selects every set. Returns each set once, in the order of
    /// [`Toolset::ALL`].
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, UnknownName> {
        let mut sets = Vec::new();
        for name in list.split(',').map(str::trim) {
            match name {
                "all" => sets.extend(Self::ALL),
                _ => sets.push(UnknownName::look_up(name, "toolset", Self::ALL.iter().copied(), Self::name)?),
            }
        }
        sets.sort();
        sets.dedup();
        Ok(sets)
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_each_set_once_and_in_order() {
        let parse = |list| Toolset::parse_list(list).map_err(|error| error.name);
        assert_eq!(parse("search"), Ok(vec![Toolset::Search]));
        assert_eq!(parse("docs, search,docs"), Ok(vec![Toolset::Search, Toolset::Docs]));
        assert_eq!(parse("all"), Ok(Toolset::ALL.to_vec()));
        assert_eq!(parse("serach"), Err("serach".into()));
        assert!(parse("").is_err());
    }
}
