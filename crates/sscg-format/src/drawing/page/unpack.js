// Drawings from columns: nodes as objects, edges as columns, of which there may be hundreds of thousands.

const CONFIDENCES = ["exact", "inferred", "ambiguous"];

function unpack(packed) {
  const { nodes: columns, edges, services, ...rest } = packed;
  const named = ({ names, at }, i) => names[at[i]];
  const nodes = columns.name.map((name, i) => {
    const [start, end] = [columns.start[i] ?? 0, columns.end[i] ?? 0];
    const node = {
      name,
      kind: named(columns.kind, i),
      role: columns.role[i] ?? "member",
      file: named(columns.file, i),
      line: start,
      lines: start === 0 ? "" : `${start}-${end}`,
      language: named(columns.language, i),
      community: columns.community[i] < 0 ? undefined : columns.community[i],
      signature: columns.signature[i] ?? "",
      code: columns.code[i] ?? "",
      omitted_lines: columns.omitted_lines[i] ?? 0,
      members: columns.members[i] >= 0 ? columns.members[i] : undefined,
    };
    const short = name.slice(name.lastIndexOf(".") + 1);
    node.id = columns.id[i] ?? `${node.file}:${node.lines}:${node.kind}:${short}`;
    return node;
  });
  let source = 0;
  return {
    ...rest,
    nodes,
    edges: edgesOf(
      edges.target.map((target, i) => ({
        source: (source += edges.source[i]),
        target,
        relation: named(edges.relation, i),
        line: edges.line[i] ?? 0,
        confidence: edges.confidence[i] ?? 0,
        count: edges.count[i] ?? 0,
      })),
    ),
    services: services && unpack(services),
  };
}

/** The columns of some edges, in their order by source. */
function edgesOf(list) {
  const relations = [...new Set(list.map((edge) => edge.relation))];
  const numbers = new Map(relations.map((name, at) => [name, at]));
  return {
    length: list.length,
    relations,
    source: Uint32Array.from(list, (edge) => edge.source),
    target: Uint32Array.from(list, (edge) => edge.target),
    relation: Uint16Array.from(list, (edge) => numbers.get(edge.relation)),
    line: Uint32Array.from(list, (edge) => edge.line),
    confidence: Uint8Array.from(list, (edge) => edge.confidence),
    count: Uint32Array.from(list, (edge) => edge.count),
  };
}

/** The edges that start, or end, at each node: their numbers from `first[at]` to `first[at + 1]`. */
function byEnd(ends, count) {
  const first = new Uint32Array(count + 1);
  for (const end of ends) first[end + 1] += 1;
  for (let i = 0; i < count; i += 1) first[i + 1] += first[i];
  const next = first.slice();
  const edges = new Uint32Array(ends.length);
  ends.forEach((end, edge) => {
    edges[next[end]] = edge;
    next[end] += 1;
  });
  return { first, edges };
}
