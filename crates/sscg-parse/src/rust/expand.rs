//! Expansion of macros in the position of items, by rules that the same file defines.
//!
//! `top_level_handler_fn!(get, GET);` declares a function whose text is nowhere in the file. Facts follow from one
//! file alone, so only rules in that file can be applied. Rules are tried in order, as the compiler does; fragments
//! end where the compiler requires a separator after them. An invocation that fits no rule stays an invocation.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::Span;
use tree_sitter::Node;

use super::kind::{FIELDS, Kind, child, kind};
use super::syntax;
use super::trivia::{Bond, comment_bond};
use crate::text::comment_text;
use crate::tree::{ParseTime, span, text};

/// Items that an invocation makes.
pub(super) struct Made {
    /// Place of the items in the extended text.
    pub(super) text: Range<usize>,
    /// Invocation; the walk adds its leading trivia.
    pub(super) invocation: Span,
    /// Offset of the invocation without its trivia.
    pub(super) at: u32,
}

/// Total number of tokens compared and bytes written for one file. An invocation that needs more than the rest stays as
/// it is.
const STEPS: usize = 1 << 17;

/// Maximum number of expansions inside each other, and of groups of tokens.
const DEPTH: u32 = 32;

/// Returns the text followed by the expansions of invocations in it.
pub(super) fn expand<'s>(source: &'s str, root: Node<'_>, time: &ParseTime) -> (Cow<'s, str>, Vec<Made>) {
    let mut made = Vec::new();
    if !source.contains("macro_rules!") {
        return (Cow::Borrowed(source), made);
    }
    let mut items = ItemMacros::new(source);
    items.collect(root, DEPTH);
    let macros = Macros::new(source, &items.definitions, time);
    let mut extended = Cow::Borrowed(source);
    for invocation in items.invocations {
        let place = invocation.start_byte();
        let Some(items) = macros.items(source, invocation, place, DEPTH) else { continue };
        let extended = extended.to_mut();
        extended.push('\n');
        let start = extended.len();
        extended.push_str(&items);
        let (text, invocation) = (start..extended.len(), span(invocation));
        made.push(Made { text, invocation, at: invocation.start });
    }
    (extended, made)
}

/// Definitions and invocations of macros among the items of a tree.
struct ItemMacros<'t> {
    source: &'t [u8],
    /// Definitions, each with the part of the text that sees it.
    definitions: Vec<(Node<'t>, Range<usize>)>,
    invocations: Vec<Node<'t>>,
}

impl<'t> ItemMacros<'t> {
    fn new(source: &'t str) -> Self {
        Self { source: source.as_bytes(), definitions: Vec::new(), invocations: Vec::new() }
    }

    fn collect(&mut self, list: Node<'t>, depth: u32) {
        self.collect_until(list, list.end_byte(), depth);
    }

    /// Collects those in a list, whose definitions are seen up to `end`: after a module only if it has `#[macro_use]`.
    fn collect_until(&mut self, list: Node<'t>, end: usize, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let mut uses_macros = false;
        let mut cursor = list.walk();
        for node in list.named_children(&mut cursor) {
            match kind(node) {
                Kind::AttributeItem => {
                    uses_macros |= node.utf8_text(self.source).is_ok_and(|it| it.contains("macro_use"));
                    continue;
                }
                Kind::MacroDefinition => self.definitions.push((node, node.end_byte()..end)),
                Kind::MacroInvocation => self.invocations.push(node),
                // With a semicolon, at the root of a file.
                Kind::ExpressionStatement => {
                    let inner = node.named_child(0).filter(|inner| kind(*inner) == Kind::MacroInvocation);
                    self.invocations.extend(inner);
                }
                Kind::ModItem | Kind::ImplItem | Kind::TraitItem => {
                    if let Some(body) = child(node, FIELDS.body) {
                        self.collect_until(body, if uses_macros { end } else { body.end_byte() }, depth);
                    }
                }
                _ => {}
            }
            uses_macros = false;
        }
    }
}

/// Macros of a file.
struct Macros<'t> {
    /// Rules by the name of the macro; `None` if the file defines it more than once, under different conditions.
    rules: FxHashMap<&'t str, Option<Rules<'t>>>,
    steps: Steps,
    time: &'t ParseTime,
}

/// Rules of a macro, with the part of the text that sees them.
type Rules<'t> = (Range<usize>, Vec<Rule<'t>>);

/// Rule of a macro: a pattern and what it makes.
struct Rule<'t> {
    pattern: Vec<Token<'t>>,
    body: Vec<Token<'t>>,
}

/// Number of steps left.
struct Steps(Cell<usize>);

impl Steps {
    fn take(&self, count: usize) -> Option<()> {
        self.0.set(self.0.get().checked_sub(count)?);
        Some(())
    }
}

impl<'t> Macros<'t> {
    fn new(source: &'t str, definitions: &[(Node<'t>, Range<usize>)], time: &'t ParseTime) -> Self {
        let mut rules = FxHashMap::default();
        for (definition, seen) in definitions {
            let Some(name) = child(*definition, FIELDS.name) else { continue };
            let own = rules_of(*definition, source).map(|rules| (seen.clone(), rules));
            rules.entry(text(name, source)).and_modify(|known| *known = None).or_insert(own);
        }
        Self { rules, steps: Steps(Cell::new(STEPS)), time }
    }

    /// Returns the items that an invocation makes, at a place of the file. Invocations among them are expanded as well.
    fn items(&self, source: &str, invocation: Node<'_>, place: usize, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let (seen, rules) = self.rules.get(text(invocation.child(0)?, source))?.as_ref()?;
        if !seen.contains(&place) {
            return None;
        }
        let mut cursor = invocation.walk();
        let group = invocation.children(&mut cursor).find(|node| kind(*node) == Kind::TokenTree)?;
        let input = tokens(group, source, DEPTH)?;
        let (rule, bound) = rules.iter().find_map(|rule| {
            self.steps.take(1)?;
            let mut bound = Bindings::default();
            let end = match_prefix(&rule.pattern, &input, 0, &mut bound, &self.steps)?;
            (end == input.len()).then_some((rule, bound))
        })?;
        let mut items = String::new();
        let bound = bound.iter().map(|(name, bound)| (*name, bound)).collect();
        write(&rule.body, &bound, &mut items, &self.steps)?;
        self.nested(items, place, depth)
    }

    /// Expands the invocations of the file's macros among items; `None` if one fits no rule.
    fn nested(&self, items: String, place: usize, depth: u32) -> Option<String> {
        if !items.contains('!') {
            return Some(items);
        }
        let tree = syntax::parse(&items, self.time)?;
        let mut found = ItemMacros::new(&items);
        found.collect(tree.root_node(), DEPTH);
        found.invocations.retain(|it| self.rules.contains_key(text(it.child(0).unwrap_or(*it), &items)));
        let mut expanded = String::new();
        let mut done = 0;
        for invocation in found.invocations {
            expanded.push_str(&items[done..invocation.start_byte()]);
            expanded.push_str(&self.items(&items, invocation, place, depth)?);
            // Items need no semicolon after them.
            done = invocation.end_byte() + usize::from(items[invocation.end_byte()..].starts_with(';'));
        }
        expanded.push_str(&items[done..]);
        Some(expanded)
    }
}

/// Token of a macro.
struct Token<'t> {
    /// Set when white space precedes the token.
    is_spaced: bool,
    form: Form<'t>,
}

enum Form<'t> {
    /// Single token.
    Leaf(Cow<'t, str>),
    /// Tokens in brackets, by the opening one.
    Group(&'t str, Vec<Token<'t>>),
    /// Metavariable of a pattern with its kind of fragment: `$name:ident`.
    Binding(&'t str, &'t str),
    /// Tokens with a separator and an operator: `$(..),*`.
    Repetition(Vec<Token<'t>>, &'t str, &'t str),
}

impl Token<'_> {
    fn leaf(&self) -> Option<&str> {
        match &self.form {
            Form::Leaf(text) => Some(text),
            _ => None,
        }
    }

    fn is_group(&self, open: &str) -> bool {
        matches!(&self.form, Form::Group(bracket, _) if *bracket == open)
    }

    fn is_name(&self) -> bool {
        let is_start = |c: char| c == '_' || c.is_alphabetic();
        self.leaf().is_some_and(|text| text != "_" && text.starts_with(is_start) && !is_quoted(text))
    }
}

/// Returns the rules of a macro; `None` if one of them is not understood.
fn rules_of<'t>(definition: Node<'t>, source: &'t str) -> Option<Vec<Rule<'t>>> {
    let mut cursor = definition.walk();
    let rules = definition.named_children(&mut cursor).filter(|node| kind(*node) == Kind::MacroRule);
    rules
        .map(|rule| {
            let side = |field| tokens(rule.child_by_field_name(field)?, source, DEPTH);
            Some(Rule { pattern: side("left")?, body: side("right")? })
        })
        .collect()
}

/// Returns the tokens between the brackets of a node; `None` if they nest too deeply.
fn tokens<'t>(node: Node<'t>, source: &'t str, depth: u32) -> Option<Vec<Token<'t>>> {
    let depth = depth.checked_sub(1)?;
    let mut found: Vec<Token<'t>> = Vec::new();
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).collect();
    let is_open = |node: &Node<'_>| matches!(node.kind(), "(" | "[" | "{");
    let is_close = |node: &Node<'_>| matches!(node.kind(), ")" | "]" | "}");
    let start = parts.iter().position(is_open)? + 1;
    let end = parts.iter().rposition(is_close)?;
    let mut before = parts[start - 1].end_byte();
    for part in parts.get(start..end)? {
        let is_spaced = before < part.start_byte();
        let written = text(*part, source);
        before = part.end_byte();
        let form = match part.kind() {
            "line_comment" | "block_comment" => {
                if comment_bond(written) == Bond::Attached {
                    found.extend(documentation(written));
                }
                continue;
            }
            "token_tree" | "token_tree_pattern" => Form::Group(&written[..1], tokens(*part, source, depth)?),
            "token_repetition" | "token_repetition_pattern" => {
                let operator = &written[written.len() - 1..];
                let mut cursor = part.walk();
                let close = part.children(&mut cursor).filter(|node| node.kind() == ")").last()?;
                let separator = source[close.end_byte()..part.end_byte() - 1].trim();
                Form::Repetition(tokens(*part, source, depth)?, separator, operator)
            }
            "token_binding_pattern" => {
                let (name, fragment) = written.split_once(':')?;
                Form::Binding(name.trim(), fragment.trim())
            }
            _ => match found.last_mut().map(|last| &mut last.form) {
                // The grammar splits a lifetime.
                Some(Form::Leaf(tick)) if *tick == "'" && !is_spaced => {
                    *tick = Cow::Borrowed(&source[part.start_byte() - 1..part.end_byte()]);
                    continue;
                }
                _ => Form::Leaf(Cow::Borrowed(written)),
            },
        };
        found.push(Token { is_spaced, form });
    }
    Some(found)
}

/// Returns the attribute that a documentation comment stands for.
fn documentation<'t>(comment: &str) -> [Token<'t>; 2] {
    let leaf = |text: Cow<'static, str>| Token { is_spaced: true, form: Form::Leaf(text) };
    let doc = format!("r##\"{}\"##", comment_text(comment));
    let inside = vec![leaf("doc".into()), leaf("=".into()), leaf(doc.into())];
    [leaf("#".into()), Token { is_spaced: false, form: Form::Group("[", inside) }]
}

/// Value of a metavariable.
enum Bound {
    One(String),
    /// Values in the rounds of a repetition.
    Many(Vec<Bound>),
}

type Bindings<'p> = FxHashMap<&'p str, Bound>;

/// Matches a pattern with the input from `at` on. Adds the values of its metavariables, and returns the end.
fn match_prefix<'p>(
    pattern: &'p [Token<'_>],
    input: &[Token<'_>],
    at: usize,
    bound: &mut Bindings<'p>,
    steps: &Steps,
) -> Option<usize> {
    let mut at = at;
    for wanted in pattern {
        steps.take(1)?;
        at = match &wanted.form {
            Form::Leaf(text) => {
                input.get(at)?.leaf().filter(|it| it == text)?;
                at + 1
            }
            Form::Group(open, inside) => {
                let Form::Group(bracket, given) = &input.get(at)?.form else { return None };
                let is_whole =
                    open == bracket && match_prefix(inside, given, 0, bound, steps)? == given.len();
                is_whole.then_some(at + 1)?
            }
            Form::Binding(name, fragment) => {
                let end = fragment_end(fragment, input, at, steps)?;
                let mut value = String::new();
                write(&input[at..end], &FxHashMap::default(), &mut value, steps)?;
                bound.insert(name, Bound::One(value));
                end
            }
            Form::Repetition(inside, separator, operator) => {
                let mut rounds: Vec<Bindings<'p>> = Vec::new();
                loop {
                    let is_next = rounds.is_empty() || separator.is_empty();
                    let is_separated = || input.get(at).is_some_and(|it| it.leaf() == Some(separator));
                    if !is_next && !is_separated() {
                        break;
                    }
                    let mut round = Bindings::default();
                    let start = at + usize::from(!is_next);
                    match match_prefix(inside, input, start, &mut round, steps) {
                        Some(end) if end > at => at = end,
                        _ => break,
                    }
                    rounds.push(round);
                    if *operator == "?" {
                        break;
                    }
                }
                if *operator == "+" && rounds.is_empty() {
                    return None;
                }
                let mut names = Vec::new();
                bound_names(inside, &mut names, steps)?;
                for name in names {
                    let values = rounds.iter_mut().filter_map(|round| round.remove(name)).collect();
                    bound.insert(name, Bound::Many(values));
                }
                at
            }
        };
    }
    Some(at)
}

/// Collects the metavariables that a pattern binds.
fn bound_names<'p>(pattern: &'p [Token<'_>], names: &mut Vec<&'p str>, steps: &Steps) -> Option<()> {
    steps.take(pattern.len())?;
    for token in pattern {
        match &token.form {
            Form::Leaf(_) => {}
            Form::Binding(name, _) => names.push(name),
            Form::Group(_, inside) | Form::Repetition(inside, ..) => bound_names(inside, names, steps)?,
        }
    }
    Some(())
}

/// Collects the metavariables that a body uses.
fn used_names<'p>(body: &'p [Token<'_>], names: &mut FxHashSet<&'p str>, steps: &Steps) -> Option<()> {
    steps.take(body.len())?;
    for token in body {
        match &token.form {
            Form::Leaf(text) if text.starts_with('$') => _ = names.insert(text),
            Form::Leaf(_) | Form::Binding(..) => {}
            Form::Group(_, inside) | Form::Repetition(inside, ..) => used_names(inside, names, steps)?,
        }
    }
    Some(())
}

/// Writes tokens with the values of their metavariables; `None` if one has no value here.
fn write(
    tokens: &[Token<'_>],
    bound: &FxHashMap<&str, &Bound>,
    out: &mut String,
    steps: &Steps,
) -> Option<()> {
    for Token { is_spaced, form } in tokens {
        match form {
            Form::Leaf(name) if name.starts_with('$') => match (&**name, bound.get(&**name)) {
                ("$crate", _) => push(out, "crate", *is_spaced, steps)?,
                (_, Some(Bound::One(value))) => push(out, value, *is_spaced, steps)?,
                _ => return None,
            },
            Form::Leaf(text) => push(out, text, *is_spaced, steps)?,
            Form::Group(open, inside) => {
                push(out, open, *is_spaced, steps)?;
                write(inside, bound, out, steps)?;
                let close = match *open {
                    "(" => ")",
                    "[" => "]",
                    _ => "}",
                };
                push(out, close, *open == "{", steps)?;
            }
            Form::Binding(..) => return None,
            Form::Repetition(inside, separator, _) => {
                let mut names = FxHashSet::default();
                used_names(inside, &mut names, steps)?;
                let mut many = names.iter().filter_map(|name| match bound.get(name) {
                    Some(Bound::Many(values)) => Some(values.len()),
                    _ => None,
                });
                let rounds = many.next()?;
                if many.any(|other| other != rounds) {
                    return None;
                }
                for nth in 0..rounds {
                    steps.take(bound.len())?;
                    let inner = bound.iter().map(|(name, value)| match value {
                        Bound::Many(values) if names.contains(name) => Some((*name, values.get(nth)?)),
                        value => Some((*name, *value)),
                    });
                    if nth > 0 {
                        push(out, separator, false, steps)?;
                        push(out, " ", false, steps)?;
                    }
                    write(inside, &inner.collect::<Option<_>>()?, out, steps)?;
                }
            }
        }
    }
    Some(())
}

/// Appends a token, apart from a word before it.
fn push(out: &mut String, token: &str, is_spaced: bool, steps: &Steps) -> Option<()> {
    steps.take(token.len() + 1)?;
    if !out.is_empty() && (is_spaced || out.ends_with(is_word) && token.starts_with(is_word)) {
        out.push(' ');
    }
    out.push_str(token);
    Some(())
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_quoted(text: &str) -> bool {
    text.len() > 1 && text.ends_with(['"', '#', '\''])
}

/// Returns the end of a fragment of the input that starts at `at`; `None` if there is none.
fn fragment_end(fragment: &str, input: &[Token<'_>], at: usize, steps: &Steps) -> Option<usize> {
    let rest = input.get(at..)?;
    let len = match fragment {
        "literal" => literal(rest)?,
        "vis" => {
            let is_public = rest.first().and_then(Token::leaf) == Some("pub");
            let is_limited = is_public && rest.get(1).is_some_and(|it| it.is_group("("));
            return Some(at + usize::from(is_public) + usize::from(is_limited));
        }
        "meta" => up_to(&[","], rest, steps)?,
        "ty" | "path" => up_to(&[",", "=>", ";", "=", "|", ":", ">", "as", "where", "{"], rest, steps)?,
        "pat" | "pat_param" => up_to(&["=>", ",", "=", "if", "in"], rest, steps)?,
        "expr" | "expr_2021" => {
            // Angle brackets of an expression are mostly comparisons.
            let is_end = |token: &Token<'_>| token.leaf().is_some_and(|it| matches!(it, "," | ";" | "=>"));
            let len = rest.iter().position(is_end).unwrap_or(rest.len());
            steps.take(len)?;
            len
        }
        "item" => {
            let is_last = |token: &Token<'_>| token.leaf() == Some(";") || token.is_group("{");
            let len = rest.iter().position(is_last);
            steps.take(len.unwrap_or(rest.len()))?;
            len? + 1
        }
        _ => usize::from(is_whole(fragment, rest.first()?)),
    };
    (len > 0).then_some(at + len)
}

/// Returns true for a token that is a fragment by itself.
fn is_whole(fragment: &str, token: &Token<'_>) -> bool {
    match fragment {
        "ident" => token.is_name(),
        "lifetime" => token.leaf().is_some_and(|text| text.starts_with('\'') && !is_quoted(text)),
        "tt" => true,
        "block" => token.is_group("{"),
        _ => false,
    }
}

/// Returns the length of a literal, in tokens; `None` or 0 if there is none.
fn literal(input: &[Token<'_>]) -> Option<usize> {
    let sign = usize::from(input.first()?.leaf() == Some("-"));
    let text = input.get(sign)?.leaf()?;
    let is_literal =
        text.starts_with(|c: char| c.is_ascii_digit()) || is_quoted(text) || matches!(text, "true" | "false");
    Some(if is_literal { sign + 1 } else { 0 })
}

/// Returns the number of tokens before one that may follow a type, a pattern or an attribute, outside of angle brackets.
fn up_to(ends: &[&str], input: &[Token<'_>], steps: &Steps) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, token) in input.iter().enumerate() {
        steps.take(1)?;
        match token.leaf() {
            Some("<") => depth += 1,
            Some(">") if depth > 0 => depth -= 1,
            Some(">>") if depth > 1 => depth -= 2,
            Some(text) if depth == 0 && ends.contains(&text) => return Some(at),
            None if depth == 0 && ends.contains(&"{") && token.is_group("{") => return Some(at),
            _ => {}
        }
    }
    Some(input.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the items that the invocations of a text make.
    fn expanded(source: &str) -> Vec<String> {
        let tree = syntax::parse(source, &ParseTime::for_text(source)).expect("the text is short");
        let (text, made) = expand(source, tree.root_node(), &ParseTime::for_text(source));
        made.into_iter().map(|made| text[made.text].to_owned()).collect()
    }

    #[test]
    fn the_first_fitting_rule_is_applied() {
        let rules = "macro_rules! m {\n    ($a:ident, GET) => { fn $a() {} };\n    ($a:ident, $b:ty) => { fn $a() -> $b; };\n}\n";
        assert_eq!(
            expanded(&format!("{rules}m!(get, GET);\nm!(put, Vec<(u8, u8)>);\nm!(1);\n")),
            ["fn get() { }", "fn put() -> Vec<(u8, u8)>;"]
        );
    }

    #[test]
    fn repetitions_have_as_many_rounds_as_their_variables() {
        let rules = "macro_rules! m { ($($(#[$m:meta])* $a:ident { $($b:literal),* }),+ $(,)?) => { $($(#[$m])* enum $a { $(A = $b),* })+ }; }\n";
        let made = expanded(&format!("{rules}m!(/// D.\n X {{ 1, -2 }}, Y {{}},);"));
        assert_eq!(made, ["#[doc = r##\"D.\"##] enum X {A = 1, A = -2 }  enum Y { }"]);
        assert!(expanded(&format!("{rules}m!(X {{ 1 2 }});")).is_empty());
    }

    #[test]
    fn inner_invocations_are_expanded_up_to_a_limit() {
        let rules = "macro_rules! m { (a) => { fn a() {} }; (b) => { m!(a); m! { a } }; ($($x:ident)*) => { m!($($x)* $($x)*); }; }\n";
        assert_eq!(expanded(&format!("{rules}m!(b);")), ["fn a() { } fn a() { }"]);
        assert!(expanded(&format!("{rules}m!(c d);")).is_empty());
    }

    #[test]
    fn a_macro_with_several_definitions_is_not_expanded() {
        let rules = "macro_rules! m { () => { fn a() {} }; }\n";
        assert!(expanded(&format!("#[cfg(unix)]\n{rules}#[cfg(windows)]\n{rules}m!();")).is_empty());
    }

    #[test]
    fn a_macro_is_seen_after_its_definition_and_inside_its_module() {
        let rules = "macro_rules! m { () => { fn a() {} }; }\n";
        let count = |text: &str| expanded(text).len();
        assert_eq!(count(&format!("m!();\n{rules}m!();\nmod inner {{\n m!();\n}}\n")), 2);
        assert_eq!(count(&format!("mod inner {{\n{rules}m!();\n}}\nm!();\n")), 1);
        assert_eq!(count(&format!("#[macro_use]\nmod inner {{\n{rules}}}\nm!();\n")), 1);
    }

    #[test]
    fn repetitions_with_much_inside_take_limited_time() {
        let rules =
            format!("macro_rules! m {{ ($(a $(x {})*)*) => {{ fn f() {{}} }}; }}\n", "y ".repeat(20_000));
        assert!(expanded(&format!("{rules}m!({});", "a ".repeat(20_000))).is_empty());
    }
}
