/** What must be there because it was just written. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Something that was just written is not there.');
  return value;
}
