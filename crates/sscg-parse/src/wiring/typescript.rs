//! Folding rules for TypeScript and JavaScript.

use sscg_core::Span;
use sscg_core::wiring::Expression;
use tree_sitter::Node;

use super::branch::{Branch, arguments, either, element, entry};
use super::pieces::{Pieces, concatenation};
use super::{Grammar, WiringReader, after};

pub(crate) struct TypeScript;

impl Grammar for TypeScript {
    fn is_call(node: Node<'_>) -> bool {
        matches!(node.kind(), "call_expression" | "new_expression")
    }

    fn is_decorator(kind: &str) -> bool {
        kind == "decorator"
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier"
            | "this"
            | "super"
            | "import"
            | "undefined"
            | "property_identifier"
            | "private_property_identifier"
            | "shorthand_property_identifier_pattern" => reader.name(node),
            "shorthand_property_identifier" => entry(reader.text(node), reader.name(node)),
            "string" | "template_string" => text(reader, branch),
            "template_substitution"
            | "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => branch.first(),
            "type_assertion" | "computed_property_name" => branch.last(),
            "member_expression" => reader.member(branch, "object", "property"),
            "subscript_expression" => element(branch.take("object"), branch.take("index")),
            "call_expression" => call(reader, branch, "function"),
            "new_expression" => call(reader, branch, "constructor"),
            "arguments" | "array" | "array_pattern" => {
                for part in branch.parts.iter_mut().filter(|part| part.node.kind() == "spread_element") {
                    part.take();
                }
                branch.list()
            }
            "spread_element" => entry("", branch.first()),
            "pair" | "pair_pattern" => {
                let value = branch.take("value");
                field(reader, &mut branch, "key", value)
            }
            "object" | "object_pattern" => object(branch),
            "object_assignment_pattern" | "assignment_pattern" => {
                Expression::Either(Box::new([branch.take("left"), branch.take("right")]))
            }
            "binary_expression" => operation(branch),
            "ternary_expression" => either(branch.take("consequence"), branch.take("alternative")),
            "arrow_function"
            | "function_expression"
            | "function_declaration"
            | "generator_function"
            | "generator_function_declaration"
            | "method_definition" => function(reader, branch),
            _ => statement(reader, branch),
        }
    }
}

/// Folds a node that binds names or decorates a declaration.
fn statement<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let node = branch.node;
    match node.kind() {
        "variable_declarator" => return reader.bind_field(branch, "name", "value"),
        "assignment_expression" => {
            let value = branch.take("right");
            reader.bind(node, branch.take("left"), value.clone());
            return value;
        }
        "public_field_definition" | "field_definition" => {
            let name = ["name", "property"].into_iter().find_map(|field| branch.node_of(field));
            if let (Some(name), Some(_)) = (name, branch.node_of("value")) {
                let this = Box::new(Expression::Name("this".into()));
                let target = Expression::Member(this, reader.text(name).into());
                reader.bind(node, target, branch.take("value"));
            }
        }
        "enum_assignment" => {
            let owner =
                reader.around(&["enum_declaration"]).and_then(|owner| owner.child_by_field_name("name"));
            let value = branch.take("value");
            let member = field(reader, &mut branch, "name", value);
            if let (Some(owner), Expression::Record(members)) = (owner, member) {
                for (name, value) in members {
                    let target = Expression::Member(Box::new(reader.name(owner)), name);
                    reader.bind(node, target, value);
                }
            }
        }
        "for_in_statement" if branch.operator() == "of" => return reader.bind_each(branch, "left", "right"),
        "decorator" => {
            let target = target(reader, node);
            return reader.decorate(branch, target);
        }
        _ => {}
    }
    Expression::Other
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>, function: &str) -> Expression {
    let (callee, given) = (branch.take(function), branch.take("arguments"));
    reader.call(&branch, branch.node_of(function), callee, arguments(given))
}

/// Returns an object with its shorthand members as fields.
fn object(mut branch: Branch<'_>) -> Expression {
    for part in &mut branch.parts {
        let named = match &part.value {
            Expression::Either(both) => &both[0],
            value => value,
        };
        if let Expression::Name(name) = named {
            let name = name.clone();
            part.value = entry(&name, part.take());
        }
    }
    branch.record()
}

fn operation(mut branch: Branch<'_>) -> Expression {
    let (left, right) = (branch.take("left"), branch.take("right"));
    match branch.operator() {
        "+" => concatenation(left, right),
        "??" | "||" => either(left, right),
        _ => Expression::Other,
    }
}

/// Returns a function, for a method as a field.
fn function<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let names = match (branch.node_of("parameters"), branch.node_of("parameter")) {
        (Some(all), _) => parameters(reader, all),
        (None, one) => one.map(|one| Some(reader.text(one).into())).into_iter().collect(),
    };
    let function = reader.function(&branch, names);
    match branch.node.kind() {
        "method_definition" => field(reader, &mut branch, "name", function),
        _ => function,
    }
}

/// Returns a field named by an identifier, text or number; nothing for a computed name.
fn field<'t>(
    reader: &WiringReader<'_, 't>,
    branch: &mut Branch<'t>,
    name: &str,
    value: Expression,
) -> Expression {
    let node = branch.node_of(name);
    match branch.take(name) {
        Expression::Text(text) => entry(&text, value),
        Expression::Name(name) if node.is_some_and(|node| node.kind() != "computed_property_name") => {
            entry(&name, value)
        }
        _ => match node {
            Some(node) if node.kind() == "number" => entry(reader.text(node), value),
            _ => Expression::Other,
        },
    }
}

fn text<'t>(reader: &WiringReader<'_, 't>, branch: Branch<'t>) -> Expression {
    let mut pieces = Pieces::default();
    for part in branch.parts {
        match part.node.kind() {
            "template_substitution" => pieces.value(part.value),
            "escape_sequence" => pieces.escape(reader.text(part.node)),
            _ => pieces.text(reader.text(part.node)),
        }
    }
    pieces.finish()
}

/// Returns the names of parameters.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    let mut names = Vec::new();
    for parameter in all.named_children(&mut all.walk()) {
        let mut pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
        if let Some(left) = pattern.child_by_field_name("left") {
            pattern = left;
        }
        if pattern.kind() == "rest_pattern" {
            pattern = pattern.named_child(0).unwrap_or(pattern);
        }
        match pattern.kind() {
            "identifier" => names.push(Some(reader.text(pattern).into())),
            "object_pattern" | "array_pattern" => names.push(None),
            _ => {}
        }
    }
    names
}

/// Returns the declaration that a decorator is attached to; `None` for parameters.
fn target(reader: &WiringReader<'_, '_>, decorator: Node<'_>) -> Option<Span> {
    let next = after(decorator, &["decorator", "comment"])?;
    let parent = reader.parent()?;
    match parent.kind() {
        "required_parameter" | "optional_parameter" | "formal_parameters" => None,
        "class_body" => Some(reader.span_of(next)),
        "export_statement" => {
            let fields = ["declaration", "value"];
            let declared = fields.into_iter().find_map(|field| parent.child_by_field_name(field));
            Some(reader.span_of(declared.unwrap_or(next)))
        }
        _ => Some(reader.span(next.start_byte(), parent.end_byte())),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::wiring::tests::check;

    #[test]
    fn calls_say_what_they_are_given() {
        check(
            "a.ts",
            "app.route('/x').get(show).post<Body>(async (req, res) => { await save(req.body!); });\n\
             const k = new Kafka({ clientId: 'o', brokers: env('B', \"l:9\").split(','), ...rest, topic, go() {} } as const);\n\
             fetch(`${base}/u/${id}\\n?x`, opts?.a ?? { method: 'GET' });\n\
             (client satisfies C)?.['send']('a' + B + \"\\u0041\", c ? 'x' : y || z, [1, 'q', ...r], new Map);\n",
            expect![[r#"
                1: app.route().get().post(fn/2)
                1: app.route().get(show)
                1: app.route("/x")
                1: save(req.body)
                2: Kafka({clientId: "o", brokers: env().split(), : rest, topic: topic, go: fn/0})
                2: env().split(",")
                2: env("B", "l:9")
                3: fetch(<base "/u/" id "\n?x">, (opts.a | {method: "GET"}))
                4: client.send(<"a" B "A">, ("x" | (y | z)), [_, "q", _], Map())
                4: Map()
                2: k = Kafka()
                fn (req, res)
                fn go()
            "#]],
        );
    }

    #[test]
    fn names_and_members_are_bound() {
        check(
            "a.ts",
            "export const TOPICS = { a: 'x', ['b']: 'y', 3: 'z', [c]: 1 } as const;\n\
             const { URL = 'http://a', b: { c }, ...rest } = process.env;\n\
             let [d, e] = ['f', g], h;\n\
             enum Topic { A = 'a', B = `b`, C }\n\
             class C { private readonly http = axios.create({ baseURL: URL }); static n = 1; constructor(private x: X) { this.y = x ?? 'z'; } }\n\
             for (const t of ['p', Topic.A]) sub(t);\n\
             for (const { u, v } of [{ u: 1, v: 'w' }, { u: '2', v: s }]) sub(u);\n\
             module.exports = a = { b };\n",
            expect![[r#"
                5: axios.create({baseURL: URL})
                6: sub(t)
                7: sub(u)
                1: TOPICS = {a: "x", b: "y", 3: "z"}
                2: URL = (process.env.URL | "http://a")
                2: c = process.env.b.c
                3: d = "f"
                3: e = g
                4: Topic.A = "a"
                4: Topic.B = "b"
                5: this.http = axios.create()
                5: this.n = _
                5: this.y = (x | "z")
                6: t = ("p" | Topic.A)
                7: u = (_ | "2")
                7: v = ("w" | s)
                8: module.exports = {b: b}
                8: a = {b: b}
                fn constructor(x)
            "#]],
        );
    }

    #[test]
    fn decorators_stand_on_declarations() {
        check(
            "a.ts",
            "@Controller('orders')\n@Injectable\nexport class A extends f(B) {\n\
             \x20 @Column({ name: 'n' }) total: number = 1;\n\
             \x20 @Get(':id')\n  @HttpCode(200)\n  // c\n  async one(@Param('id') id: string, { a }: T, ...rest: U[]) {}\n\
             \x20 @Sub(TOPICS.a, `${x}`) handler = (event = {}) => 1;\n}\n\
             @A.b(call()) class D {}\nexport default @E class F {}\n@G export abstract class H {}\n",
            expect![[r#"
                3: f(B)
                11: call()
                1: @Controller("orders") on A
                2: @Injectable() on A
                4: @Column({name: "n"}) on total
                5: @Get(":id") on one
                6: @HttpCode(_) on one
                9: @Sub(TOPICS.a, <x>) on handler
                11: @A.b(call()) on D
                12: @E() on F
                13: @G() on H
                4: this.total = _
                9: this.handler = fn/1
                fn one(id, _, rest)
                fn (event)
            "#]],
        );
        check(
            "a.js",
            "@a export class B { @c('d') e() {} @f g = 1 }\n",
            expect![[r#"
            1: @a() on B
            1: @c("d") on e
            1: @f() on g
            1: this.g = _
            fn e()
        "#]],
        );
    }
}
