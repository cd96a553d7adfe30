//! Turning answers into what is sent.

use std::collections::BTreeMap;

use sscg_core::TokenCounter;

use crate::{Answer, Compact, GraphAnswer, Patterns, Text, Toon, Verbose};

/// One output format.
pub trait Renderer: Send + Sync {
    /// The name by which `--format` asks for it.
    fn name(&self) -> &'static str;

    /// What it is, for help texts.
    fn description(&self) -> &'static str;

    /// The answer in this format, ending in a newline.
    fn render(&self, answer: &Answer) -> String;

    /// An answer about the graph in this format, ending in a newline.
    fn render_graph(&self, answer: &GraphAnswer) -> String;
}

/// Every format; the first is the default. A new one is a file and a line here.
pub fn renderers() -> &'static [&'static dyn Renderer] {
    &[&Text, &Compact, &Toon, &Verbose]
}

/// The format of a name.
pub fn renderer(name: &str) -> Option<&'static dyn Renderer> {
    renderers().iter().copied().find(|renderer| renderer.name() == name)
}

/// What parts of an answer take in a format, in tokens: how much shorter it is without each.
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

/// Renders an answer with its own token count in it: `answer.token_count` becomes the count of the returned
/// text, which states it.
pub fn fit(answer: &mut Answer, renderer: &dyn Renderer, counter: &dyn TokenCounter) -> String {
    let (text, count) = settle(answer.token_budget, counter, |count| {
        answer.token_count = count;
        renderer.render(answer)
    });
    answer.token_count = count;
    text
}

/// [`fit`] of an answer about the graph.
pub fn fit_graph(answer: &mut GraphAnswer, renderer: &dyn Renderer, counter: &dyn TokenCounter) -> String {
    let (text, count) = settle(answer.token_budget, counter, |count| {
        answer.token_count = count;
        renderer.render_graph(answer)
    });
    answer.token_count = count;
    text
}

/// A text that states its own token count, and that count. The first guess is the budget: most answers are about as long
/// as they may be, so that this number takes as much room as the right one.
///
/// Writing a number changes the text and so, perhaps, its count; each round writes the last round's count
/// until they agree. Should rounds alternate between counts, a little white space at the end evens them out.
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
