import type { QueryTypeName } from '@ledgerline/client';
import { ATTRIBUTES, LISTED_ATTRIBUTES } from '@ledgerline/contracts/attributes';

/** The attribute that a goal is broken down by in the place of each list that can be seen so. */
const BREAKDOWNS: ReadonlyMap<string, string> = new Map([
  ['top_pages', 'path'],
  ['entry_pages', 'entry_page'],
  ...LISTED_ATTRIBUTES.filter((name) => ATTRIBUTES[name].kind !== 'version').map(
    (name) => [ATTRIBUTES[name].list.type, name] as const,
  ),
]);

/** Returns what is asked for a list: it itself, or how its values reach a goal; `isSeen` where a goal changes it. */
export function listParameter(type: QueryTypeName, goal: string | undefined) {
  const by = goal === undefined ? undefined : BREAKDOWNS.get(type);
  return goal === undefined || by === undefined
    ? ({ parameter: { name: type }, isSeen: false } as const)
    : ({ parameter: { name: 'goal_by', goal, by }, isSeen: true } as const);
}
