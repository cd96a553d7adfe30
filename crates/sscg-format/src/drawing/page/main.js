// Puts it all together: events, the two layouts, and when to draw.

const $ = (id) => document.getElementById(id);
const graph = new Graph(JSON.parse($("drawing").textContent));
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
  const start = performance.now();
  view.draw({ ...state, focus: state.selected ?? state.hovered });
  drawing = performance.now() - start;
}

/** Moves the layout on for twice as long as it takes to draw it, or to its end where motion is not wanted. */
function settle() {
  const start = performance.now();
  while (!force.settled && (calm.matches || performance.now() - start < Math.max(12, 2 * drawing)))
    force.tick(drag?.node);
  if (follows) view.camera = view.around(graph.shownNodes);
  if (force.settled) performance.measure("layout", { start: force.start, end: performance.now() });
}

function layOut() {
  if (view.isLayered) {
    force = null;
    layOutInLayers(graph.shownNodes, graph.shownEdges, view.height / view.width);
    const [nodes, from] = [graph.shownNodes, graph.shownNodes.map(({ x, y }) => ({ x, y }))];
    const camera = moving(view.around(nodes));
    motion = {
      move(part) {
        nodes.forEach((node, i) => {
          node.x = from[i].x + (node.tx - from[i].x) * part;
          node.y = from[i].y + (node.ty - from[i].y) * part;
        });
        camera(part);
      },
    };
  } else {
    for (const node of graph.nodes) (delete node.tx, delete node.ty);
    force = new ForceLayout(graph.shownNodes, graph.shownEdges);
    force.start = performance.now();
    motion = null;
  }
  follows = true;
  redraw();
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
  motion = { move: moving(view.around(graph.shownNodes)) };
  redraw();
}

/** Selects a node, or nothing, and brings it into sight if that is asked for. */
function select(node, isShown = false) {
  state.selected = node;
  panel.show(node);
  placeOverlays();
  if (node) follows = false;
  if (node && (isShown || !view.isInSight(node))) {
    const zoom = isShown ? Math.max(view.camera.zoom, 1.1) : view.camera.zoom;
    motion = { move: moving({ x: node.tx ?? node.x, y: node.ty ?? node.y, zoom }) };
  }
  redraw();
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
  if (view.isLayered) layOut();
  redraw();
}

function count() {
  const { nodes, edges, shownNodes, shownEdges } = graph;
  const of = (shown, all, what) =>
    shown === all ? counted(all, what) : `${shown.toLocaleString("en")} of ${counted(all, what)}`;
  const parts = [
    graph.project,
    of(shownNodes.length, nodes.length, "node"),
    of(shownEdges.length, edges.length, "edge"),
  ];
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
});
const legend = new Legend($("legend"), graph, filter);
const search = new Search($("search"), $("matches"), graph, {
  change(matches) {
    state.matches = matches;
    redraw();
  },
  go: (node) => select(node, true),
});

function layOutBy(isLayered) {
  view.isLayered = isLayered;
  $("layout-force").setAttribute("aria-pressed", String(!isLayered));
  $("layout-layers").setAttribute("aria-pressed", String(isLayered));
  layOut();
}

$("layout-force").onclick = () => layOutBy(false);
$("layout-layers").onclick = () => layOutBy(true);
$("fit").onclick = fit;
$("color").onchange = (event) => {
  graph.colorBy(event.target.value);
  legend.update();
  panel.show(state.selected);
  filter();
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
  drag = { node: view.nodeAt(point), from: point, last: point, moved: false };
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
  if (drag && !drag.moved && event.type === "pointerup") select(drag.node);
  drag = null;
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => hover(null));
canvas.addEventListener("dblclick", (event) => {
  const node = view.nodeAt(pointOf(event));
  if (node) select(node, true);
});
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
      element("span", {}, [words(node.kind), node.place].filter(Boolean).join(" · ")),
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
  l: () => layOutBy(!view.isLayered),
  "]": () => step(1),
  "[": () => step(-1),
  ArrowLeft: () => pan(-60, 0),
  ArrowRight: () => pan(60, 0),
  ArrowUp: () => pan(0, -60),
  ArrowDown: () => pan(0, 60),
  Escape: () => (state.matches ? search.clear() : select(null)),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  // Elsewhere arrows scroll.
  if (event.key.startsWith("Arrow") && event.target !== canvas && event.target !== document.body) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

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
  const { shownNodes: nodes } = graph;
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
  if (follows) view.camera = view.around(graph.shownNodes);
  redraw();
}).observe(canvas);

$("title").textContent = graph.title;
placeOverlays();
filter();
layOut();
