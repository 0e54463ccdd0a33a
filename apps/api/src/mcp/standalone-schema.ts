export type Schema = Readonly<Record<string, unknown>>;

/** A schema of an OpenAPI document on its own, with what it refers to under `$defs` and without examples. */
export function standaloneSchema(schema: Schema, named: Readonly<Record<string, object>>): Schema {
  const used: Record<string, unknown> = {};
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) return { $ref: `#/$defs/${use(nameIn(node.$ref))}` };
    const kept = Object.entries(node).filter(([keyword]) => keyword !== 'example' || !('type' in node));
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, copy(value)]));
  };
  const use = (name: string): string => {
    if (!Object.hasOwn(used, name)) {
      used[name] = {}; // it may refer to itself
      used[name] = copy(named[name]);
    }
    return name;
  };
  const root = copy('$ref' in schema ? named[nameIn(schema['$ref'])] : schema) as Schema;
  return Object.keys(used).length === 0 ? root : { ...root, $defs: used };
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

const nameIn = (ref: unknown): string => String(ref).slice('#/components/schemas/'.length);
