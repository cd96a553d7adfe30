// Puts it all together: events, the two layouts, and when to draw.

const $ = (id) => document.getElementById(id);
const begun = performance.now();
const options = JSON.parse($("options").textContent);
const drawn = unpack(JSON.parse($("drawing").textContent));
/** The code, or the map of services. */
let graph = new Graph(drawn, options.shown);
const graphs = { code: graph, services: null };
const canvas = $("canvas");
const view = new View(canvas, graph);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const state = { selected: null, hovered: null, matches: null };

/** The force layout; `null` while nodes stand in layers. */
let force = null;
/** Whether the camera follows the layout, as it does until someone moves it. */
let follows = true;
/** What moves on its own: a function of how far it is, from 0 to 1, with its start. */
let motion = null;
let isDue = false;
/** How long the last frame took to draw, in milliseconds. */
let drawing = 0;

function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  isDue = false;
  if (force && !force.settled) {
    settle();
    redraw();
  }
  if (motion) {
    motion.start ??= now;
    const part = calm.matches ? 1 : Math.min((now - motion.start) / 320, 1);
    motion.move(1 - Math.pow(1 - part, 3));
    if (part === 1) motion = null;
    redraw();
  }
  view.isMoving = Boolean((force && !force.settled) || drag?.node || motion?.isLayout);
  const start = performance.now();
  const isUnfinished = view.draw({ ...state, focus: focusOf(state.selected) ?? focusOf(state.hovered) });
  drawing = performance.now() - start;
  if (isUnfinished) redraw();
}

/** The node whose neighborhood stands out: an open group has none. */
function focusOf(item) {
  return item?.shownAt !== undefined && graph.shownNodes[item.shownAt] === item ? item : null;
}

/** Moves the layout on for twice as long as it takes to draw it, or to its end where motion is not wanted. */
function settle() {
  const start = performance.now();
  while (!force.settled && (calm.matches || performance.now() - start < Math.max(12, 2 * drawing)))
    force.tick(drag?.node);
  if (follows) view.camera = view.around(everything());
  if (force.settled) performance.measure("layout", { start: force.start, end: performance.now() });
}

function layOut() {
  if (view.isLayered) {
    force = null;
    layOutInLayers(inOrder(), graph.shownEdges, view.height / view.width);
    const [nodes, from] = [graph.shownNodes, graph.shownNodes.map(({ x, y }) => ({ x, y }))];
    const camera = moving(view.around(nodes));
    motion = {
      isLayout: true,
      move(part) {
        nodes.forEach((node, i) => {
          node.x = from[i].x + (node.tx - from[i].x) * part;
          node.y = from[i].y + (node.ty - from[i].y) * part;
        });
        camera(part);
      },
    };
    // So many nodes are better not moved step by step.
    if (graph.isRolled) (motion.move(1), (motion = null), (view.picture = null));
  } else if (graph.isRolled) {
    force = null;
    placeNested();
    view.camera = view.around([graph.tree.root]);
    if (performance.getEntriesByName("layout").length === 0) performance.measure("layout", { start: begun });
    else performance.measure("layout", { start: performance.now() });
    motion = null;
  } else {
    for (const node of graph.nodes) (delete node.tx, delete node.ty);
    force = new ForceLayout(graph.shownNodes, graph.shownEdges);
    force.start = performance.now();
    motion = null;
  }
  follows = true;
  redraw();
}

/** Puts the items of a tree to their places in its circles. */
function placeNested() {
  for (const item of [...graph.shownNodes, ...graph.openGroups]) {
    [item.x, item.y] = [item.mapX, item.mapY];
    (delete item.tx, delete item.ty);
  }
}

/** The shown nodes, dependencies first, those that depend on each other together. A flat drawing comes in order. */
function inOrder() {
  return graph.isRolled
    ? componentsInOrder(graph.shownNodes, graph.shownEdges)
    : graph.shownNodes.map((node) => [node]);
}

/** What is fitted into the window. */
function everything() {
  return view.isNested ? [graph.tree.root] : graph.shownNodes;
}

/** What moves the camera to where it shows something. */
function moving(to) {
  const from = { ...view.camera };
  return (part) => {
    for (const key of ["x", "y", "zoom"]) view.camera[key] = from[key] + (to[key] - from[key]) * part;
  };
}

function fit() {
  follows = true;
  motion = { move: moving(view.around(everything())) };
  redraw();
}

/** Selects a node, or nothing, and brings it into sight if that is asked for. */
function select(node, isShown = false) {
  if (node && graph.isRolled && graph.tree.isHidden(node)) {
    graph.tree.reveal(node);
    afterTurn();
  }
  state.selected = node;
  panel.show(node);
  placeOverlays();
  if (node) follows = false;
  if (node && (isShown || !view.isInSight(node))) motion = { move: moving(cameraFor(node, isShown)) };
  if (node && options.live && node.code === "" && !node.isGroup) fetchCode(node);
  redraw();
}

/** The camera that shows a node large enough to read, with what is around it. */
function cameraFor(node, isShown) {
  const { zoom } = view.camera;
  const [x, y] = [node.tx ?? node.x, node.ty ?? node.y];
  if (!view.isNested) return { x, y, zoom: isShown ? Math.max(zoom, 1.1) : zoom };
  if (node.isGroup) {
    const whole = view.around([node]);
    // A group that is large enough stays as it is.
    return node.radius * zoom > 90 && node.radius * zoom < view.height / 2
      ? { x, y, zoom }
      : { ...whole, zoom: whole.zoom * (node.isOpen ? 1 : 0.4) };
  }
  return { x, y, zoom: Math.max(zoom, Math.min(1.1, 14 / node.radius)) };
}

/** Opens a closed group or closes an open one. */
function turn(group) {
  if (group.isOpen) graph.tree.close(group);
  else graph.tree.turnOpen(group);
  afterTurn();
  select(group);
  if (view.isNested && group.isOpen && group.radius * view.camera.zoom < 150) {
    motion = { move: moving(view.around([group])) };
  }
  redraw();
}

/** Shows the tree after groups were opened or closed. */
function afterTurn() {
  graph.show();
  search.mark();
  count();
  if (view.isLayered) layOut();
  else placeNested();
}

/** Shows what the legend says. Places stay, so that what comes back is where it was. */
function filter() {
  graph.show();
  const none = graph.shownNodes.length === 0;
  $("empty").hidden = !none;
  $("empty").textContent =
    graph.nodes.length === 0
      ? "There is nothing to draw."
      : "Everything is hidden: switch something on in the legend.";
  count();
  if (graph.isRolled && !view.isLayered) placeNested();
  if (view.isLayered) layOut();
  redraw();
}

function count() {
  const { nodes, edges, shownNodes, shownEdgeCount } = graph;
  const of = (shown, all, what) =>
    shown === all ? counted(all, what) : `${shown.toLocaleString("en")} of ${counted(all, what)}`;
  const shown = graph.isRolled
    ? `${counted(nodes.length, "declaration")} in ${counted(shownNodes.length, "node")}`
    : of(shownNodes.length, nodes.length, "node");
  const parts = [graph.project, shown, of(shownEdgeCount, edges.length, "edge")];
  if (graph.omitted_nodes) parts.push(`${graph.omitted_nodes.toLocaleString("en")} left out`);
  if (graph.omitted_boundary_edges)
    parts.push(`${counted(graph.omitted_boundary_edges, "edge")} to the outside left out`);
  $("counts").textContent = parts.filter(Boolean).join(" · ");
}

/** What stands over the canvas takes its room from what is fitted into it. What is seen stays where it is. */
function placeOverlays() {
  const before = view.middle;
  const isWide = innerWidth > 760;
  const side = (element) => (element.hidden || !isWide ? 0 : element.offsetWidth + 12);
  view.insets = {
    left: side($("legend")),
    top: $("bar").offsetHeight,
    right: side($("panel")),
    bottom: !isWide && !$("panel").hidden ? $("panel").offsetHeight : 0,
  };
  const after = view.middle;
  view.camera.x += (after.x - before.x) / view.camera.zoom;
  view.camera.y += (after.y - before.y) / view.camera.zoom;
}

const panel = new Panel($("panel"), graph, {
  select: (node) => select(node, true),
  close: () => select(null),
  turn,
  link,
  more: options.live ? addNeighbors : null,
});
const legend = new Legend($("legend"), graph, filter);
const search = new Search($("search"), $("matches"), graph, {
  change(matches) {
    // What is inside a closed group is shown by that.
    const shown = (node) => (node.isGroup ? node : graph.shownBy[node.at]);
    state.matches = matches && new Set([...matches].map(shown).filter(Boolean));
    redraw();
  },
  go: (node) => select(node, true),
  ask: options.live ? ask : null,
});

/** The address of a node in the editor; null without an editor, or without a file. */
function link(node) {
  if (!options.editor || !node.file) return null;
  const path = (text) => text.split("/").map(encodeURIComponent).join("/");
  // Drive letters stay as they are.
  const root = path(options.root.replaceAll("\\", "/")).replace(/^([A-Za-z])%3A/, "/$1:");
  const values = { path: `${root}/${path(node.file)}`, file: path(node.file), line: String(node.line || 1) };
  return options.editor.replace(/\{(path|file|line)\}/g, (_, name) => values[name]);
}

// The server of a live page.

/** A drawing from the server; null if there is none. */
async function request(path, name, value) {
  try {
    const response = await fetch(`${path}?${name}=${encodeURIComponent(value)}`);
    return response.ok ? unpack(await response.json()) : null;
  } catch {
    return null;
  }
}

/** The results of a question, as nodes of the graph: those that it lacks are added. */
async function ask(question) {
  const found = await request("search", "q", question);
  if (found === null || graph !== graphs.code) return null;
  const results = found.nodes.filter((node) => node.role === "result").map((node) => node.id);
  if (graph.merge(found)) added();
  return results.map((id) => graph.nodeWithId(id)).filter(Boolean);
}

/** Adds the code of a node to it. */
async function fetchCode(node) {
  const around = await request("expand", "id", node.id);
  const found = around?.nodes.find(({ id }) => id === node.id);
  if (!found) return;
  Object.assign(node, { code: found.code, omitted_lines: found.omitted_lines });
  if (state.selected === node) panel.show(node);
}

async function addNeighbors(node) {
  const around = await request("expand", "id", node.id);
  if (around === null) return;
  if (graph.merge(around)) added();
  select(graph.nodeWithId(node.id), true);
}

/** Shows nodes that were added. */
function added() {
  legend.update();
  filter();
  layOut();
}

/** Shows the code as a map or in order, or the services. */
function layOutBy(layout) {
  const isServices = layout === "services";
  if (isServices) graphs.services ??= new Graph({ ...drawn.services, project: graph.project }, 0);
  for (const name of ["force", "layers", "services"]) {
    $(`layout-${name}`).setAttribute("aria-pressed", String(name === layout));
  }
  use(isServices ? graphs.services : graphs.code);
  view.isLayered = layout === "layers";
  layOut();
}

/** Shows another graph. */
function use(next) {
  if (next === graph) return;
  graph = view.graph = panel.graph = legend.graph = search.graph = next;
  select(null);
  search.clear();
  legend.update();
  filter();
  setControls();
}

/** Offers what the graph has. */
function setControls() {
  $("unit").parentElement.hidden = !graph.isRolled;
  if (graph.isRolled) {
    const hasPackages = Object.keys(graph.packages).length > 0;
    for (const option of $("unit").options) option.hidden = option.value === "package" && !hasPackages;
    $("unit").value = graph.unit;
  }
  for (const option of $("color").options) {
    option.hidden = option.value === (graph.isRolled ? "file" : "directory");
  }
  $("color").value = graph.grouping;
}

$("layout-force").onclick = () => layOutBy("force");
$("layout-layers").onclick = () => layOutBy("layers");
$("layout-services").onclick = () => layOutBy("services");
$("layout-services").hidden = !drawn.services;
$("fit").onclick = fit;
$("color").onchange = (event) => {
  graph.colorBy(event.target.value);
  legend.update();
  filter();
  view.picture = null;
  panel.show(state.selected);
};
$("unit").onchange = (event) => {
  graph.rollUpBy(event.target.value);
  select(null);
  search.find();
  count();
  layOut();
};

// The pointer: dragging moves a node, or everything; a click selects; the wheel zooms.

/** What is dragged: where it began, and the node that was there. */
let drag = null;
/** The pointers that are down, for zooming with two fingers. */
const pointers = new Map();

const pointOf = (event) => ({ x: event.offsetX, y: event.offsetY });

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  const point = pointOf(event);
  pointers.set(event.pointerId, point);
  // The places in nested circles are fixed.
  drag = { node: view.isNested ? null : view.nodeAt(point), from: point, last: point, moved: false };
});

canvas.addEventListener("pointermove", (event) => {
  const point = pointOf(event);
  if (pointers.size === 2 && pointers.has(event.pointerId)) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) || 1;
    const last = pointers.get(event.pointerId);
    view.zoomAt(
      { x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 },
      apart(point, other) / apart(last, other),
    );
    pointers.set(event.pointerId, point);
    drag = null;
    follows = false;
    return redraw();
  }
  if (!drag) return hover(view.nodeAt(point), point);
  if (!drag.moved && Math.hypot(point.x - drag.from.x, point.y - drag.from.y) < 4) return;
  drag.moved = true;
  follows = false;
  hover(null);
  const { zoom } = view.camera;
  const [dx, dy] = [(point.x - drag.last.x) / zoom, (point.y - drag.last.y) / zoom];
  drag.last = point;
  if (drag.node && !motion) {
    drag.node.x += dx;
    drag.node.y += dy;
    force?.warm();
  } else {
    view.camera.x -= dx;
    view.camera.y -= dy;
  }
  redraw();
});

function release(event) {
  pointers.delete(event.pointerId);
  if (drag && !drag.moved && event.type === "pointerup") select(itemAt(drag.from));
  drag = null;
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => hover(null));
canvas.addEventListener("dblclick", (event) => {
  const item = itemAt(pointOf(event));
  if (item?.isGroup) turn(item);
  else if (item) select(item, true);
});

/** The node at a point, or else the open group around it. */
function itemAt(point) {
  return view.nodeAt(point) ?? view.groupAt(point);
}
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    follows = false;
    motion = null;
    const scale = event.deltaMode === 1 ? 16 : 1;
    view.zoomAt(pointOf(event), Math.exp(-event.deltaY * scale * (event.ctrlKey ? 0.01 : 0.0018)));
    redraw();
  },
  { passive: false },
);

function hover(node, point) {
  const tooltip = $("tooltip");
  tooltip.hidden = !node;
  if (node) {
    tooltip.replaceChildren(
      element("b", {}, node.name),
      element("span", {}, [words(node.kind), node.isGroup && counted(node.members, "declaration"), node.place].filter(Boolean).join(" · ")),
    );
    const left = Math.min(point.x + 14, innerWidth - tooltip.offsetWidth - 8);
    tooltip.style.left = `${left}px`;
    tooltip.style.top = `${Math.min(point.y + 16, innerHeight - tooltip.offsetHeight - 8)}px`;
  }
  canvas.style.cursor = node ? "pointer" : "";
  if (state.hovered === node) return;
  state.hovered = node;
  redraw();
}

// Keys.

const KEYS = {
  "/": () => $("search").focus(),
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: fit,
  f: fit,
  l: () => layOutBy(view.isLayered ? "force" : "layers"),
  o: () => state.selected?.isGroup && !state.selected.isOpen && turn(state.selected),
  c: () => closeAround(state.selected),
  n: () => options.live && state.selected && !state.selected.isGroup && addNeighbors(state.selected),
  "]": () => step(1),
  "[": () => step(-1),
  ArrowLeft: () => pan(-60, 0),
  ArrowRight: () => pan(60, 0),
  ArrowUp: () => pan(0, -60),
  ArrowDown: () => pan(0, 60),
  Escape: () => (state.matches ? search.clear() : select(null)),
};

document.addEventListener("keydown", (event) => {
  const { tagName } = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || tagName === "INPUT") return;
  // A list of options takes letters.
  if (tagName === "SELECT" && /^[a-z]$/.test(event.key)) return;
  // Elsewhere arrows scroll.
  if (event.key.startsWith("Arrow") && event.target !== canvas && event.target !== document.body) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

/** Closes an open group, or the group around a node. */
function closeAround(item) {
  const group = item?.isGroup && item.isOpen ? item : item?.parent;
  if (graph.isRolled && group?.parent) turn(group);
}

function zoomBy(factor) {
  follows = false;
  view.zoomAt(view.middle, factor);
  redraw();
}

function pan(x, y) {
  follows = false;
  view.camera.x += x / view.camera.zoom;
  view.camera.y += y / view.camera.zoom;
  redraw();
}

/** Goes to the next node in the order of dependencies, or the one before. */
function step(by) {
  const nodes = inOrder().flat();
  if (nodes.length === 0) return;
  const at = nodes.indexOf(state.selected);
  select(nodes[at < 0 ? 0 : (at + by + nodes.length) % nodes.length], true);
}

// What is around the page.

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  view.readTheme();
  redraw();
});
new ResizeObserver(() => {
  view.resize();
  placeOverlays();
  if (follows) view.camera = view.around(everything());
  redraw();
}).observe(canvas);

$("title").textContent = graph.title;
setControls();
placeOverlays();
filter();
layOut();
// For checks, and for whoever opens the console.
globalThis.sscg = { view, state, graphs };
