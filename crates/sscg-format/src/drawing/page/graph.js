// The graph: nodes and edges as the drawing has them, what each looks like, and which are shown.

/** What relations are about. Those of one family have one color, that of the style variable `--edge-<family>`. */
const FAMILIES = {
  calls: ["calls", "instantiates", "uses_context_manager"],
  inheritance: ["inherits", "implements", "overrides"],
  types: ["uses_type", "asserts_type", "decorates"],
  imports: ["imports", "references"],
  values: ["assigns_to", "reads_from", "uses_constant", "uses_default", "uses_global"],
  errors: ["raises", "catches"],
};

/** The shape and the letter of a node, by kind. */
const KINDS = {
  function: ["circle", "ƒ"],
  method: ["circle", "m"],
  constructor: ["circle", "n"],
  macro: ["circle", "!"],
  component: ["square", "<>"],
  class: ["square", "C"],
  struct: ["square", "S"],
  union: ["square", "U"],
  interface: ["diamond", "I"],
  trait: ["diamond", "T"],
  type: ["diamond", "t"],
  enum: ["hexagon", "E"],
  module: ["hexagon", "M"],
  impl: ["hexagon", "i"],
  file: ["hexagon", "F"],
  directory: ["square", "D"],
  const: ["triangle", "c"],
  variable: ["triangle", "v"],
  field: ["triangle", "f"],
  enum_member: ["triangle", "e"],
  external: ["circle", "↗"],
  import: ["circle", "←"],
  "re-export": ["circle", "→"],
  expression: ["circle", ";"],
  comment: ["circle", "#"],
};

/** How edges are dashed that are so sure, in pixels. */
const DASHES = { exact: [], inferred: [6, 4], ambiguous: [1.5, 3.5] };

/** So many communities, files or kinds have a color of their own: `--group-0` and so on. The others share one. */
const COLORS = 10;

const ROLES = {
  result: "found",
  connection: "connects results",
  neighbor: "near the results",
  outside: "outside of the drawing",
};

class Graph {
  constructor(drawing) {
    Object.assign(this, drawing);
    this.nodes.forEach((node, at) => prepareNode(node, at));
    this.edges = this.edges.map((edge) => ({
      line: 0,
      confidence: "exact",
      ...edge,
      source: this.nodes[edge.source],
      target: this.nodes[edge.target],
      family: familyOf(edge.relation),
    }));
    for (const edge of this.edges) {
      edge.source.outgoing.push(edge);
      edge.target.incoming.push(edge);
    }
    const most = Math.max(1, ...this.nodes.map((node) => node.members ?? 0));
    for (const node of this.nodes) {
      node.degree = node.outgoing.length + node.incoming.length;
      // The area of a file or a directory follows its number of declarations.
      node.radius =
        node.members === undefined
          ? Math.min(6 + 1.9 * Math.sqrt(node.degree), 20)
          : 6 + 26 * Math.sqrt(node.members / most);
    }
    bendParallels(this.edges);
    /** What is not shown, by what it is: `relation:calls`, `kind:class`, `confidence:exact`, `group:src/a.rs`. */
    this.hidden = new Set();
    this.colorBy("community");
    this.show();
  }

  /** Groups the nodes by `what`; the largest groups have colors of their own. */
  colorBy(what) {
    const labels = (node) => ({
      community:
        this.communities[node.community]?.label || (node.community === undefined ? "in none" : "the root"),
      file: node.file || (node.kind === "directory" ? node.name : "outside the project"),
      kind: words(node.kind),
    });
    const groups = new Map();
    for (const node of this.nodes) {
      // Communities may have the same label, and are not the same.
      const key = what === "community" ? String(node.community) : labels(node)[what];
      if (!groups.has(key)) groups.set(key, { key, label: labels(node)[what], count: 0 });
      groups.get(key).count += 1;
      node.group = groups.get(key);
    }
    this.grouping = what;
    // What is in no community has no color of its own, either.
    const isNone = (group) => (group.key === "undefined" ? 1 : 0);
    this.groups = [...groups.values()].sort((a, b) => isNone(a) - isNone(b) || b.count - a.count);
    this.groups.forEach((group, at) => {
      group.color = at < COLORS && !isNone(group) ? `--group-${at}` : "--group-rest";
    });
    for (const name of this.hidden) if (name.startsWith("group:")) this.hidden.delete(name);
  }

  /** Finds anew what is shown. */
  show() {
    const isOn = (what, name) => !this.hidden.has(`${what}:${name}`);
    for (const node of this.nodes) node.shown = isOn("kind", node.kind) && isOn("group", node.group.key);
    for (const edge of this.edges) {
      const ends = edge.source.shown && edge.target.shown;
      edge.shown = ends && isOn("relation", edge.relation) && isOn("confidence", edge.confidence);
    }
    this.shownNodes = this.nodes.filter((node) => node.shown);
    this.shownEdges = this.edges.filter((edge) => edge.shown);
  }
}

function prepareNode(node, at) {
  const [shape, letter] = KINDS[node.kind] ?? ["circle", node.kind[0] ?? ""];
  node.file ??= "";
  const lines = node.lines?.replace(/-.*/, "");
  Object.assign(node, {
    at,
    shape,
    letter,
    label: shortened(node),
    place: node.file ? node.file + (lines ? `:${lines}` : "") : "",
    outgoing: [],
    incoming: [],
    x: 0,
    y: 0,
  });
}

/** A name with no more than what it stands in, and no longer than a label should be. */
function shortened({ name, members }) {
  const separator = members === undefined ? "." : "/";
  const parts = name.split(separator);
  const short = parts.length > 2 ? parts.slice(-2).join(separator) : name;
  return short.length > 34 ? `${short.slice(0, 16)}…${short.slice(-16)}` : short;
}

function familyOf(relation) {
  const found = Object.entries(FAMILIES).find(([, relations]) => relations.includes(relation));
  return found?.[0] ?? "structure";
}

/** Several edges between the same two nodes are bent apart: `bend` is how far, in parts of their length. */
function bendParallels(edges) {
  const pairs = new Map();
  for (const edge of edges) {
    const [low, high] = [edge.source.at, edge.target.at].sort((a, b) => a - b);
    const pair = `${low} ${high}`;
    if (!pairs.has(pair)) pairs.set(pair, []);
    pairs.get(pair).push(edge);
  }
  for (const pair of pairs.values()) {
    pair.forEach((edge, at) => {
      const bend = (at - (pair.length - 1) / 2) * 0.16;
      // Seen from the same side, whichever way the edge goes.
      edge.bend = edge.source.at < edge.target.at ? bend : -bend;
    });
  }
}

/** A wire name as words. */
function words(name) {
  return name.replaceAll("_", " ");
}

function counted(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
