//! Rendering of answers.

use std::collections::BTreeMap;

use sscg_core::TokenCounter;

use crate::{Answer, GraphAnswer, Patterns};

/// Output format.
///
/// `conformance::check_renderer` (feature `conformance`) checks an implementation.
///
/// ```
/// use sscg_format::{Answer, GraphAnswer, Renderer, ResultItem};
///
/// /// One line per result.
/// struct Locations;
///
/// impl Renderer for Locations {
///     fn name(&self) -> &str {
///         "locations"
///     }
///
///     fn description(&self) -> &str {
///         "one line per result, for editors"
///     }
///
///     fn render(&self, answer: &Answer) -> String {
///         answer.results.iter().map(|it| format!("{}:{}\n", it.file, it.lines.start)).collect::<String>() + "\n"
///     }
///
///     fn render_graph(&self, answer: &GraphAnswer) -> String {
///         answer.nodes.iter().map(|it| format!("{}\n", it.id)).collect::<String>() + "\n"
///     }
/// }
///
/// let mut result = ResultItem::default();
/// (result.file, result.lines.start) = ("src/retry.rs".into(), 7);
/// let mut answer = Answer::default();
/// answer.results.push(result);
/// assert_eq!(Locations.render(&answer), "src/retry.rs:7\n\n");
/// ```
pub trait Renderer: Send + Sync {
    /// Returns the name for `--format`.
    fn name(&self) -> &str;

    /// Returns the description for help texts.
    fn description(&self) -> &str;

    /// Renders an answer, ending in a newline.
    fn render(&self, answer: &Answer) -> String;

    /// Renders an answer about the graph, ending in a newline.
    fn render_graph(&self, answer: &GraphAnswer) -> String;
}

/// Returns the tokens of parts of an answer in a format: the difference to the answer without each part.
pub fn costs(
    answer: &Answer,
    renderer: &dyn Renderer,
    counter: &dyn TokenCounter,
) -> BTreeMap<String, usize> {
    let count = |answer: &Answer| counter.count(&renderer.render(answer));
    let whole = count(answer);
    let cost = |without: &dyn Fn(&mut Answer)| {
        let mut rest = answer.clone();
        without(&mut rest);
        whole.saturating_sub(count(&rest))
    };
    let graph = |answer: &mut Answer| {
        answer.subgraph_nodes.clear();
        answer.subgraph_edges.clear();
        answer.subgraph_order.clear();
        answer.subgraph_communities.clear();
        answer.unconnected.clear();
    };
    [
        ("graph", cost(&graph)),
        ("patterns", cost(&|answer| answer.patterns = Patterns::default())),
        ("results", cost(&|answer| answer.results.clear())),
        ("code", cost(&|answer| answer.snapshots.clear())),
    ]
    .map(|(part, cost)| (part.to_owned(), cost))
    .into()
}

/// Renders an answer with its own token count: `answer.token_count` becomes the count of the returned text, which
/// contains it.
pub fn fit(answer: &mut Answer, renderer: &dyn Renderer, counter: &dyn TokenCounter) -> String {
    let (text, count) = settle(answer.token_budget, counter, |count| {
        answer.token_count = count;
        renderer.render(answer)
    });
    answer.token_count = count;
    text
}

/// Renders an answer about the graph like [`fit`].
pub fn fit_graph(answer: &mut GraphAnswer, renderer: &dyn Renderer, counter: &dyn TokenCounter) -> String {
    let (text, count) = settle(answer.token_budget, counter, |count| {
        answer.token_count = count;
        renderer.render_graph(answer)
    });
    answer.token_count = count;
    text
}

/// Returns a text that contains its own token count, and that count. The first guess is the budget: most answers nearly
/// fill it, so this number is as long as the right one.
///
/// Writing a number changes the text and perhaps its count, so each round writes the last round's count until they
/// agree. If rounds alternate between counts, some trailing white space evens them out.
fn settle(
    budget: usize,
    counter: &dyn TokenCounter,
    mut stating: impl FnMut(usize) -> String,
) -> (String, usize) {
    let mut padding = String::new();
    let mut stated = budget;
    for round in 0.. {
        let mut text = stating(stated);
        text.push_str(&padding);
        let count = counter.count(&text);
        if count == stated || round == 32 {
            return (text, count);
        }
        stated = count;
        if round % 4 == 3 {
            padding.push_str(if round % 8 == 3 { " \n" } else { "\n \n" });
        }
    }
    unreachable!("the loop above returns")
}
