export type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema of an OpenAPI document on its own, without examples and references: not every client follows them.
 * @throws Error for a schema that contains itself
 */
export function standaloneSchema(
  schema: Schema,
  named: Readonly<Record<string, object>>,
  within: readonly string[] = [],
): Schema {
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) return standaloneSchema(node, named, within);
    const kept = Object.entries(node).filter(([keyword]) => keyword !== 'example' || !('type' in node));
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, copy(value)]));
  };
  if (!('$ref' in schema)) return copy(schema) as Schema;
  const { $ref, ...beside } = schema;
  const name = String($ref).slice('#/components/schemas/'.length);
  if (within.includes(name)) throw new Error(`The schema ${name} contains itself.`);
  return { ...standaloneSchema(named[name] as Schema, named, [...within, name]), ...beside };
}

/** The same where a field that is null is one that was left out, without that: not every client reads a list of types. */
export function withoutNull<Node>(node: Node): Node {
  if (Array.isArray(node))
    return node.filter((each) => each !== null).map((each: unknown) => withoutNull(each)) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([keyword, value]: [string, unknown]) => {
    const types = keyword === 'type' && Array.isArray(value) ? value.filter((each) => each !== 'null') : [];
    return [keyword, types.length === 1 ? types[0] : withoutNull(value)] as const;
  });
  return Object.fromEntries(entries) as Node;
}
