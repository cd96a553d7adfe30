//! JSON that commands print for scripts.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(sandbox: &Sandbox, arguments: &[&str], schema: &str) -> Value {
    let run = sandbox.run(arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    let value: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!(value["schema"], schema, "{arguments:?}");
    value
}

#[test]
fn every_form_has_a_name_and_says_what_the_text_says() {
    let sandbox = Sandbox::new();
    sandbox.write("clock.py", "def tick(clock):\n    return clock.time + 1\n");
    sandbox.write("shop.py", "from clock import tick\n\ndef sell(clock):\n    return tick(clock)\n");
    let index = json(&sandbox, &["index", "--json"], "sscg.index.v1");
    assert_eq!((&index["files"], &index["parsed"]), (&2.into(), &2.into()), "{index}");
    assert!(index["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{index}");
    let status = json(&sandbox, &["status", "--json"], "sscg.status.v1");
    assert_eq!((&index["symbols"], &index["edges"]), (&status["symbols"], &status["edges"]["all"]));
    assert_eq!((&status["files"], &status["parsed"]), (&2.into(), &0.into()), "{status}");
    assert_eq!(
        (&status["languages"]["python"]["lines"], &status["stored"]["missing"]),
        (&6.into(), &0.into())
    );
    let config = json(&sandbox, &["config", "show", "--json", "--limit", "7"], "sscg.config.v1");
    assert_eq!(
        (&config["config"]["search"]["limit"], &config["origins"]["search.limit"]),
        (&7.into(), &"--limit".into())
    );
    assert_eq!(config["origins"]["search.budget"], "default");
    std::fs::remove_dir_all(sandbox.tree()).expect("it is there");
    std::fs::create_dir(sandbox.tree()).expect("writable");
    let gc = json(&sandbox, &["gc", "--json", "--unused-days", "0"], "sscg.gc.v1");
    assert_eq!(gc["indexes"].as_array().map(Vec::len), Some(1), "{gc}");
}
