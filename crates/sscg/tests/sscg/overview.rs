//! Overviews of projects.

use sscg::core::TokenCounter;
use sscg::{Error, OVERVIEW_TOKENS, Overview, overview};
use sscg_format::O200k;

use crate::tree::Tree;

fn overview_of(files: &[(&str, &str)]) -> Result<(Overview, String), Error> {
    let tree = Tree::of(files);
    let (snapshot, _) = tree.engine.refresh()?;
    overview(&snapshot, OVERVIEW_TOKENS)
}

#[test]
fn layers_use_others_and_tests_are_none() -> Result<(), Error> {
    let (found, text) = overview_of(&[
        ("shop/store/db.py", "class Table:\n    pass\n\n\ndef load(name):\n    return Table()\n"),
        (
            "shop/web/page.py",
            "from shop.store.db import Table, load\n\n\ndef page():\n    return load('a')\n",
        ),
        ("shop/cart.py", "from shop.store.db import Table\n\n\ndef total(table: Table):\n    return 1\n"),
        ("tests/test_page.py", "from shop.web.page import page\n\n\ndef test_page():\n    assert page()\n"),
    ])?;
    let layers: Vec<(&str, usize, &[String])> =
        found.layers.iter().map(|layer| (&*layer.path, layer.files, &*layer.uses)).collect();
    let store = ["shop/store".to_owned()];
    assert_eq!(layers, [("shop", 1, &store[..]), ("shop/store", 1, &[]), ("shop/web", 1, &store)], "{text}");
    assert_eq!((&*found.hubs[0].name, found.hubs[0].files), ("Table", 2), "{text}");
    assert_eq!(found.languages["python"], 4);
    Ok(())
}

#[test]
fn manifests_give_commands_and_scripts() -> Result<(), Error> {
    let (found, text) = overview_of(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("crates/a/src/main.rs", "fn main() {}\n"),
        ("tool/pyproject.toml", "[build-system]\nrequires = []\n[project.scripts]\ncut = \"tool:cut\"\n"),
        ("tool/tool.py", "def cut():\n    pass\n"),
        ("site/package.json", "{\"scripts\": {\"dev\": \"vite\", \"build\": \"vite build\"}}"),
        ("site/pnpm-lock.yaml", ""),
        ("site/index.js", "export const page = 1;\n"),
        ("Makefile", "VERSION := 1\nall: lib\nlib:\n\tmake -C lib\n.PHONY: all\n"),
        ("broken/package.json", "{"),
        ("broken/index.js", "export const page = 1;\n"),
    ])?;
    let commands: Vec<String> =
        found.commands.iter().map(|it| format!("{}: {}", it.manifest, it.commands.join(" | "))).collect();
    assert_eq!(
        commands,
        [
            "Cargo.toml: cargo build --workspace | cargo test --workspace",
            "Makefile: make all | make lib",
            "site/package.json: pnpm run build | pnpm run dev",
            "tool/pyproject.toml: python -m build",
        ],
        "{text}"
    );
    let entries: Vec<String> = found
        .entry_points
        .iter()
        .map(|it| format!("{} {}:{} {}", it.name, it.file, it.line, it.target))
        .collect();
    assert_eq!(entries, ["main crates/a/src/main.rs:1 ", "cut tool/pyproject.toml:0 tool:cut"], "{text}");
    Ok(())
}

#[test]
fn an_overview_keeps_to_its_budget_and_counts_the_rest() -> Result<(), Error> {
    let files: Vec<(String, String)> = (0..60)
        .map(|at| {
            let before = if at == 0 { 59 } else { at - 1 };
            let code = format!("from layer_{before}.work import step_{before}\n\n\ndef step_{at}():\n    return step_{before}()\n");
            (format!("layer_{at}/work.py"), code)
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let tree = Tree::of(&files);
    let (snapshot, _) = tree.engine.refresh()?;
    for budget in [200, 400, 1_500] {
        let (_, text) = overview(&snapshot, budget)?;
        assert!(O200k.count(&text) <= budget, "{budget}: {text}");
        assert!(text.contains("... and "), "{budget}: {text}");
    }
    assert!(overview(&snapshot, 199).is_err());
    assert!(overview_of(&[("notes.md", "# Notes\n")]).is_err());
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_link_is_not_read() -> Result<(), Error> {
    let tree = Tree::of(&[("page.js", "export const page = 1;\n")]);
    let outside = Tree::of(&[("package.json", "{\"scripts\": {\"secret\": \"\"}}")]);
    let roots = [&outside, &tree].map(|tree| tree.engine.root().join("package.json"));
    std::os::unix::fs::symlink(&roots[0], &roots[1]).expect("a link can be made");
    let (snapshot, _) = tree.engine.refresh()?;
    assert_eq!(overview(&snapshot, OVERVIEW_TOKENS)?.0.commands, []);
    Ok(())
}
