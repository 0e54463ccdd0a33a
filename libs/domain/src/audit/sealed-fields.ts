/** An event, or what fields held before it, as people may see it. */
type Shown = <Details extends object>(details: Details) => Details;

/** That an encrypted or hashed field changed, not its text: values of rules may name people, and headers may be credentials. */
const withoutSealed =
  (field: 'ruleValues' | 'sealedHeaders' | 'passwordHash'): Shown =>
  (details) =>
    typeof details === 'object' && typeof (details as Record<string, unknown> | null)?.[field] === 'string'
      ? { ...details, [field]: 'encrypted' }
      : details;

export const withoutValues = withoutSealed('ruleValues');
export const withoutHeaders = withoutSealed('sealedHeaders');
export const withoutHash = withoutSealed('passwordHash');

/** The same of a change and of what was before it. */
export const changed =
  (shown: Shown) =>
  <Data extends { readonly before: object }>(data: Data): Data => ({ ...shown(data), before: shown(data.before) });
