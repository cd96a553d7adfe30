//! `cargo xtask graph-check`: tests of the `sscg graph` pages in a real browser.

mod browser;
mod rolled;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sscg::{DrawingOptions, Engine, EngineOptions, Storage, draw_module};
use sscg_format::{Confidence, Drawing, DrawnEdge, DrawnNode, Lines, PageOptions};

use crate::workspace::root;
use browser::Browser;

/// Open pages of `sscg graph` in a headless Chromium: search, click, switch, and look for errors
///
/// The pages draw a fixture project, 1,000 generated nodes, 30,000 that are rolled up, names with HTML special characters, an
/// empty graph, and the given directories. Chromium is the program in `CHROMIUM`, or an installed one: on Debian from
/// `apt-get install chromium`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// More projects to draw, rolled up to 300 nodes
    paths: Vec<PathBuf>,
    /// Write pictures of these projects to this directory: three sizes, each light and dark
    #[arg(long, value_name = "DIR", requires = "paths")]
    pictures: Option<PathBuf>,
    /// Write `docs/graph-small.webp`, an image of the first page
    #[arg(long)]
    screenshot: bool,
}

/// Maximum number of nodes that are shown at first, as by default.
const SHOWN: usize = 300;

/// Sizes of the pictures: a desktop, a tablet and a phone.
const SIZES: [(u32, u32); 3] = [(1360, 850), (820, 1100), (390, 800)];

/// Size of the page in pixels.
const SIZE: (u32, u32) = (1360, 850);

/// Project in the picture, and a declaration of it to search for.
const PROJECT: &str = "fixtures/projects/parcel";
const SEARCHED: &str = "plan_tour";

pub(crate) fn run(args: Args) -> Result<()> {
    let program = browser::find().context("no Chromium is installed; on Debian: apt-get install chromium")?;
    check(&program, args)
}

/// Runs the checks that need no other project, if a browser is installed.
pub(crate) fn run_if_installed() -> Result<()> {
    match browser::find() {
        Some(program) => check(&program, Args { paths: Vec::new(), pictures: None, screenshot: false }),
        None => {
            println!("skipped: no Chromium is installed");
            Ok(())
        }
    }
}

fn check(program: &str, Args { paths, pictures, screenshot }: Args) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut browser = Browser::start(program, SIZE)?;
    if let Some(pictures) = pictures {
        let page = directory.path().join("page.html");
        return paths.iter().try_for_each(|path| take_pictures(&mut browser, &page, &draw(path)?, &pictures));
    }
    let mut drawings = vec![
        (draw(&root()?.join(PROJECT))?, SEARCHED.to_owned()),
        (made_up(1_000), "name_500".to_owned()),
        (rolled::made_up(30_000), "name_12345".to_owned()),
        (odd_names(), "</script>".to_owned()),
    ];
    for path in &paths {
        let drawing = draw(path)?;
        let searched =
            unmistakable(&drawing).with_context(|| format!("nothing to search for in {}", path.display()))?;
        drawings.push((drawing, searched));
    }
    let page = directory.path().join("page.html");
    for (drawing, searched) in &drawings {
        check_page(&mut browser, &page, drawing, searched).with_context(|| drawing.title.clone())?;
    }
    check_empty(&mut browser, &page)?;
    if screenshot {
        fs::write(&page, drawings[0].0.html())?;
        let picture = root()?.join("docs/graph-small.webp");
        fs::write(&picture, take_picture(&mut browser, &page)?)?;
        println!("wrote {}", picture.display());
    }
    Ok(())
}

fn check_empty(browser: &mut Browser, page: &Path) -> Result<()> {
    fs::write(page, html(&Drawing::default()))?;
    browser.open(page, "light", "no-preference")?;
    browser.wait("document.getElementById('empty')?.textContent.includes('nothing to draw')")?;
    ensure_silent(browser)
}

/// Checks a page by the actions of a user.
fn check_page(browser: &mut Browser, page: &Path, drawing: &Drawing, searched: &str) -> Result<()> {
    let html = html(drawing);
    fs::write(page, &html)?;
    let (nodes, edges) = (drawing.nodes.len(), drawing.edges.len());
    println!("{}: {nodes} nodes, {edges} edges, {} KiB", drawing.title, html.len() / 1024);
    let settled = check_colors(browser, page, drawing)?;
    let node = drawing.nodes.iter().find(|node| node.name == searched).context("it is drawn")?;
    check_search(browser, node)?;
    check_click(browser, node)?;
    check_controls(browser, drawing)?;
    check_labels(browser)?;
    println!("  settled after {:.0} ms", settled.as_f64().unwrap_or_default());
    print_frames(browser, "while zooming")?;
    if is_rolled(drawing) {
        rolled::check(browser, drawing)?;
    }
    ensure_silent(browser)
}

/// Renders a page that rolls up large drawings, as the command does.
fn html(drawing: &Drawing) -> String {
    let shown = if is_rolled(drawing) { SHOWN } else { 0 };
    drawing.html_with(&PageOptions::default().with_shown(shown))
}

/// True for projects beyond the default limit, and for generated ones beyond 1,000 nodes, as with `--limit 1000`.
fn is_rolled(drawing: &Drawing) -> bool {
    drawing.nodes.len() > if drawing.project.is_empty() { 1_000 } else { SHOWN }
}

/// Fails if names on the screen cover each other, or none is there.
fn check_labels(browser: &mut Browser) -> Result<()> {
    pause(browser, 300)?;
    browser.wait("sscg.view.labels.length").context("no name is on the screen")?;
    let labels = browser.value(LABELS)?;
    ensure!(labels[1] == 0, "{} names cover others", labels[1]);
    Ok(())
}

fn print_frames(browser: &mut Browser, when: &str) -> Result<()> {
    let frames = browser.value(FRAMES)?;
    let milliseconds = |value: &Value| value.as_f64().unwrap_or_default();
    println!(
        "  frames {when}: {:.1} ms in the middle, {:.1} ms at worst of 60",
        milliseconds(&frames[0]),
        milliseconds(&frames[1])
    );
    Ok(())
}

/// Script that returns the number of names on the screen, and of pairs of them that overlap.
const LABELS: &str = "(() => {
    const { labels } = sscg.view;
    const isOver = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const pairs = labels.flatMap((a, at) => labels.slice(0, at).filter((b) => isOver(a, b)));
    return [labels.length, pairs.length];
})()";

/// Opens a page in both color schemes. Returns the time until its layout settled.
fn check_colors(browser: &mut Browser, page: &Path, drawing: &Drawing) -> Result<Value> {
    const SETTLED: &str = "performance.getEntriesByName('layout').length";
    browser.open(page, "light", "reduce")?;
    browser.wait(SETTLED)?;
    let light = browser.value("getComputedStyle(document.body).backgroundColor")?;
    browser.open(page, "dark", "no-preference")?;
    browser.wait(SETTLED)?;
    ensure!(browser.value("getComputedStyle(document.body).backgroundColor")? != light, "dark is as light");
    ensure!(text(browser, "#title")? == drawing.title, "the title is another");
    browser.value("performance.getEntriesByName('layout')[0].duration")
}

fn text(browser: &mut Browser, id: &str) -> Result<Value> {
    browser.value(&format!("document.querySelector('{id}').textContent"))
}

/// Searches for a node, and goes to the result.
fn check_search(browser: &mut Browser, node: &DrawnNode) -> Result<()> {
    browser.press("/")?;
    browser.write(&node.name.to_uppercase())?;
    browser.wait("document.querySelectorAll('#matches li').length > 1")?;
    browser.press("Enter")?;
    browser.wait("!document.getElementById('panel').hidden")?;
    ensure!(text(browser, "#panel h2")? == node.name, "the panel shows another node");
    ensure!(
        node.code.is_empty() || text(browser, "#panel .code")? == node.code,
        "the panel shows other code"
    );
    browser.press("Escape")
}

/// Clicks on the selected node, which lies in the center of the area that no panel covers, and follows an edge.
fn check_click(browser: &mut Browser, node: &DrawnNode) -> Result<()> {
    let middle = "(() => { const { left, right, width } = Object.fromEntries([['left', document.getElementById('legend')\
        .getBoundingClientRect().right], ['right', document.getElementById('panel').getBoundingClientRect().left], \
        ['width', innerWidth]]); const top = document.getElementById('bar').offsetHeight; return [(left + right) / 2, \
        (top + innerHeight) / 2]; })()";
    browser.wait("document.getElementById('matches').hidden")?;
    pause(browser, 600)?;
    let point = browser.value(middle)?;
    let (x, y) = (point[0].as_f64().context("a number")?, point[1].as_f64().context("a number")?);
    browser.press("Escape")?;
    browser.wait("document.getElementById('panel').hidden")?;
    browser.click(x, y)?;
    browser.wait("!document.getElementById('panel').hidden")?;
    ensure!(text(browser, "#panel h2")? == node.name, "the click selects another node");
    if browser.value("document.querySelectorAll('#panel .edges button').length > 0")? == true {
        browser.value("document.querySelector('#panel .edges button').click()")?;
        ensure!(text(browser, "#panel h2")? != node.name, "an edge leads nowhere");
    }
    Ok(())
}

/// Switches a relation off and on again, then uses the dependency layout.
fn check_controls(browser: &mut Browser, drawing: &Drawing) -> Result<()> {
    let toggle = "document.querySelector('#legend .toggle:has(.sample)')?.click()";
    browser.value(toggle)?;
    let counts = text(browser, "#counts")?;
    let is_partial = counts.as_str().is_some_and(|counts| counts.contains(" of "));
    ensure!(drawing.edges.is_empty() || is_partial, "no edge is hidden");
    browser.value(toggle)?;
    browser.value("document.getElementById('layout-layers').click()")?;
    pause(browser, 500)?;
    browser
        .value("document.getElementById('layout-force').click(); document.getElementById('fit').click()")?;
    browser.wait("performance.getEntriesByName('layout').length > 1")
}

/// Script that returns the median and maximum frame time while the wheel turns.
const FRAMES: &str = "new Promise((done) => {
    const canvas = document.getElementById('canvas');
    const times = [];
    let last = performance.now();
    const next = () => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        if (times.length > 60) {
            times.shift();
            times.sort((a, b) => a - b);
            return done([times[30], times[59]]);
        }
        const deltaY = times.length < 30 ? -20 : 20;
        canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, clientX: 700, clientY: 400, cancelable: true }));
        requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
})";

fn pause(browser: &mut Browser, milliseconds: u32) -> Result<()> {
    browser.value(&format!("new Promise((done) => setTimeout(done, {milliseconds}))")).map(drop)
}

/// Fails if the page threw an exception, logged a message or made a network request.
fn ensure_silent(browser: &mut Browser) -> Result<()> {
    let complaints = browser.complaints();
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(())
}

/// Takes the picture for the documentation, with a node selected.
fn take_picture(browser: &mut Browser, page: &Path) -> Result<Vec<u8>> {
    browser.open(page, "light", "reduce")?;
    browser.wait("performance.getEntriesByName('layout').length")?;
    browser.press("/")?;
    browser.write(SEARCHED)?;
    browser.press("Enter")?;
    browser.press("Escape")?;
    browser.value("document.getElementById('fit').click()")?;
    pause(browser, 500)?;
    browser.screenshot()
}

/// Takes pictures of a page at all sizes, in both color schemes.
fn take_pictures(browser: &mut Browser, page: &Path, drawing: &Drawing, directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)?;
    fs::write(page, html(drawing))?;
    println!("{}: {} nodes, {} edges", drawing.title, drawing.nodes.len(), drawing.edges.len());
    for size in SIZES {
        for scheme in ["light", "dark"] {
            browser.resize(size)?;
            browser.open(page, scheme, "reduce")?;
            browser.wait("performance.getEntriesByName('layout').length")?;
            pause(browser, 500)?;
            check_labels(browser).with_context(|| format!("{} pixels wide, {scheme}", size.0))?;
            let picture = directory.join(format!("{}-{}-{scheme}.webp", drawing.title, size.0));
            fs::write(&picture, browser.screenshot()?)?;
            println!("  wrote {}", picture.display());
        }
    }
    ensure_silent(browser)
}

/// Draws a project.
fn draw(path: &Path) -> Result<Drawing> {
    let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral));
    let (snapshot, _) = engine.with_context(|| path.display().to_string())?.refresh()?;
    let options = DrawingOptions::default().with_nodes(SHOWN).with_expandable(true);
    Ok(draw_module(&snapshot, &[".".to_owned()], &options)?)
}

/// Returns a name that is a substring of no other name.
fn unmistakable(drawing: &Drawing) -> Option<String> {
    let names: Vec<String> = drawing.nodes.iter().map(|node| node.name.to_lowercase()).collect();
    let is_alone = |name: &&String| names.iter().filter(|other| other.contains(name.as_str())).count() == 1;
    let at = names.iter().position(|name| is_alone(&name))?;
    Some(drawing.nodes[at].name.clone())
}

/// Generates nodes in groups of 50, with 3 edges each, most of them inside the group.
fn made_up(count: usize) -> Drawing {
    let kinds = ["function", "method", "class", "trait", "enum", "const"];
    let node = |at: usize| {
        DrawnNode::default()
            .with_id(format!("n{at}"))
            .with_name(format!("name_{at}"))
            .with_kind(kinds[at % kinds.len()].to_owned())
            .with_file(format!("src/file_{}.py", at / 50))
            .with_lines(Some(Lines { start: 1, end: 2 }))
            .with_language("python")
            .with_community(Some((at / 50) as u32))
            .with_signature(format!("def name_{at}()"))
            .with_code(format!("def name_{at}():\n    pass"))
    };
    let edges = (0..count * 3).map(|at| {
        let (source, turn) = (at / 3, at % 3);
        // The third edge of every tenth node goes to any group; all other edges stay in their own.
        let near = source / 50 * 50 + (source * 7 + turn * 13 + 1) % 50;
        let target = if turn == 2 && source % 10 == 0 { source * 37 % count } else { near % count };
        DrawnEdge::default()
            .with_source(source)
            .with_target(target)
            .with_relation(["calls", "uses_type", "reads_from"][turn].to_owned())
            .with_line(1)
            .with_confidence([Confidence::Exact, Confidence::Exact, Confidence::Inferred][turn])
    });
    Drawing::default()
        .with_title(format!("{count} made-up nodes"))
        .with_nodes((0..count).map(node).collect())
        .with_edges(edges.collect())
}

/// Returns a drawing with names that would end scripts, tags, quotes or lines if they were not escaped.
fn odd_names() -> Drawing {
    let names = [
        "</script>",
        "<!--<script>alert(1)",
        "\"quoted\" & 'single'",
        "line\nbreak\u{2028}",
        "Größe.名前.🦀",
        "__proto__",
    ];
    let node = |name: &&str| {
        DrawnNode::default()
            .with_id(*name)
            .with_name(*name)
            .with_kind("function")
            .with_signature(format!("fn {name}()"))
            .with_code(format!("{name} = '<img src=x onerror=alert(1)>'"))
    };
    let edge = DrawnEdge::default().with_source(0).with_target(1).with_relation("calls");
    Drawing::default()
        .with_title("</title><script>alert(1)</script>")
        .with_nodes(names.iter().map(node).collect())
        .with_edges(vec![edge])
}
