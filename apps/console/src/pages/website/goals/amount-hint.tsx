import { useQuery } from '@tanstack/react-query';
import { figuresQuery, type QueryScope } from '../../../api/figures';
import type { ConditionDraft } from '../conditions/condition-draft';
import type { ValueList } from '../conditions/condition-kinds';
import { formatFigure } from '../format';

/** The name of the only custom event that meets a condition; undefined where it can be several. */
export function eventIn({ kind, filters }: ConditionDraft): string | undefined {
  const named = filters.flatMap((filter) =>
    'field' in filter && filter.field === 'name' && filter.op === 'eq' ? [filter.value] : [],
  );
  return kind === 'event' && named.length === 1 ? named[0] : undefined;
}

/** Names of properties that hold numbers: of an event, or of all of them. */
export const amountsOf = (event: string | undefined): ValueList => ({
  type: 'custom_event_properties',
  value: 'property_key',
  count: 'count',
  unit: 'events',
  atLeastOne: 'numeric_count',
  ...(event === undefined ? {} : { of: 'name' }),
});

const MOST_ROWS = 1_000;

interface AmountHintProps {
  readonly event: string;
  readonly property: string;
  readonly scope: QueryScope;
}

/**
 * Says that no event has a property, and which ones with numbers there are; nothing where some have it, or none is
 * known.
 */
export function AmountHint({ event, property, scope }: AmountHintProps) {
  const properties = useQuery(figuresQuery(scope, { name: 'custom_event_properties', limit: MOST_ROWS }));
  const events = useQuery(figuresQuery(scope, { name: 'custom_events', limit: MOST_ROWS }));
  const own = properties.data?.rows.filter(({ name }) => name === event) ?? [];
  const total = events.data?.rows.find(({ name }) => name === event)?.total_events ?? 0;
  if (total === 0 || own.some(({ property_key: key }) => key === property)) return null;
  const seen = [...new Set(own.filter((row) => row.numeric_count > 0).map(({ property_key: key }) => key))];
  return (
    <p className="hint" role="status">
      {formatFigure('count', total)} {total === 1 ? 'event has' : 'events have'} no property <code>{property}</code>
      {seen.length > 0 && (
        <>
          ; seen: <code>{seen.join(', ')}</code>
        </>
      )}
      .
    </p>
  );
}
