import { ATTRIBUTES, LISTED_ATTRIBUTES, WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import { kindOfAttribute } from '../view/filter-fields';
import { Cell, type ListView } from './cell';

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

/** The api's name for what has no value, which nothing is filtered by. */
const NONE = '(none)';

interface BreakdownValueProps {
  readonly by: string;
  readonly value: string;
  readonly view: ListView;
}

/** A value that names a row of a breakdown; pressed, it filters. */
export function BreakdownValue({ by, value, view }: BreakdownValueProps) {
  const filter = value === NONE ? undefined : WEBSITE_FILTERS.find((name) => name === by);
  const column = { field: 'value', header: by, kind: kindOfAttribute(by), ...(filter && { filter }) };
  return <Cell column={column} row={{ value }} view={view} timeZone="" />;
}
