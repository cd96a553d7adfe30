// What is on the canvas, and where.

/** The room that labels take is found in squares of so many pixels. */
const LABEL_GRID = 7;

/** More nodes and edges than this are drawn to a picture, which follows the camera until it is drawn anew. */
const MOST_AT_ONCE = 900;

/** How long the camera must rest, in milliseconds, before the picture is drawn anew. */
const REST = 90;

/** How many nodes and edges are drawn to the picture before the page handles the next event. */
const SLICE = 1500;

/** A group with a smaller radius on the screen, in pixels, is drawn without its parts. */
const LEAST_OPEN = 9;

/** How many edges of a large graph are drawn on the screen, those that stand for most first. */
const MOST_EDGES = 700;

/** How many names are written at least and at most, and for how many nodes a place is sought. */
const LABELS = { least: 24, most: 160, tried: 3000 };

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
    /** True while nodes move, so that no picture of them is of use. */
    this.isMoving = false;
    /** The last picture of a large graph: its canvas, and the camera and the state that it shows; and the one being drawn. */
    this.picture = this.next = null;
    /** The boxes of the names on the screen, for checks. */
    this.labels = [];
    this.readTheme();
    this.resize();
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    this.theme = new Proxy({}, { get: (known, name) => (known[name] ??= color(name)) });
    this.font = color("--font");
    this.picture = null;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    [this.width, this.height] = [width, height];
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ratio = ratio;
    this.picture = null;
  }

  /** True if nodes are circles in circles, whose sizes on the screen follow the zoom. */
  get isNested() {
    return this.graph.isRolled && !this.isLayered;
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
    this.camera.zoom = Math.min(6, Math.max(this.leastZoom, this.camera.zoom * factor));
    const after = this.toGraph(point);
    this.camera.x += before.x - after.x;
    this.camera.y += before.y - after.y;
  }

  /** The smallest zoom: a large graph is a quarter of the screen at least. */
  get leastZoom() {
    return this.isNested ? Math.min(0.04, (0.12 * this.height) / this.graph.tree.root.radius) : 0.04;
  }

  /** The camera that shows all of these nodes, in the layout that they have or go to. */
  around(nodes) {
    if (nodes.length === 0) return { x: 0, y: 0, zoom: 1 };
    const reach = (node) => (this.isNested ? node.radius : 0);
    const [left, right] = this.extent(nodes, (node) => node.tx ?? node.x, reach);
    const [top, bottom] = this.extent(nodes, (node) => node.ty ?? node.y, reach);
    const { insets } = this;
    const margin = this.isNested ? 40 : 120;
    // In the order, names stand at the right of nodes.
    const names = this.isLayered ? 70 : 0;
    const width = Math.max(this.width - insets.left - insets.right - margin - names, 60);
    const height = Math.max(this.height - insets.top - insets.bottom - Math.min(margin, 100), 60);
    const fitting = Math.min(width / (right - left + 1), height / (bottom - top + 1), 1.6);
    const zoom = Math.max(fitting, this.leastZoom);
    return { x: (left + right + names / zoom) / 2, y: (top + bottom) / 2, zoom };
  }

  extent(nodes, place, reach) {
    let [least, most] = [Infinity, -Infinity];
    for (const node of nodes) {
      least = Math.min(least, place(node) - reach(node));
      most = Math.max(most, place(node) + reach(node));
    }
    return [least, most];
  }

  /** The shown node at a point of the screen, or the nearest within a few pixels of it. */
  nodeAt(point) {
    let [best, nearest] = [null, 7];
    const at = this.toGraph(point);
    for (const node of this.graph.shownNodes) {
      const apart = Math.hypot(node.x - at.x, node.y - at.y) * this.camera.zoom;
      const distance = apart - this.radius(node);
      if (distance < nearest) [best, nearest] = [node, Math.max(distance, 0)];
    }
    return best;
  }

  /** The innermost open group at a point of the screen, but not the outermost of all. */
  groupAt(point) {
    if (!this.isNested) return null;
    const at = this.toGraph(point);
    const holds = (group) => group.parent && Math.hypot(group.x - at.x, group.y - at.y) <= group.radius;
    return this.graph.openGroups.findLast(holds) ?? null;
  }

  radius(node) {
    const { zoom } = this.camera;
    if (this.isNested) return Math.max(node.radius * zoom, 1);
    const radius = this.isLayered ? Math.min(node.radius, 11) : node.radius;
    // Seen from afar, nodes shrink less than what is between them.
    return Math.max(radius * (zoom < 1 ? Math.pow(zoom, 0.65) : Math.min(zoom, 2.2)), 2.4);
  }

  /** Draws everything, and returns true if it has to be called again, as a picture is not finished. `focus` is the node whose
   * neighborhood stands out, `matches` what the search found, if anything is searched for. */
  draw({ selected, focus, matches }) {
    const { context, graph } = this;
    const near =
      focus &&
      new Set([focus, ...focus.outgoing.map((it) => it.target), ...focus.incoming.map((it) => it.source)]);
    const isBright = (node) => (near ? near.has(node) : !matches || matches.has(node));
    const isDimmed = Boolean(near || matches);
    this.place();
    const edges = graph.isRolled ? Math.min(graph.shownEdges.length, MOST_EDGES) : graph.shownEdges.length;
    this.size = graph.shownNodes.length + edges;
    const isLarge = this.size > MOST_AT_ONCE && !this.isMoving;
    if (this.isMoving) this.picture = this.next = null;
    let isUnfinished = false;
    if (isLarge) {
      isUnfinished = this.showPicture(isDimmed);
    } else {
      this.clear(context);
      for (const part of this.steps(isBright, near ? focus : null, isDimmed, Infinity)) part();
    }
    if (near) {
      const edges = [...focus.outgoing, ...focus.incoming].sort((a, b) => b.count - a.count);
      this.drawEdges(edges.slice(0, MOST_AT_ONCE), 1, true);
      near.delete(focus);
      for (const node of [...near, focus]) if (node.shownAt !== undefined) this.drawNode(node, node === selected);
      near.add(focus);
    } else if (matches && isLarge) {
      for (const node of matches) if (this.isDrawn(node)) this.drawNode(node, false);
    }
    if (selected?.isGroup && selected.isOpen && this.isNested) this.drawOpen(selected, true);
    this.drawLabels(isBright, near, selected);
    return isUnfinished;
  }

  clear(context) {
    context.fillStyle = this.theme["--canvas"];
    context.fillRect(0, 0, this.width, this.height);
  }

  /** Finds where nodes are on the screen. */
  place() {
    const { x, y, zoom } = this.camera;
    const middle = this.middle;
    const [dx, dy] = [middle.x - x * zoom, middle.y - y * zoom];
    const put = (node) => {
      node.screen ??= { x: 0, y: 0 };
      node.screen.x = node.x * zoom + dx;
      node.screen.y = node.y * zoom + dy;
    };
    this.graph.shownNodes.forEach(put);
    if (this.isNested) this.graph.openGroups.forEach(put);
  }

  /** What is drawn, in order, as functions of about `size` nodes or edges each. */
  *steps(isBright, focus, isDimmed, size) {
    const { shownNodes, openGroups } = this.graph;
    const shownEdges = this.graph.isRolled ? this.tellingEdges() : this.graph.shownEdges;
    if (this.isNested) {
      for (const group of openGroups) {
        group.isTiny = group.parent?.isTiny || group.radius * this.camera.zoom < LEAST_OPEN;
      }
      const open = openGroups.filter((group) => !group.parent?.isTiny && this.isNearScreen(group));
      yield () => open.forEach((group) => (group.isTiny ? this.drawNode(group, false) : this.drawOpen(group, false)));
    }
    // Of many edges each is fainter, or nothing else could be seen.
    const most = this.isLayered ? 500 : this.isNested ? 200 : 1500;
    const alpha = Math.min(1, Math.max(most / shownEdges.length, 0.3)) * (isDimmed ? 0.25 : 1);
    const isNear = (edge) => focus && (edge.source === focus || edge.target === focus);
    for (const part of slices(shownEdges, size)) {
      yield () => this.drawEdges(focus ? part.filter((edge) => !isNear(edge)) : part, alpha, false);
    }
    const drawn = this.isNested
      ? shownNodes.filter((node) => !node.parent?.isTiny && this.isNearScreen(node))
      : shownNodes;
    for (const isFaint of isDimmed ? [true, false] : [false]) {
      const nodes = isDimmed ? drawn.filter((node) => isBright(node) !== isFaint) : drawn;
      for (const part of slices(nodes, size)) {
        yield () => {
          this.context.globalAlpha = isFaint ? 0.3 : 1;
          this.drawNodes(part);
          this.context.globalAlpha = 1;
        };
      }
    }
  }

  /** The edges with an end on the screen that stand for most, and are long enough to be seen. */
  tellingEdges() {
    const found = [];
    for (const edge of this.graph.shownEdges) {
      const [a, b] = [edge.source.screen, edge.target.screen];
      const [dx, dy] = [a.x - b.x, a.y - b.y];
      if (dx * dx + dy * dy < 64 || !(this.isNearScreen(edge.source) || this.isNearScreen(edge.target))) continue;
      found.push(edge);
      if (found.length >= MOST_EDGES) break;
    }
    return found;
  }

  isNearScreen({ screen, radius }) {
    const reach = Math.max(radius * this.camera.zoom, 20);
    const { x, y } = screen;
    return x > -reach && y > -reach && x < this.width + reach && y < this.height + reach;
  }

  /** True if a node is on the screen by itself, and not part of something too small to be opened. */
  isDrawn(node) {
    return node.shownAt !== undefined && this.graph.shownNodes[node.shownAt] === node && !node.parent?.isTiny;
  }

  /** Shows the picture where the camera has moved it, and draws some more of the next one. */
  showPicture(isDimmed) {
    const { camera, picture, context } = this;
    const { middle } = this;
    const view = { ...camera, dx: middle.x, dy: middle.y, layered: this.isLayered, shown: this.graph.shownNodes };
    const isOf = (made) => made && Object.keys(view).every((key) => made.view[key] === view[key]);
    this.clear(context);
    const isUsable = picture && picture.view.shown === view.shown && picture.view.layered === view.layered;
    if (isUsable) {
      const scale = camera.zoom / picture.view.zoom;
      const x = (picture.view.x - camera.x) * camera.zoom + middle.x - picture.view.dx * scale;
      const y = (picture.view.y - camera.y) * camera.zoom + middle.y - picture.view.dy * scale;
      context.globalAlpha = isDimmed ? 0.3 : 1;
      context.drawImage(picture.canvas, x, y, this.width * scale, this.height * scale);
      context.globalAlpha = 1;
    }
    if (isOf(picture)) return false;
    const now = performance.now();
    if (!isOf(this.next)) {
      const canvas = this.spare ?? document.createElement("canvas");
      this.spare = null;
      [canvas.width, canvas.height] = [this.canvas.width, this.canvas.height];
      const made = canvas.getContext("2d", { alpha: false });
      made.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      if (this.next) this.spare = this.next.canvas;
      this.next = { canvas, context: made, view, since: now, steps: null };
      if (isUsable) return true;
    }
    const { next } = this;
    if (isUsable && now - next.since < REST) return true;
    this.context = next.context;
    if (next.steps === null) {
      this.clear(next.context);
      next.steps = this.steps(() => true, null, false, SLICE);
    }
    // Without any picture, a small one is drawn at once, so that nothing flickers.
    let step;
    do {
      step = next.steps.next();
      if (!step.done) step.value();
    } while (!step.done && !isUsable && this.size < 4 * MOST_AT_ONCE);
    this.context = context;
    if (!step.done) return true;
    this.spare = picture?.canvas ?? null;
    [this.picture, this.next] = [next, null];
    return this.showPicture(isDimmed);
  }

  /** An open group: the circle around its parts. */
  drawOpen(group, isSelected) {
    const { context, theme } = this;
    const { x, y } = group.screen;
    const radius = group.radius * this.camera.zoom;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (!isSelected) {
      context.fillStyle = theme[group.depth % 2 === 0 ? "--canvas" : "--nest"];
      context.fill();
    }
    context.lineWidth = isSelected ? 2 : 1;
    context.strokeStyle = theme[isSelected ? "--accent" : "--line"];
    context.stroke();
  }

  /** Nodes; those too small for a shape are dots, all of one color at once. */
  drawNodes(nodes) {
    const dots = new Map();
    for (const node of nodes) {
      const radius = this.radius(node);
      if (!this.isNested || node.isGroup || radius > 3.2) {
        this.drawNode(node, false);
        continue;
      }
      const { color } = node.group;
      if (!dots.has(color)) dots.set(color, []);
      dots.get(color).push(node);
    }
    for (const [color, members] of dots) {
      this.context.fillStyle = this.theme[color];
      this.context.beginPath();
      for (const node of members) {
        const size = Math.max(this.radius(node), 0.7) * 0.886;
        this.context.rect(node.screen.x - size, node.screen.y - size, 2 * size, 2 * size);
      }
      this.context.fill();
    }
  }

  /** All edges of one color and one dash are one path, which is what makes many edges fast. */
  drawEdges(edges, alpha, isStrong) {
    const { context, theme } = this;
    const paths = new Map();
    const hasHeads = isStrong || this.camera.zoom > 0.55 || (this.isNested && this.graph.shownEdges.length < 400);
    for (const edge of edges) {
      const { source, target } = edge;
      // In the order, what stands in what would go against all else.
      if (this.isLayered && edge.family === "structure" && !isStrong) continue;
      if (source === target || this.isOffScreen(source.screen, target.screen)) continue;
      // Bundles of many edges are wider.
      const width = this.graph.isRolled ? Math.min(Math.round(Math.log2(edge.count + 1)), 6) : 0;
      const key = `${edge.family} ${edge.confidence} ${width}`;
      if (!paths.has(key)) paths.set(key, { edge, width, line: new Path2D(), heads: new Path2D() });
      this.trace(edge, paths.get(key), hasHeads);
    }
    for (const { edge, width, line, heads } of paths.values()) {
      const color = theme[`--edge-${edge.family}`];
      const isQuiet = edge.family === "structure" && !isStrong;
      context.globalAlpha = alpha * (isQuiet ? 0.7 : 1);
      context.strokeStyle = context.fillStyle = color;
      const thin = this.camera.zoom < 0.35 && !this.isNested ? 0.6 : 0.7 + 0.3 * Math.min(width, 6);
      context.lineWidth = isStrong ? Math.max(1.8, thin) : this.graph.isRolled ? thin : Math.min(thin + 0.3, 1);
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
    const color = theme[node.group?.color ?? "--group-rest"];
    if (node.isGroup && this.isNested) return this.drawClosed(node, color, isSelected);
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

  /** A closed group: a disk with room for its name. */
  drawClosed({ screen, radius, kind }, color, isSelected) {
    const { context, theme } = this;
    const size = Math.max(radius * this.camera.zoom, 1.2);
    const alpha = context.globalAlpha;
    context.beginPath();
    context.arc(screen.x, screen.y, size, 0, 2 * Math.PI);
    context.fillStyle = theme["--surface"];
    context.fill();
    context.globalAlpha = alpha * (size < 4 ? 0.8 : kind === "file" ? 0.22 : 0.34);
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = alpha;
    context.lineWidth = isSelected ? 2.5 : size > 8 ? 1.4 : 0.8;
    context.strokeStyle = isSelected ? theme["--accent"] : color;
    context.stroke();
  }

  /** Writes names where there is room for them, those of the most telling nodes first. */
  drawLabels(isBright, near, selected) {
    const { context, theme, camera, graph } = this;
    const taken = new Room(this.width, this.height);
    this.labels = [];
    const size = this.isNested ? 12 : Math.max(11, Math.min(14, 11 + camera.zoom * 1.2));
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.strokeStyle = theme["--canvas"];
    context.lineWidth = 3.5;
    const write = (node, text, [left, top, width], size, isStrong) => {
      taken.take(left - 3, top - 1, width + 6, size + 2);
      this.labels.push({ node, left, top, right: left + width, bottom: top + size });
      context.strokeText(text, left, top + size / 2);
      context.fillStyle = isStrong ? theme["--ink"] : theme["--ink-soft"];
      context.fillText(text, left, top + size / 2);
    };
    // What lies under the bar, the legend or the panel cannot be read.
    const { insets } = this;
    taken.take(0, 0, this.width, insets.top);
    taken.take(0, 0, insets.left, this.height);
    taken.take(this.width - insets.right, 0, insets.right, this.height);
    taken.take(0, this.height - insets.bottom, this.width, insets.bottom);
    const besides = (node, radius, isStrong) => {
      const { x, y } = node.screen;
      context.font = `${isStrong ? 600 : 450} ${size}px ${this.font}`;
      const width = context.measureText(node.label).width;
      const half = radius * 0.7;
      taken.take(x - half, y - half, 2 * half, 2 * half);
      const right = [x + radius + 5, y - size / 2];
      const below = [x - width / 2, y + radius + 3];
      const others = [right, [x - width / 2, y - radius - size - 3], [x - radius - 5 - width, y - size / 2]];
      const places = this.isLayered ? [right] : [below, ...others];
      // Names that reach out of their group would be read as names in the next one.
      const group = this.isNested && !isStrong && !near?.has(node) && node.parent.parent ? node.parent : null;
      const reach = (left) => Math.abs(left + width / 2 - group.screen.x) + width / 2;
      const isInside = ([left]) => !group || reach(left) < group.radius * camera.zoom + 12;
      const free = places.find((place) => isInside(place) && taken.isFree(...place, width, size));
      const [left, top] = free ?? (node === selected ? places[0] : []);
      if (left !== undefined) write(node, node.label, [left, top, width], size, isStrong);
    };
    const small = [];
    let tried = 0;
    for (const node of this.inOrder(near, selected)) {
      if (!isBright(node) || !node.screen) continue;
      const { x, y } = node.screen;
      if (x < -100 || y < -20 || x > this.width + 100 || y > this.height + 20) continue;
      tried += 1;
      if (tried > LABELS.tried || this.labels.length >= LABELS.most) break;
      const isStrong = node === selected || node.role === "result";
      const radius = this.isNested ? node.radius * camera.zoom : this.radius(node);
      const isNear = near?.has(node) || isStrong;
      if (node.isGroup && this.isNested) {
        const font = Math.min(Math.max(radius / 3.5, 11), 17);
        const isWritten = node.isOpen
          ? this.writeOnRim(node, radius, taken, write)
          : radius > 13 && this.writeInside(node, radius, font, taken, write, isStrong);
        if (!isWritten && radius > 2) small.push(node);
        if (isWritten || node.isOpen || !isNear) continue;
      }
      if (this.isNested && radius < 3.5 && !isNear) continue;
      besides(node, radius, isStrong);
    }
    // Where all groups are too small for names inside, some have theirs besides.
    for (const node of small) {
      if (this.labels.length >= LABELS.least) break;
      besides(node, node.radius * camera.zoom, false);
    }
  }

  /** The nodes by how much their names tell: the selected one, those near it, results, and the most connected. */
  *inOrder(near, selected) {
    const { byWeight, openGroups, results } = this.graph;
    if (selected) yield selected;
    const isFirst = (node) => node.role === "result";
    if (near) for (const node of [...near].sort((a, b) => b.degree - a.degree)) if (node !== selected) yield node;
    for (const node of results) if (node !== selected && !near?.has(node)) yield node;
    if (this.isNested) {
      yield* openGroups.filter((group) => group !== selected && group.parent && !group.isTiny);
    }
    for (const node of byWeight) {
      if (node !== selected && !near?.has(node) && !isFirst(node) && !(this.isNested && node.parent.isTiny)) yield node;
    }
  }

  /** Writes the name of an open group on its circle: at the top, or where there is room. Returns false if nowhere is. */
  writeOnRim(group, radius, taken, write) {
    if (radius < 26) return false;
    const { context } = this;
    const { x, y } = group.screen;
    const size = 12;
    context.font = `600 ${size}px ${this.font}`;
    const { width } = context.measureText(group.label);
    if (width > radius * 1.9) return false;
    for (const angle of [-Math.PI / 2, Math.PI / 2, -2.2, -0.9, 2.2, 0.9]) {
      const [left, top] = [x + radius * Math.cos(angle) - width / 2, y + radius * Math.sin(angle) - size / 2];
      const isInside = left > 4 && top > 4 && left + width < this.width - 4 && top + size < this.height - 4;
      if (!isInside || !taken.isFree(left, top, width, size)) continue;
      write(group, group.label, [left, top, width], size, true);
      return true;
    }
    return false;
  }

  /** Writes the name of a closed group on its disk, in a second line how much is in it, or as much of the name as has room.
   * Returns false if too little has. */
  writeInside(group, radius, size, taken, write, isStrong) {
    const { context } = this;
    const { x, y } = group.screen;
    context.font = `${isStrong ? 600 : 500} ${size}px ${this.font}`;
    const room = radius * 1.8;
    let text = group.label;
    let width = context.measureText(text).width;
    if (width > room) {
      const letters = Math.floor((text.length * room) / width) - 1;
      if (letters < 4) return false;
      text = `${text.slice(0, letters)}…`;
      width = context.measureText(text).width;
    }
    const small = Math.max(size - 2, 10.5);
    const hasCount = radius > 30;
    const height = hasCount ? size + 4 + small : size;
    const [left, top] = [x - width / 2, y - height / 2];
    if (!taken.isFree(left, top, width, height)) return false;
    write(group, text, [left, top, width], size, true);
    if (!hasCount) return true;
    context.font = `400 ${small}px ${this.font}`;
    const count = (group.shownMembers ?? group.members).toLocaleString("en");
    const wide = context.measureText(count).width;
    write(group, count, [x - wide / 2, top + size + 4, wide], small, false);
    return true;
  }
}

function* slices(items, size) {
  if (size === Infinity) yield items;
  else for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
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
