//! Folding rules for Rust.
//!
//! In the grammar, the arguments of macros and attributes are token trees. They are parsed again as arguments of a
//! call, and ignored if that fails.

use sscg_core::wiring::{Argument, Expression};
use tree_sitter::Node;

use super::branch::{Branch, arguments, either, element, entry};
use super::pieces::Pieces;
use super::placeholder::{Values, braces, filled};
use super::{Grammar, WiringReader, after};

pub(crate) struct Rust;

/// Maximum nesting of macros whose arguments are parsed.
const MAX_NESTING: u8 = 4;

impl Grammar for Rust {
    fn is_call(node: Node<'_>) -> bool {
        matches!(node.kind(), "call_expression" | "macro_invocation")
    }

    fn is_decorator(kind: &str) -> bool {
        kind == "attribute_item"
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier"
            | "self"
            | "super"
            | "crate"
            | "field_identifier"
            | "type_identifier"
            | "primitive_type"
            | "shorthand_field_identifier" => reader.name(node),
            "scoped_identifier" | "scoped_type_identifier" => scoped(branch),
            "field_expression" => reader.member(branch, "value", "field"),
            "index_expression" => {
                let index = branch.last();
                element(branch.first(), index)
            }
            "string_literal" | "raw_string_literal" => text(reader, branch),
            "call_expression" => call(reader, branch),
            "macro_invocation" => macro_call(reader, branch),
            "arguments" | "tuple_expression" | "tuple_pattern" => branch.list(),
            "array_expression" if branch.node_of("length").is_none() => branch.list(),
            "field_initializer_list" | "struct_pattern" => branch.record(),
            "field_initializer" | "shorthand_field_initializer" => field(reader, branch),
            "base_field_initializer" => entry("", branch.first()),
            "field_pattern" => field_pattern(reader, branch),
            "binary_expression" => branch.sum(),
            "if_expression" if branch.node_of("alternative").is_some() => {
                either(branch.take("consequence"), branch.take("alternative"))
            }
            "closure_expression" | "function_item" => reader.callable(&branch, parameters),
            _ => statement(reader, branch),
        }
    }
}

/// Folds a node that binds names, or that belongs to a declaration.
fn statement<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let node = branch.node;
    match node.kind() {
        "let_declaration" | "let_condition" => reader.bind_field(branch, "pattern", "value"),
        "const_item" | "static_item" => reader.bind_field(branch, "name", "value"),
        "assignment_expression" if reader.nesting > 0 && reader.frames.len() == 1 => {
            entry(reader.text_of(&branch, "left"), branch.take("right"))
        }
        "assignment_expression" => reader.bind_field(branch, "left", "right"),
        "for_expression" => reader.bind_each(branch, "pattern", "value"),
        "attribute" => attribute(reader, branch),
        "attribute_item" => {
            let passed = ["attribute_item", "line_comment", "block_comment"];
            let target = after(node, &passed).map(|target| reader.span_of(target));
            reader.decorate(branch, target)
        }
        "inner_attribute_item" => reader.decorate(branch, None),
        _ => part(branch),
    }
}

/// Folds a node that has the value of one of its parts.
fn part(mut branch: Branch<'_>) -> Expression {
    match branch.node.kind() {
        "generic_type" | "generic_type_with_turbofish" => branch.take("type"),
        "generic_function" => branch.take("function"),
        "reference_expression" | "type_cast_expression" => branch.take("value"),
        "struct_expression" => branch.take("body"),
        "try_expression"
        | "await_expression"
        | "parenthesized_expression"
        | "else_clause"
        | "captured_pattern" => branch.first(),
        "unary_expression" if branch.node.child(0).is_some_and(|operator| operator.kind() == "*") => {
            branch.first()
        }
        "block" | "mut_pattern" | "ref_pattern" | "reference_pattern" => branch.last(),
        // `Some(x)` is bound to the value's payload, which reads like the value.
        "tuple_struct_pattern" if branch.parts.len() == 2 => branch.last(),
        _ => Expression::Other,
    }
}

/// Returns the name in a path, as a member of the path before it.
fn scoped(mut branch: Branch<'_>) -> Expression {
    match (branch.node_of("path"), branch.take("name")) {
        (Some(_), Expression::Name(name)) => Expression::Member(Box::new(branch.take("path")), name),
        (_, name) => name,
    }
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (callee, given) = (branch.take("function"), branch.take("arguments"));
    let mut named = branch.node_of("function");
    if let Some(generic) = named.filter(|named| named.kind() == "generic_function") {
        named = generic.child_by_field_name("function");
    }
    reader.call(&branch, named, callee, arguments(given))
}

/// Returns the call that an attribute amounts to.
fn attribute<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let callee = branch.first();
    let given = match (branch.node_of("arguments"), branch.node_of("value")) {
        (Some(tokens), _) => given(reader, tokens),
        (None, Some(_)) => vec![Argument { name: None, value: branch.take("value") }],
        (None, None) => Vec::new(),
    };
    let named = branch.parts.first().map(|part| part.node);
    reader.call(&branch, named, callee, given)
}

fn text(reader: &WiringReader<'_, '_>, branch: Branch<'_>) -> Expression {
    let mut pieces = Pieces::default();
    for part in &branch.parts {
        match part.node.kind() {
            "escape_sequence" => pieces.escape(reader.text(part.node)),
            _ => pieces.text(reader.text(part.node)),
        }
    }
    pieces.finish()
}

/// Returns a field of a struct literal, and records it as a binding.
fn field<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (name, value) = match branch.node_of("field") {
        Some(name) => (reader.text(name), branch.take("value")),
        None => (branch.parts.last().map_or("", |part| reader.text(part.node)), branch.last()),
    };
    let literal =
        reader.around(&["struct_expression"]).and_then(|literal| literal.child_by_field_name("name"));
    if let Some(literal) = literal {
        let path = reader.text(literal).split('<').next().unwrap_or("").trim_end_matches("::");
        let owner = match path.rsplit("::").next().unwrap_or(path).trim() {
            "Self" => "self",
            owner => owner,
        };
        let owner = Box::new(Expression::Name(owner.into()));
        reader.bind(branch.node, Expression::Member(owner, name.into()), value.clone());
    }
    entry(name, value)
}

/// Returns a field of a pattern, with its own name if it has no pattern.
fn field_pattern<'t>(reader: &WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let name = reader.text_of(&branch, "name");
    match branch.node_of("pattern") {
        Some(_) => entry(name, branch.take("pattern")),
        None => entry(name, Expression::Name(name.into())),
    }
}

fn macro_call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let named = branch.node_of("macro");
    let path = branch.take("macro");
    let name: Box<str> = path.last_name().unwrap_or("").into();
    let callee = match path {
        Expression::Member(base, name) => Expression::Member(base, format!("{name}!").into()),
        _ => Expression::Name(format!("{name}!").into()),
    };
    let tokens = branch.parts.iter().map(|part| part.node).find(|node| node.kind() == "token_tree");
    let given = tokens.map(|tokens| given(reader, tokens)).unwrap_or_default();
    let joined = match (&*name, given.split_first()) {
        ("format" | "format_args", Some((template, values))) => {
            Some(filled(&template.value, &mut Values::new(values), braces))
        }
        ("concat", Some(_)) => Some(Expression::Join(given.iter().map(|one| one.value.clone()).collect())),
        _ => None,
    };
    let value = reader.call(&branch, named, callee, given);
    joined.unwrap_or(value)
}

/// Parses tokens in parentheses as arguments of a call; `name = value` is a named argument.
fn given<'t>(reader: &mut WiringReader<'_, 't>, tokens: Node<'t>) -> Vec<Argument> {
    const CALL: &str = "f(";
    let text = reader.text(tokens);
    let inner = text.len().checked_sub(1).and_then(|end| text.get(1..end));
    let Some(inner) = inner.filter(|_| reader.nesting < MAX_NESTING) else { return Vec::new() };
    let text = format!("{CALL}{inner}\n);");
    let Some(tree) = reader.time.parse_with(&tree_sitter_rust::LANGUAGE.into(), &text) else {
        return Vec::new();
    };
    let root = tree.root_node();
    let call = root.named_child(0).and_then(|statement| statement.named_child(0));
    let list = call.and_then(|call| call.child_by_field_name("arguments"));
    let Some(list) = list.filter(|_| !root.has_error() && root.named_child_count() == 1) else {
        return Vec::new();
    };
    let mut again = WiringReader {
        wiring: &mut *reader.wiring,
        lines: reader.lines,
        source: &text,
        time: reader.time,
        base: reader.base.wrapping_add((tokens.start_byte() + 1) as u32).wrapping_sub(CALL.len() as u32),
        nesting: reader.nesting + 1,
        frames: Vec::new(),
        decorator: None,
    };
    let mut all = Vec::new();
    for part in again.run::<Rust>(list) {
        match (part.node.kind(), part.value) {
            ("assignment_expression", Expression::Record(fields)) => {
                all.extend(fields.into_iter().map(|(name, value)| Argument { name: Some(name), value }));
            }
            (_, value) => all.push(Argument { name: None, value }),
        }
    }
    all
}

/// Returns the names of parameters.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    let mut names = Vec::new();
    for parameter in all.named_children(&mut all.walk()) {
        let kind = parameter.kind();
        if matches!(kind, "self_parameter" | "attribute_item") || kind.ends_with("comment") {
            continue;
        }
        let mut pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
        if pattern.kind() == "mut_pattern" {
            pattern =
                pattern.named_child(pattern.named_child_count().saturating_sub(1) as u32).unwrap_or(pattern);
        }
        names.push((pattern.kind() == "identifier").then(|| reader.text(pattern).into()));
    }
    names
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::wiring::tests::check;

    #[test]
    fn calls_say_what_they_are_given() {
        check(
            "a.rs",
            "fn go(mut a: A, (b, c): T, _: u8) -> R {\n\
             \x20   Router::<S>::new().route(\"/a\\n\", get(h).post(m::g::<T>)).nest(r#\"/\"b\"#, x()?).await\n\
             \x20   let url = format!(\"{base}/p/{}/{0}/{id:?}{{}}\", a.b(), id = env!(\"ID\"));\n\
             \x20   tracing::warn!(topic = m.topic(\"t\"), ?e, \"x\");\n\
             \x20   tracing::warn!(topic = m.topic(\"t\"), \"x\");\n\
             \x20   client.send(concat!(\"a\", \"b\"), &[A, *B], |x, Y(y)| go(x), b\"z\".into(), if t { \"p\" } else { q });\n\
             \x20   json!({ \"a\": f() });\n}\n",
            expect![[r#"
                2: Router.new().route().nest("/\"b", x())
                2: Router.new().route("/a\n", get().post())
                2: Router.new()
                2: get().post(m.g)
                2: get(h)
                2: x()
                3: format!("{base}/p/{}/{0}/{id:?}{{}}", a.b(), id=env!())
                3: a.b()
                3: env!("ID")
                4: tracing.warn!()
                5: tracing.warn!(topic=m.topic(), "x")
                5: m.topic("t")
                6: client.send(<"a" "b">, [A, B], fn/2, "z".into(), ("p" | q))
                6: concat!("a", "b")
                6: go(x)
                6: "z".into()
                7: json!()
                3: url = <base "/p/" a.b() "/" a.b() "/" env!() "{}">
                fn go(a, _, _)
                fn (x, _)
            "#]],
        );
    }

    #[test]
    fn names_and_members_are_bound() {
        check(
            "a.rs",
            "pub const A: &str = \"a\";\nstatic B: [&str; 2] = [A, \"b\"];\n\
             impl S {\n    fn new(&self, p: P) -> Self {\n        let S { x, y: z } = p;\n\
             \x20       let (k, mut v) = (\"k\", V::default());\n        if let Some(n) = std::env::var(\"N\").ok() {}\n\
             \x20       while let Ok(m) = rx.recv() {}\n        for t in [\"p\", A] { sub(t); }\n\
             \x20       self.q = T::<u8> { w: \"w\", ..d };\n        Self { client: Client::new(), p }\n    }\n}\n",
            expect![[r#"
                6: V.default()
                7: std.env.var().ok()
                7: std.env.var("N")
                8: rx.recv()
                9: sub(t)
                11: Client.new()
                1: A = "a"
                2: B = [A, "b"]
                5: x = p.x
                5: z = p.y
                6: k = "k"
                6: v = V.default()
                7: n = std.env.var().ok()
                8: m = rx.recv()
                9: t = ("p" | A)
                10: self.q = {w: "w", : d}
                10: T.w = "w"
                11: self.client = Client.new()
                11: self.p = p
                fn new(p)
            "#]],
        );
    }

    #[test]
    fn attributes_stand_on_declarations() {
        check(
            "a.rs",
            "#![allow(x)]\n/// Doc.\n#[derive(Debug, serde::Serialize)]\n#[serde(rename_all = \"camelCase\")]\npub struct S {\n\
             \x20   #[serde(rename = \"a\")]\n    pub b: u8,\n}\n\
             #[actix_web::get(\"/x/{id}\", data = \"<b>\")]\n// c\nasync fn show() {}\n#[doc = \"d\"]\nmod m {}\n#[tokio::main]\nfn main() {}\n",
            expect![[r#"
                3: @derive(Debug, serde.Serialize) on S
                4: @serde(rename_all="camelCase") on S
                6: @serde(rename="a") on b
                9: @actix_web.get("/x/{id}", data="<b>") on show
                12: @doc("d") on m
                14: @tokio.main() on main
                fn show()
                fn main()
            "#]],
        );
    }
}
