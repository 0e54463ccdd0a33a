/**
 * A copy of a document in which objects have no fields beyond those that it describes, so that a new field of a response
 * is noticed. Clients must not be that strict: fields may be added at any time.
 */
export function strict<Of>(node: Of): Of {
  if (Array.isArray(node)) return node.map((each: unknown) => strict(each)) as Of;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node as Readonly<Record<string, unknown>>).map(([name, value]) => [
      name,
      name === 'discriminator' ? withoutMapping(value as { propertyName: string }) : strict(value),
    ]),
  ) as Of;
  return isClosable(node) ? { ...copy, additionalProperties: false } : copy;
}

/** The library finds the schemas by themselves, and refuses a mapping. */
const withoutMapping = ({ propertyName }: { propertyName: string }) => ({ propertyName });

const isClosable = (node: object): boolean =>
  'properties' in node && 'type' in node && node.type === 'object' && !('additionalProperties' in node);
