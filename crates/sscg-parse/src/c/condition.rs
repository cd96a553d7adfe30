//! Conditional blocks: `#if`, `#ifdef`, `#elif`, `#else`.

use tree_sitter::Node;

use super::grammar::{Field, Kind, child, field_id, kind, name_of};
use crate::spec::Walk;
use crate::text::one_line;

/// Maximum number of bytes of a condition. Of a longer one, the outer parts are left out.
const MAX_BYTES: usize = 160;

/// Visits the branches of a conditional block, each under its condition. All count, but not that of `#if 0`.
pub(super) fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let condition = condition(walk, node);
    let around = walk.condition.clone();
    let mut alternative = |walk: &mut Walk<'t>, branch: Node<'t>| {
        let other = match condition.as_deref() {
            Some("0") | None => around.clone(),
            Some(condition) => both(around.as_deref(), negated(condition)),
        };
        let own = std::mem::replace(&mut walk.condition, other);
        walk.visit(branch);
        walk.condition = own;
    };
    if condition.as_deref() == Some("0") {
        if let Some(branch) = child(node, Field::Alternative) {
            alternative(walk, branch);
        }
    } else {
        if let Some(condition) = &condition {
            walk.condition = both(around.as_deref(), condition.clone());
        }
        walk.list_with(node, field_id(node, Field::Alternative), &mut alternative);
    }
    walk.condition = around;
}

/// Returns the condition of the first branch of a block; `None` for one that always holds where the branch counts: a
/// guard against a second inclusion, or a definition unless there is another.
fn condition(walk: &Walk<'_>, node: Node<'_>) -> Option<String> {
    match kind(node) {
        Kind::PreprocIf | Kind::PreprocElif => {
            let condition = child(node, Field::Condition)?;
            let text = one_line(walk.text(condition)).replace("\\ ", "");
            let undefined = text.strip_prefix("!defined").map(|name| name.trim_matches(['(', ')', ' ']));
            (undefined.is_none() || undefined != defined_first(walk, node, condition)).then_some(text)
        }
        Kind::PreprocIfdef | Kind::PreprocElifdef => {
            let name = name_of(node)?;
            let text = walk.text(name);
            if !walk.text(node.child(0)?).ends_with("ndef") {
                return Some(format!("defined({text})"));
            }
            (defined_first(walk, node, name) != Some(text)).then(|| format!("!defined({text})"))
        }
        _ => None,
    }
}

/// Returns the macro that the first part of a block after its condition defines.
fn defined_first<'t>(walk: &Walk<'t>, node: Node<'t>, condition: Node<'t>) -> Option<&'t str> {
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor).skip_while(|it| it.id() != condition.id()).skip(1);
    let first = parts.find(|it| kind(*it) != Kind::Comment)?;
    let defines = matches!(kind(first), Kind::PreprocDef | Kind::PreprocFunctionDef);
    name_of(first).filter(|_| defines).map(|name| walk.text(name))
}

fn negated(condition: &str) -> String {
    let rest = condition.strip_prefix("!defined(").filter(|rest| is_only_end(rest));
    match rest {
        Some(rest) => format!("defined({rest}"),
        None if condition.starts_with("defined(") && is_only_end(condition) => {
            format!("!{condition}")
        }
        None => format!("!({condition})"),
    }
}

/// Returns true if the first closing parenthesis ends the text.
fn is_only_end(text: &str) -> bool {
    text.find(')').is_some_and(|at| at + 1 == text.len())
}

/// Returns the conjunction of two conditions, or one of them if that would be too long, preferably the inner one.
fn both(around: Option<&str>, condition: String) -> Option<String> {
    let is_simple = |text: &str| !text.contains("||") && !text.contains('?');
    let wrapped = |text: &str| if is_simple(text) { text.to_owned() } else { format!("({text})") };
    let whole = around.map(|around| format!("{} && {}", wrapped(around), wrapped(&condition)));
    let alone = around.map(str::to_owned);
    [whole, Some(condition), alone].into_iter().flatten().find(|text| text.len() <= MAX_BYTES)
}
