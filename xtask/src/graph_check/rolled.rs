//! Checks of pages that roll nodes up.

use anyhow::{Context, Result, ensure};
use sscg_format::{Drawing, DrawnEdge, DrawnNode};

use super::browser::Browser;
use super::{check_labels, pause, print_frames, text};

/// Number of nodes on the screen.
const SHOWN: &str = "sscg.view.graph.shownNodes.length";

/// Largest closed group.
const LARGEST: &str =
    "sscg.view.graph.shownNodes.filter((node) => node.isGroup).sort((a, b) => b.members - a.members)[0]";

/// Opens and closes a group, rolls up by each unit, shows the services, and opens everything.
pub(super) fn check(browser: &mut Browser, drawing: &Drawing) -> Result<()> {
    browser.press("Escape")?;
    for unit in ["directory", "package", "community"] {
        if unit == "package" && drawing.packages.is_empty() {
            continue;
        }
        browser.value(&format!(
            "document.getElementById('unit').value = '{unit}'; \
             document.getElementById('unit').dispatchEvent(new Event('change'))"
        ))?;
        let members =
            "sscg.view.graph.shownNodes.reduce((sum, node) => sum + (node.isGroup ? node.members : 1), 0)";
        ensure!(browser.value(members)? == drawing.nodes.len(), "by {unit}, a declaration is in no node");
        check_labels(browser).with_context(|| format!("by {unit}"))?;
        check_turn(browser).with_context(|| format!("by {unit}"))?;
    }
    if drawing.services.is_some() {
        browser.value("document.getElementById('layout-services').click()")?;
        browser.wait("sscg.view.graph === sscg.graphs.services")?;
        check_labels(browser).context("of services")?;
        browser.value("document.getElementById('layout-force').click()")?;
    }
    let open_all = "for (const group of sscg.view.graph.tree.groups) group.isOpen = true; sscg.view.graph.show(); \
        document.getElementById('layout-force').click()";
    browser.value(open_all)?;
    ensure!(browser.value(SHOWN)? == drawing.nodes.len(), "a declaration is not shown");
    pause(browser, 1_500)?;
    check_labels(browser).context("of all declarations")?;
    print_frames(browser, "with everything open")
}

/// Clicks on the largest group, opens it in place, and closes it again.
fn check_turn(browser: &mut Browser) -> Result<()> {
    let before = browser.value(SHOWN)?;
    let found = browser.value(&format!(
        "(() => {{ const {{ name, screen }} = {LARGEST}; return [name, screen.x, screen.y] }})()"
    ))?;
    let (x, y) = (found[1].as_f64().context("a number")?, found[2].as_f64().context("a number")?);
    browser.click(x, y)?;
    browser.wait("!document.getElementById('panel').hidden")?;
    ensure!(text(browser, "#panel h2")? == found[0], "the click selects another group");
    let place = format!("(({{ x, y }}) => `${{x}} ${{y}}`)({LARGEST})");
    let at = browser.value(&place)?;
    browser.press("o")?;
    ensure!(browser.value(SHOWN)?.as_u64() > before.as_u64(), "the group is not opened");
    browser.press("c")?;
    ensure!(browser.value(SHOWN)? == before, "the group is not closed");
    ensure!(browser.value(&place)? == at, "the group has moved");
    browser.press("Escape")?;
    browser.value("document.getElementById('fit').click()")?;
    pause(browser, 500)
}

/// Generates a project of packages, with directories of files of 50 nodes, and a map of its services.
pub(super) fn made_up(count: usize) -> Drawing {
    let package = |file: usize| format!("packages/package_{}", file * file / 9_000);
    let drawing = super::made_up(count);
    let mut nodes = drawing.nodes.clone();
    for (at, node) in nodes.iter_mut().enumerate() {
        let file = at / 50;
        node.file = format!("{}/part_{}/file_{file}.py", package(file), file / 12 % 5);
        // There are too many for code in the page.
        node.code = String::new();
    }
    let packages = (0..count / 50).map(|file| (package(file), format!("package-{}", file * file / 9_000)));
    let service = |name: &&str| DrawnNode::default().with_id(*name).with_name(*name).with_kind("service");
    let calls = DrawnEdge::default().with_source(0).with_target(1).with_relation("calls").with_count(3);
    let services = Drawing::default()
        .with_title("Services")
        .with_nodes(["orders", "stock"].iter().map(service).collect())
        .with_edges(vec![calls]);
    drawing.with_nodes(nodes).with_packages(packages.collect()).with_services(Some(Box::new(services)))
}
