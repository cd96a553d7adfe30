//! Contracts that every [`Renderer`] and [`TokenCounter`] must meet. Implementations run these checks in their tests.

use sscg_core::TokenCounter;

use crate::{
    Answer, FileSnapshot, GraphAnswer, GraphNode, Lines, Renderer, ResultItem, fit, fit_graph, renderer,
};

/// Checks a format: it has a name of its own and a description, each text ends in a newline, is the same each time and
/// contains the file and name of each result and the name of each node, and the token count in a text settles.
///
/// # Panics
/// If the format violates the contract.
pub fn check_renderer(format: &dyn Renderer, counter: &dyn TokenCounter) {
    let name = format.name();
    assert!(!name.is_empty() && !name.contains(char::is_whitespace), "the name is {name:?}");
    assert!(renderer(name).is_none(), "the format `{name}` is built in");
    assert!(!format.description().is_empty(), "`{name}` has no description");
    let mut full = Answer { query: "how are retries scheduled".to_owned(), ..Answer::default() };
    full.results.push(ResultItem {
        file: "src/retry.rs".to_owned(),
        lines: Lines { start: 3, end: 5 },
        name: "schedule_retry".to_owned(),
        kind: "function".to_owned(),
        ..ResultItem::default()
    });
    full.snapshots.push(FileSnapshot {
        file: "src/retry.rs".to_owned(),
        text: "fn schedule_retry() {\n    backoff();\n}\n".to_owned(),
        ..FileSnapshot::default()
    });
    for mut answer in [Answer::default(), full] {
        let text = fit(&mut answer, format, counter);
        assert!(text.ends_with('\n'), "{name}: the text does not end in a newline: {text:?}");
        assert_eq!(
            format.render(&answer),
            format.render(&answer),
            "{name}: the text differs the second time"
        );
        assert_eq!(
            format.render(&answer).trim_end(),
            text.trim_end(),
            "{name}: the token count does not settle"
        );
        for part in answer.results.iter().flat_map(|result| [&*result.file, &*result.name]) {
            assert!(text.contains(part), "{name}: {part:?} is missing in {text:?}");
        }
    }
    let mut graph = GraphAnswer::default();
    graph.nodes.push(GraphNode {
        id: "src/retry.rs::schedule_retry".to_owned(),
        name: "schedule_retry".to_owned(),
        kind: "function".to_owned(),
        file: "src/retry.rs".to_owned(),
        ..GraphNode::default()
    });
    let text = fit_graph(&mut graph, format, counter);
    assert!(text.ends_with('\n'), "{name}: the text of a graph does not end in a newline: {text:?}");
    assert!(text.contains("schedule_retry"), "{name}: a node is missing in {text:?}");
    let settled = format.render_graph(&graph);
    assert_eq!(settled.trim_end(), text.trim_end(), "{name}: the token count of a graph does not settle");
}

/// Checks a token counter: no token in no text, at least one in any other, no more than bytes, the same number each
/// time, and a text has no fewer tokens than its first half by more than the one that the cut may add.
///
/// # Panics
/// If the counter violates the contract.
pub fn check_token_counter(counter: &dyn TokenCounter) {
    assert_eq!(counter.count(""), 0, "an empty text has tokens");
    let texts = [
        "x",
        "fn main() {\n    println!(\"{}\", 1 + 2);\n}\n",
        "the quick brown fox",
        "\u{1F980}\u{e9}\n\n\t ",
    ];
    for text in texts.map(|text| text.repeat(20)).iter().map(String::as_str).chain(texts) {
        let count = counter.count(text);
        assert!((1..=text.len()).contains(&count), "{count} tokens in {} bytes of {text:?}", text.len());
        assert_eq!(counter.count(text), count, "the number of tokens differs the second time");
        let half = &text[..text.floor_char_boundary(text.len() / 2)];
        assert!(counter.count(half) <= count + 1, "half of {text:?} has more tokens");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{O200k, TextRenderer};

    /// Format with a name of its own.
    struct Renamed(&'static dyn Renderer, fn(String) -> String);

    impl Renderer for Renamed {
        fn name(&self) -> &str {
            "renamed"
        }

        fn description(&self) -> &str {
            self.0.description()
        }

        fn render(&self, answer: &Answer) -> String {
            (self.1)(self.0.render(answer))
        }

        fn render_graph(&self, answer: &GraphAnswer) -> String {
            self.0.render_graph(answer)
        }
    }

    #[test]
    fn the_built_in_ones_meet_the_contract() {
        check_token_counter(&O200k);
        for format in crate::renderers() {
            check_renderer(&Renamed(*format, |text| text), &O200k);
        }
    }

    #[test]
    #[should_panic = "is missing in"]
    fn a_format_without_names_is_found() {
        check_renderer(&Renamed(&TextRenderer, |text| text.replace("schedule", "")), &O200k);
    }

    #[test]
    #[should_panic = "is built in"]
    fn a_taken_name_is_found() {
        check_renderer(&TextRenderer, &O200k);
    }
}
