// What is on the canvas, and where.

/** The room that labels take is found in squares of so many pixels. */
const LABEL_GRID = 7;

class View {
  constructor(canvas, graph) {
    this.canvas = canvas;
    this.graph = graph;
    this.context = canvas.getContext("2d", { alpha: false });
    /** The point of the graph that is in the middle, and how much larger it is drawn. */
    this.camera = { x: 0, y: 0, zoom: 1 };
    /** What stands over the canvas, so that what is shown is not under it. */
    this.insets = { left: 0, top: 0, right: 0, bottom: 0 };
    this.isLayered = false;
    this.readTheme();
    this.resize();
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    this.theme = new Proxy({}, { get: (known, name) => (known[name] ??= color(name)) });
    this.font = color("--font");
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    [this.width, this.height] = [width, height];
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** The middle of what nothing stands over. */
  get middle() {
    const { left, top, right, bottom } = this.insets;
    return { x: (left + this.width - right) / 2, y: (top + this.height - bottom) / 2 };
  }

  toScreen(point) {
    const { x, y, zoom } = this.camera;
    const middle = this.middle;
    return { x: (point.x - x) * zoom + middle.x, y: (point.y - y) * zoom + middle.y };
  }

  toGraph(point) {
    const { x, y, zoom } = this.camera;
    const middle = this.middle;
    return { x: (point.x - middle.x) / zoom + x, y: (point.y - middle.y) / zoom + y };
  }

  /** Whether nothing stands over a node. */
  isInSight(node) {
    const { x, y } = this.toScreen(node);
    const { left, top, right, bottom } = this.insets;
    return x > left && y > top && x < this.width - right && y < this.height - bottom;
  }

  /** Zooms so that what is at `point` of the screen stays there. */
  zoomAt(point, factor) {
    const before = this.toGraph(point);
    this.camera.zoom = Math.min(6, Math.max(0.04, this.camera.zoom * factor));
    const after = this.toGraph(point);
    this.camera.x += before.x - after.x;
    this.camera.y += before.y - after.y;
  }

  /** The camera that shows all of these nodes, in the layout that they have or go to. */
  around(nodes) {
    if (nodes.length === 0) return { x: 0, y: 0, zoom: 1 };
    const xs = nodes.map((node) => node.tx ?? node.x);
    const ys = nodes.map((node) => node.ty ?? node.y);
    const [left, right, top, bottom] = [min(xs), max(xs) + (this.isLayered ? 120 : 0), min(ys), max(ys)];
    const { insets } = this;
    const width = this.width - insets.left - insets.right - 120;
    const height = this.height - insets.top - insets.bottom - 100;
    const zoom = Math.min(width / (right - left + 1), height / (bottom - top + 1), 1.6);
    return { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(zoom, 0.04) };
  }

  /** The shown node at a point of the screen, or the nearest within a few pixels of it. */
  nodeAt(point) {
    let [best, nearest] = [null, 7];
    for (const node of this.graph.shownNodes) {
      const { x, y } = this.toScreen(node);
      const distance = Math.hypot(x - point.x, y - point.y) - this.radius(node);
      if (distance < nearest) [best, nearest] = [node, Math.max(distance, 0)];
    }
    return best;
  }

  radius(node) {
    const radius = this.isLayered ? Math.min(node.radius, 11) : node.radius;
    // Seen from afar, nodes shrink less than what is between them.
    const { zoom } = this.camera;
    return Math.max(radius * (zoom < 1 ? Math.pow(zoom, 0.65) : Math.min(zoom, 2.2)), 2.4);
  }

  /** Draws everything. `focus` is the node whose neighborhood stands out, `matches` what the search found, if anything
   * is searched for. */
  draw({ selected, focus, matches }) {
    const { context, theme } = this;
    context.fillStyle = theme["--canvas"];
    context.fillRect(0, 0, this.width, this.height);
    const near =
      focus &&
      new Set([focus, ...focus.outgoing.map((it) => it.target), ...focus.incoming.map((it) => it.source)]);
    const isBright = (node) => (near ? near.has(node) : !matches || matches.has(node));
    const isNear = (edge) => focus && (edge.source === focus || edge.target === focus);
    for (const node of this.graph.nodes) node.screen = this.toScreen(node);
    const { shownEdges, shownNodes } = this.graph;
    // Of many edges each is fainter, or nothing else could be seen.
    const alpha = Math.min(1, Math.max((this.isLayered ? 500 : 1500) / shownEdges.length, 0.3));
    this.drawEdges(
      shownEdges.filter((edge) => !isNear(edge)),
      alpha * (near || matches ? 0.25 : 1),
      false,
    );
    if (near) this.drawEdges(shownEdges.filter(isNear), 1, true);
    const faint = shownNodes.filter((node) => !isBright(node));
    const bright = shownNodes.filter(isBright);
    context.globalAlpha = 0.3;
    faint.forEach((node) => this.drawNode(node, false));
    context.globalAlpha = 1;
    bright.forEach((node) => this.drawNode(node, node === selected));
    this.drawLabels(bright, near, selected);
  }

  /** All edges of one color and one dash are one path, which is what makes many edges fast. */
  drawEdges(edges, alpha, isStrong) {
    const { context, theme } = this;
    const paths = new Map();
    const hasHeads = isStrong || this.camera.zoom > 0.55;
    for (const edge of edges) {
      const { source, target } = edge;
      // In the order, what stands in what would go against all else.
      if (this.isLayered && edge.family === "structure" && !isStrong) continue;
      if (source === target || this.isOffScreen(source.screen, target.screen)) continue;
      const key = `${edge.family} ${edge.confidence}`;
      if (!paths.has(key)) paths.set(key, { edge, line: new Path2D(), heads: new Path2D() });
      this.trace(edge, paths.get(key), hasHeads);
    }
    for (const { edge, line, heads } of paths.values()) {
      const color = theme[`--edge-${edge.family}`];
      const isQuiet = edge.family === "structure" && !isStrong;
      context.globalAlpha = alpha * (isQuiet ? 0.7 : 1);
      context.strokeStyle = context.fillStyle = color;
      context.lineWidth = isStrong ? 1.8 : this.camera.zoom < 0.35 ? 0.6 : 1;
      context.setLineDash(DASHES[edge.confidence] ?? []);
      context.stroke(line);
      context.setLineDash([]);
      if (hasHeads) context.fill(heads);
    }
    context.globalAlpha = 1;
  }

  /** Adds an edge to a path, from the rim of one node to that of the other. */
  trace(edge, { line, heads }, hasHead) {
    const { source, target } = edge;
    const [from, to] = [source.screen, target.screen];
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const [start, end] = [this.radius(source) + 1, this.radius(target) + 2];
    if (length < start + end) return;
    // Columns are joined by waves, everything else by bows; a circle's way back is a wide bow.
    const isWave = this.isLayered && dx > 40;
    const bend = isWave ? 0 : this.isLayered && edge.bend === 0 ? 0.14 : edge.bend;
    const reach = isWave ? Math.min(dx * 0.45, 160) : 0;
    const control = { x: from.x + dx / 2 - dy * bend, y: from.y + dy / 2 + dx * bend };
    const first = isWave ? { x: from.x + reach, y: from.y } : control;
    const last = isWave ? { x: to.x - reach, y: to.y } : control;
    const a = toward(from, first, start);
    const b = toward(to, last, end + (hasHead ? 3 : 0));
    line.moveTo(a.x, a.y);
    if (isWave) line.bezierCurveTo(first.x, first.y, last.x, last.y, b.x, b.y);
    else if (bend === 0) line.lineTo(b.x, b.y);
    else line.quadraticCurveTo(control.x, control.y, b.x, b.y);
    if (hasHead) addHead(heads, toward(to, last, end), last, Math.min(7, 3 + 4 * this.camera.zoom));
  }

  isOffScreen(a, b) {
    return (
      Math.max(a.x, b.x) < -40 ||
      Math.max(a.y, b.y) < -40 ||
      Math.min(a.x, b.x) > this.width + 40 ||
      Math.min(a.y, b.y) > this.height + 40
    );
  }

  drawNode(node, isSelected) {
    const { context, theme } = this;
    const { x, y } = node.screen;
    const radius = this.radius(node);
    if (x < -radius || y < -radius || x > this.width + radius || y > this.height + radius) return;
    const color = theme[node.group.color];
    const isOutside = node.role === "outside";
    if (isSelected) {
      outline(context, "circle", x, y, radius + 6);
      context.fillStyle = theme["--accent-soft"];
      context.fill();
      context.strokeStyle = theme["--accent"];
      context.lineWidth = 2;
      context.stroke();
    }
    outline(context, node.shape, x, y, radius);
    context.fillStyle = isOutside ? theme["--canvas"] : color;
    context.fill();
    context.lineWidth = isOutside || node.role === "result" ? 1.8 : 1;
    context.strokeStyle = isOutside ? color : node.role === "result" ? theme["--ink"] : theme["--canvas"];
    if (isOutside) context.setLineDash([3, 2]);
    context.stroke();
    context.setLineDash([]);
    if (radius > 6.5) {
      context.fillStyle = isOutside ? color : theme["--on-group"];
      context.font = `600 ${Math.min(radius * 1.1, 20)}px ${this.font}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(node.letter, x, y + radius * (node.shape === "triangle" ? 0.22 : 0.06));
    }
  }

  /** Writes names where there is room for them, those of the most telling nodes first. */
  drawLabels(nodes, near, selected) {
    const { context, theme, camera } = this;
    const taken = new Room(this.width, this.height);
    const size = Math.max(11, Math.min(14, 11 + camera.zoom * 1.2));
    const worth = (node) =>
      node.degree +
      (node === selected ? 1e6 : 0) +
      (near?.has(node) ? 1e4 : 0) +
      (node.role === "result" ? 1e3 : 0);
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.strokeStyle = theme["--canvas"];
    context.lineWidth = 3.5;
    for (const node of [...nodes].sort((a, b) => worth(b) - worth(a))) {
      const { x, y } = node.screen;
      if (x < -100 || y < -20 || x > this.width + 100 || y > this.height + 20) continue;
      const isStrong = node === selected || node.role === "result";
      context.font = `${isStrong ? 600 : 450} ${size}px ${this.font}`;
      const width = context.measureText(node.label).width;
      const radius = this.radius(node);
      const half = radius * 0.7;
      taken.take(x - half, y - half, 2 * half, 2 * half);
      const right = [x + radius + 5, y - size / 2];
      const below = [x - width / 2, y + radius + 3];
      const others = [right, [x - width / 2, y - radius - size - 3], [x - radius - 5 - width, y - size / 2]];
      const places = this.isLayered ? [right] : [below, ...others];
      const free = places.find(([left, top]) => taken.isFree(left, top, width, size));
      const [left, top] = free ?? (node === selected ? places[0] : []);
      if (left === undefined) continue;
      taken.take(left - 3, top - 1, width + 6, size + 2);
      context.textAlign = "left";
      context.strokeText(node.label, left, top + size / 2);
      context.fillStyle = isStrong ? theme["--ink"] : theme["--ink-soft"];
      context.fillText(node.label, left, top + size / 2);
    }
  }
}

/** Which parts of the screen are written on. */
class Room {
  constructor(width, height) {
    this.columns = Math.ceil(width / LABEL_GRID) + 1;
    this.rows = Math.ceil(height / LABEL_GRID) + 1;
    this.cells = new Uint8Array(this.columns * this.rows);
  }

  isFree(x, y, width, height) {
    return !this.some(x, y, width, height, (at) => this.cells[at] === 1);
  }

  take(x, y, width, height) {
    this.some(x, y, width, height, (at) => {
      this.cells[at] = 1;
      return false;
    });
  }

  some(x, y, width, height, test) {
    const to = (value, most) => Math.min(Math.max(Math.floor(value / LABEL_GRID), 0), most - 1);
    const [right, bottom] = [to(x + width, this.columns), to(y + height, this.rows)];
    for (let row = to(y, this.rows); row <= bottom; row += 1) {
      for (let column = to(x, this.columns); column <= right; column += 1) {
        if (test(row * this.columns + column)) return true;
      }
    }
    return false;
  }
}

/** The outline of a node as the path of a canvas. All shapes look equally large. */
function outline(context, shape, x, y, radius) {
  const corners = (count, size, turn) => {
    for (let i = 0; i < count; i += 1) {
      const angle = turn + (i * 2 * Math.PI) / count;
      context.lineTo(x + size * Math.cos(angle), y + size * Math.sin(angle));
    }
    context.closePath();
  };
  context.beginPath();
  if (shape === "square")
    context.roundRect(x - radius * 0.92, y - radius * 0.92, radius * 1.84, radius * 1.84, radius * 0.35);
  else if (shape === "diamond") corners(4, radius * 1.24, 0);
  else if (shape === "hexagon") corners(6, radius * 1.1, 0);
  else if (shape === "triangle") corners(3, radius * 1.26, -Math.PI / 2);
  else context.arc(x, y, radius, 0, 2 * Math.PI);
}

function addHead(path, tip, from, size) {
  const angle = Math.atan2(tip.y - from.y, tip.x - from.x);
  path.moveTo(tip.x, tip.y);
  for (const turn of [-0.42, 0.42]) {
    path.lineTo(tip.x - size * Math.cos(angle + turn), tip.y - size * Math.sin(angle + turn));
  }
  path.closePath();
}

/** The point that lies so far from one point toward another. */
function toward(from, to, distance) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  return { x: from.x + (dx / length) * distance, y: from.y + (dy / length) * distance };
}

function min(numbers) {
  return numbers.reduce((a, b) => Math.min(a, b));
}

function max(numbers) {
  return numbers.reduce((a, b) => Math.max(a, b));
}
