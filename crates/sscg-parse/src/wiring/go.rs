//! Folding rules for Go.

use sscg_core::wiring::{Argument, Expression};
use tree_sitter::Node;

use super::branch::{Branch, arguments, element, entry};
use super::placeholder::{Values, filled, percent};
use super::{Grammar, WiringReader};

pub(crate) struct Go;

impl Grammar for Go {
    fn is_call(node: Node<'_>) -> bool {
        match node.kind() {
            "call_expression" => true,
            "composite_literal" => is_of_named_type(node),
            _ => false,
        }
    }

    fn is_decorator(_kind: &str) -> bool {
        false
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier" if is_receiver(reader, reader.text(node)) => Expression::Name("self".into()),
            "identifier" | "type_identifier" | "package_identifier" => reader.name(node),
            "interpreted_string_literal" | "raw_string_literal" => reader.literal(&branch),
            "selector_expression" => reader.member(branch, "operand", "field"),
            "qualified_type" => reader.member(branch, "package", "name"),
            "index_expression" => element(branch.take("operand"), branch.take("index")),
            "binary_expression" => branch.sum(),
            "argument_list" | "expression_list" => branch.list(),
            "call_expression" => call(reader, branch),
            "composite_literal" => literal(reader, branch),
            "literal_value" if branch.parts.iter().any(|part| part.node.kind() == "keyed_element") => {
                branch.record()
            }
            "literal_value" => branch.list(),
            "keyed_element" => keyed(reader, branch),
            "func_literal" | "function_declaration" | "method_declaration" => {
                reader.callable(&branch, parameters)
            }
            _ => statement(reader, branch),
        }
    }
}

/// Folds a node that binds names.
fn statement<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let node = branch.node;
    match node.kind() {
        "short_var_declaration" | "assignment_statement" if matches!(branch.operator(), "" | "=") => {
            let targets = listed(branch.take("left"));
            assign(reader, node, targets, branch.take("right"))
        }
        "var_spec" | "const_spec" => {
            let mut cursor = node.walk();
            let names = node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named());
            let names = names.map(|name| reader.name(name)).collect();
            assign(reader, node, names, branch.take("value"))
        }
        "range_clause" => each(reader, branch),
        _ => part(branch),
    }
}

/// Folds a node that has the value of one of its parts.
fn part(mut branch: Branch<'_>) -> Expression {
    match branch.node.kind() {
        "generic_type" => branch.take("type"),
        "type_instantiation_expression"
        | "parenthesized_expression"
        | "literal_element"
        | "variadic_argument" => branch.first(),
        "type_conversion_expression" | "type_assertion_expression" => branch.take("operand"),
        "unary_expression" if matches!(branch.operator(), "&" | "*") => branch.take("operand"),
        _ => Expression::Other,
    }
}

/// True if a name denotes the receiver of the method around the current node, not a parameter of a function inside.
fn is_receiver(reader: &WiringReader<'_, '_>, name: &str) -> bool {
    if receiver(reader) != Some(name) {
        return false;
    }
    let mut functions = reader.frames.iter().filter(|frame| frame.node.kind() == "func_literal");
    let is_parameter = |all| parameters(reader, all).iter().flatten().any(|parameter| **parameter == *name);
    !functions.any(|frame| frame.node.child_by_field_name("parameters").is_some_and(is_parameter))
}

/// Returns the name of the receiver of the method around a node.
fn receiver<'t>(reader: &WiringReader<'_, 't>) -> Option<&'t str> {
    // Methods are at the top level of a file.
    let method = reader.frames.get(1).map(|frame| frame.node)?;
    let list = method.child_by_field_name("receiver")?;
    let name = list.named_child(0)?.child_by_field_name("name")?;
    Some(reader.text(name))
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (callee, given) = (branch.take("function"), arguments(branch.take("arguments")));
    let is_format = callee.path().is_some_and(|path| matches!(path[..], ["fmt", "Sprintf" | "Errorf"]));
    let formatted = match given.split_first() {
        Some((template, values)) if is_format => {
            Some(filled(&template.value, &mut Values::new(values), percent))
        }
        _ => None,
    };
    let value = reader.call(&branch, branch.node_of("function"), callee, given);
    formatted.unwrap_or(value)
}

/// Returns a literal of a named type as its construction, with its fields as named arguments; any other literal as a
/// record or list.
fn literal<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (ty, body) = (branch.take("type"), branch.take("body"));
    if branch.call.is_none() {
        return body;
    }
    let given = match body {
        Expression::Record(fields) => {
            fields.into_iter().map(|(name, value)| Argument { name: Some(name), value }).collect()
        }
        body => arguments(body),
    };
    if let Some(owner) = ty.last_name() {
        for argument in &given {
            let Some(name) = argument.name.clone() else { continue };
            let target = Expression::Member(Box::new(Expression::Name(owner.into())), name);
            reader.bind(branch.node, target, argument.value.clone());
        }
    }
    reader.call(&branch, branch.node_of("type"), ty, given)
}

/// True if a composite literal has the name of a type, not only that of its elements.
fn is_of_named_type(literal: Node<'_>) -> bool {
    let ty = literal.child_by_field_name("type");
    ty.is_some_and(|ty| matches!(ty.kind(), "type_identifier" | "qualified_type" | "generic_type"))
}

/// Returns an element of a literal under its key: the name of a field or a text.
fn keyed<'t>(reader: &WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let key = branch.node_of("key").and_then(|key| key.named_child(0));
    match (key.map(|key| (key.kind(), key)), branch.take("key")) {
        (Some(("identifier", key)), _) => entry(reader.text(key), branch.take("value")),
        (_, Expression::Text(name)) => entry(&name, branch.take("value")),
        _ => Expression::Other,
    }
}

/// Returns the elements of a list; a single value for one without a list.
fn listed(value: Expression) -> Vec<Expression> {
    match value {
        Expression::List(values) => values.into_vec(),
        Expression::Other => Vec::new(),
        one => vec![one],
    }
}

/// Records the assignment of a list of values to as many targets. The first target of a call with several results is
/// bound to the call, as the others are errors and flags.
fn assign(
    reader: &mut WiringReader<'_, '_>,
    node: Node<'_>,
    targets: Vec<Expression>,
    values: Expression,
) -> Expression {
    let values = listed(values);
    if values.len() == targets.len() || values.len() == 1 {
        for (target, value) in targets.into_iter().zip(values) {
            if target != Expression::Name("_".into()) {
                reader.bind(node, target, value);
            }
        }
    }
    Expression::Other
}

/// Records the assignments of a loop over a list. Its last variable is the element.
fn each<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let targets = listed(branch.take("left"));
    if let (Expression::List(values), [_, element]) = (branch.take("right"), &targets[..]) {
        reader.bind(branch.node, element.clone(), Expression::Either(values));
    }
    Expression::Other
}

/// Returns the names of parameters; `None` for one without a name.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    let mut names = Vec::new();
    for parameter in all.named_children(&mut all.walk()) {
        let before = names.len();
        names.extend(
            parameter
                .children_by_field_name("name", &mut parameter.walk())
                .map(|name| Some(reader.text(name).into())),
        );
        if names.len() == before && !parameter.kind().ends_with("comment") {
            names.push(None);
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
            "a.go",
            "package a\nfunc (s *Server) run(a, b int, _ string, c ...T) {\n\
             \tr.Route(\"/a\\n\", func(r chi.Router) { r.Get(`/b`, s.show) })\n\
             \turl := fmt.Sprintf(\"%s/p/%+v%%\", base, m[\"k\"])\n\
             \thttp.Handle(\"/x\"+P, http.HandlerFunc(h))\n\
             \tsend(&kafka.Message{Topic: topic, Key: []byte(\"k\")}, Pair[int]{1, \"b\"}, *p, xs...)\n\
             \tmake(map[string]string{\"a\": A, B: \"b\"}, []route{{\"GET\", \"/\"}, {path: \"/p\"}}, v.(string))\n}\n",
            expect![[r#"
                3: r.Route("/a\n", fn/1)
                3: r.Get("/b", self.show)
                4: fmt.Sprintf("%s/p/%+v%%", base, m.k)
                5: http.Handle(<"/x" P>, http.HandlerFunc())
                5: http.HandlerFunc(h)
                6: send(kafka.Message(), Pair(), p, xs)
                6: kafka.Message(Topic=topic, Key="k")
                6: Pair(_, "b")
                4: url = <base "/p/" m.k "%">
                6: Message.Topic = topic
                6: Message.Key = "k"
                fn run(a, b, _, c)
                fn (r)
            "#]],
        );
    }

    #[test]
    fn parameters_of_inner_functions_hide_the_receiver() {
        check(
            "a.go",
            "package a\nfunc (r *API) Mount(m chi.Router) {\n\tm.Route(\"/u\", func(r chi.Router) { r.Get(\"/\", list) })\n\
             \tm.Get(\"/v\", func(w W) { r.show() })\n}\n",
            expect![[r#"
                3: m.Route("/u", fn/1)
                3: r.Get("/", list)
                4: m.Get("/v", fn/1)
                4: self.show()
                fn Mount(m)
                fn (r)
                fn (w)
            "#]],
        );
    }

    #[test]
    fn names_and_members_are_bound() {
        check(
            "a.go",
            "package a\nconst A, B = \"a\", \"b\"\nconst (\n\tC T = \"c\"\n\tD\n)\nvar e, err = f()\n\
             func New(s *S) *S {\n\ts.x, y = \"x\", s.y\n\tz, _ := env(\"Z\")\n\tn += 1\n\
             \tfor _, t := range []string{\"p\", A} { sub(t) }\n\
             \tfor i, t := range ts {}\n\
             \treturn &S{w: \"w\", client: &http.Client{Timeout: 1}}\n}\n\
             func (s *S) set() { s.u = \"u\" }\n",
            expect![[r#"
                7: f()
                10: env("Z")
                12: sub(t)
                14: S(w="w", client=http.Client())
                14: http.Client(Timeout=_)
                2: A = "a"
                2: B = "b"
                4: C = "c"
                7: e = f()
                9: s.x = "x"
                9: y = s.y
                10: z = env()
                12: t = ("p" | A)
                14: S.w = "w"
                14: S.client = http.Client()
                14: Client.Timeout = _
                16: self.u = "u"
                fn New(s)
                fn set()
            "#]],
        );
    }
}
