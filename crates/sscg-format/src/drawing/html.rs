//! Drawings as HTML pages.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::Drawing;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// Scripts of the page, each of which depends on those before it.
const SCRIPT: &str = concat!(
    include_str!("page/graph.js"),
    include_str!("page/force.js"),
    include_str!("page/layers.js"),
    include_str!("page/view.js"),
    include_str!("page/code.js"),
    include_str!("page/panel.js"),
    include_str!("page/legend.js"),
    include_str!("page/search.js"),
    include_str!("page/main.js"),
);

pub(super) fn page(drawing: &Drawing) -> String {
    // Only this style and this script run, and nothing is loaded, whatever names the data contains.
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let title = text(&drawing.title);
    let data = data(drawing);
    let parts =
        [("policy", &*policy), ("title", &title), ("style", STYLE), ("data", &data), ("script", SCRIPT)];
    let (mut page, mut rest) = (String::with_capacity(data.len() + SCRIPT.len() * 2), PAGE);
    for (name, part) in parts {
        let (before, after) =
            rest.split_once(&format!("{{{{{name}}}}}")).expect("the page has a place for it");
        page.push_str(before);
        page.push_str(part);
        rest = after;
    }
    page + rest
}

/// Returns the source expression of a style or script for the policy: its hash.
fn hash(source: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(source)))
}

/// Escapes a text between tags.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Serializes the drawing as JSON in which no tag can end the script.
fn data(drawing: &Drawing) -> String {
    serde_json::to_string(drawing).expect("a drawing is JSON").replace('<', "\\u003c")
}
