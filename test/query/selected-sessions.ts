import { SESSION_FLAG, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import { groupsOf, visitorOrder } from '@ledgerline/domain/counting/groups';
import type { Table } from '@ledgerline/domain/counting/tables';
import { isSessionField } from '@ledgerline/domain/counting/items';
import type { LookedUp, SelectedSessions, SelectedUnits } from '@ledgerline/domain/counting/asked';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import type { Question } from '../../apps/api/src/query/declaration/query-context';

/** A session as a spec gives it; all that is left out is 0. */
export interface SomeSession {
  readonly visitor?: number;
  readonly fields?: Readonly<Partial<Record<SessionField, number>>>;
  readonly isCounted?: boolean;
  readonly isSingle?: boolean;
  readonly units?: Readonly<Partial<Record<Unit, readonly SomeUnit[]>>>;
}

/** Selected by filters on pages and in the range, unless it is marked. */
export type SomeUnit = Readonly<Record<string, number>> & { readonly isOut?: 1; readonly isUnselected?: 1 };

/** These sessions as columns. */
export function selectedSessions(sessions: readonly SomeSession[]): SelectedSessions {
  const fieldOf = (name: SessionField) =>
    Float64Array.from(sessions, ({ fields = {}, isSingle }) =>
      name === 'flags' && isSingle ? SESSION_FLAG.single : (fields[name] ?? 0),
    );
  const unitsOf = (name: Unit): SelectedUnits => {
    const all = sessions.flatMap(({ units = {} }, place) => (units[name] ?? []).map((unit) => ({ unit, place })));
    return {
      size: all.length,
      counts: Int32Array.from(sessions, (_, nth) => all.filter(({ place }) => place === nth).length),
      places: Int32Array.from(all, ({ place }) => place),
      isSelected: Uint8Array.from(all, ({ unit }) => (unit.isUnselected ? 0 : 1)),
      isIn: Uint8Array.from(all, ({ unit }) => (unit.isUnselected || unit.isOut ? 0 : 1)),
      field: (field: string) =>
        isSessionField(field)
          ? Float64Array.from(all, ({ place }) => fieldOf(field)[place] ?? 0)
          : Float64Array.from(all, ({ unit }) => unit[field] ?? 0),
    };
  };
  return {
    size: sessions.length,
    byVisitor: visitorOrder(groupsOf(Int32Array.from(sessions, ({ visitor = -1 }) => visitor))),
    isCounted: Uint8Array.from(sessions, ({ isCounted }) => (isCounted ? 1 : 0)),
    field: fieldOf,
    unit: unitsOf,
  };
}

/** A table as rows. */
export const rowsOfTable = ({ size, columns }: Table): Readonly<Record<string, number | null>>[] =>
  Array.from({ length: size }, (_, row) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, { [row]: value = NaN }]) => [name, Number.isNaN(value) ? null : value]),
    ),
  );

/** What a type counts of these sessions. */
export function countedRows(
  { name, sessionColumns }: QueryType,
  sessions: readonly SomeSession[],
  { given = {}, lookup = [] }: { readonly given?: Partial<Question>; readonly lookup?: readonly LookedUp[] } = {},
) {
  if (!sessionColumns) throw new Error(`${name} is not counted from sessions.`);
  return rowsOfTable(
    sessionColumns.count({ sessions: selectedSessions(sessions), question: someQuestion(given), lookup }),
  );
}

/** A question of which a count only reads what is given. */
export const someQuestion = (given: Partial<Question> = {}): Question =>
  ({
    page: { page: 1, limit: 1000 },
    sort: null,
    buckets: [],
    from: 0,
    to: 1000,
    filters: [],
    minSamples: 1,
    ...given,
  }) as Question; // all other fields are about SQL
