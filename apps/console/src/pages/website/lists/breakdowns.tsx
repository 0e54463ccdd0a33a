import { useQuery } from '@tanstack/react-query';
import { ATTRIBUTES, LISTED_ATTRIBUTES, WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import { PROPERTY } from '@ledgerline/contracts/definitions';
import { figuresQuery, type QueryScope } from '../../../api/figures';
import type { ConditionInput } from '../conditions/condition-kinds';
import { kindOfField } from '../view/filter-fields';
import { ListCell, type ListView } from './cell';

type Breakdown = readonly [name: string, label: string];

/** The attributes that all goals and funnels are broken down by. */
const BREAKDOWNS: readonly Breakdown[] = [
  ['path', 'Page'],
  ['entry_page', 'Entry page'],
  ...LISTED_ATTRIBUTES.filter((name) => ATTRIBUTES[name].kind !== 'version').map(
    (name) => [name, ATTRIBUTES[name].label] as const,
  ),
];

const MOST_PROPERTIES = 1_000;

/**
 * Returns what something is broken down by that begins with a condition: of custom events also their properties in the
 * range.
 */
export function useBreakdownDimensions(
  scope: QueryScope,
  condition: ConditionInput | undefined,
  by: string,
): readonly Breakdown[] {
  const isEvent = condition?.kind === 'event';
  const asked = figuresQuery(scope, { name: 'custom_event_properties', limit: MOST_PROPERTIES });
  const { data } = useQuery({ ...asked, enabled: isEvent, placeholderData: undefined });
  if (!isEvent) return BREAKDOWNS;
  const names = (condition.filters ?? []).flatMap((filter) =>
    'field' in filter && filter.field === 'name' && filter.op === 'eq' ? [filter.value] : [],
  );
  const rows = (data?.rows ?? []).filter(({ name }) => names.every((wanted) => wanted === name));
  const found = new Set(rows.map(({ property_key: key }) => `${PROPERTY}${key}`));
  if (by.startsWith(PROPERTY)) found.add(by);
  return [...BREAKDOWNS, ...[...found].sort().map((name) => [name, `Property ${keyIn(name)}`] as const)];
}

const keyIn = (by: string) => by.slice(PROPERTY.length);

/** The number of values of one that are shown. */
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
  const column = { field: 'value', header: by, kind: kindOfField(by), ...(filter && { filter }) };
  return <ListCell column={column} row={{ value }} view={view} timeZone="" />;
}
