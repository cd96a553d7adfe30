//! Folding rules for C#.

use sscg_core::Span;
use sscg_core::wiring::Expression;
use tree_sitter::Node;

use super::branch::{Branch, either, element, entry, named_arguments};
use super::pieces::{Pieces, concatenation};
use super::placeholder::{Values, braces, filled};
use super::{Grammar, WiringReader};

pub(crate) struct CSharp;

/// Declarations that an attribute can be attached to, besides parameters.
const DECLARATIONS: &[&str] = &[
    "class_declaration",
    "constructor_declaration",
    "enum_declaration",
    "enum_member_declaration",
    "event_declaration",
    "field_declaration",
    "interface_declaration",
    "local_function_statement",
    "method_declaration",
    "property_declaration",
    "record_declaration",
    "struct_declaration",
];

impl Grammar for CSharp {
    fn is_call(node: Node<'_>) -> bool {
        matches!(
            node.kind(),
            "invocation_expression" | "object_creation_expression" | "implicit_object_creation_expression"
        )
    }

    fn is_decorator(kind: &str) -> bool {
        kind == "attribute"
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier" | "this" | "base" | "predefined_type" => reader.name(node),
            "string_literal"
            | "verbatim_string_literal"
            | "raw_string_literal"
            | "interpolated_string_expression" => text(reader, branch),
            "member_access_expression" => member(reader, branch, "expression"),
            "qualified_name" => member(reader, branch, "qualifier"),
            "conditional_access_expression" => conditional(branch),
            "member_binding_expression" => Expression::Name(last_name(reader, branch.node_of("name")).into()),
            "element_access_expression" => subscript(branch),
            "conditional_expression" => either(branch.take("consequence"), branch.take("alternative")),
            "binary_expression" => operation(branch),
            "argument_list" | "bracketed_argument_list" | "attribute_argument_list" => given(branch),
            "argument" | "attribute_argument" => {
                let name = reader.text_of(&branch, "name");
                entry(name, branch.last())
            }
            "initializer_expression" | "collection_expression" => initializer(branch),
            "anonymous_object_creation_expression" => anonymous(reader, branch),
            "invocation_expression" => call(reader, branch, "function"),
            "object_creation_expression" => call(reader, branch, "type"),
            "implicit_object_creation_expression" => implicit_creation(reader, branch),
            "class_declaration" | "record_declaration" | "struct_declaration" => {
                primary_constructor(reader, &branch)
            }
            "attribute" => attribute(reader, branch),
            "lambda_expression"
            | "anonymous_method_expression"
            | "local_function_statement"
            | "method_declaration"
            | "constructor_declaration" => reader.callable(&branch, parameters),
            _ => statement(reader, branch),
        }
    }
}

/// Folds a node that binds names.
fn statement<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let node = branch.node;
    match node.kind() {
        "variable_declarator" if branch.parts.len() > 1 => {
            let value = branch.last();
            let is_field = reader.around(&["field_declaration", "local_declaration_statement", "block"]);
            let is_field = is_field.is_some_and(|around| around.kind() == "field_declaration");
            let name = reader.text_of(&branch, "name");
            reader.bind(node, if is_field { field(name) } else { Expression::Name(name.into()) }, value);
        }
        "property_declaration" if branch.node_of("value").is_some() => {
            let target = field(reader.text_of(&branch, "name"));
            reader.bind(node, target, branch.take("value"));
        }
        "assignment_expression" if branch.operator() == "=" => {
            let (target, value) = (branch.take("left"), branch.take("right"));
            // In an initializer, it sets a field of the object.
            if reader.parent().is_some_and(|parent| parent.kind() == "initializer_expression") {
                return target.last_name().map_or(Expression::Other, |name| entry(name, value));
            }
            reader.bind(node, target, value.clone());
            return value;
        }
        _ => return part(branch),
    }
    Expression::Other
}

/// Folds a node that has the value of one of its parts.
fn part(mut branch: Branch<'_>) -> Expression {
    match branch.node.kind() {
        "generic_name"
        | "parenthesized_expression"
        | "await_expression"
        | "postfix_unary_expression"
        | "arrow_expression_clause"
        | "collection_element"
        | "expression_element"
        | "implicit_array_creation_expression" => branch.first(),
        "array_creation_expression" | "alias_qualified_name" => branch.last(),
        "cast_expression" => branch.take("value"),
        "as_expression" => branch.take("left"),
        "interpolation" => {
            let value = branch.parts.iter_mut().find(|part| !part.node.kind().starts_with("interpolation_"));
            value.map_or(Expression::Other, |value| value.take())
        }
        _ => Expression::Other,
    }
}

fn field(name: &str) -> Expression {
    Expression::Member(Box::new(Expression::Name("this".into())), name.into())
}

/// Returns the member of a value, without type arguments.
fn member<'t>(reader: &WiringReader<'_, 't>, mut branch: Branch<'t>, object: &str) -> Expression {
    let name = last_name(reader, branch.node_of("name")).into();
    // In the grammar, `this` and `base` are keywords without a node of their own.
    let owner = match branch.node_of(object) {
        Some(_) => branch.take(object),
        None => branch.node.child_by_field_name(object).map_or(Expression::Other, |owner| reader.name(owner)),
    };
    Expression::Member(Box::new(owner), name)
}

/// Returns a name without its type arguments.
fn last_name<'t>(reader: &WiringReader<'_, 't>, name: Option<Node<'t>>) -> &'t str {
    let name = name.map(|name| match name.kind() {
        "generic_name" => name.named_child(0).unwrap_or(name),
        _ => name,
    });
    name.map_or("", |name| reader.text(name))
}

/// Returns `a?.b` as the member `b` of `a`.
fn conditional(mut branch: Branch<'_>) -> Expression {
    let object = branch.take("condition");
    match branch.last() {
        Expression::Name(name) => Expression::Member(Box::new(object), name),
        other => other,
    }
}

fn subscript(mut branch: Branch<'_>) -> Expression {
    let index = listed(branch.take("subscript")).pop();
    element(branch.take("expression"), index.map_or(Expression::Other, |(_, value)| value))
}

fn operation(mut branch: Branch<'_>) -> Expression {
    let (left, right) = (branch.take("left"), branch.take("right"));
    match branch.operator() {
        "+" => concatenation(left, right),
        "??" => either(left, right),
        _ => Expression::Other,
    }
}

/// Returns the text of a literal. In an interpolated one, braces are doubled.
fn text<'t>(reader: &WiringReader<'_, 't>, branch: Branch<'t>) -> Expression {
    let whole = reader.text(branch.node);
    if branch.node.kind() == "verbatim_string_literal" {
        let inner = whole.trim_start_matches('@').trim_matches('"');
        return Expression::Text(inner.replace("\"\"", "\"").into());
    }
    let mut pieces = Pieces::default();
    for part in branch.parts {
        match part.node.kind() {
            "interpolation" => pieces.value(part.value),
            "escape_sequence" => pieces.escape(reader.text(part.node)),
            "string_literal_content" | "raw_string_content" | "string_content" => {
                pieces.text(reader.text(part.node));
            }
            _ => {}
        }
    }
    pieces.finish()
}

/// Returns arguments as one record; positional ones have an empty name.
fn given(branch: Branch<'_>) -> Expression {
    let fields = branch.parts.into_iter().filter_map(|part| match part.value {
        Expression::Record(fields) => fields.into_vec().pop(),
        _ => None,
    });
    Expression::Record(fields.collect())
}

fn listed(value: Expression) -> Vec<(Box<str>, Expression)> {
    if let Expression::Record(fields) = value { fields.into_vec() } else { Vec::new() }
}

/// Returns the fields that an initializer sets as a record, else its elements as a list.
fn initializer(branch: Branch<'_>) -> Expression {
    if branch.parts.iter().any(|part| part.node.kind() == "assignment_expression") {
        return branch.record();
    }
    branch.list()
}

/// Returns the fields of an object without a type: `new { Id = id }`.
fn anonymous<'t>(reader: &WiringReader<'_, 't>, branch: Branch<'t>) -> Expression {
    let mut fields = Vec::new();
    let mut name = None;
    for part in branch.parts {
        if part.node.next_sibling().is_some_and(|next| next.kind() == "=") {
            name = Some(reader.text(part.node));
        } else if let Some(name) = name.take() {
            fields.push((name.into(), part.value));
        }
    }
    Expression::Record(fields.into())
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>, function: &str) -> Expression {
    let callee = branch.take(function);
    let mut given = named_arguments(branch.take("arguments"));
    if let set @ Expression::Record(_) = branch.take("initializer") {
        given.extend(named_arguments(set));
    }
    let formatted = match (&callee, given.split_first()) {
        (Expression::Member(class, name), Some((template, values)))
            if **name == *"Format" && matches!(class.last_name(), Some("string" | "String")) =>
        {
            Some(filled(&template.value, &mut Values::new(values), braces))
        }
        _ => None,
    };
    let types = branch.node_of(function).map(|function| type_arguments(reader, function)).unwrap_or_default();
    let value = reader.call(&branch, branch.node_of(function), callee, given);
    if let Some(place) = branch.call {
        reader.wiring.calls[place as usize].types = types;
    }
    formatted.unwrap_or(value)
}

/// Returns a call of `new`, whose type is known from the place.
fn implicit_creation<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let given = branch.parts.iter_mut().find(|part| part.node.kind() == "argument_list");
    let given = given.map(|given| named_arguments(given.take())).unwrap_or_default();
    reader.call(&branch, None, Expression::Name("new".into()), given)
}

/// Returns the type arguments of a callee, as far as they are names.
fn type_arguments(reader: &WiringReader<'_, '_>, callee: Node<'_>) -> Vec<Expression> {
    let name = callee.child_by_field_name("name").unwrap_or(callee);
    let list = name
        .named_child(1)
        .filter(|list| name.kind() == "generic_name" && list.kind() == "type_argument_list");
    let Some(list) = list else { return Vec::new() };
    let mut cursor = list.walk();
    let types = list.named_children(&mut cursor).map(|ty| match ty.kind() {
        "identifier" => reader.name(ty),
        "qualified_name" => {
            let qualifier =
                ty.child_by_field_name("qualifier").map_or(Expression::Other, |it| reader.name(it));
            let name = last_name(reader, ty.child_by_field_name("name"));
            Expression::Member(Box::new(qualifier), name.into())
        }
        "generic_name" => Expression::Name(last_name(reader, Some(ty)).into()),
        _ => Expression::Other,
    });
    types.collect()
}

fn attribute<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let callee = branch.take("name");
    let given = branch.parts.iter_mut().find(|part| part.node.kind() == "attribute_argument_list");
    let given = given.map(|given| named_arguments(given.take())).unwrap_or_default();
    reader.call(&branch, branch.node_of("name"), callee, given);
    let target = target(reader);
    reader.decorate(branch, target)
}

/// Returns the declaration that the attribute being folded is attached to, from the end of the attribute's list.
fn target(reader: &WiringReader<'_, '_>) -> Option<Span> {
    let mut around = reader.frames.iter().rev().map(|frame| frame.node);
    let list = around.next()?;
    let declaration = around.next().filter(|it| DECLARATIONS.contains(&it.kind()))?;
    let mut cursor = declaration.walk();
    let lists = declaration.children(&mut cursor).filter(|it| it.kind() == "attribute_list");
    let end = lists.last().unwrap_or(list).end_byte();
    Some(reader.span(end, declaration.end_byte()))
}

/// Records the constructor that a class declares beside its name, as a function that the whole class is inside of.
fn primary_constructor<'t>(reader: &mut WiringReader<'_, 't>, branch: &Branch<'t>) -> Expression {
    let list = branch.parts.iter().map(|part| part.node).find(|node| node.kind() == "parameter_list");
    if let Some(list) = list {
        let names = parameters(reader, list);
        reader.function(branch, names);
    }
    Expression::Other
}

/// Returns the names of parameters.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    if all.kind() == "implicit_parameter" {
        return vec![Some(reader.text(all).into())];
    }
    let mut names = Vec::new();
    let mut cursor = all.walk();
    for (at, parameter) in all.children(&mut cursor).enumerate() {
        let name = match parameter.kind() {
            "parameter" => parameter.child_by_field_name("name"),
            // The last parameter, if it takes any number of arguments.
            "identifier" if all.field_name_for_child(at as u32) == Some("name") => Some(parameter),
            _ => continue,
        };
        names.push(name.map(|name| reader.text(name).into()));
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
            "a.cs",
            "var app = builder.Build();\napp.MapGet(\"/a\\n\", (int id, Db db) => db.Find(id)).WithName(\"n\");\n\
             class A { async Task Go(int a, params string[] rest) {\n\
             \x20 await client.GetFromJsonAsync<List<T>>($\"{Base}/p/{id}\" + @\"/q\", options: o);\n\
             \x20 var url = string.Format(\"{0}/x/{1}\", a, b) ?? \"d\";\n\
             \x20 bus?.Publish(new Event(\"e\") { Name = \"n\", Tags = new[] { \"t\", U } });\n\
             \x20 Send(config[\"Url\"], x => Run(x), delegate { }, b ? \"p\" : (string)q, new { a = \"b\" });\n }}\n",
            expect![[r#"
                1: builder.Build()
                2: app.MapGet().WithName("n")
                2: app.MapGet("/a\n", fn/2)
                2: db.Find(id)
                4: client.GetFromJsonAsync(<Base "/p/" id "/q">, options=o)
                5: string.Format("{0}/x/{1}", a, b)
                6: bus.Publish(Event())
                6: Event("e", Name="n", Tags=["t", U])
                7: Send(config.Url, fn/1, fn/0, ("p" | q), {a: "b"})
                7: Run(x)
                1: app = builder.Build()
                5: url = (<a "/x/" b> | "d")
                fn (id, db)
                fn Go(a, rest)
                fn (x)
                fn ()
            "#]],
        );
    }

    #[test]
    fn names_and_fields_are_bound() {
        check(
            "a.cs",
            "class A { const string T = \"t\"; private readonly H h = new H(T); string P { get; set; } = \"p\"; string Q => \"q\" + T;\n\
             \x20 A(string u) { _u = u; this.v = u; var x = 1; i += 2; } }\n",
            expect![[r#"
                1: H(T)
                1: this.T = "t"
                1: this.h = H()
                1: this.P = "p"
                1: this.Q = <"q" T>
                2: _u = u
                2: this.v = u
                2: x = _
                fn A(u)
            "#]],
        );
    }

    #[test]
    fn attributes_stand_on_declarations() {
        check(
            "a.cs",
            "[ApiController, Route(\"api/[controller]\")]\n[Authorize(Policy = \"p\")]\npublic class A : ControllerBase {\n\
             \x20 [HttpGet(\"{id}\", Name = \"n\")]\n  // c\n  public B One([FromRoute] string id) => null;\n\
             \x20 [Column] public int C { get; set; }\n}\n",
            expect![[r#"
                1: @ApiController() on A
                1: @Route("api/[controller]") on A
                2: @Authorize(Policy="p") on A
                4: @HttpGet("{id}", Name="n") on One
                7: @Column() on C
                fn One(id)
            "#]],
        );
    }
}
