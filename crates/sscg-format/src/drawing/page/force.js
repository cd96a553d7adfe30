// The map: nodes push each other away, edges pull their ends together, until that is in balance.

/** So many steps, each smaller than the one before, and the layout stands still. */
const STEPS = 200;

/** How strongly nodes push each other away. */
const REPULSION = 420;

/** How wide the columns are of what is connected with nothing. */
const ALONE_WIDTH = 120;

/** How far apart the ends of an edge would like to be, beside their sizes. */
const EDGE_LENGTH = 52;

/** A group of nodes at least so many times its width away counts as one (Barnes and Hut, 1986). */
const FAR = 0.9;

class ForceLayout {
  /** Nodes begin on spirals, one for each community, so that the same graph always ends up the same. */
  constructor(nodes, edges) {
    this.links = linksOf(edges);
    const linked = new Set(this.links.flatMap(({ a, b }) => [a, b]));
    this.nodes = nodes.filter((node) => linked.has(node));
    this.alone = nodes.filter((node) => !linked.has(node));
    this.step = 0;
    const spirals = new Map();
    for (const node of this.nodes) {
      const key = String(node.community);
      if (!spirals.has(key)) spirals.set(key, []);
      spirals.get(key).push(node);
    }
    const around = [...spirals.values()].sort((a, b) => b.length - a.length);
    const wide = 34 * Math.sqrt(this.nodes.length);
    around.forEach((members, at) => {
      const angle = at * 2.39996;
      const distance = at === 0 ? 0 : wide * Math.sqrt((at + 0.5) / around.length);
      members.forEach((node, i) => {
        const turn = i * 2.39996;
        node.x = distance * Math.cos(angle) + 22 * Math.sqrt(i + 0.5) * Math.cos(turn);
        node.y = distance * Math.sin(angle) + 22 * Math.sqrt(i + 0.5) * Math.sin(turn);
      });
    });
    for (const node of this.nodes) node.vx = node.vy = 0;
    this.placeAlone();
  }

  get settled() {
    return this.step >= STEPS;
  }

  /** Lets nodes move again a little, after one of them was dragged. */
  warm() {
    this.step = Math.min(this.step, Math.round(STEPS * 0.55));
  }

  /** Moves every node a bit; all but `held`. O(n log n). */
  tick(held) {
    this.step += 1;
    const heat = Math.pow(0.002, this.step / STEPS);
    const tree = Quad.of(this.nodes);
    for (const node of this.nodes) {
      tree.push(node, heat * REPULSION);
      // All are drawn to the middle, so that parts that do not touch stay in sight.
      node.vx -= node.x * 0.055 * heat;
      node.vy -= node.y * 0.055 * heat;
    }
    for (const { a, b, pull, share } of this.links) {
      const [dx, dy] = [b.x + b.vx - a.x - a.vx || 0.01, b.y + b.vy - a.y - a.vy];
      const distance = Math.hypot(dx, dy);
      const force = ((distance - EDGE_LENGTH - a.radius - b.radius) / distance) * pull * heat;
      b.vx -= dx * force * share;
      b.vy -= dy * force * share;
      a.vx += dx * force * (1 - share);
      a.vy += dy * force * (1 - share);
    }
    for (const node of this.nodes) {
      if (node === held) {
        node.vx = node.vy = 0;
        continue;
      }
      node.x += node.vx;
      node.y += node.vy;
      node.vx *= 0.6;
      node.vy *= 0.6;
    }
    this.separate(held);
    this.placeAlone();
  }

  /** Puts what is connected with nothing below the rest, in rows. */
  placeAlone() {
    const { left, right, bottom } = boundsOf(this.nodes);
    const size = right - left;
    const columns = Math.max(Math.round(size / ALONE_WIDTH), Math.ceil(Math.sqrt(this.alone.length)), 1);
    const first = this.nodes.length === 0 ? 0 : bottom + 90;
    const indent = (size - (Math.min(columns, this.alone.length) - 1) * ALONE_WIDTH) / 2;
    this.alone.forEach((node, at) => {
      node.x = left + indent + (at % columns) * ALONE_WIDTH;
      node.y = first + Math.floor(at / columns) * 52;
    });
  }

  /** Pushes nodes apart that lie on each other; only near ones are compared, by a grid. */
  separate(held) {
    const cell = 48;
    const cells = new Map();
    for (const node of this.nodes) {
      const [column, row] = [Math.floor(node.x / cell), Math.floor(node.y / cell)];
      for (let i = column - 1; i <= column + 1; i += 1) {
        for (let j = row - 1; j <= row + 1; j += 1) {
          for (const other of cells.get(i * 65536 + j) ?? []) part(node, other, held);
        }
      }
      const key = column * 65536 + row;
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(node);
    }
  }
}

/** One link for each pair of nodes with edges. Who has many links is moved less by each. */
function linksOf(edges) {
  const pairs = new Map();
  const count = new Map();
  for (const { source: a, target: b } of edges) {
    if (a === b) continue;
    const pair = a.at < b.at ? `${a.at} ${b.at}` : `${b.at} ${a.at}`;
    if (pairs.has(pair)) continue;
    pairs.set(pair, { a, b });
    count.set(a, (count.get(a) ?? 0) + 1);
    count.set(b, (count.get(b) ?? 0) + 1);
  }
  return [...pairs.values()].map(({ a, b }) => {
    const [ca, cb] = [count.get(a), count.get(b)];
    return { a, b, pull: 0.9 / Math.min(ca, cb), share: ca / (ca + cb) };
  });
}

function part(a, b, held) {
  const [dx, dy] = [a.x - b.x || 0.01, a.y - b.y];
  const distance = Math.hypot(dx, dy);
  const overlap = a.radius + b.radius + 8 - distance;
  if (overlap <= 0) return;
  const [x, y] = [((dx / distance) * overlap) / 2, ((dy / distance) * overlap) / 2];
  if (a !== held) [a.x, a.y] = [a.x + x, a.y + y];
  if (b !== held) [b.x, b.y] = [b.x - x, b.y - y];
}

/** The sides of the rectangle that nodes lie in. */
function boundsOf(nodes) {
  if (nodes.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of nodes) {
    bounds.left = Math.min(bounds.left, x);
    bounds.right = Math.max(bounds.right, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.bottom = Math.max(bounds.bottom, y);
  }
  return bounds;
}

/** A square with what lies in it: one node, or four squares. */
class Quad {
  static of(nodes) {
    const { left, top, right, bottom } = boundsOf(nodes);
    const root = new Quad(left, top, Math.max(right - left, bottom - top) + 1);
    for (const node of nodes) root.add(node, 0);
    return root;
  }

  constructor(left, top, size) {
    this.left = left;
    this.top = top;
    this.size = size;
    this.mass = 0;
    this.x = 0;
    this.y = 0;
    this.node = null;
    this.parts = null;
  }

  add(node, depth) {
    if (this.mass > 0 && depth < 40) {
      if (this.parts === null) {
        this.parts = [null, null, null, null];
        this.partOf(this.node).add(this.node, depth + 1);
        this.node = null;
      }
      this.partOf(node).add(node, depth + 1);
    } else {
      // So deep, nodes lie on the same spot: one stands for all.
      this.node = node;
    }
    this.x = (this.x * this.mass + node.x) / (this.mass + 1);
    this.y = (this.y * this.mass + node.y) / (this.mass + 1);
    this.mass += 1;
  }

  partOf(node) {
    const half = this.size / 2;
    const [right, below] = [node.x >= this.left + half, node.y >= this.top + half];
    const at = (right ? 1 : 0) + (below ? 2 : 0);
    this.parts[at] ??= new Quad(this.left + (right ? half : 0), this.top + (below ? half : 0), half);
    return this.parts[at];
  }

  /** Pushes a node away from all that lies in the square. */
  push(node, strength) {
    if (this.node === node && this.mass === 1) return;
    const [dx, dy] = [node.x - this.x || 0.01, node.y - this.y || 0.01];
    const squared = Math.max(dx * dx + dy * dy, 64);
    if (this.parts === null || this.size * this.size * FAR * FAR < squared) {
      node.vx += (dx / squared) * strength * this.mass;
      node.vy += (dy / squared) * strength * this.mass;
      return;
    }
    for (const quarter of this.parts) quarter?.push(node, strength);
  }
}
