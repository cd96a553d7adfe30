// What colors, shapes and lines mean, and switches for each.

class Legend {
  /** `change` is called when something else is to be shown. */
  constructor(root, graph, change) {
    Object.assign(this, { root, graph, change });
    this.update();
  }

  update() {
    const { graph } = this;
    const numbered = (values, named = (value) => value) => {
      const counts = new Map();
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1]).map(([value, count]) => [named(value), count]);
    };
    const { relation: byRelation, relations: names, confidence } = graph.edges;
    const kinds = numbered(graph.nodes.map((node) => node.kind)).map(([kind, count]) => {
      const [shape, letter] = KINDS[kind] ?? ["circle", kind[0] ?? ""];
      return this.toggle(`kind:${kind}`, glyph({ shape, letter }), words(kind), count);
    });
    const relations = numbered(byRelation, (at) => names[at]).map(([relation, count]) =>
      this.toggle(`relation:${relation}`, sample(familyOf(relation), "exact"), words(relation), count),
    );
    const sure = new Map(numbered(confidence, (at) => CONFIDENCES[at]));
    const confidences = Object.keys(DASHES)
      .filter((name) => sure.has(name))
      .map((name) => this.toggle(`confidence:${name}`, sample(null, name), name, sure.get(name)));
    const groups = graph.groups.slice(0, COLORS).map((group) => {
      const dot = element("span", { className: "dot" });
      dot.style.background = `var(${group.color})`;
      return this.toggle(`group:${group.key}`, dot, group.label, group.count);
    });
    const rest = graph.groups.slice(COLORS);
    if (rest.length > 0) {
      groups.push(
        element("p", { className: "quiet" }, `and ${counted(rest.length, "smaller one")}, in gray`),
      );
    }
    const titles = {
      community: "Communities",
      directory: "Directories",
      file: "Files",
      kind: "Colors",
    };
    this.root.replaceChildren(
      ...section(titles[graph.grouping], groups),
      ...section("Kinds", kinds),
      ...section("Relations", relations),
      ...section("Confidence", confidences),
    );
  }

  toggle(name, picture, label, count) {
    const { hidden } = this.graph;
    const shownCount = count.toLocaleString("en");
    const button = element("button", { type: "button", className: "toggle", title: label });
    button.append(
      picture,
      element("span", { className: "name" }, label),
      element("span", { className: "count" }, shownCount),
    );
    const say = () => button.setAttribute("aria-pressed", String(!hidden.has(name)));
    button.onclick = () => {
      if (!hidden.delete(name)) hidden.add(name);
      say();
      this.change();
    };
    say();
    return button;
  }
}

function section(title, items) {
  return items.length === 0 ? [] : [element("h3", {}, title), ...items];
}
