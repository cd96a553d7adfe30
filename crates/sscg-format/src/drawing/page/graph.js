// The graph: nodes and edges as the drawing has them, what each looks like, and which are shown, each by itself or by its group.

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
  service: ["hexagon", "S"],
  event: ["diamond", "E"],
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
  /** Of more than `shown` nodes, unless that is 0, a tree of groups is shown, with about so many open. */
  constructor(drawing, shown) {
    Object.assign(this, drawing, { shown, isRolled: shown > 0 && drawing.nodes.length > shown });
    this.prepare();
    this.colorBy("community");
    if (this.isRolled) this.rollUpBy(Object.keys(this.packages).length > 1 ? "package" : "directory");
    else this.show();
  }

  /** Finds what is the same whatever is shown. */
  prepare() {
    this.nodes.forEach((node, at) => prepareNode(node, at));
    /** The families and relations, by their number. */
    this.families = this.edges.relations.map(familyOf);
    this.bySource = byEnd(this.edges.source, this.nodes.length);
    this.byTarget = byEnd(this.edges.target, this.nodes.length);
    const most = this.nodes.reduce((most, node) => Math.max(most, node.members ?? 0), 1);
    for (const node of this.nodes) {
      const [outgoing, incoming] = [this.bySource, this.byTarget].map(({ first }) => first[node.at + 1] - first[node.at]);
      node.degree = outgoing + incoming;
      // The area of a file or a directory follows its number of declarations.
      node.radius =
        node.members === undefined
          ? Math.min(6 + 1.9 * Math.sqrt(node.degree), 20)
          : 6 + 26 * Math.sqrt(node.members / most);
    }
    /** Hidden kinds, relations, confidences and groups: `relation:calls`, `kind:class`, `confidence:exact`, `group:src/a.rs`. */
    this.hidden = new Set();
    /** The trees that were made, by their unit. */
    this.trees = new Map();
  }

  /** Groups the nodes by `what`; the largest groups have colors of their own. */
  colorBy(what) {
    const labels = (node) => ({
      community:
        this.communities[node.community]?.label || (node.community === undefined ? "in none" : "the root"),
      file: node.file || (node.kind === "directory" ? node.name : "outside the project"),
      directory: node.file.includes("/") ? node.file.split("/").slice(0, 2).join("/") : "the root",
      kind: words(node.kind),
    });
    const groups = new Map();
    for (const node of this.nodes) {
      const label = labels(node)[what];
      // Communities may have the same label, and are not the same.
      const key = what === "community" ? String(node.community) : label;
      if (!groups.has(key)) groups.set(key, { key, label, count: 0 });
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
    for (const tree of this.trees.values()) for (const group of tree.groups) group.group = null;
  }

  /** Shows the tree of directories, packages or communities. */
  rollUpBy(unit) {
    this.unit = unit;
    if (!this.trees.has(unit)) {
      this.trees.set(unit, new Tree(this, unit));
      this.trees.get(unit).open(this.shown);
    }
    this.tree = this.trees.get(unit);
    this.tree.adopt();
    this.show();
  }

  /** Finds anew what is shown. */
  show() {
    const isOn = (what, name) => !this.hidden.has(`${what}:${name}`);
    for (const node of this.nodes) node.shown = isOn("kind", node.kind) && isOn("group", node.group.key);
    /** The item that shows each node: itself, or the closed group that it is in. */
    this.shownBy = this.nodes.map((node) => (node.shown ? node : null));
    if (this.isRolled) this.showTree();
    else this.shownNodes = this.nodes.filter((node) => node.shown);
    this.shownNodes.forEach((item, at) => Object.assign(item, { shownAt: at, outgoing: [], incoming: [] }));
    this.showEdges(isOn);
    this.byWeight = [...this.shownNodes].sort((a, b) => b.degree - a.degree);
    this.results = this.byWeight.filter((node) => node.role === "result");
  }

  /** Finds the nodes and the closed groups that are shown, and the open groups around them. */
  showTree() {
    const { tree, shownBy } = this;
    [this.shownNodes, this.openGroups] = [[], []];
    const visit = (item) => {
      if (!item.isGroup) {
        if (item.shown) this.shownNodes.push(item);
        return;
      }
      const inside = tree.leaves.slice(item.from, item.to).filter((node) => node.shown);
      if (inside.length === 0) return;
      item.shownMembers = inside.length;
      item.group ??= mostCommon(inside);
      if (item.isOpen) {
        this.openGroups.push(item);
        item.parts.forEach(visit);
      } else {
        this.shownNodes.push(item);
        for (const node of inside) shownBy[node.at] = item;
      }
    };
    visit(tree.root);
  }

  showEdges(isOn) {
    const { edges, nodes, shownBy, families } = this;
    const isRelationOn = edges.relations.map((name) => isOn("relation", name));
    const isConfidenceOn = CONFIDENCES.map((name) => isOn("confidence", name));
    this.shownEdges = [];
    this.shownEdgeCount = 0;
    const joined = new Map();
    const counts = [];
    for (let i = 0; i < edges.length; i += 1) {
      const [relation, confidence] = [edges.relation[i], edges.confidence[i]];
      if (!isRelationOn[relation] || !isConfidenceOn[confidence]) continue;
      const [source, target] = [shownBy[edges.source[i]], shownBy[edges.target[i]]];
      if (source === null || target === null) continue;
      this.shownEdgeCount += 1;
      if (this.isRolled) {
        // Edges between the same two items are one, with the color of most of them.
        if (source === target) continue;
        const pair = source.shownAt * this.shownNodes.length + target.shownAt;
        let edge = joined.get(pair);
        if (edge === undefined) {
          edge = { source, target, count: 0, confidence: 2 };
          joined.set(pair, edge);
          counts.push(new Uint32Array(edges.relations.length));
          this.shownEdges.push(edge);
          edge.number = counts.length - 1;
        }
        edge.count += 1;
        edge.confidence = Math.min(edge.confidence, confidence);
        counts[edge.number][relation] += 1;
      } else {
        this.shownEdges.push(this.edge(i, nodes[edges.source[i]], nodes[edges.target[i]]));
      }
    }
    if (this.isRolled) {
      for (const edge of this.shownEdges) {
        const of = counts[edge.number];
        edge.family = families[of.indexOf(max(of))];
        edge.relation = edges.relations[of.indexOf(max(of))];
        edge.confidence = CONFIDENCES[edge.confidence];
        const back = joined.get(edge.target.shownAt * this.shownNodes.length + edge.source.shownAt);
        edge.bend = back ? 0.08 : 0;
        // Against the direction of most edges between the two.
        edge.isMinor = back !== undefined && back.count > edge.count;
      }
      this.shownEdges.sort((a, b) => b.count - a.count);
    } else {
      bendParallels(this.shownEdges);
    }
    for (const edge of this.shownEdges) {
      edge.source.outgoing.push(edge);
      edge.target.incoming.push(edge);
    }
  }

  nodeWithId(id) {
    this.byId ??= new Map(this.nodes.map((node) => [node.id, node]));
    return this.byId.get(id);
  }

  /** Adds the nodes of another drawing that this one lacks, with their edges. Returns true if there are any. Edges between nodes
   * that are here are here, too: in a drawing of fewer nodes, there may be others, of a class for its methods. */
  merge(drawing) {
    const added = [];
    for (const node of drawing.nodes) {
      const known = this.nodeWithId(node.id);
      if (known) known.code ||= node.code;
      else added.push({ ...node, role: "neighbor" });
    }
    if (added.length === 0) return false;
    const nodes = [...this.nodes, ...added];
    const places = new Map(nodes.map((node, at) => [node.id, at]));
    const list = (from, of) =>
      Array.from(from.source, (_, i) => ({
        source: places.get(of[from.source[i]].id),
        target: places.get(of[from.target[i]].id),
        relation: from.relations[from.relation[i]],
        line: from.line[i],
        confidence: from.confidence[i],
        count: from.count[i],
      }));
    const isNew = ({ source, target }) => Math.max(source, target) >= this.nodes.length;
    const edges = [...list(this.edges, this.nodes), ...list(drawing.edges, drawing.nodes).filter(isNew)];
    edges.sort((a, b) => a.source - b.source);
    this.byId = null;
    const { grouping, hidden, unit } = this;
    Object.assign(this, { nodes, edges: edgesOf(edges) });
    Object.assign(this.relations, drawing.relations);
    this.communities = { ...drawing.communities, ...this.communities };
    this.prepare();
    this.hidden = hidden;
    this.colorBy(grouping);
    if (this.isRolled) this.rollUpBy(unit);
    else this.show();
    return true;
  }

  /** An edge as an object. */
  edge(i, source, target) {
    const { relation, relations, line, confidence, count } = this.edges;
    return {
      source,
      target,
      relation: relations[relation[i]],
      family: this.families[relation[i]],
      line: line[i],
      confidence: CONFIDENCES[confidence[i]],
      count: count[i],
    };
  }

  /** All edges of a node in one direction, `outgoing` or `incoming`, shown or not. Those of a group end at what is shown, and are
   * counted by relation. */
  edgesOf(item, direction) {
    const isOutgoing = direction === "outgoing";
    const { first, edges: numbers } = isOutgoing ? this.bySource : this.byTarget;
    const far = isOutgoing ? this.edges.target : this.edges.source;
    const of = (node) => numbers.subarray(first[node.at], first[node.at + 1]);
    const made = (i, own, other) => (isOutgoing ? this.edge(i, own, other) : this.edge(i, other, own));
    if (!item.isGroup) return Array.from(of(item), (i) => made(i, item, this.nodes[far[i]]));
    const joined = new Map();
    const inside = new Set(this.tree.leaves.slice(item.from, item.to));
    for (const node of inside) {
      for (const i of of(node)) {
        const leaf = this.nodes[far[i]];
        const other = this.shownBy[leaf.at];
        if (inside.has(leaf) || other === null) continue;
        const key = `${other.shownAt} ${this.edges.relation[i]}`;
        if (!joined.has(key)) joined.set(key, { ...made(i, item, other), line: 0, count: 0 });
        const bundle = joined.get(key);
        bundle.count += 1;
        // As it is drawn: that of the surest of them.
        if (this.edges.confidence[i] < CONFIDENCES.indexOf(bundle.confidence)) {
          bundle.confidence = CONFIDENCES[this.edges.confidence[i]];
        }
      }
    }
    return [...joined.values()];
  }
}

/** The color group of most of some nodes. */
function mostCommon(nodes) {
  const counts = new Map();
  for (const { group } of nodes) counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

function prepareNode(node, at) {
  const [shape, letter] = KINDS[node.kind] ?? ["circle", node.kind[0] ?? ""];
  Object.assign(node, {
    at,
    shape,
    letter,
    label: shortened(node),
    place: node.file ? node.file + (node.line ? `:${node.line}` : "") : "",
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
  return cut(short);
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
