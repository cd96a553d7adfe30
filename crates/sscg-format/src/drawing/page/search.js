// Finding nodes by what is typed.

/** So many of them are listed. */
const MOST_MATCHES = 9;

class Search {
  /** `change` is called with the items that match, or with null if nothing is searched for; `go` with one to show. `ask`, if any,
   * returns results for a question from the server, as nodes. */
  constructor(input, list, graph, { change, go, ask }) {
    Object.assign(this, { input, list, graph, change, go, ask, found: [], answered: new Set(), active: -1 });
    input.addEventListener("input", () => this.find());
    input.addEventListener("keydown", (event) => this.press(event));
    input.addEventListener("focus", () => this.find());
    input.addEventListener("blur", () => {
      list.hidden = true;
    });
  }

  find() {
    const wanted = this.input.value.trim().toLowerCase();
    const { nodes, tree } = this.graph;
    const all = tree ? [...tree.groups.slice(1), ...nodes] : nodes;
    this.found = wanted === "" ? [] : ranked(all, wanted);
    this.answered = new Set();
    this.active = -1;
    this.list.hidden = wanted === "" || document.activeElement !== this.input;
    this.render();
    this.mark();
    clearTimeout(this.timer);
    if (this.ask && wanted !== "") this.timer = setTimeout(() => this.askServer(this.input.value), 300);
  }

  /** Adds the results of the index, which also reads code and comments. */
  async askServer(question) {
    const nodes = await this.ask(question);
    if (nodes === null || question !== this.input.value) return;
    const known = new Set(this.found);
    const added = nodes.filter((node) => !known.has(node));
    this.answered = new Set(added);
    // Names that are the question stay first.
    const names = this.found.filter((node) => namesOf(node).stem === question.trim().toLowerCase());
    this.found = [...new Set([...names, ...nodes, ...this.found])];
    this.render();
    this.mark();
  }

  /** Marks the matches in the graph, as it is shown now. */
  mark() {
    this.change(this.input.value.trim() === "" ? null : new Set(this.found));
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
      if (this.answered.has(node)) item.title = "Found by the index: not by its name";
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
    const told = this.found.length === 0 ? "Nothing has that in its name or path" : found;
    this.list.replaceChildren(...items, element("li", { className: "quiet" }, told));
  }
}

/** The nodes with a text in their name or place: those with this name first, then those whose name begins with it. */
function ranked(nodes, wanted) {
  const found = [[], [], [], [], []];
  for (const node of nodes) {
    node.names ??= namesOf(node);
    const { whole, last, stem } = node.names;
    if (last === wanted || stem === wanted || whole === wanted) found[0].push(node);
    else if (last.startsWith(wanted)) found[1].push(node);
    else if (stem.includes(wanted)) found[2].push(node);
    else if (whole.includes(wanted)) found[3].push(node);
    else if (node.file.toLowerCase().includes(wanted) || node.kind.startsWith(wanted)) found[4].push(node);
  }
  return found.flatMap((nodes) => nodes.sort((a, b) => b.degree - a.degree));
}

/** The parts of a name that the search compares. What ends the name of a file is not one: `py` is the name of none. */
function namesOf({ name, kind }) {
  const whole = name.toLowerCase();
  const isPath = ["file", "directory", "package"].includes(kind);
  const last = whole.slice(whole.lastIndexOf(isPath ? "/" : ".") + 1);
  return { whole, last, stem: kind === "file" ? last.replace(/(?<=.)\.[^.]*$/, "") : last };
}
