//! Drawings as HTML pages.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use derive_setters::Setters;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Drawing;
use super::packed::Packed;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// Scripts of the page, each of which depends on those before it.
const SCRIPT: &str = concat!(
    include_str!("page/unpack.js"),
    include_str!("page/graph.js"),
    include_str!("page/tree.js"),
    include_str!("page/force.js"),
    include_str!("page/nested.js"),
    include_str!("page/layers.js"),
    include_str!("page/view.js"),
    include_str!("page/code.js"),
    include_str!("page/panel.js"),
    include_str!("page/legend.js"),
    include_str!("page/search.js"),
    include_str!("page/main.js"),
);

/// Options of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Setters)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct PageOptions {
    /// Maximum number of nodes that the page shows at first. Further ones are rolled up by directory, package or community.
    /// 0, the default, to show all nodes and roll up none.
    pub shown: usize,
    /// Template of the links to an editor, in which `{path}` stands for the absolute path of a file, `{file}` for its path in
    /// the project, and `{line}` for the first line, such as `vscode://file{path}:{line}`. Empty, the default, for no links.
    #[setters(into)]
    pub editor: String,
    /// Absolute path of the project, for those links.
    #[setters(into)]
    pub root: String,
    /// True for a page that asks the server which it comes from: `search?q=QUESTION` for results, `expand?id=ID` for a node
    /// with its code and its neighbors. Both answer with a drawing in the format of the page, [`Drawing::packed`].
    pub live: bool,
}

pub(super) fn page(drawing: &Drawing, options: &PageOptions) -> String {
    // Only this style and this script run, and nothing is loaded, whatever names the data contains.
    let connections = if options.live { " connect-src 'self';" } else { "" };
    let policy = format!(
        "default-src 'none';{connections} style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let title = text(&drawing.title);
    let data = in_script(&Packed::of(drawing));
    let settings = in_script(options);
    let parts = [
        ("policy", &*policy),
        ("title", &title),
        ("style", STYLE),
        ("options", &settings),
        ("data", &data),
        ("script", SCRIPT),
    ];
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

/// Serializes data as JSON in which no tag can end the script.
fn in_script(data: &impl Serialize) -> String {
    serde_json::to_string(data).expect("it is plain data").replace('<', "\\u003c")
}
