//! Which tools a server offers.

use std::fmt;

use crate::Error;

/// Tools that belong together. A server offers those of the sets it was asked for: the fewer tools an agent has to choose
/// from, the more often it takes the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Toolset {
    /// `search_code`, `look_up` and `impact`: all that most agents need.
    Search,
    /// Indexing by hand: `index_directory`, `reindex`, `index_status`. Searches bring the index up to date by themselves.
    Index,
    /// `doc_search`: documentation, configuration and data beside the code.
    Docs,
    /// Questions about the graph itself: `graph_expand`, `graph_pack`, `graph_trace`, `query_graph_neighborhood`,
    /// `symbol_context`.
    Graph,
    /// Questions about services, and what connects them: `build_knowledge_graph`, `get_service_context`,
    /// `query_graph_neighborhood`, `hybrid_search`, `find_cross_service_impact`, `validate_service_boundaries`,
    /// `check_cross_service_events`. Their `query_graph_neighborhood` knows files and symbols too, and stands in for that of
    /// [`Toolset::Graph`] where both sets are offered.
    Knowledge,
}

impl Toolset {
    /// Every set; the first is the default.
    pub const ALL: &[Self] = &[Self::Search, Self::Index, Self::Docs, Self::Graph, Self::Knowledge];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Index => "index",
            Self::Docs => "docs",
            Self::Graph => "graph",
            Self::Knowledge => "knowledge",
        }
    }

    /// The sets in a list such as `search,docs`; `all` is every set. Each once, in the order of [`Toolset::ALL`].
    ///
    /// # Errors
    /// If there is no set of a name.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, Error> {
        let mut sets = Vec::new();
        for name in list.split(',').map(str::trim) {
            match Self::ALL.iter().find(|set| set.name() == name) {
                Some(set) => sets.push(*set),
                None if name == "all" => sets.extend(Self::ALL),
                None => return Err(Error::Toolset { name: name.to_owned() }),
            }
        }
        sets.sort();
        sets.dedup();
        Ok(sets)
    }

    /// The names of all, as a list for people.
    pub(crate) fn names() -> String {
        Self::ALL.iter().map(|set| set.name()).collect::<Vec<_>>().join(", ")
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
        let parse = |list| Toolset::parse_list(list).map_err(|error| error.to_string());
        assert_eq!(parse("search"), Ok(vec![Toolset::Search]));
        assert_eq!(parse("docs, search,docs"), Ok(vec![Toolset::Search, Toolset::Docs]));
        assert_eq!(parse("all"), Ok(Toolset::ALL.to_vec()));
        assert_eq!(parse("serach"), Err("there is no toolset \"serach\"".to_owned()));
        assert!(parse("").is_err());
    }
}
