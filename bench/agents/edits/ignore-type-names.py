"""Runs a test of the names of file types. Runs in the project's directory; needs Rust."""
import subprocess
from pathlib import Path

# Published manifests list their tests.
manifest = Path("Cargo.toml")
target = '\n[[test]]\nname = "type_names"\npath = "tests/type_names.rs"\n'
if target not in manifest.read_text():
    manifest.write_text(manifest.read_text() + target)
Path("tests/type_names.rs").write_text("""
use ignore::types::TypesBuilder;

#[test]
fn names_may_have_hyphens_and_underscores_inside() {
    let mut types = TypesBuilder::new();
    types.add("objective-c", "*.m").unwrap();
    types.add_def("my_type:*.my").unwrap();
    types.add_def("both-types:include:objective-c,my_type").unwrap();
    types.select("both-types");
    let types = types.build().unwrap();
    assert!(types.matched("a.my", false).is_whitelist());
    let mut types = TypesBuilder::new();
    for name in ["-a", "_a", "", "a.b", "all", "a b"] {
        assert!(types.add(name, "*.a").is_err(), "{name}");
    }
}
""")
subprocess.run(["cargo", "test", "--quiet", "--test", "type_names"], check=True)
