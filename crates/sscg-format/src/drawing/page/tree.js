// The declarations of a large drawing as a tree that is opened in place: directories or packages, files, declarations.

/** Smaller communities are in one group. */
const SMALL_COMMUNITY = 8;

const LEVELS = {
  directory: ["square", "D"],
  package: ["square", "P"],
  community: ["hexagon", "C"],
  file: ["hexagon", "F"],
};

/** Directory, package, community or file: a node while it is closed, a circle around its parts while it is open. */
class Group {
  constructor(kind, id, name) {
    const [shape, letter] = LEVELS[kind];
    const label = kind === "community" ? name : name.slice(name.lastIndexOf("/") + 1);
    const file = kind === "file" ? name : "";
    Object.assign(this, { kind, id, name, shape, letter, file, label: cut(label), place: file, parts: [] });
    Object.assign(this, { isOpen: false, x: 0, y: 0, outgoing: [], incoming: [] });
  }

  get isGroup() {
    return true;
  }
}

class Tree {
  constructor(graph, unit) {
    this.graph = graph;
    this.root = new Group("directory", "", graph.project || "all");
    const groups = new Map();
    const into = (parent, kind, id, name) => {
      const key = `${kind} ${id}`;
      if (!groups.has(key)) {
        groups.set(key, new Group(kind, id, name));
        parent.parts.push(groups.get(key));
      }
      return groups.get(key);
    };
    const place = { directory: this.byDirectory, package: this.byPackage, community: this.byCommunity }[unit];
    place.call(this, into);
    for (const group of this.root.parts) if (group.isGroup) joinChains(group);
    while (this.root.parts.length === 1 && this.root.parts[0].kind === "directory") {
      this.root.parts = this.root.parts[0].parts;
    }
    /** The declarations in the order of the tree: those of each group are next to each other. */
    this.leaves = [];
    /** The groups, those around others first. */
    this.groups = [];
    this.count(this.root, null, 0);
    this.adopt();
    layOutNested(this);
    this.adopt();
  }

  /** Makes the tree the one that the nodes are in: their groups, and their places on the map. */
  adopt() {
    for (const group of this.groups) {
      group.parts.forEach((part, slot) => {
        Object.assign(part, { parent: group, depth: group.depth + 1, slot });
        if (!group.offsets) return;
        part.mapX = group.mapX + group.offsets[2 * slot];
        part.mapY = group.mapY + group.offsets[2 * slot + 1];
      });
    }
  }

  byDirectory(into) {
    for (const node of this.graph.nodes) this.inDirectories(into, this.root, "", node);
  }

  byPackage(into) {
    // The innermost package around a file is the one with the longest directory.
    const packages = Object.entries(this.graph.packages).sort((a, b) => b[0].length - a[0].length);
    const known = new Map();
    for (const node of this.graph.nodes) {
      if (!known.has(node.file)) {
        known.set(
          node.file,
          packages.find(([directory]) => directory === "" || node.file.startsWith(`${directory}/`)),
        );
      }
      const found = known.get(node.file);
      const group = found ? into(this.root, "package", found[0], found[1]) : this.root;
      this.inDirectories(into, group, found?.[0] ?? "", node);
    }
  }

  byCommunity(into) {
    const { nodes, communities } = this.graph;
    const sizes = new Map();
    for (const { community } of nodes) sizes.set(community, (sizes.get(community) ?? 0) + 1);
    for (const node of nodes) {
      const isSmall = node.community === undefined || sizes.get(node.community) < SMALL_COMMUNITY;
      const id = isSmall ? "small" : String(node.community);
      const label = communities[node.community]?.label || `community ${id}`;
      const group = into(this.root, "community", id, isSmall ? "small communities" : label);
      const file = into(group, "file", `${node.file}\n${id}`, node.file);
      file.parts.push(node);
    }
  }

  /** Puts a node into the groups of its directories, from that of a path on, and of its file. */
  inDirectories(into, parent, from, node) {
    const { file } = node;
    let group = parent;
    for (let at = file.indexOf("/", from && from.length + 1); at > 0; at = file.indexOf("/", at + 1)) {
      const directory = file.slice(0, at);
      group = into(group, "directory", directory, directory);
    }
    into(group, "file", file, file || "elsewhere").parts.push(node);
  }

  count(group, parent, depth) {
    group.parts.sort((a, b) => Boolean(b.isGroup) - Boolean(a.isGroup));
    Object.assign(group, { parent, depth, from: this.leaves.length });
    this.groups.push(group);
    for (const part of group.parts) {
      if (part.isGroup) this.count(part, group, depth + 1);
      else this.leaves.push(part);
    }
    group.to = this.leaves.length;
    group.members = group.to - group.from;
    group.degree = group.members;
  }

  /** Opens the largest groups, as long as no more than `most` nodes are shown. */
  open(most) {
    for (const group of this.groups) group.isOpen = false;
    this.root.isOpen = true;
    let shown = this.root.parts.length;
    const closed = this.root.parts.filter((part) => part.isGroup);
    for (;;) {
      closed.sort((a, b) => a.members - b.members);
      const at = closed.findLastIndex((group) => shown - 1 + group.parts.length <= most);
      if (at < 0) return;
      const [group] = closed.splice(at, 1);
      group.isOpen = true;
      shown += group.parts.length - 1;
      closed.push(...group.parts.filter((part) => part.isGroup));
    }
  }

  /** Opens a group, and what is alone in it, which would look the same. */
  turnOpen(group) {
    for (let inner = group; inner?.isGroup; inner = inner.parts.length === 1 ? inner.parts[0] : null) {
      inner.isOpen = true;
    }
  }

  /** Opens all groups around an item. */
  reveal(item) {
    for (let group = item.parent; group; group = group.parent) group.isOpen = true;
  }

  /** True if an item is inside a closed group. */
  isHidden(item) {
    for (let group = item.parent; group; group = group.parent) if (!group.isOpen) return true;
    return false;
  }

  /** Closes a group, and all in it. */
  close(group) {
    for (const inner of this.groups) {
      if (inner.depth >= group.depth && inner.from >= group.from && inner.to <= group.to) inner.isOpen = false;
    }
  }
}

/** Joins directories that contain one directory alone with that. */
function joinChains(group) {
  while (group.kind === "directory" && group.parts.length === 1 && group.parts[0].kind === "directory") {
    const [inner] = group.parts;
    const label = `${group.label}/${inner.label}`;
    Object.assign(group, { id: inner.id, name: inner.name, label: cut(label), parts: inner.parts });
  }
  for (const part of group.parts) if (part.isGroup) joinChains(part);
}

/** A label, no longer than a label should be. */
function cut(label) {
  return label.length > 34 ? `${label.slice(0, 16)}…${label.slice(-16)}` : label;
}
