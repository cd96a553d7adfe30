//! Labels of communities.

use std::fmt;

use rustc_hash::FxHashMap;
use sscg_core::words_of;

/// Maximum number of words in a label.
const WORDS: usize = 3;

/// Distinguishing words and directory of a community.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommunityLabel {
    /// Deepest directory that holds more than half of the community's nodes that have a path; empty if only the root
    /// does.
    pub directory: String,
    /// At most three words of names, the most typical first, in lower case.
    pub words: Vec<String>,
}

impl fmt::Display for CommunityLabel {
    /// Formats the directory and the words, as in `net/http (request, header)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.join(", ");
        match (self.directory.as_str(), words.as_str()) {
            (directory, "") => f.write_str(directory),
            ("", words) => f.write_str(words),
            (directory, words) => write!(f, "{directory} ({words})"),
        }
    }
}

/// Returns a label for each community, by its number; `membership` is the community of each node.
///
/// `describe` returns the path of a node, with `/` between its segments, and its name; either may be empty. Names are
/// split at `_` and other non-letters, and where the case changes. A word is typical of a community if many of its
/// nodes have it and few others do: n ln(1 + a / f) for a word that n nodes of the community and f nodes in all have,
/// where a is the mean number of words of a community. Equally typical words are in alphabetical order. O(text log
/// text).
///
/// Source: M. Grootendorst, *BERTopic: Neural topic modeling with a class-based TF-IDF procedure*, 2022, for the
/// measure.
///
/// # Panics
/// If a community's number is not less than the number of nodes.
pub fn label_communities<'a>(
    membership: &[u32],
    describe: impl Fn(u32) -> (&'a str, &'a str),
) -> Vec<CommunityLabel> {
    let count = membership.iter().max().map_or(0, |most| *most as usize + 1);
    assert!(count <= membership.len(), "communities are numbered densely");
    let mut directories: Vec<(u32, &str)> = Vec::new();
    let mut words = Words::default();
    for (node, &community) in (0..).zip(membership) {
        let (path, name) = describe(node);
        if !path.is_empty() {
            directories.push((community, directory(path)));
        }
        words.add(community, name);
    }
    let mut labels = vec![CommunityLabel::default(); count];
    directories.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| a.1.split_inclusive('/').cmp(b.1.split_inclusive('/')))
    });
    for directories in directories.chunk_by(|a, b| a.0 == b.0) {
        dominant(directories).clone_into(&mut labels[directories[0].0 as usize].directory);
    }
    words.most_typical(&mut labels);
    labels
}

/// Returns the directory of a path, with a `/` after each segment; empty for the root.
fn directory(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |at| at + 1)]
}

/// Returns the deepest directory that holds more than half of `directories`, which are sorted by their segments.
fn dominant<'a>(directories: &[(u32, &'a str)]) -> &'a str {
    let (mut within, mut end) = (directories, 0);
    for depth in 0.. {
        let segment = |directory: &(u32, &'a str)| directory.1.split_inclusive('/').nth(depth);
        let mut children = within.chunk_by(|a, b| segment(a) == segment(b));
        let Some(child) = children.find(|child| 2 * child.len() > directories.len()) else { break };
        let Some(segment) = segment(&child[0]) else { break };
        within = child;
        end += segment.len();
    }
    within[0].1[..end].trim_end_matches('/')
}

/// Words in the names of each community's nodes.
#[derive(Default)]
struct Words {
    ids: FxHashMap<String, u32>,
    /// (community, word), for each node and each word of its name.
    found: Vec<(u32, u32)>,
}

impl Words {
    fn add(&mut self, community: u32, name: &str) {
        let first = self.found.len();
        for word in words(name) {
            let next = self.ids.len() as u32;
            let id = *self.ids.entry(word).or_insert(next);
            if !self.found[first..].contains(&(community, id)) {
                self.found.push((community, id));
            }
        }
    }

    fn most_typical(mut self, labels: &mut [CommunityLabel]) {
        let mut texts = vec![""; self.ids.len()];
        self.ids.iter().for_each(|(text, id)| texts[*id as usize] = text);
        let mut totals = vec![0_u32; texts.len()];
        self.found.iter().for_each(|(_, word)| totals[*word as usize] += 1);
        let mean = self.found.len() as f64 / labels.len() as f64;

        self.found.sort_unstable();
        for words in self.found.chunk_by(|a, b| a.0 == b.0) {
            let mut scored: Vec<(f64, &str)> = words
                .chunk_by(|a, b| a.1 == b.1)
                .map(|nodes| {
                    let word = nodes[0].1 as usize;
                    (nodes.len() as f64 * (mean / f64::from(totals[word])).ln_1p(), texts[word])
                })
                .collect();
            scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
            labels[words[0].0 as usize].words =
                scored.into_iter().take(WORDS).map(|(_, word)| word.to_owned()).collect();
        }
    }
}

/// Returns the words of a name in lower case; single letters and numbers are skipped.
fn words(name: &str) -> impl Iterator<Item = String> {
    let words = words_of(name).filter(|part| part.starts_with(char::is_alphabetic));
    words.filter(|word| word.chars().nth(1).is_some()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(nodes: &[(u32, &'static str, &'static str)]) -> Vec<String> {
        let membership: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        let labels = label_communities(&membership, |node| {
            let (_, path, name) = nodes[node as usize];
            (path, name)
        });
        labels.iter().map(CommunityLabel::to_string).collect()
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("parse_http_URL2", "parse http url"),
            ("HTTPServerV2", "http server"),
            ("getX", "get"),
            ("__init__", "init"),
            ("Größe_Ändern", "größe ändern"),
            ("42", ""),
            ("", ""),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }

    #[test]
    fn the_directory_is_the_deepest_that_holds_most() {
        let directory = |paths: &[&'static str]| {
            let nodes: Vec<_> = paths.iter().map(|path| (0, *path, "")).collect();
            labels(&nodes).remove(0)
        };
        assert_eq!(directory(&["a/b/x.py", "a/b/y.py", "a/c/z.py"]), "a/b");
        assert_eq!(directory(&["a/b/x.py", "a/c/y.py", "a-b/z.py"]), "a");
        assert_eq!(directory(&["a/x.py", "b/y.py"]), "");
        assert_eq!(directory(&["a/x.py", "a/b/y.py", ""]), "a");
        assert_eq!(directory(&["/x.py", "/a//y.py", "/a//z.py"]), "/a");
        assert_eq!(directory(&["x.py"]), "");
        assert_eq!(directory(&[""]), "");
    }

    #[test]
    fn words_are_typical_if_others_lack_them() {
        let nodes = [
            (0, "net/http.py", "get_request"),
            (0, "net/http.py", "send_request"),
            (0, "net/http.py", "get_header"),
            (1, "db/sql.py", "get_row"),
            (1, "db/sql.py", "get_table"),
            (1, "db/row.py", "get_table_row"),
        ];
        assert_eq!(labels(&nodes), ["net (request, header, send)", "db (row, table, get)"]);
        assert_eq!(labels(&[(1, "", "alone"), (0, "", "_")]), ["", "alone"]);
        assert_eq!(labels(&[]), [""; 0]);
    }
}
