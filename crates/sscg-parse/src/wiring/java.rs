//! Folding rules for Java.

use sscg_core::Span;
use sscg_core::wiring::Expression;
use tree_sitter::Node;

use super::branch::{Branch, arguments, either, entry, named_arguments};
use super::placeholder::{Values, filled, percent};
use super::{Grammar, WiringReader};

pub(crate) struct Java;

impl Grammar for Java {
    fn is_call(node: Node<'_>) -> bool {
        matches!(node.kind(), "method_invocation" | "object_creation_expression")
    }

    fn is_decorator(kind: &str) -> bool {
        matches!(kind, "annotation" | "marker_annotation")
    }

    fn fold<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
        let node = branch.node;
        match node.kind() {
            "identifier" | "type_identifier" | "this" | "super" => reader.name(node),
            "string_literal" => reader.literal(&branch),
            "field_access" => reader.member(branch, "object", "field"),
            "scoped_identifier" => reader.member(branch, "scope", "name"),
            "scoped_type_identifier" | "method_reference" => scoped(branch),
            "generic_type" | "parenthesized_expression" => branch.first(),
            "cast_expression" | "array_creation_expression" => branch.take("value"),
            "ternary_expression" => either(branch.take("consequence"), branch.take("alternative")),
            "binary_expression" => branch.sum(),
            "argument_list" | "array_initializer" | "element_value_array_initializer" => branch.list(),
            "method_invocation" => call(reader, branch),
            "object_creation_expression" => creation(reader, branch),
            "annotation_argument_list" => values(branch),
            "element_value_pair" => entry(reader.text_of(&branch, "key"), branch.take("value")),
            "annotation" | "marker_annotation" => annotation(reader, branch),
            "lambda_expression" | "method_declaration" | "constructor_declaration" => {
                reader.callable(&branch, parameters)
            }
            "variable_declarator" => variable(reader, branch),
            "assignment_expression" if branch.operator() == "=" => reader.bind_field(branch, "left", "right"),
            _ => Expression::Other,
        }
    }
}

/// Returns the last name of a path, as a member of what precedes it: `Map.Entry`, `this::show`.
fn scoped(mut branch: Branch<'_>) -> Expression {
    match branch.last() {
        Expression::Name(name) if branch.parts.len() > 1 => {
            Expression::Member(Box::new(branch.first()), name)
        }
        name => name,
    }
}

fn call<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let name: Box<str> = reader.text_of(&branch, "name").into();
    let callee = match branch.node_of("object") {
        Some(_) => Expression::Member(Box::new(branch.take("object")), name),
        None => Expression::Name(name),
    };
    let given = arguments(branch.take("arguments"));
    let formatted = match (&callee, given.split_first()) {
        (Expression::Member(class, name), Some((template, values)))
            if **class == Expression::Name("String".into()) && **name == *"format" =>
        {
            Some(filled(&template.value, &mut Values::new(values), percent))
        }
        (Expression::Member(template, name), _) if **name == *"formatted" => {
            Some(filled(template, &mut Values::new(&given), percent))
        }
        _ => None,
    };
    let value = reader.call(&branch, branch.node_of("name"), callee, given);
    formatted.unwrap_or(value)
}

fn creation<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (callee, given) = (branch.take("type"), arguments(branch.take("arguments")));
    reader.call(&branch, branch.node_of("type"), callee, given)
}

fn annotation<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (callee, given) = (branch.take("name"), named_arguments(branch.take("arguments")));
    reader.call(&branch, branch.node_of("name"), callee, given);
    let target = target(reader);
    reader.decorate(branch, target)
}

/// Returns the values of an annotation as one record; a single unnamed one has an empty name.
fn values(branch: Branch<'_>) -> Expression {
    let fields = branch.parts.into_iter().map(|part| match (part.node.kind(), part.value) {
        ("element_value_pair", Expression::Record(named)) => named.into_vec(),
        (_, value) => vec![("".into(), value)],
    });
    Expression::Record(fields.flatten().collect())
}

/// Returns the declaration that the annotation being folded is attached to, without its annotations and modifiers;
/// `None` for parameters, variables and values of other annotations.
fn target(reader: &WiringReader<'_, '_>) -> Option<Span> {
    let mut around = reader.frames.iter().rev().map(|frame| frame.node);
    let modifiers = around.next().filter(|modifiers| modifiers.kind() == "modifiers")?;
    let declaration = around.next()?;
    let is_member = declaration.kind().ends_with("_declaration")
        && declaration.kind() != "local_variable_declaration"
        || declaration.kind() == "enum_constant";
    let end = modifiers.end_byte().min(declaration.end_byte());
    is_member.then(|| reader.span(end, declaration.end_byte()))
}

/// Records the value of a variable. A field is a member of `this`.
fn variable<'t>(reader: &mut WiringReader<'_, 't>, mut branch: Branch<'t>) -> Expression {
    let (Some(name), Some(_)) = (branch.node_of("name"), branch.node_of("value")) else {
        return Expression::Other;
    };
    let is_field =
        reader.parent().is_some_and(|it| matches!(it.kind(), "field_declaration" | "constant_declaration"));
    let target = match is_field {
        true => Expression::Member(Box::new(Expression::Name("this".into())), reader.text(name).into()),
        false => reader.name(name),
    };
    reader.bind(branch.node, target, branch.take("value"));
    Expression::Other
}

/// Returns the names of parameters.
fn parameters(reader: &WiringReader<'_, '_>, all: Node<'_>) -> Vec<Option<Box<str>>> {
    if all.kind() == "identifier" {
        return vec![Some(reader.text(all).into())];
    }
    let mut names = Vec::new();
    for parameter in all.named_children(&mut all.walk()) {
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "formal_parameter" => parameter.child_by_field_name("name"),
            "spread_parameter" => {
                let last = parameter.named_child_count().saturating_sub(1) as u32;
                parameter.named_child(last).and_then(|declarator| declarator.child_by_field_name("name"))
            }
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
            "A.java",
            "class A { void go(int a, String... rest) {\n\
             \x20 client.get().uri(\"/a\\n\", id).retrieve();\n\
             \x20 String url = String.format(\"%s/p/%2$s\", base, x) + \"/\" + this.tail;\n\
             \x20 template.send(c ? \"p\" : Topics.Q, new Event(\"e\"), (k, v) -> go(k), this::show, new String[] { \"a\", B });\n\
             \x20 \"%s/x\".formatted(h()); super.go((String) y); run(z -> { });\n}}\n",
            expect![[r#"
                2: client.get().uri().retrieve()
                2: client.get().uri("/a\n", id)
                2: client.get()
                3: String.format("%s/p/%2$s", base, x)
                4: template.send(("p" | Topics.Q), Event(), fn/2, this.show, ["a", B])
                4: Event("e")
                4: go(k)
                5: "%s/x".formatted(h())
                5: h()
                5: super.go(y)
                5: run(fn/1)
                3: url = <base "/p/" x "/" this.tail>
                fn go(a, rest)
                fn (k, v)
                fn (z)
            "#]],
        );
    }

    #[test]
    fn names_and_fields_are_bound() {
        check(
            "A.java",
            "class A { static final String T = \"t\", U; private final H h = new H(U);\n\
             \x20 A(String base) { this.base = base; var x = 1; i += 2; } }\ninterface I { String K = \"k\"; }\n",
            expect![[r#"
                1: H(U)
                1: this.T = "t"
                1: this.h = H()
                2: this.base = base
                2: x = _
                3: this.K = "k"
                fn A(base)
            "#]],
        );
    }

    #[test]
    fn annotations_stand_on_declarations() {
        check(
            "A.java",
            "@RestController\n@RequestMapping(\"/a\")\n// c\npublic class A {\n\
             \x20 @Autowired private B b;\n\
             \x20 @GetMapping(path = {\"/x\", X}, produces = \"p\")\n  @Nested({@Inner(1)}) public B one(@PathVariable(\"id\") String id) { @Local int i; }\n}\n\
             @FeignClient(name = \"o\") interface C { @org.x.Get(K.P + \"/q\") B get(); }\n",
            expect![[r#"
                1: @RestController() on A
                2: @RequestMapping("/a") on A
                5: @Autowired() on b
                6: @GetMapping(path=["/x", X], produces="p") on one
                7: @Nested([_]) on one
                9: @FeignClient(name="o") on C
                9: @org.x.Get(<K.P "/q">) on get
                fn one(id)
                fn get()
            "#]],
        );
    }
}
