// The order: who uses others stands left of them, in columns.

const COLUMN_WIDTH = 230;
/** How high rows are: as high as the screen has room for. */
const ROW_HEIGHT = { least: 28, most: 140 };

/** A longer column is laid out as several, unless there are so many nodes that the columns would not fit the screen. */
const MOST_ROWS = 36;

/** Gives every node its place. The components come with dependencies first, each of one node or of several that depend on each
 * other, so that a single pass finds how far each is from those that use nothing; an edge against that order does not count.
 * `aspect` is how high the screen is, in parts of its width. */
function layOutInLayers(components, edges, aspect) {
  const nodes = components.flat();
  const mostRows = Math.max(MOST_ROWS, Math.ceil(Math.sqrt(4 * nodes.length)));
  const depth = new Map();
  const uses = neighbors(nodes, edges);
  for (const component of components) {
    const below = component.flatMap((node) => uses.get(node).down).filter((other) => depth.has(other));
    const first = below.reduce((most, other) => Math.max(most, depth.get(other) + 1), 0);
    // A large component has several columns, in its order.
    component.forEach((node, at) => depth.set(node, first + Math.floor(at / mostRows)));
  }
  const isAlone = (node) => uses.get(node).down.length + uses.get(node).up.length === 0;
  const alone = nodes.filter(isAlone);
  const layers = [];
  for (const node of nodes) {
    if (!isAlone(node)) (layers[depth.get(node)] ??= []).push(node);
  }
  // From left to right as code is read: who uses first.
  layers.reverse();
  straighten(layers, uses);
  const columnsOf = (layer) => Math.ceil(layer.length / mostRows);
  const columns = Math.max(
    layers.reduce((sum, layer) => sum + columnsOf(layer), 0),
    Math.ceil(Math.sqrt(alone.length / 3)),
  );
  const rowsAbove = Math.max(0, ...layers.map((layer) => Math.ceil(layer.length / columnsOf(layer))));
  const rows = rowsAbove + Math.ceil(alone.length / Math.max(columns, 1)) + 2;
  const fitting = (columns * COLUMN_WIDTH * aspect) / rows;
  const height = Math.min(Math.max(fitting, ROW_HEIGHT.least), ROW_HEIGHT.most);
  let x = 0;
  for (const layer of layers) {
    placeLayer(layer, x, Math.ceil(layer.length / columnsOf(layer)), height);
    x += columnsOf(layer) * COLUMN_WIDTH;
  }
  // What is connected with nothing stands below, in rows.
  alone.forEach((node, at) => {
    node.tx = (at % columns) * COLUMN_WIDTH;
    node.ty = (rowsAbove / 2 + 1.5 + Math.floor(at / columns)) * height;
  });
}

/** Whom each node uses, and by whom it is used. */
function neighbors(nodes, edges) {
  const found = new Map(nodes.map((node) => [node, { down: [], up: [] }]));
  for (const { source, target, family, isMinor } of edges) {
    // That one thing stands in another is no use of it.
    if (source === target || family === "structure" || isMinor) continue;
    found.get(source).down.push(target);
    found.get(target).up.push(source);
  }
  return found;
}

/** Orders each layer by where its neighbors are, so that few edges cross (Sugiyama, Tagawa and Toda, 1981). */
function straighten(layers, uses) {
  const height = new Map();
  const spread = (layer) => layer.forEach((node, at) => height.set(node, (at + 0.5) / layer.length));
  layers.forEach(spread);
  for (let round = 0; round < 8; round += 1) {
    const isForth = round % 2 === 0;
    for (const layer of isForth ? layers : [...layers].reverse()) {
      const mean = (node) => {
        const near = isForth ? uses.get(node).up : uses.get(node).down;
        return near.length === 0
          ? height.get(node)
          : near.reduce((sum, it) => sum + height.get(it), 0) / near.length;
      };
      const means = new Map(layer.map((node) => [node, mean(node)]));
      layer.sort((a, b) => means.get(a) - means.get(b) || a.at - b.at);
      spread(layer);
    }
  }
}

/** Puts a layer into columns of so many rows, around the middle. */
function placeLayer(layer, x, rows, height) {
  layer.forEach((node, at) => {
    node.tx = x + Math.floor(at / rows) * COLUMN_WIDTH;
    node.ty = ((at % rows) - (rows - 1) / 2) * height;
  });
}

/** The strongly connected components (Tarjan, 1972), most of which are single nodes, dependencies first. In a component, what is
 * used more than it uses comes first. */
function componentsInOrder(nodes, edges) {
  const uses = neighbors(nodes, edges);
  const components = [];
  const numbers = new Map();
  const open = [];
  const isOpen = new Set();
  const enter = (node) => {
    const number = numbers.size;
    numbers.set(node, number);
    open.push(node);
    isOpen.add(node);
    return { node, number, least: number, next: 0 };
  };
  for (const start of nodes) {
    const stack = numbers.has(start) ? [] : [enter(start)];
    while (stack.length > 0) {
      const top = stack.at(-1);
      const other = uses.get(top.node).down[top.next];
      top.next += 1;
      if (other === undefined) {
        stack.pop();
        const before = stack.at(-1);
        if (before) before.least = Math.min(before.least, top.least);
        if (top.least < top.number) continue;
        const component = open.splice(open.lastIndexOf(top.node));
        for (const node of component) isOpen.delete(node);
        components.push(component);
      } else if (!numbers.has(other)) {
        stack.push(enter(other));
      } else if (isOpen.has(other)) {
        top.least = Math.min(top.least, numbers.get(other));
      }
    }
  }
  const total = (list) => list.reduce((sum, { count }) => sum + count, 0);
  for (const component of components) {
    if (component.length === 1) continue;
    const share = new Map(
      component.map((node) => {
        const [up, down] = [total(node.incoming), total(node.outgoing)];
        return [node, down / (up + down)];
      }),
    );
    component.sort((a, b) => share.get(a) - share.get(b));
  }
  return components;
}
