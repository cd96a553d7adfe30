// The map of a tree: circles in circles. Places depend on the whole tree, so that nothing moves when a group is opened.

/** Space between the parts of a group, in parts of their radius, and at least. */
const SPACE = { part: 0.06, least: 3 };

/** Rounds of the layout of a group, by what most of it is. */
const ROUNDS = { groups: 60, declarations: 12 };

function layOutNested(tree) {
  linkSiblings(tree);
  // Inner groups first: the places of their parts make their size.
  for (let at = tree.groups.length - 1; at >= 0; at -= 1) layOutParts(tree.groups[at]);
  Object.assign(tree.root, { mapX: 0, mapY: 0 });
}

/** Counts the edges between the parts of each group, those of all their declarations. */
function linkSiblings({ graph, groups }) {
  for (const group of groups) group.links = new Map();
  const { source, target } = graph.edges;
  for (let i = 0; i < source.length; i += 1) {
    let [a, b] = [graph.nodes[source[i]], graph.nodes[target[i]]];
    while (a.depth > b.depth) a = a.parent;
    while (b.depth > a.depth) b = b.parent;
    while (a !== b && a.parent !== b.parent) [a, b] = [a.parent, b.parent];
    if (a === b) continue;
    const { links, parts } = a.parent;
    const pair = Math.min(a.slot, b.slot) * parts.length + Math.max(a.slot, b.slot);
    links.set(pair, (links.get(pair) ?? 0) + 1);
  }
}

/** Places the parts of a group around its middle: what is connected side by side, and nothing on top of another. */
function layOutParts(group) {
  const { parts } = group;
  const size = parts.length;
  const room = Float64Array.from(parts, ({ radius }) => radius + Math.max(radius * SPACE.part, SPACE.least));
  const links = [...group.links].map(([pair, weight]) => {
    return { a: Math.floor(pair / size), b: pair % size, weight: Math.log1p(weight) };
  });
  group.links = null;
  const { x, y } = spread(parts, room, links);
  const pulls = new Float64Array(size);
  for (const { a, b, weight } of links) {
    pulls[a] += weight;
    pulls[b] += weight;
  }
  const sorted = Array.from(parts, (_, at) => at);
  const rounds = size < 2 ? 0 : parts.some((part) => part.isGroup) ? ROUNDS.groups : ROUNDS.declarations;
  for (let round = 0; round < rounds; round += 1) {
    const heat = 1 - round / rounds;
    for (const { a, b, weight } of links) {
      const dx = x[b] - x[a];
      const dy = y[b] - y[a];
      const distance = Math.hypot(dx, dy) || 1;
      const pull = ((distance - room[a] - room[b]) / distance) * 0.5 * heat * weight;
      // Heavy parts stay where they are, and what many pull follows each a little.
      const share = (room[b] * room[b]) / (room[a] * room[a] + room[b] * room[b]);
      const forA = (pull / pulls[a]) * share;
      const forB = (pull / pulls[b]) * (1 - share);
      x[a] += dx * forA;
      y[a] += dy * forA;
      x[b] -= dx * forB;
      y[b] -= dy * forB;
    }
    for (let i = 0; i < size; i += 1) {
      x[i] *= 1 - 0.015 - 0.04 * heat;
      y[i] *= 1 - 0.015 - 0.04 * heat;
    }
    partAll(x, y, room, sorted);
  }
  for (let round = 0; round < rounds && partAll(x, y, room, sorted) > 1; round += 1);
  enclose(group, x, y, room);
}

/** Puts parts on a spiral, the largest in the middle, and after each those that are connected with it. */
function spread(parts, room, links) {
  const near = parts.map(() => []);
  for (const { a, b, weight } of links) {
    near[a].push([b, weight]);
    near[b].push([a, weight]);
  }
  const order = [];
  const isPlaced = new Uint8Array(parts.length);
  const bySize = parts.map((_, at) => at).sort((a, b) => room[b] - room[a] || a - b);
  for (const start of bySize) {
    if (isPlaced[start]) continue;
    isPlaced[start] = 1;
    const queue = [start];
    for (let i = 0; i < queue.length; i += 1) {
      order.push(queue[i]);
      for (const [next] of near[queue[i]].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
        if (isPlaced[next]) continue;
        isPlaced[next] = 1;
        queue.push(next);
      }
    }
  }
  const [x, y] = [new Float64Array(parts.length), new Float64Array(parts.length)];
  let area = 0;
  order.forEach((at, i) => {
    // The spiral has the area of what lies on it, a little spread.
    const distance = i === 0 ? 0 : Math.sqrt(area * 1.3) + room[at];
    x[at] = distance * Math.cos(i * 2.39996);
    y[at] = distance * Math.sin(i * 2.39996);
    area += room[at] * room[at];
  });
  return { x, y };
}

/** Pushes parts apart that lie on each other, and returns by how much at most. They are compared in the order of their left
 * sides, which changes little from one call to the next. */
function partAll(x, y, room, sorted) {
  for (let i = 1; i < sorted.length; i += 1) {
    const at = sorted[i];
    const left = x[at] - room[at];
    let j = i - 1;
    for (; j >= 0 && x[sorted[j]] - room[sorted[j]] > left; j -= 1) sorted[j + 1] = sorted[j];
    sorted[j + 1] = at;
  }
  let worst = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    const a = sorted[i];
    for (let j = i + 1; j < sorted.length; j += 1) {
      const b = sorted[j];
      const reach = room[a] + room[b];
      const dx = x[b] - x[a];
      if (dx > reach) {
        if (x[b] - room[b] > x[a] + room[a]) break;
        continue;
      }
      const dy = y[b] - y[a];
      if (dy > reach || dy < -reach) continue;
      const distance = Math.sqrt(dx * dx + dy * dy) || 0.01;
      const overlap = reach - distance;
      if (overlap <= 0) continue;
      if (overlap > worst) worst = overlap;
      const share = (room[b] * room[b]) / (room[a] * room[a] + room[b] * room[b]);
      const [moveX, moveY] = [((dx || 0.01) / distance) * overlap, (dy / distance) * overlap];
      x[a] -= moveX * share;
      y[a] -= moveY * share;
      x[b] += moveX * (1 - share);
      y[b] += moveY * (1 - share);
    }
  }
  return worst;
}

/** Takes the radius of a circle around the parts, and their places from its middle. */
function enclose(group, x, y, room) {
  let [middleX, middleY] = [0, 0];
  // A step toward the farthest part, shorter each time, ends at the middle of the smallest circle (Bădoiu and Clarkson, 2003).
  for (let step = 1; step <= 60 && x.length > 0; step += 1) {
    let [farthest, reach] = [0, -1];
    for (let i = 0; i < x.length; i += 1) {
      const distance = Math.hypot(x[i] - middleX, y[i] - middleY) + room[i];
      if (distance > reach) [farthest, reach] = [i, distance];
    }
    middleX += (x[farthest] - middleX) / (step + 1);
    middleY += (y[farthest] - middleY) / (step + 1);
  }
  group.radius = 0;
  group.offsets = new Float64Array(2 * x.length);
  for (let i = 0; i < x.length; i += 1) {
    const [dx, dy] = [x[i] - middleX, y[i] - middleY];
    group.radius = Math.max(group.radius, Math.hypot(dx, dy) + room[i]);
    group.offsets.set([dx, dy], 2 * i);
  }
}
