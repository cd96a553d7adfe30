// Finding nodes by what is typed.

/** So many of them are listed. */
const MOST_MATCHES = 9;

class Search {
  /** `change` is called with the nodes that match, or with null if nothing is searched for; `go` with one to show. */
  constructor(input, list, graph, { change, go }) {
    Object.assign(this, { input, list, graph, change, go, found: [], active: -1 });
    input.addEventListener("input", () => this.find());
    input.addEventListener("keydown", (event) => this.press(event));
    input.addEventListener("focus", () => this.find());
    input.addEventListener("blur", () => {
      list.hidden = true;
    });
  }

  find() {
    const wanted = this.input.value.trim().toLowerCase();
    this.found = wanted === "" ? [] : ranked(this.graph.nodes, wanted);
    this.active = -1;
    this.list.hidden = wanted === "" || document.activeElement !== this.input;
    this.render();
    this.change(wanted === "" ? null : new Set(this.found));
  }

  clear() {
    this.input.value = "";
    this.find();
    this.input.blur();
  }

  press(event) {
    if (event.key === "Escape") this.clear();
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: event.shiftKey ? -1 : 1 }[event.key];
    if (step === undefined || this.found.length === 0) return;
    event.preventDefault();
    this.active = (this.active + step + this.found.length) % this.found.length;
    this.render();
    this.go(this.found[this.active]);
  }

  render() {
    const first = Math.max(0, Math.min(this.active - 4, this.found.length - MOST_MATCHES));
    const items = this.found.slice(first, first + MOST_MATCHES).map((node) => {
      const name = element("span", { className: "name" }, node.name);
      const item = element("li", {}, glyph(node), name, element("span", { className: "where" }, node.place));
      item.classList.toggle("active", node === this.found[this.active]);
      // Before the input loses the focus, and the list is gone.
      item.onmousedown = (event) => {
        event.preventDefault();
        this.active = this.found.indexOf(node);
        this.render();
        this.go(node);
      };
      return item;
    });
    const at = this.active < 0 ? "" : `${this.active + 1} of `;
    const found = `${at}${this.found.length} found, Enter for the next`;
    const told = this.found.length === 0 ? "Nothing has that in its name" : found;
    this.list.replaceChildren(...items, element("li", { className: "quiet" }, told));
  }
}

/** The nodes with a text in their name or place, those that begin with it first. */
function ranked(nodes, wanted) {
  const rank = (node) => {
    const name = node.name.toLowerCase();
    const last = name.slice(name.lastIndexOf(".") + 1);
    if (last === wanted || name === wanted) return 0;
    if (last.startsWith(wanted)) return 1;
    if (name.includes(wanted)) return 2;
    return node.file.toLowerCase().includes(wanted) || node.kind.startsWith(wanted) ? 3 : 4;
  };
  return nodes
    .map((node) => [rank(node), node])
    .filter(([at]) => at < 4)
    .sort((a, b) => a[0] - b[0] || b[1].degree - a[1].degree)
    .map(([, node]) => node);
}
