//! Prompts that clients offer their users: what to ask the tools for common tasks.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use crate::failure::Failure;

/// Prompt about one thing, which its argument names.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    argument: &'static str,
    of_argument: &'static str,
    /// Text with `{}` for the argument.
    text: &'static str,
}

const PROMPTS: [About; 3] = [
    About {
        name: "explain_flow",
        title: "Explain a flow",
        description: "Explain how something works, from where it starts to where it ends, with the code.",
        argument: "flow",
        of_argument: "What to explain: how a request is authenticated",
        text: "Explain this flow in the code of this project: {}\n\n\
            Call search_code with it as `query` and six to fourteen guesses at names as `terms`. Follow calls that leave the answer with \
            `more`, until nothing on the path is unread. Then describe the steps in order, each with its function and file:line, the data \
            that passes between them, and what happens on errors. Say what you did not find.",
    },
    About {
        name: "what_breaks",
        title: "What breaks if I change this",
        description: "List what a change of a declaration affects, and the tests to run.",
        argument: "declaration",
        of_argument: "Declaration: Session > close",
        text: "What breaks if I change this in this project: {}\n\n\
            Call impact with it as `symbol`, then look_up with `callers` for its own uses, and with `tests` for the tests that reach it. \
            Read the code of the uses that depend on what changes with `show`. Then list the places that have to change, those that may, \
            and the tests to run, each with file:line, and whether the lists are complete.",
    },
    About {
        name: "find_tests",
        title: "Find tests",
        description: "Find the tests of a declaration or a behavior, and what they leave out.",
        argument: "subject",
        of_argument: "Declaration, or a behavior in words",
        text: "Find the tests of this in this project: {}\n\n\
            For a declaration, call look_up with `tests`; for a behavior, call search_code first, then look_up with the names that it found. \
            Read the nearest tests with `show`. Then list them with file:line and what each of them checks, and name what none of them \
            checks.",
    },
];

/// Returns the prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |about: &About| {
        let argument =
            PromptArgument::new(about.argument).with_description(about.of_argument).with_required(true);
        Prompt::new(about.name, Some(about.description), Some(vec![argument])).with_title(about.title)
    };
    PROMPTS.iter().map(prompt).collect()
}

/// Returns the text of a prompt for its argument.
pub(crate) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, Failure> {
    let Some(about) = PROMPTS.iter().find(|about| about.name == name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|about| about.name).collect();
        let name: String = name.chars().take(100).collect();
        return Err(Failure::new(format!("no prompt {name:?}"), format!("one of: {}", names.join(", "))));
    };
    let value = arguments.get(about.argument).and_then(|value| value.as_str()).unwrap_or_default().trim();
    if value.is_empty() {
        return Err(Failure::new(format!("`{}` is missing", about.argument), about.of_argument.to_owned()));
    }
    let message = PromptMessage::new_text(Role::User, about.text.replace("{}", value));
    Ok(GetPromptResult::new(vec![message]).with_description(about.description))
}
