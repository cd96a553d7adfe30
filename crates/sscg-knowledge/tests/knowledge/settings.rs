//! Addresses and topics that code reads from settings.
#![allow(clippy::disallowed_methods, reason = "tests write and read a project")]

use std::fs;

use sscg_knowledge::{GivenInputs, InputFile, Model, input_limit, read_inputs};

use crate::code::{derived, indexed};

/// Programs in Python and the manifest that makes each a service.
const COMPOSE: &str = "
services:
  web:
    build: ./web
    environment: {UPSTREAM: 'http://orders:3001/api', PUBLIC: 'https://shop.example.com'}
    env_file: [web/hosts.env]
  orders:
    build: ./orders
    environment: ['UPSTREAM=http://payments', BACKEND]
  payments: {build: ./payments, ports: ['3007:80']}
  jobs: {build: ./jobs}
  reports: {build: ./reports}
  mailer: {build: ./mailer}
  db: {image: 'postgres:16', environment: {UPSTREAM: 'http://jobs'}}
";

fn facts(files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let made = ["web", "orders", "payments", "jobs", "reports", "mailer"];
    let made = made.map(|name| (format!("{name}/Dockerfile"), "FROM scratch\n"));
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), *text));
    for (path, text) in files.chain(made).chain([("compose.yaml".to_owned(), COMPOSE)]) {
        let file = directory.path().join(path);
        fs::create_dir_all(file.parent().expect("below the root")).expect("writable");
        fs::write(file, text).expect("writable");
    }
    let inputs = sscg_index::read_files(directory.path(), input_limit).into_iter();
    let inputs: Vec<InputFile> = inputs.map(|(path, content)| InputFile { path, content }).collect();
    let Model { services, libraries, settings, errors, .. } = read_inputs(&inputs, &GivenInputs::default());
    assert_eq!(errors, []);
    let snapshot = indexed(directory.path());
    let model = derived(&snapshot, Model { services, libraries, settings, ..Model::default() });
    let requests = model.requests.iter().map(|it| {
        format!("{} asks {}: {} {} ({})", it.from, it.to, it.method, it.path, it.evidence.confidence)
    });
    let events = model
        .events
        .iter()
        .map(|it| format!("{} {:?} {} ({})", it.service, it.direction, it.event, it.evidence.confidence));
    requests.chain(events).collect()
}

#[test]
fn addresses_are_those_of_the_environment_that_the_code_runs_in() {
    let code = "import os, requests\n\
        def a(): requests.get(os.environ['UPSTREAM'] + '/orders')\n\
        def b(): requests.post('http://' + os.environ['BACKEND'] + ':80/pay')\n\
        def c(): requests.get(os.environ['PUBLIC'] + '/home')\n";
    let flask = "import os, requests\nfrom flask import Flask\napp = Flask(__name__)\n\
        app.config['ORDERS'] = 'http://{}/v2'.format(os.environ.get('BACKEND'))\n\
        def d(): requests.get(app.config['ORDERS'] + '/due')\n";
    let found = facts(&[
        ("web/app.py", code),
        ("jobs/app.py", flask),
        ("web/hosts.env", "BACKEND=payments # ours\n"),
        ("orders/app.py", code),
        ("mailer/app.py", code),
        (".env", "NAME=payments\nBACKEND=${NAME}.shop.svc\n"),
    ]);
    // The mailer has none of the variables but that of `.env`, and the database no code here.
    let expected = [
        "jobs asks payments: GET /v2/due (exact)",
        "mailer asks payments: POST /pay (exact)",
        "orders asks payments: GET /orders (exact)",
        "orders asks payments: POST /pay (exact)",
        "web asks orders: GET /api/orders (exact)",
        "web asks payments: POST /pay (exact)",
    ];
    let mut found = found;
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn addresses_are_read_from_json_and_charts() {
    let chart = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n  {{- with .Values.x }}\n  a: 1\n  {{- end }}\n\
        spec:\n  template:\n    spec:\n      containers:\n      - name: m\n        env:\n        - name: TARGET\n          value: \"http://{{ .Values.orders.host }}:{{ .Values.port }}\"\n";
    let chart = chart.replace("{{ .Release.Name }}", "{{ include \"mailer.fullname\" . }}");
    let mut found = facts(&[
        (
            "jobs/main.js",
            "const config = require('config');\nconst axios = require('axios');\nfunction a() { axios.get(`${config.get('payments.url')}/due`); }\n",
        ),
        ("jobs/config/default.json", r#"{"payments": {"url": "http://localhost:3007/v1"}}"#),
        (
            "reports/Program.cs",
            "using System.Net.Http;\nclass Reports {\n  private readonly HttpClient client;\n  private readonly IConfiguration configuration;\n  public Reports(HttpClient client, IConfiguration configuration) { this.client = client; this.configuration = configuration; }\n  public async Task A() { await client.GetAsync(configuration[\"Urls:Orders\"] + \"/all\"); }\n  public async Task B() { await client.GetAsync($\"{configuration.GetValue<string>(\"Urls:Payments\")}/all\"); }\n}\n",
        ),
        (
            "reports/appsettings.json",
            "{\n  // ours\n  \"Urls\": {\"Orders\": \"http://orders:3001\", \"Payments\": \"http://payments/\"}\n}",
        ),
        (
            "mailer/main.py",
            "import os, requests\ndef a(): requests.get(os.environ['TARGET'] + '/mail')\ndef b(): requests.get(os.environ['REPORTS_AT'] + '/new')\n",
        ),
        ("charts/mailer/templates/deployment.yaml", &chart),
        (
            "charts/mailer/values.yaml",
            "orders: {host: orders}\nport: 80\nenv: {REPORTS_AT: 'http://reports'}\n",
        ),
    ]);
    found.sort();
    let expected = [
        "jobs asks payments: GET /v1/due (exact)",
        "mailer asks orders: GET /mail (exact)",
        "mailer asks reports: GET /new (inferred)",
        "reports asks orders: GET /all (exact)",
        "reports asks payments: GET /all (exact)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn topics_are_read_from_settings_with_one_value() {
    let code = "import os\nfrom kafka import KafkaConsumer, KafkaProducer\n\
        def a(): KafkaProducer().send(os.environ['PLACED'], b'')\n\
        def b(): KafkaConsumer(os.environ['PAID'])\n\
        def c(): KafkaProducer().send(os.environ['LOST'], b'')\n";
    let found = facts(&[
        ("orders/app.py", code),
        ("orders/.env", "PLACED=order.placed\nLOST=a\n"),
        ("orders/.env.test", "LOST=b\n"),
        (".env.example", "PAID=payment.captured\n"),
    ]);
    let expected = ["orders Publishes order.placed (exact)", "orders Consumes payment.captured (inferred)"];
    assert_eq!(found, expected);
}
