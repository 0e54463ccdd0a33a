import type { Before } from '@ledgerline/contracts/events/event';

/** All fields after these changes, with the previous values of the changed ones; undefined if nothing changes. */
export function applyChanges<Fields extends object, Changes extends Partial<Fields>>(
  fields: Fields,
  changes: Changes,
): (Fields & Before<Changes>) | undefined {
  const held = fields as Readonly<Record<string, unknown>>;
  const changed = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !sameJson(value, held[name]),
  );
  if (changed.length === 0) return undefined;
  const before = Object.fromEntries(changed.map(([name]) => [name, held[name]])) as Partial<Changes>;
  return { ...fields, ...Object.fromEntries(changed), before };
}

/** What an event changed, field by field; empty for an event that is no change of fields. */
export function changesOf(data: object): Record<string, { readonly before: unknown; readonly after: unknown }> {
  const before = 'before' in data && typeof data.before === 'object' ? data.before : {};
  const after = data as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(before ?? {}).map(([name, value]) => [name, { before: value as unknown, after: after[name] }]),
  );
}

/** A copy without these fields. */
export function omit<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  ...names: readonly Name[]
): Omit<Fields, Name> {
  const left = Object.entries(fields).filter(([name]) => !names.some((gone) => gone === name));
  return Object.fromEntries(left) as Omit<Fields, Name>;
}

/** True for equal plain data; the order of names does not count. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}
