//! Turning answers into what is sent.

use sscg_core::TokenCounter;

use crate::{Answer, Compact, Text, Verbose};

/// One output format.
pub trait Renderer: Send + Sync {
    /// The name by which `--format` asks for it.
    fn name(&self) -> &'static str;

    /// What it is, for help texts.
    fn description(&self) -> &'static str;

    /// The answer in this format, ending in a newline.
    fn render(&self, answer: &Answer) -> String;
}

/// Every format; the first is the default. A new one is a file and a line here.
pub fn renderers() -> &'static [&'static dyn Renderer] {
    &[&Text, &Compact, &Verbose]
}

/// The format of a name.
pub fn renderer(name: &str) -> Option<&'static dyn Renderer> {
    renderers().iter().copied().find(|renderer| renderer.name() == name)
}

/// Renders an answer with its own token count in it: `answer.token_count` becomes the count of the returned
/// text, which states it.
///
/// Writing a number changes the text and so, perhaps, its count; each round writes the last round's count
/// until they agree. Should rounds alternate between counts, a little white space at the end evens them out.
pub fn fit(answer: &mut Answer, renderer: &dyn Renderer, counter: &dyn TokenCounter) -> String {
    let mut padding = String::new();
    for round in 0.. {
        let mut text = renderer.render(answer);
        text.push_str(&padding);
        let count = counter.count(&text);
        if count == answer.token_count || round == 32 {
            answer.token_count = count;
            return text;
        }
        answer.token_count = count;
        if round % 4 == 3 {
            padding.push_str(if round % 8 == 3 { " \n" } else { "\n \n" });
        }
    }
    unreachable!("the loop above returns")
}
