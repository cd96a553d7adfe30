//! Documentation comments, which are XML.

use crate::text::comment_text;

/// Returns the text of a documentation comment without its tags: what they name stays.
pub(super) fn readable(comments: &str) -> String {
    let text = comment_text(comments);
    if !text.contains('<') || !comments.trim_start().starts_with("///") && !comments.starts_with("/**") {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(start) = rest.find('<') {
        plain.push_str(&rest[..start]);
        let tag = &rest[start..];
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        if !is_tag {
            plain.push('<');
            rest = &tag[1..];
            continue;
        }
        let Some(end) = tag.find('>') else {
            rest = tag;
            break;
        };
        name_of(&tag[1..end], &mut plain);
        rest = &tag[end + 1..];
    }
    plain.push_str(rest);
    let plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    let lines = plain.lines().map(str::trim_end);
    // A tag on a line of its own leaves nothing behind.
    let tagged = text.lines().map(|line| line.trim().starts_with('<'));
    let kept = lines.zip(tagged.chain(std::iter::repeat(false)));
    let kept: Vec<&str> =
        kept.filter(|(line, was_tag)| !was_tag || !line.is_empty()).map(|(line, _)| line).collect();
    kept.join("\n").trim().to_owned()
}

/// Adds the name that a tag refers to or describes.
fn name_of(tag: &str, text: &mut String) {
    let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let value = || attributes.split_once(['"', '\'']).and_then(|(_, value)| value.split(['"', '\'']).next());
    match (name, value()) {
        ("see" | "seealso" | "paramref" | "typeparamref" | "inheritdoc", Some(value)) => {
            // `cref="T:Namespace.Type"`
            let value = value.split_once(':').filter(|(kind, _)| kind.len() == 1).map_or(value, |(_, it)| it);
            text.push_str(value.trim_end_matches('/'));
        }
        ("param" | "typeparam" | "exception", Some(value)) => {
            text.push_str(value);
            text.push_str(": ");
        }
        ("returns", _) => text.push_str("Returns: "),
        _ => {}
    }
}
