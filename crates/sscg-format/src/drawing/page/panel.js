// What is said of the selected node.

/** So many edges of one relation are listed at once. */
const MOST_LISTED = 12;

class Panel {
  /** `select` is called with a node that was clicked, `close` when nothing is to be selected any more, `turn` with a group to open
   * or close. `more`, if any, adds the neighbors of a node. `link` returns the address of a node in an editor, or null. */
  constructor(root, graph, { select, close, turn, more, link }) {
    Object.assign(this, { root, graph, select, close, turn, more, link });
  }

  show(node) {
    this.root.hidden = node === null;
    if (node === null) return;
    const title = element("h2", {}, node.name);
    const closing = element(
      "button",
      { type: "button", className: "close", title: "Close (Esc)", onclick: this.close },
      "×",
    );
    closing.setAttribute("aria-label", "Close");
    const head = element("div", { className: "head" }, glyph(node), title, closing);
    const group = this.graph.communities[node.community]?.label;
    const members = node.members !== undefined && counted(node.members, "declaration");
    const facts = [words(node.kind), members, ROLES[node.role], group && `community ${group}`].filter(Boolean);
    const parts = [head, element("p", { className: "facts" }, facts.join(" · "))];
    if (node.file) parts.push(this.place(node));
    parts.push(...this.actions(node));
    if (node.signature) {
      parts.push(element("pre", { className: "signature" }, colored(node.signature, node.language)));
    }
    const [uses, users] = ["outgoing", "incoming"].map((direction) => this.graph.edgesOf(node, direction));
    parts.push(...this.edges("Uses", uses, "target", (name) => words(name)));
    parts.push(
      ...this.edges("Used by", users, "source", (name) => words(this.graph.relations[name] ?? name)),
    );
    if (uses.length + users.length === 0) {
      parts.push(element("p", { className: "quiet" }, "Nothing in this drawing is connected with it."));
    }
    if (node.isGroup) parts.push(...this.parts(node));
    parts.push(...code(node));
    this.root.replaceChildren(...parts);
    this.root.scrollTop = 0;
  }

  /** The file and the lines, as a link if an editor is known. */
  place(node) {
    const text = node.file + (node.lines ? `:${node.lines}` : "");
    const href = this.link(node);
    const shown = href ? element("a", { href, title: "Open in the editor" }, text) : text;
    return element("p", { className: "place" }, shown);
  }

  /** Buttons that open a group, close the group around a node, or add what the drawing lacks. */
  actions(node) {
    const made = [];
    const add = (text, title, onclick) => made.push(element("button", { type: "button", title, onclick }, text));
    const around = node.isGroup && node.isOpen ? node : node.parent;
    if (node.isGroup && !node.isOpen) {
      add(`Open ${counted(node.parts.length, "part")}`, "Show what is in it (o)", () => this.turn(node));
    }
    if (around?.parent) add(`Close ${around.label}`, "Show it as one node (c)", () => this.turn(around));
    if (this.more && !node.isGroup) add("Add neighbors", "Ask the index for more (n)", () => this.more(node));
    return made.length === 0 ? [] : [element("div", { className: "actions" }, ...made)];
  }

  /** The largest or most connected parts of a group. */
  parts(group) {
    const parts = [...group.parts].sort((a, b) => b.degree - a.degree || (a.name < b.name ? -1 : 1));
    const list = element("ul", { className: "edges" });
    this.fill(list, parts, (part) => {
      const onclick = () => this.select(part);
      const button = element("button", { type: "button", onclick, title: part.place || part.name }, glyph(part));
      button.append(element("span", { className: "name" }, part.label));
      if (part.isGroup) {
        button.append(element("span", { className: "count" }, part.members.toLocaleString("en")));
      }
      return button;
    });
    return [element("h3", {}, "Contains", countOf(parts.length)), list];
  }

  /** Adds the first items to a list, and the others on request. */
  fill(list, items, made) {
    const add = (item) => list.append(element("li", {}, made(item)));
    items.slice(0, MOST_LISTED).forEach(add);
    const rest = items.slice(MOST_LISTED);
    if (rest.length === 0) return;
    const more = element("button", { type: "button", className: "more" }, `${rest.length} more`);
    more.onclick = () => {
      more.parentElement.remove();
      rest.forEach(add);
    };
    list.append(element("li", {}, more));
  }

  /** The edges in one direction, by relation. */
  edges(title, edges, end, named) {
    if (edges.length === 0) return [];
    const weight = (edge) => Math.max(edge.count, 1);
    const total = (list) => list.reduce((sum, edge) => sum + weight(edge), 0);
    const relations = new Map();
    for (const edge of edges) {
      if (!relations.has(edge.relation)) relations.set(edge.relation, []);
      relations.get(edge.relation).push(edge);
    }
    const parts = [element("h3", {}, title, countOf(total(edges)))];
    for (const [relation, members] of [...relations].sort((a, b) => total(b[1]) - total(a[1]))) {
      const order = (edge) => edge.count || edge[end].degree;
      members.sort((a, b) => order(b) - order(a) || a[end].at - b[end].at);
      const list = element("ul", { className: "edges" });
      this.fill(list, members, (edge) => this.edge(edge, edge[end]));
      parts.push(element("h4", {}, sample(members[0].family, "exact"), named(relation)), list);
    }
    return parts;
  }

  edge(edge, other) {
    const button = element("button", { type: "button", onclick: () => this.select(other) }, glyph(other));
    button.append(element("span", { className: "name" }, other.isGroup ? other.label : other.name));
    if (edge.count > 1) button.append(countOf(edge.count));
    if (edge.confidence !== "exact") button.append(element("span", { className: "doubt" }, edge.confidence));
    // The line is in the file of the source, whichever end this is.
    const place = edge.line && edge.source.file ? `${edge.source.file}:${edge.line}` : other.place;
    button.title = `${edge.source.name} ${words(edge.relation)} ${edge.target.name}\n${place}`;
    return button;
  }
}

function countOf(count) {
  return element("span", { className: "count" }, count.toLocaleString("en"));
}

function code(node) {
  if (!node.code) return [];
  const parts = [
    element("h3", {}, "Source"),
    element("pre", { className: "code", tabIndex: 0 }, colored(node.code, node.language)),
  ];
  if (node.omitted_lines) {
    parts.push(
      element("p", { className: "quiet" }, `${counted(node.omitted_lines, "more line")} in the file.`),
    );
  }
  return parts;
}

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A node as it is drawn, as large as a line of text. */
function glyph({ shape, letter, group, role }) {
  const points = {
    square:
      "M5 2.5h10a2.5 2.5 0 0 1 2.5 2.5v10a2.5 2.5 0 0 1-2.5 2.5H5A2.5 2.5 0 0 1 2.5 15V5A2.5 2.5 0 0 1 5 2.5Z",
    diamond: "M10 .8 19.2 10 10 19.2.8 10Z",
    hexagon: "M18.6 10 14.3 17.4H5.7L1.4 10 5.7 2.6h8.6Z",
    triangle: "M10 1.2 19 17H1Z",
    circle: "M10 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16Z",
  };
  const isOutside = role === "outside";
  const color = group ? `var(${group.color})` : "var(--ink-soft)";
  const shapes = svg("path", { d: points[shape] });
  shapes.style.fill = isOutside ? "none" : color;
  shapes.style.stroke = isOutside ? color : "none";
  if (isOutside) shapes.style.strokeDasharray = "3 2";
  const text = svg("text", { x: 10, y: shape === "triangle" ? 14.4 : 13.8, "text-anchor": "middle" }, letter);
  text.style.fill = isOutside ? color : "var(--on-group)";
  const made = svg("svg", { viewBox: "0 0 20 20", class: "glyph", "aria-hidden": "true" }, shapes, text);
  return made;
}

/** A short line as an edge is drawn. */
function sample(family, confidence) {
  const line = svg("line", { x1: 1, y1: 5, x2: 25, y2: 5, "stroke-dasharray": DASHES[confidence].join(" ") });
  line.style.stroke = family ? `var(--edge-${family})` : "var(--ink-soft)";
  return svg("svg", { viewBox: "0 0 26 10", class: "sample", "aria-hidden": "true" }, line);
}
