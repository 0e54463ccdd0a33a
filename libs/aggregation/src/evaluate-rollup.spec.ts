import fc from 'fast-check';
import {
  type Aggregate,
  type Rollup,
  positive,
  storedFigure,
  type StoredFigure,
} from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES, ROLLUPS, rollupNamed, viewsBy } from '@ledgerline/contracts/aggregates/website-aggregates';
import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  type SessionAttributes,
  type Session,
  binValue,
  durationBin,
  sessionOf,
} from '@ledgerline/contracts/sessions/session';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { someRequest } from '@test/query/selected-sessions';
import { columnOfKey, isBucket, marksOf } from './aggregate-terms';
import type { ChangedSession } from './changed-rows';
import { changedSessions } from './changed-sessions';
import { deltasOf, rowsOfDeltas } from './deltas';
import { evaluateAggregate, readsOfAggregate } from './evaluate-aggregate';
import { RollupPartReader, decodeRollupPart, encodeRollupPart } from './rollup-codec';
import { layoutOf, mergeRollupParts, mergeRollupRows, type RollupRows } from './rollup-part';
import { RollupRange } from './rollup-range';
import { type CountScope, BUCKET } from './scope';
import { type ColumnTable, tableColumn } from './tables';

const RUNS = Number(process.env['PROJECTION_RUNS'] ?? 60);
const CALENDAR = calendarOf('UTC');
const DAYS = 6;
const LOOKUP = [1, 2, 3].map((value) => ({ value, domain: 10 + (value % 2) }));

const someHit = fc.record({
  at: fc.integer({ min: 0, max: DAYS * 24 }).map((hour) => hour * 3_600_000),
  kind: fc.constantFrom(HIT.view, HIT.view, HIT.custom, HIT.outgoing, HIT.error, HIT.engagement),
  path: fc.integer({ min: 0, max: 3 }),
  hostname: fc.constant(0),
  values: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 2 })),
  from: fc.constant(0),
  id: fc.integer({ min: 0, max: 2 ** 31 }).map((number) => number.toString(16).padStart(32, '0')),
});
const someSession = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    isSingle: fc.boolean(),
    value: fc.integer({ min: 0, max: 2 }),
    hits: fc.uniqueArray(someHit, { minLength: 1, maxLength: 5, selector: ({ id }) => id }),
  })
  .map(({ id, isSingle, value, hits }) => {
    const [first] = hits;
    const attributes = Object.fromEntries(SESSION_ATTRIBUTES.map((name) => [name, value])) as SessionAttributes;
    const kind = isSingle ? SESSION_KIND.none : SESSION_KIND.client;
    const some = isSingle && first ? [first] : [...hits].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    return sessionOf(id.toString(16).padStart(32, '0'), kind, some, attributes);
  });
const visitors = fc.array(fc.uniqueArray(someSession, { maxLength: 5, selector: ({ id }) => id }), {
  minLength: 4,
  maxLength: 4,
});

/** The changes of visitors, the last of whom has none. */
const changesOf = (before: readonly Session[][], after: readonly Session[][]): ChangedSession[] =>
  after.flatMap((sessions, nth) => {
    const old = before[nth] ?? [];
    const of = { website: 5, calendar: CALENDAR, visitor: nth === after.length - 1 ? -1 : nth };
    const numberOf = ({ kind, id }: Session) => (kind === SESSION_KIND.none ? -1 : 100 * nth + Number.parseInt(id, 16));
    const changed = (session: Session, sign: 1 | 0 | -1) => ({ session, sign, number: numberOf(session), ...of });
    return [
      ...old.filter((session) => !sessions.includes(session)).map((session) => changed(session, -1)),
      ...sessions.map((session) => changed(session, old.includes(session) ? 0 : 1)),
    ];
  });

function packOf(count: Rollup, before: readonly Session[][], after: readonly Session[][]): Uint8Array {
  const layout = layoutOf(count);
  const changes = deltasOf(count, changedSessions(changesOf(before, after), LOOKUP));
  return encodeRollupPart(layout, mergeRollupParts(layout, rowsOfDeltas(layout, changes)));
}

function merged(count: Rollup, packs: readonly Uint8Array[]): Uint8Array {
  const parts = packs.map((bytes): RollupRows => {
    const part = decodeRollupPart(count, bytes);
    return { ...part, website: new Int32Array(part.size) };
  });
  return encodeRollupPart(layoutOf(count), mergeRollupRows(count, parts));
}

/** As it counts in a range that begins and ends with these days. */
function collapsed(count: Rollup, bytes: Uint8Array, since: number, until: number): Uint8Array {
  const range = new RollupRange(count, { since, until, packsOf: () => [bytes] });
  return encodeRollupPart(layoutOf(count), range.preAggregated(since));
}

function request(since: number, until: number) {
  const days = Array.from({ length: until - since + 1 }, (_, nth) => since + nth);
  return someRequest({ series: { days, stretches: [] } });
}

function fromKept(count: Aggregate, packs: ReadonlyMap<string, readonly Uint8Array[]>, since: number, until: number) {
  const rollups = { since, until, packsOf: (name: string) => packs.get(name) ?? [] };
  const scope = { request: request(since, until), lookup: [], rollups } as unknown as CountScope; // without sessions, which are not read
  return rowsOf(evaluateAggregate(count, scope));
}

/** In plain loops over the items of all sessions. */
function plainly(count: Aggregate, sessions: readonly Session[][], since: number, until: number) {
  const all = changedSessions(changesOf([], sessions), LOOKUP);
  const { items, isIn, days } = all.itemsOf(count);
  const marks = count.only && marksOf(count.only, items);
  const places = Array.from({ length: items.size }, (_, at) => at).filter(
    (at) => isIn[at] !== 0 && (days[at] as number) >= since && (days[at] as number) <= until && marks?.[at] !== 0,
  );
  const columns = Object.values(count.by ?? {}).map((key) =>
    isBucket(key) ? days.map((day) => day - since + 1) : columnOfKey(key, items),
  );
  const keysAt = (at: number) => JSON.stringify(columns.map((column) => column[at]));
  const groups = new Map<string, number[]>(count.by ? [] : [['[]', []]]);
  for (const at of places) {
    if (columns.some((column) => (column[at] as number) < 0)) continue;
    groups.set(keysAt(at), [...(groups.get(keysAt(at)) ?? []), at]);
  }
  const names = Object.keys(count.by ?? {});
  return Array.from(groups, ([key, group]) => {
    const values = (JSON.parse(key) as number[]).map((value, nth) => [names[nth], value] as const);
    const figures = Object.entries(count.measures).map(
      ([name, measure]) => [name, plainFigure(storedFigure(measure), differentField(measure), group)] as const,
    );
    return Object.fromEntries([...values, ...figures]) as Record<string, number | null>;
  });

  function plainFigure(keeps: StoredFigure | undefined, field: string, group: readonly number[]): number | null {
    if (!keeps) return new Set(group.map((at) => items.field(field)[at])).size;
    const wanted = keeps.where && marksOf(keeps.where, items);
    const some = group.filter((at) => wanted?.[at] !== 0);
    const fieldAt = (name: string) => (at: number) => items.field(name)[at] as number;
    const placeOf = (at: number) => items.places[at] as number;
    if (keeps.what === 'visitors' || keeps.what === 'sessions') {
      const of = keeps.what === 'visitors' ? all.visitors : all.numbers;
      return new Set(some.map((at) => of[placeOf(at)] as number).filter((number) => number >= 0)).size;
    }
    if (keeps.what === 'sum') return some.reduce((sum, at) => sum + (keeps.field ? fieldAt(keeps.field)(at) : 1), 0);
    if (some.length === 0 || !('field' in keeps)) return null;
    const own = some.map(fieldAt(keeps.field)).sort((a, b) => a - b);
    if (keeps.what === 'bins') return binValue(durationBin(own[Math.ceil(own.length / 2) - 1] as number));
    if (keeps.what !== 'latest') return (keeps.what === 'least' ? own[0] : own.at(-1)) as number;
    const later = (a: number, b: number) =>
      keeps.by.map((name) => fieldAt(name)(b) - fieldAt(name)(a)).find((way) => way !== 0) ?? 0;
    return fieldAt(keeps.field)([...some].sort(later)[0] as number);
  }
}

const rowsOf = (table: ColumnTable) =>
  Array.from({ length: table.size }, (_, row) =>
    Object.fromEntries(
      Object.keys(table.columns).map((name) => {
        const value = tableColumn(table, name)[row] as number;
        return [name, Number.isNaN(value) ? null : value];
      }),
    ),
  );

/** Without rows in which nothing is counted, and without extremes, which what was taken away leaves behind. */
function compared(
  count: Aggregate,
  rows: readonly Readonly<Record<string, number | null>>[],
  isWhole: boolean,
): string[] {
  const kinds = Object.entries(count.measures).map(
    ([name, measure]) => [name, storedFigure(measure)?.what ?? 'different'] as const,
  );
  const counted = kinds.filter(([, what]) => ['sum', 'visitors', 'sessions', 'bins'].includes(what));
  const extremes = kinds.filter(([, what]) => ['least', 'greatest', 'latest'].includes(what)).map(([name]) => name);
  return rows
    .filter((row) => !count.by || counted.some(([name]) => (row[name] ?? 0) !== 0))
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .filter(([name]) => isWhole || !extremes.includes(name))
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
    .sort();
}

const differentField = (measure: Aggregate['measures'][string]): string =>
  typeof measure === 'object' && 'different' in measure ? measure.different[0] : '';

const COUNTS: readonly Aggregate[] = [
  ...Object.values(AGGREGATES),
  { ...AGGREGATES.views, by: { bucket: BUCKET } },
  { ...AGGREGATES.outbound_links, by: { value: 'href' } },
  { ...viewsBy('referrer', true) },
  { ...AGGREGATES.errors, measures: { errors: 'count', names: { different: ['message', 'error_messages'] } } },
  {
    ...AGGREGATES.event_pages,
    measures: { ...AGGREGATES.event_pages.measures, names: { different: ['name', 'event_names_of_pages'] } },
  },
  {
    ...AGGREGATES.custom_events,
    by: { bucket: BUCKET },
    measures: { ...AGGREGATES.custom_events.measures, names: { different: ['name', 'event_names'] } },
  },
  { ...AGGREGATES.pages, only: positive('path') },
];

it('counts add up from the differences of any changes, merged in any way, as from all sessions', () => {
  fc.assert(
    fc.property(
      fc.array(visitors, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 3 }),
      fc.tuple(fc.integer({ min: 0, max: DAYS }), fc.integer({ min: 0, max: DAYS })),
      (states, mergedUpTo, range) => {
        const [since = 0, until = 0] = [...range].sort((a, b) => a - b);
        const last = states.at(-1) ?? [];
        const packs = new Map(
          ROLLUPS.map((count) => {
            const each = states.map((state, nth) => packOf(count, states[nth - 1] ?? [], state));
            return [count.name, [merged(count, each.slice(0, mergedUpTo)), ...each.slice(mergedUpTo)]];
          }),
        );
        for (const count of COUNTS) {
          const found = compared(count, fromKept(count, packs, since, until), states.length === 1);
          const { by = {} } = count;
          const rollup = rollupNamed(count.rollup ?? '');
          if (!Object.values(by).some(isBucket)) {
            const [first, ...others] = packs.get(rollup.name) ?? [];
            const some = new Map(packs).set(rollup.name, [
              collapsed(rollup, first as Uint8Array, since, until),
              ...others,
            ]);
            expect(compared(count, fromKept(count, some, since, until), true)).toEqual(
              compared(count, fromKept(count, packs, since, until), true),
            );
          }
          expect([rollup.name, found]).toEqual([
            rollup.name,
            compared(count, plainly(count, last, since, until), states.length === 1),
          ]);
        }
      },
    ),
    { seed: 44, numRuns: RUNS },
  );
});

it('what is taken away again leaves nothing in what is merged', () => {
  const some = fc.sample(visitors, { numRuns: 20, seed: 44 }).flat();
  const none = some.map((): Session[] => []);
  const sums = ROLLUPS.filter(({ figures }) =>
    figures.every(({ stored }) => !['least', 'greatest', 'latest'].includes(stored.what)),
  );
  for (const count of sums) {
    const there = packOf(count, none, some);
    const empty = new RollupPartReader(layoutOf(count), merged(count, [there, packOf(count, some, none)])).size;
    expect([count.name, empty]).toEqual([count.name, 0]);
  }
  const pages = packOf(rollupNamed('pages'), none, some);
  expect(decodeRollupPart(rollupNamed('pages'), pages).size).toBeGreaterThan(0);
});

it('a count that does not follow from what is kept is refused', () => {
  const people = { ...AGGREGATES.pages, by: {}, measures: { people: 'visitors' } } as const;
  expect(() => readsOfAggregate(people)).toThrow(/The people of pages_\w{8} do not add up\./);
  expect(() => readsOfAggregate({ ...AGGREGATES.pages, by: { value: 'query_string' } })).toThrow(
    /Of pages_\w{8} nothing is stored by query_string\./,
  );
});
