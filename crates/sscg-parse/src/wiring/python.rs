//! Folding rules for Python.

use sscg_core::wiring::{Argument, Expression};
use tree_sitter::Node;

use super::branch::{Branch, either, element, entry};
use super::pieces::{Pieces, concatenation};
use super::placeholder::{Values, braces, filled, percent};
use super::{Grammar, WiringReader, after};

pub(crate) struct Python;

/// Field name for spread named arguments while the arguments of a call are folded into one record.
const SPREAD: &str = "**";

impl Grammar for Python {
    fn is_call(node: Node<'_>) -> bool {
        node.kind() == "call"
    }

    fn is_decorator(kind: &str) -> bool {
        kind == "decorator"
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier" | "true" | "false" => reader.name(node),
            "string_content" => Expression::Text(content(reader, &branch).into()),
            "string" | "concatenated_string" => text(branch),
            "interpolation" => branch.take("expression"),
            "parenthesized_expression" | "await" | "as_pattern_target" | "with_item" => branch.first(),
            "attribute" => reader.member(branch, "object", "attribute"),
            "subscript" => element(branch.take("value"), branch.take("subscript")),
            "call" => call(reader, branch),
            "argument_list" => arguments(branch),
            "keyword_argument" => entry(reader.text_of(&branch, "name"), branch.take("value")),
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern"
            | "list_pattern" => branch.list(),
            "dictionary" => branch.record(),
            "pair" => pair(branch),
            "dictionary_splat" => entry("", branch.first()),
            "boolean_operator" | "binary_operator" => operation(branch),
            // The elements of a list that another list contains are unknown, but not the list itself.
            "list_splat" if reader.parent().is_some_and(|parent| parent.kind() == "list") => branch.first(),
            "conditional_expression" => either(branch.first(), branch.last()),
            "lambda" | "function_definition" => reader.callable(&branch, parameters),
            _ => statement(reader, branch),
        }
    }
}

/// Folds a node that binds names or decorates a declaration.
fn statement<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let node = branch.node;
    match node.kind() {
        "assignment" => assignment(reader, branch, "left", "right"),
        "augmented_assignment" if branch.operator() == "+=" => extended(reader, branch),
        "named_expression" => assignment(reader, branch, "name", "value"),
        "as_pattern" => {
            if reader.parent().is_some_and(|parent| parent.kind() == "with_item") {
                let value = branch.first();
                reader.bind(node, branch.take("alias"), value);
            }
            Expression::Other
        }
        "for_statement" | "for_in_clause" => reader.bind_each(branch, "left", "right"),
        "decorator" => {
            let target = after(node, &["decorator", "comment"]).map(|target| reader.span_of(target));
            reader.decorate(branch, target)
        }
        _ => Expression::Other,
    }
}

/// Returns the decoded text of a piece of a string.
fn content(reader: &WiringReader<'_, '_>, branch: &Branch<'_>) -> String {
    let mut pieces = Pieces::default();
    let mut end = branch.node.start_byte();
    for part in &branch.parts {
        pieces.text(&reader.source[end..part.node.start_byte()]);
        match reader.text(part.node) {
            "{{" => pieces.text("{"),
            "}}" => pieces.text("}"),
            sequence => pieces.escape(sequence),
        }
        end = part.node.end_byte();
    }
    pieces.text(&reader.source[end..branch.node.end_byte()]);
    pieces.into_text()
}

fn text(branch: Branch<'_>) -> Expression {
    let mut pieces = Pieces::default();
    for part in branch.parts {
        match part.node.kind() {
            "string_content" | "string" => pieces.beside(part.value),
            "interpolation" => pieces.value(part.value),
            _ => {}
        }
    }
    pieces.finish()
}

/// Returns an entry of a dictionary whose key is a text.
fn pair(mut branch: Branch<'_>) -> Expression {
    match branch.take("key") {
        Expression::Text(name) => entry(&name, branch.take("value")),
        _ => Expression::Other,
    }
}

/// Returns all arguments as one record; positional ones have an empty name.
fn arguments(branch: Branch<'_>) -> Expression {
    let mut all = Vec::new();
    for part in branch.parts {
        match (part.node.kind(), part.value) {
            ("keyword_argument", Expression::Record(named)) => all.extend(named),
            ("dictionary_splat", Expression::Record(spread)) => {
                all.extend(spread.into_iter().map(|(_, value)| (SPREAD.into(), value)));
            }
            (_, value) => all.push(("".into(), value)),
        }
    }
    Expression::Record(all.into())
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let is_list = branch.node_of("arguments").is_some_and(|given| given.kind() == "argument_list");
    let arguments: Vec<Argument> = match branch.take("arguments") {
        Expression::Record(all) if is_list => all
            .into_iter()
            .map(|(name, value)| match &*name {
                "" => Argument { name: None, value },
                SPREAD => Argument { name: Some("".into()), value },
                _ => Argument { name: Some(name), value },
            })
            .collect(),
        value => vec![Argument { name: None, value }],
    };
    let callee = branch.take("function");
    let formatted = match &callee {
        Expression::Member(template, method) if &**method == "format" && is_text(template) => {
            Some(filled(template, &mut Values::new(&arguments), braces))
        }
        _ => None,
    };
    let value = reader.call(&branch, branch.node_of("function"), callee, arguments);
    formatted.unwrap_or(value)
}

fn is_text(value: &Expression) -> bool {
    matches!(value, Expression::Text(_) | Expression::Join(_))
}

fn operation(mut branch: Branch<'_>) -> Expression {
    let (left, right) = (branch.take("left"), branch.take("right"));
    match branch.operator() {
        "or" => either(left, right),
        "+" => concatenation(left, right),
        "%" if is_text(&left) => {
            let values = match right {
                Expression::List(values) => {
                    values.into_iter().map(|value| Argument { name: None, value }).collect()
                }
                Expression::Record(fields) => {
                    fields.into_iter().map(|(name, value)| Argument { name: Some(name), value }).collect()
                }
                value => vec![Argument { name: None, value }],
            };
            filled(&left, &mut Values::new(&values), percent)
        }
        _ => Expression::Other,
    }
}

/// Records an assignment. In a class body it binds a field, both of `self` and of the class.
fn assignment<'t>(
    reader: &mut WiringReader<'_, 't>,
    mut branch: Branch<'t>,
    target: &str,
    value: &str,
) -> Expression {
    if branch.node_of(value).is_none() {
        return Expression::Other;
    }
    let (node, target, value) = (branch.node, branch.take(target), branch.take(value));
    let around = reader.around(&["class_definition", "function_definition", "lambda"]);
    let class = around.filter(|around| around.kind() == "class_definition");
    match (class.and_then(|class| class.child_by_field_name("name")), target) {
        (Some(class), Expression::Name(name)) => {
            for owner in ["self", reader.text(class)] {
                let owner = Box::new(Expression::Name(owner.into()));
                reader.bind(node, Expression::Member(owner, name.clone()), value.clone());
            }
        }
        (_, target) => reader.bind(node, target, value.clone()),
    }
    value
}

/// Records that a text or list is extended: `urlpatterns += router.urls`.
fn extended<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (node, target, more) = (branch.node, branch.take("left"), branch.take("right"));
    if matches!(target, Expression::Name(_)) {
        let value = concatenation(target.clone(), more);
        reader.bind(node, target, value);
    }
    Expression::Other
}

/// Returns the names of parameters.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    let mut names = Vec::new();
    for (place, parameter) in all.named_children(&mut all.walk()).enumerate() {
        let mut pattern = parameter.child_by_field_name("name").unwrap_or(parameter);
        for kind in ["typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"] {
            if pattern.kind() == kind {
                pattern = pattern.named_child(0).unwrap_or(pattern);
            }
        }
        match (pattern.kind(), reader.text(pattern)) {
            ("identifier", "self" | "cls") if place == 0 => {}
            ("identifier", name) => names.push(Some(name.into())),
            ("tuple_pattern", _) => names.push(None),
            _ => {}
        }
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
            "a.py",
            "app.include_router(api, prefix=f'{V}/x{{1}}\\n' rb'\\d', *rest, **more)\n\
             r = await client.get(f\"{URL}/u/{user.id!r:>{w}}\", headers={'a': 1, **h, K: 2}, timeout=5)\n\
             a = '/{}/{n}/{0}/{self.x}/{{}}'.format(x, n=y)\n\
             b = '/%s/%(n)s/100%%' % (x, 1) + '/%(n).2f' % {'n': n} + c\n\
             d = os.environ.get('D') or os.environ['E'] or ('x' if t else \"y\")\n\
             go(x for x in y)\n(lambda a, *b: send(a))(1)\n\
             print(\n    config\n    .get(\n        'k'))\n",
            expect![[r#"
                1: app.include_router(api, prefix=<V "/x{1}\n" "\\d">, _, =more)
                2: client.get(<URL "/u/" user.id>, headers={a: _, : h}, timeout=_)
                3: "/{}/{n}/{0}/{self.x}/{{}}".format(x, n=y)
                5: os.environ.get("D")
                6: go(_)
                7: fn/2(_)
                7: send(a)
                8: print(config.get())
                10: config.get("k")
                2: r = client.get()
                3: a = <"/" x "/" y "/" x "/" _ "/{}">
                4: b = <"/" x "/" _ "/100%" "/" n c>
                5: d = (os.environ.get() | os.environ.E | ("x" | "y"))
                fn (a, b)
            "#]],
        );
    }

    #[test]
    fn names_and_members_are_bound() {
        check(
            "a.py",
            "A: str = 'a'\nB: int\nc = d = ['x', *A]\nc += A\ne, (f, g) = 'e', ('f', h)\n\
             class T(StrEnum):\n    ONE = 'one'\n    def go(self, a, b: int = 1, *c, d=2, **e):\n        self.url = url = a or 'x'\n\
             with httpx.Client(base_url=A) as client, open(x): pass\n\
             async def f(x, /, y: str = g(), *, z):\n    async with aio.connect('u') as (k, v): pass\n    if (n := len(x)): pass\n\
             for t in ['p', q]: sub(t)\nfor i, t in enumerate(x): pass\nz = [go(t) for t in ('u', 'v')]\n\
             try: pass\nexcept E as e: pass\no.p['q'] = 1\n",
            expect![[r#"
                10: httpx.Client(base_url=A)
                10: open(x)
                11: g()
                12: aio.connect("u")
                13: len(x)
                14: sub(t)
                15: enumerate(x)
                16: go(t)
                1: A = "a"
                3: c = ["x", A]
                3: d = ["x", A]
                4: c = <c A>
                5: e = "e"
                5: f = "f"
                5: g = h
                7: self.ONE = "one"
                7: T.ONE = "one"
                9: self.url = (a | "x")
                9: url = (a | "x")
                10: client = httpx.Client()
                13: n = len()
                14: t = ("p" | q)
                16: z = _
                16: t = ("u" | "v")
                19: o.p.q = _
                fn go(a, b, c, d, e)
                fn f(x, y, z)
            "#]],
        );
    }

    #[test]
    fn decorators_stand_on_declarations() {
        check(
            "a.py",
            "@app.get('/x/{id}', status_code=status.OK)\n@cached\n# c\nasync def show(id: Annotated[str, Path('p')]): pass\n\
             @dataclass(frozen=True)\nclass A:\n    x: int = field(default=1)\n    @property\n    def y(self): pass\n\
             \x20   @shared_task(name=f'{N}.x')\n    @staticmethod\n    def z(): pass\n",
            expect![[r#"
                4: Path("p")
                7: field(default=_)
                1: @app.get("/x/{id}", status_code=status.OK) on show
                2: @cached() on show
                5: @dataclass(frozen=True) on A
                8: @property() on y
                10: @shared_task(name=<N ".x">) on z
                11: @staticmethod() on z
                7: self.x = field()
                7: A.x = field()
                fn show(id)
                fn y()
                fn z()
            "#]],
        );
    }
}
