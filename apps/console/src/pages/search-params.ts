/** One parameter of the address of a page, without what is no text or empty. */
export function optionalText<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { [Key in Name]?: string } {
  const value = search[name];
  const isGiven = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return (isGiven ? { [name]: String(value) } : {}) as { [Key in Name]?: string }; // a computed name is typed as string
}

/** Returns whether it is a `YYYY-MM-DD` of a day that exists; `Date` takes a 30 February for a day in March. */
export function isExistingDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
