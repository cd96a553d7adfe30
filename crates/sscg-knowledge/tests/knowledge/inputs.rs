//! Facts from the non-code inputs of the shop, and from malformed files.
#![allow(clippy::disallowed_methods, reason = "tests read fixtures")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sscg_core::Confidence;
use sscg_knowledge::{
    ContractType, GivenInputs, InputFile, MessageDirection, Model, Service, Source, input_limit, read_inputs,
};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/services")
}

fn truth() -> toml::Table {
    let text = std::fs::read_to_string(fixtures().join("shop.expected.toml")).expect("it is there");
    text.parse().expect("it is TOML")
}

fn rows(table: &str) -> Vec<toml::Table> {
    let rows = truth()[table].as_array().expect("it is a list").clone();
    rows.into_iter().map(|row| row.as_table().expect("it is a table").clone()).collect()
}

fn files_of(root: &Path) -> Vec<InputFile> {
    let files = sscg_index::read_files(root, input_limit);
    files.into_iter().map(|(path, content)| InputFile { path, content }).collect()
}

fn shop() -> Model {
    read_inputs(&files_of(&fixtures().join("shop")), &GivenInputs::default().with_project("shop"))
}

/// Returns the model of files with these texts.
fn model(files: &[(&str, &str)]) -> Model {
    let file = |(path, text): &(&str, &str)| InputFile {
        path: (*path).to_owned(),
        content: Ok(text.as_bytes().to_vec()),
    };
    let wanted: Vec<_> = files.iter().map(file).filter(|file| input_limit(&file.path).is_some()).collect();
    read_inputs(&wanted, &GivenInputs::default())
}

fn errors(model: &Model) -> Vec<String> {
    model.errors.iter().map(ToString::to_string).collect()
}

fn service<'m>(model: &'m Model, name: &str) -> &'m Service {
    model
        .services
        .iter()
        .find(|service| &*service.name == name)
        .unwrap_or_else(|| panic!("{name}: {model:#?}"))
}

fn names(model: &Model) -> Vec<&str> {
    model.services.iter().map(|service| &*service.name).collect()
}

#[test]
fn services_are_found_without_any_input() {
    let shop = shop();
    assert_eq!(errors(&shop), [""; 0]);
    let text = |row: &toml::Table, key: &str| row[key].as_str().expect("it is text").to_owned();
    let mut expected: Vec<_> = rows("service")
        .iter()
        .map(|row| ["name", "root", "language", "framework"].map(|key| text(row, key)))
        .collect();
    expected.sort();
    let mut found: Vec<_> = shop
        .services
        .iter()
        .map(|service| {
            let stack = |key: &str| service.stack.get(key).map(|values| values.join(",")).unwrap_or_default();
            let root = service.root.as_deref().expect("it has code");
            [service.name.to_string(), root.to_owned(), stack("language"), stack("framework")]
        })
        .collect();
    found.sort();
    assert_eq!(found, expected);
    let mut libraries: Vec<_> = rows("library").iter().map(|row| text(row, "root")).collect();
    libraries.sort();
    assert_eq!(shop.libraries.iter().map(|root| root.to_string()).collect::<Vec<_>>(), libraries);
    for service in &shop.services {
        let evidence = service.evidence.as_ref().expect("something told of it");
        assert_eq!((evidence.source, evidence.confidence), (Source::Manifest, Confidence::Exact));
        assert_eq!(&*evidence.file, "docker-compose.yml");
    }
}

#[test]
fn services_are_known_by_their_hosts_and_variables() {
    let shop = shop();
    for row in rows("service") {
        let name = row["name"].as_str().expect("it is text");
        let service = service(&shop, name);
        let port = format!("localhost:{}", row["port"]);
        assert!(service.hosts.iter().any(|host| **host == *port), "{name}: {:?}", service.hosts);
        // No variable holds the address of the storefront.
        let expected =
            if name == "storefront" { vec![] } else { vec![format!("{}_URL", name.to_uppercase()).into()] };
        assert_eq!(service.address_variables, expected, "{name}");
    }
    let orders = service(&shop, "orders");
    assert!(orders.hosts.iter().any(|host| &**host == "@shop/orders"));
    assert_eq!(orders.stack["database"], ["postgres".into()]);
    assert_eq!(orders.stack["messaging"], ["kafka".into()]);
}

#[test]
fn contracts_are_read_with_their_operations() {
    let shop = shop();
    for row in rows("contract") {
        let file = row["file"].as_str().expect("it is text");
        let contract = shop.contracts.iter().find(|contract| &*contract.file == file).expect(file);
        let kind = match row["type"].as_str() {
            Some("openapi") => ContractType::OpenApi,
            Some("asyncapi") => ContractType::AsyncApi,
            _ => ContractType::JsonSchema,
        };
        assert_eq!(contract.contract_type, kind, "{file}");
        assert_eq!(
            &*contract.version,
            row.get("version").and_then(toml::Value::as_str).unwrap_or_default(),
            "{file}"
        );
        let listed = |key: &str| -> Vec<String> {
            let all = row.get(key).and_then(toml::Value::as_array).into_iter().flatten();
            all.map(|topic| topic.as_str().expect("it is text").to_owned()).collect()
        };
        let found = |direction| -> Vec<String> {
            let all = contract.messages.iter().filter(|message| message.direction == direction);
            all.map(|message| message.event.to_string()).collect()
        };
        assert_eq!(found(MessageDirection::Publishes), listed("sends"), "{file}");
        assert_eq!(found(MessageDirection::Consumes), listed("receives"), "{file}");
    }
    assert_eq!(shop.contracts.len(), rows("contract").len());

    let mut expected: BTreeMap<(String, String, String), ()> = BTreeMap::new();
    for row in rows("endpoint") {
        let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        if let Some(file) = text("contract") {
            let path = text("contract_path").or_else(|| text("path")).expect("it has a path");
            expected.insert((file, text("method").expect("it has a method"), path), ());
        }
    }
    let mut found: BTreeMap<(String, String, String), ()> = BTreeMap::new();
    for contract in &shop.contracts {
        for operation in &contract.operations {
            found.insert(
                (contract.file.to_string(), operation.method.to_string(), operation.path.to_string()),
                (),
            );
            assert!(operation.line > 0, "{operation:?}");
        }
    }
    // Names of path parameters may differ; the expected values do not contain them.
    let plain = |set: BTreeMap<(String, String, String), ()>| -> Vec<(String, String, String)> {
        let plain_path = |path: &str| {
            let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
            parts.collect::<Vec<_>>().join("/")
        };
        let mut all: Vec<_> =
            set.into_keys().map(|(file, method, path)| (file, method, plain_path(&path))).collect();
        all.sort();
        all
    };
    assert_eq!(plain(found), plain(expected));
}

#[test]
fn schemas_and_messages_are_followed_into_other_files() {
    let shop = shop();
    let of =
        |file: &str| shop.contracts.iter().find(|contract| &*contract.file == file).expect("it is there");
    let placed =
        of("services/payments/asyncapi.yaml").messages.iter().find(|it| &*it.event == "order.placed");
    let required: Vec<_> = placed.expect("it is received").required.iter().map(|it| &**it).collect();
    assert_eq!(required, ["orderId", "customerId", "totalCents", "lines"]);
    let orders = of("services/orders/openapi.yaml");
    let (_, fields) = orders.schemas.iter().find(|(name, _)| &**name == "Order").expect("it is defined");
    assert!(fields.iter().any(|field| &*field.name == "lines" && &*field.ty == "Line[]"), "{fields:?}");
    // The host of its server names the service.
    assert_eq!(of("services/notifications/swagger.yaml").service.as_deref(), Some("notifications"));
}

#[test]
fn what_is_declared_comes_first() {
    let inputs = fixtures().join("shop.inputs");
    let text = |name: &str| std::fs::read_to_string(inputs.join(name)).expect("it is there");
    let given = GivenInputs::default()
        .with_project("shop")
        .with_service_map(("sscg-services.toml".into(), text("sscg-services.toml")))
        .with_service_interfaces_json(text("service_interfaces.json"));
    let model = read_inputs(&files_of(&fixtures().join("shop")), &given);
    assert_eq!(errors(&model), [""; 0]);
    assert_eq!(model.services.len(), 8);
    let catalog = service(&model, "catalog");
    assert_eq!((&*catalog.domain, catalog.estimated_loc), ("merchandise", 400));
    assert_eq!(catalog.address_variables, ["CATALOG_URL".into()]);
    assert_eq!(catalog.evidence.as_ref().map(|it| it.source), Some(Source::Declared));
    let category = model.entities.iter().find(|entity| &*entity.name == "Category").expect("it is declared");
    assert_eq!((&*category.owning_service, category.fields.len()), ("catalog", 2));
    // Owned by a service that lists it, although it is not declared itself.
    assert!(
        model.entities.iter().any(|it| &*it.name == "Template" && &*it.owning_service == "notifications")
    );
    assert!(model.references.iter().any(|it| &*it.service == "payments" && &*it.entity == "Order"));
    assert_eq!(model.relationships.len(), 8);
    let provided = model.contracts.iter().find(|it| &*it.file == "contracts/orders/asyncapi.yaml");
    assert_eq!(provided.and_then(|it| it.service.as_deref()), Some("orders"));
    let create = model
        .named_endpoints
        .iter()
        .find(|it| &*it.handler == "OrdersController.create")
        .expect("it is named");
    assert_eq!((&*create.method, &*create.path), ("POST", "/orders"));
    assert_eq!(&*create.file, "services/orders/src/orders/orders.controller.ts");
    assert_eq!(model.events.len(), 13);
}

#[test]
fn the_examples_of_the_documentation_are_read_without_a_problem() {
    let text = std::fs::read_to_string(fixtures().join("../../docs/services.md")).expect("it is there");
    let mut examples = 0;
    for block in text.split("\n```").skip(1).step_by(2) {
        let (language, example) = block.split_once('\n').expect("a block has lines");
        let model = match language {
            "toml" | "yaml" => model(&[(&format!("sscg-services.{language}"), example)]),
            "json" => read_inputs(&[], &GivenInputs::default().with_service_interfaces_json(example)),
            _ => continue,
        };
        let unknown_contracts = |error: &String| error.contains("no contract of that name");
        assert_eq!(
            errors(&model).into_iter().filter(|it| !unknown_contracts(it)).collect::<Vec<_>>(),
            [""; 0]
        );
        assert!(!model.services.is_empty());
        examples += 1;
    }
    assert!(examples >= 3);
}

const GOOD: (&str, &str) = (
    "good/openapi.yaml",
    "openapi: 3.1.0\ninfo: {title: Good, version: 1.0.0}\npaths:\n  /a:\n    get: {}\n",
);

/// Checks that these files have problems with these messages, and that other files are still read.
#[track_caller]
fn check_problem(files: &[(&str, &str)], says: &[&str]) -> Model {
    let all: Vec<_> = files.iter().copied().chain([GOOD]).collect();
    let model = model(&all);
    for says in says {
        assert!(errors(&model).iter().any(|error| error.contains(says)), "{says}: {:#?}", errors(&model));
    }
    assert_eq!(errors(&model).len(), says.len(), "{:#?}", errors(&model));
    let good = model.contracts.iter().find(|contract| &*contract.file == GOOD.0).expect("it is read");
    assert_eq!(good.operations.len(), 1);
    model
}

#[test]
fn broken_files_are_told_of() {
    check_problem(
        &[("openapi.json", "{\"openapi\": \"3.0.0\",\n \"paths\": {")],
        &["openapi.json:2: is no JSON"],
    );
    check_problem(&[("asyncapi.yaml", "asyncapi: 3.0.0\nchannels: [a, {b\n")], &["is no YAML"]);
    check_problem(&[("sscg-services.toml", "[[services]]\nname =\n")], &["sscg-services.toml:2: is no TOML"]);
    check_problem(&[("docker-compose.yml", "services: {a: [}\n")], &["docker-compose.yml:1: is no YAML"]);
    check_problem(&[("package.json", "{"), ("Cargo.toml", "[")], &["Cargo.toml", "package.json"]);
    check_problem(&[("openapi.yaml", "just text\n")], &["holds neither OpenAPI"]);
}

#[test]
fn templates_and_other_yaml_are_passed_over() {
    let template = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n";
    check_problem(&[("chart/service.yaml", template), ("any.yaml", "a: [\n"), ("any.json", "{")], &[]);
}

#[test]
fn a_file_that_is_too_large_is_told_of() {
    let dir = tempfile::tempdir().expect("there is room");
    let mut large = "openapi: 3.0.0\npaths:\n".to_owned();
    for n in 0..450_000 {
        large += &format!("  /path/of/number/{n}:\n    get: {{summary: one}}\n");
    }
    assert!(large.len() > 20_000_000);
    std::fs::write(dir.path().join("openapi.yaml"), large).expect("it is written");
    std::fs::create_dir(dir.path().join("good")).expect("it is made");
    std::fs::write(dir.path().join(GOOD.0), GOOD.1).expect("it is written");
    let model = read_inputs(&files_of(dir.path()), &GivenInputs::default());
    let [error] = &errors(&model)[..] else { panic!("{:#?}", model.errors) };
    assert!(
        error.starts_with("openapi.yaml: too large: 2") && error.ends_with("the limit is 16 MiB"),
        "{error}"
    );
    assert_eq!(model.contracts.len(), 1);
}

#[test]
fn an_alias_bomb_is_told_of() {
    let mut bomb = "openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let last = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{last}]\n");
    }
    check_problem(&[("openapi.yaml", &bomb)], &["openapi.yaml:"]);
}

#[test]
fn circles_of_references_are_told_of() {
    let text = "openapi: 3.0.0
paths:
  /a: {$ref: '#/paths/~1b'}
  /b: {$ref: '#/paths/~1a'}
  /c: {get: {}}
  /d: {$ref: '#/paths/~1nowhere'}
components:
  schemas:
    Node:
      properties: {next: {$ref: '#/components/schemas/Node'}}
    Loop:
      allOf: [{$ref: '#/components/schemas/Loop'}, {properties: {id: {type: string}}}]
";
    let says = ["in a circle: #/paths/~1b", "in a circle: #/paths/~1a", "leads to nothing", "made of itself"];
    let model = check_problem(&[("openapi.yaml", text)], &says);
    let contract =
        model.contracts.iter().find(|contract| &*contract.file == "openapi.yaml").expect("it is read");
    assert_eq!(contract.operations.len(), 1);
    assert_eq!(contract.schemas.iter().map(|(_, fields)| fields.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn unknown_versions_are_told_of_and_read() {
    let openapi = ("openapi.yaml", "openapi: 4.0.0\npaths:\n  /a:\n    get: {}\n");
    let asyncapi = ("asyncapi.yaml", "asyncapi: 9.1.0\nchannels:\n  a.b:\n    subscribe: {}\n");
    let map = ("sscg-services.json", r#"{"version": 7, "services": [{"name": "a", "root": "a"}]}"#);
    let says = ["OpenAPI 4.0.0 is not known", "AsyncAPI 9.1.0 is not known", "version 7 is not known"];
    let model = check_problem(&[openapi, asyncapi, map], &says);
    assert_eq!(names(&model), ["a"]);
    assert_eq!(model.contracts.iter().map(|it| it.operations.len() + it.messages.len()).sum::<usize>(), 3);
}

#[test]
fn contradictions_in_a_service_map_are_told_of() {
    let map = r#"
services:
  - {name: a, root: a, domian: x}
  - {name: a, domain: y, root: b}
  - {root: c}
  - {name: d, root: ../out}
entities:
  - {name: E, owning_service: b}
  - {name: E, owning_service: b, fields: {id: string}}
"#;
    let says = [
        "`domian` of service a is not known and left out; did you mean `domain`?",
        "service a is declared twice",
        "number 3 of `services` has no name",
        "the root of d is not below",
        "entity E is declared twice",
        "E is owned by b, which is no service",
    ];
    let model = check_problem(&[("sscg-services.yml", map)], &says);
    let a = service(&model, "a");
    assert_eq!((a.root.as_deref(), &*a.domain), (Some("a"), "y"));
    assert_eq!(model.entities[0].fields.len(), 1);
}

#[test]
fn other_shapes_of_a_domain_model_are_read() {
    let given = GivenInputs::default()
        .with_service_map((
            "service_map".into(),
            r#"{"services": {"auth": {"stack": "go", "estimated_loc": 5}}}"#.into(),
        ))
        .with_domain_model((
            "domain_model".into(),
            r#"{"entities": [{"name": "User", "fields": ["id"]}],
                "relationships": [{"from": "User", "to": "Role", "relationship_type": "HAS_MANY"}]}"#
                .into(),
        ));
    let model = read_inputs(&[], &given);
    assert_eq!(errors(&model), [""; 0]);
    assert_eq!((names(&model), model.services[0].estimated_loc), (vec!["auth"], 5));
    assert_eq!(&*model.relationships[0].relationship_type, "has_many");
}

#[test]
fn interfaces_that_are_wrong_are_told_of() {
    let interfaces = r#"{"a": {"endpoints": [{"method": "get", "path": "/x"}, {"method": "get"}], "events_published": 1}, "b": 2}"#;
    let given = GivenInputs::default().with_service_interfaces_json(interfaces);
    let model = read_inputs(&[], &given);
    assert_eq!(model.named_endpoints.len(), 1);
    assert_eq!(errors(&model).len(), 3, "{:?}", errors(&model));
    let broken = GivenInputs::default().with_service_interfaces_json("[");
    assert_eq!(errors(&read_inputs(&[], &broken)).len(), 1);
}

#[test]
fn a_project_of_one_program_is_one_service() {
    let cargo = ("Cargo.toml", "[package]\nname = \"tool\"\n");
    let one = model(&[cargo, ("src/main.rs", "")]);
    assert_eq!(names(&one), ["tool"]);
    assert_eq!(one.services[0].root.as_deref(), Some(""));
    let empty = read_inputs(&[], &GivenInputs::default().with_project("notes"));
    assert_eq!(names(&empty), ["notes"]);
}

#[test]
fn members_of_workspaces_are_services_if_they_serve() {
    let npm = model(&[
        ("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#),
        (
            "packages/api/package.json",
            r#"{"name": "@x/api", "scripts": {"start": "node ."}, "dependencies": {"fastify": "5"}}"#,
        ),
        ("packages/lib/package.json", r#"{"name": "@x/lib", "main": "index.js"}"#),
        (
            "tests/e2e/package.json",
            r#"{"name": "e2e", "scripts": {"start": "x"}, "dependencies": {"express": "5"}}"#,
        ),
    ]);
    assert_eq!((names(&npm), npm.libraries.as_slice()), (vec!["api"], &["packages/lib".into()][..]));
    let cargo = model(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/cli/Cargo.toml", "[package]\nname = \"x-cli\"\n"),
        ("crates/cli/src/main.rs", ""),
        ("crates/core/Cargo.toml", "[package]\nname = \"x-core\"\n"),
    ]);
    assert_eq!((names(&cargo), cargo.libraries.as_slice()), (vec!["cli"], &["crates/core".into()][..]));
}

#[test]
fn libraries_with_frameworks_are_no_services() {
    let gin = |name: &str| format!("module x/{name}\n\nrequire github.com/gin-gonic/gin v1.10.0\n");
    let go = model(&[
        ("api/go.mod", &gin("api")),
        ("api/cmd/api/main.go", ""),
        ("kit/go.mod", &gin("kit")),
        ("tool/go.mod", "module x/tool\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0 // indirect\n)\n"),
        ("tool/main.go", ""),
    ]);
    assert_eq!(names(&go), ["api"]);
    let web = "<artifactId>spring-boot-starter-web</artifactId>";
    let java = model(&[
        ("a/pom.xml", &format!("{web}<artifactId>spring-boot-maven-plugin</artifactId>")),
        (
            "b/build.gradle",
            "plugins { id 'org.springframework.boot' }\nimplementation 'x:spring-boot-starter-web'\n",
        ),
        ("c/pom.xml", web),
        ("c/src/main/java/c/CApplication.java", ""),
        ("kit/pom.xml", web),
    ]);
    assert_eq!(names(&java), ["a", "b", "c"]);
}

#[test]
fn names_of_several_sources_are_one_service() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop-orders}\nspec: {template: {spec: {containers: [{name: c, env: [{name: USERS, value: 'http://users-svc:80'}, {name: USERS_URL, value: 'http://users-svc.default.svc:80'}]}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: users-svc}\nspec: {selector: {app: users}}\n";
    let given = GivenInputs::default().with_project("shop");
    let files = [
        ("k8s/all.yaml", deployment),
        ("services/orders/go.mod", "module example.com/shop/orders\n"),
        ("services/orders/Dockerfile", "FROM scratch\n"),
        ("services/users/requirements.txt", "Flask==3.0\n"),
        ("services/users/Dockerfile", "FROM python\n"),
    ];
    let files = files.map(|(path, text)| InputFile { path: path.into(), content: Ok(text.into()) });
    let model = read_inputs(&files, &given);
    assert_eq!(names(&model), ["orders", "users"]);
    assert_eq!(service(&model, "orders").hosts, ["shop-orders".into()]);
    assert_eq!(service(&model, "users").hosts, ["users-svc".into()]);
    assert_eq!(service(&model, "users").address_variables, ["USERS_URL".into()]);
    assert_eq!(service(&model, "users").stack["framework"], ["flask".into()]);
}

#[test]
fn compose_files_are_read_with_what_they_take_over() {
    let compose = "
x-common: &common
  environment: {CART_URL: 'http://basket:80'}
services:
  base: {build: {context: ., dockerfile: docker/Dockerfile}}
  basket:
    <<: *common
    build: ./src/cart
    container_name: cart-1
    ports: ['127.0.0.1:9000:80', 81, {target: 80, published: '9001'}]
  web:
    extends: {service: base}
    image: x
    environment: ['CHECKOUT_ADDR', 'BASKET_API=http://${API_HOST:-basket}/']
  checkout: {build: {context: ., dockerfile: '${FILE}'}}
  redis: {build: ./redis}
  postgres: {image: 'postgres:16'}
";
    let model = model(&[
        ("docker-compose.prod.yml", compose),
        ("docker/Dockerfile", "FROM x\n"),
        ("redis/Dockerfile", "FROM redis\n"),
        ("src/cart/src/Dockerfile", "FROM x\n"),
        ("src/cart/src/Cart.csproj", ""),
        ("src/checkout/go.mod", "module x/checkout\n"),
        ("web/package.json", r#"{"name": "web"}"#),
    ]);
    assert_eq!(errors(&model), [""; 0]);
    let of = |name: &str| service(&model, name).root.as_deref().expect("it has code");
    assert_eq!([of("basket"), of("web"), of("checkout")], ["src/cart", "web", "src/checkout"]);
    let basket = service(&model, "basket");
    assert_eq!(basket.hosts, ["cart-1".into(), "localhost:9000".into(), "localhost:9001".into()]);
    assert_eq!(basket.address_variables, ["BASKET_API".into(), "CART_URL".into()]);
    assert_eq!(service(&model, "checkout").address_variables, ["CHECKOUT_ADDR".into()]);
    assert!(!names(&model).contains(&"redis") && !names(&model).contains(&"postgres"));
}

#[test]
fn base_paths_stand_before_the_paths_of_operations() {
    let path = |servers: &str| {
        let text = format!("openapi: 3.0.0\nservers: [{servers}]\npaths:\n  /a:\n    get: {{}}\n");
        model(&[("openapi.yaml", &text)]).contracts[0].operations[0].path.to_string()
    };
    assert_eq!(path("{url: /v1/}"), "/v1/a");
    assert_eq!(path("{url: 'http://orders:3001/v1'}"), "/v1/a");
    assert_eq!(path("{url: 'https://api.example.com/v1'}"), "/a");
    assert_eq!(path("{url: '/{v}', variables: {v: {default: v2}}}"), "/v2/a");
    assert_eq!(path("{url: '/{v}'}"), "/a");
}

#[test]
fn replies_go_the_other_way() {
    let text = "asyncapi: 3.0.0
channels:
  ping: {address: /ping, messages: {ping: {payload: {allOf: [{required: [id]}]}}}}
  pong: {messages: {pong: {payload: {schemaFormat: x, schema: {required: [at]}}}}}
operations:
  answer:
    action: receive
    channel: {$ref: '#/channels/ping'}
    reply: {channel: {$ref: '#/channels/pong'}}
";
    let model = model(&[("asyncapi.yaml", text)]);
    assert_eq!(errors(&model), [""; 0]);
    let found: Vec<_> =
        model.contracts[0].messages.iter().map(|it| (&*it.event, it.direction, &*it.required[0])).collect();
    let expected = [("/ping", MessageDirection::Consumes, "id"), ("pong", MessageDirection::Publishes, "at")];
    assert_eq!(found, expected);
}

#[test]
fn credentials_and_ends_of_life_are_noted() {
    let text = "openapi: 3.0.0
security: [{key: []}]
paths:
  /a:
    get: {deprecated: true}
    post: {security: [], deprecated: true}
  /b: {$ref: 'other/paths.yaml#/b'}
";
    let other = ("other/paths.yaml", "b:\n  get: {deprecated: true, operationId: b}\n");
    let model = model(&[("openapi.yaml", text), other]);
    assert_eq!(errors(&model), [""; 0]);
    let contract = &model.contracts[0];
    let found: Vec<_> = contract.operations.iter().map(|it| (&*it.method, it.secured, it.line)).collect();
    assert_eq!(found, [("GET", true, 5), ("POST", false, 6), ("GET", true, 7)]);
    assert!(contract.deprecated);
}

#[test]
fn services_of_interfaces_are_services() {
    let interfaces = r#"{"@x/api": {"endpoints": [{"path": "/x"}]}, "b": {"events_consumed": ["e"]}}"#;
    let given = GivenInputs::default().with_service_interfaces_json(interfaces);
    let package = r#"{"name": "@x/api", "dependencies": {"express": "5"}}"#;
    let file = InputFile { path: "api/package.json".into(), content: Ok(package.into()) };
    let model = read_inputs(&[file], &given);
    assert_eq!(names(&model), ["api", "b"]);
    assert_eq!(&*model.named_endpoints[0].service, "api");
}

#[test]
fn any_bytes_are_survived() {
    let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
    for path in
        ["openapi.yaml", "docker-compose.yml", "package.json", "Cargo.toml", "a.yaml", "requirements.txt"]
    {
        read_inputs(&[InputFile { path: path.into(), content: Ok(bytes.clone()) }], &GivenInputs::default());
    }
    for text in [
        "openapi: {}\npaths: 3\ncomponents: [1]\n",
        "swagger: 2.0\npaths: {/a: {get: 1, post: {security: {}}}}\n",
    ] {
        model(&[("openapi.yaml", text)]);
    }
}

#[test]
fn containers_of_one_kind_are_one_service_without_their_numbers() {
    let compose = "services:
  worker-1: { build: ./worker }
  worker-2: { build: ./worker }
  web2: { build: ./web }
";
    let model = model(&[("docker-compose.yml", compose), ("worker/main.py", ""), ("web/main.py", "")]);
    assert_eq!(names(&model), ["web2", "worker"]);
    let hosts: Vec<&str> = service(&model, "worker").hosts.iter().map(|host| &**host).collect();
    assert_eq!(hosts, ["worker-1", "worker-2"]);
}

#[test]
fn compose_files_name_what_starts_before_a_service() {
    let compose = "services:
  web: { build: ./web, depends_on: [orders, db] }
  orders: { build: ./orders, depends_on: { pay: { condition: service_healthy } } }
  pay: { build: ./pay }
  db: { image: postgres }
";
    let model = model(&[
        ("docker-compose.yml", compose),
        ("web/main.py", ""),
        ("orders/main.py", ""),
        ("pay/main.py", ""),
    ]);
    let found: Vec<(&str, &str)> = model.dependencies.iter().map(|it| (&*it.from, &*it.to)).collect();
    assert_eq!(found, [("orders", "pay"), ("web", "orders")]);
}
