import { ATTRIBUTES, LISTED_ATTRIBUTES } from '@ledgerline/contracts/attributes';

/** What goals and funnels are broken down by. */
export const BREAKDOWNS: readonly (readonly [name: string, label: string])[] = [
  ['path', 'Page'],
  ['entry_page', 'Entry page'],
  ...LISTED_ATTRIBUTES.filter((name) => ATTRIBUTES[name].kind !== 'version').map(
    (name) => [name, ATTRIBUTES[name].label] as const,
  ),
];

/** How many values of one are shown. */
export const SHOWN_VALUES = 20;
