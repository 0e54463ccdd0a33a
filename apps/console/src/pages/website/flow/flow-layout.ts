/** A node of the tree of journeys, as the api answers it; the beginning has an empty path. */
export interface JourneyNode {
  readonly depth: number;
  readonly path: readonly string[];
  readonly sessions: number;
  /** Of them, those that go on no further. */
  readonly ended: number;
}

/** Where a node is drawn: shares (0 to 1) of the height, which is that of all sessions that go on from the beginning. */
export interface PlacedNode<Node extends JourneyNode> {
  readonly node: Node;
  readonly top: number;
  readonly height: number;
}

/**
 * Places the nodes of a tree, each after its parent; siblings are one below the other, in their order. `sizeOf`: the
 * sessions that a node is as high as, if not all of its own.
 */
export function placeNodes<Node extends JourneyNode>(
  nodes: readonly Node[],
  sizeOf: (node: Node) => number = ({ sessions }) => sessions,
): readonly PlacedNode<Node>[] {
  const placed: PlacedNode<Node>[] = [];
  const ends = new Map<string, number>(); // by path, where the next branch begins
  const [begin] = nodes;
  const left = nodes.filter(({ depth }) => depth === 1).map((node) => node.sessions - sizeOf(node));
  const whole = begin ? left.reduce((size, undrawn) => size - undrawn, begin.sessions - begin.ended) : 0;
  for (const node of nodes) {
    const parent = JSON.stringify(node.path.slice(0, -1));
    const top = node.depth === 0 ? 0 : (ends.get(parent) ?? 0);
    const height = node.depth === 0 ? 1 : sizeOf(node) / whole;
    placed.push({ node, top, height });
    if (node.depth > 0) ends.set(parent, top + height);
    const own = JSON.stringify(node.path);
    if (!ends.has(own)) ends.set(own, top); // the rest may have the name of a page
  }
  return placed;
}
