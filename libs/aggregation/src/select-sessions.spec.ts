import fc from 'fast-check';
import { isOfHits } from '@ledgerline/contracts/attributes';
import {
  type Numbers,
  SESSION_FIELDS,
  SESSION_FLAG,
  type SessionChunk,
  type SessionField,
  UNITS,
  UNIT_FIELDS,
  type Unit,
  chunkOfColumns,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { alternativesOf, selectsHits, type SelectingFilter, type ValueFilter } from './scope';
import { inScratch } from './scratch';
import { selectSessions } from './select-sessions';
import { decodeSessions } from './session-day';

/** A session as rows: what columns are made of. */
interface PlainSession {
  readonly visitor: number;
  readonly first_at: number;
  readonly isSingle: boolean;
  readonly country: number;
  readonly os_name: number;
  readonly units: Readonly<Record<Unit, readonly PlainUnit[]>>;
}
type PlainUnit = Readonly<Record<string, number>> & { readonly at: number; readonly path: number };

const unit = (name: Unit) =>
  fc.record(
    Object.fromEntries(UNIT_FIELDS[name].map((field) => [field, fc.integer({ min: 0, max: field === 'at' ? 6 : 2 })])),
  ) as fc.Arbitrary<PlainUnit>;

const plainSession: fc.Arbitrary<PlainSession> = fc.record({
  visitor: fc.integer({ min: -1, max: 5 }),
  first_at: fc.constantFrom(0, 4, 8),
  isSingle: fc.boolean(),
  country: fc.integer({ min: 0, max: 2 }),
  os_name: fc.integer({ min: 0, max: 2 }),
  units: fc.record({
    ...(Object.fromEntries(UNITS.map((name) => [name, fc.constant([])])) as unknown as Record<
      Unit,
      fc.Arbitrary<PlainUnit[]>
    >), // all units, by name
    views: units('views'),
    custom_events: units('custom_events'),
    outgoing_links: units('outgoing_links'),
  }),
});

function units(name: Unit): fc.Arbitrary<PlainUnit[]> {
  return fc.array(unit(name), { maxLength: 3 }).map((found) => found.sort((a, b) => a.at - b.at));
}

const valueFilter: fc.Arbitrary<ValueFilter> = fc.record({
  field: fc.constantFrom(
    ...['country', 'os_name', 'path', 'query_string', 'hostname', 'entry_page', 'exit_page', 'event'],
  ),
  values: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
  negated: fc.boolean(),
});
const filter: fc.Arbitrary<SelectingFilter> = fc.oneof(
  { weight: 3, arbitrary: valueFilter },
  { weight: 1, arbitrary: fc.record({ any: fc.array(valueFilter, { minLength: 1, maxLength: 3 }) }) },
);

const COUNTED_UNITS = ['views', 'custom_events'] as const;

const request = fc
  .record({
    filters: fc.array(filter, { maxLength: 3 }),
    from: fc.integer({ min: 0, max: 8 }),
    days: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ filters, from, days }) => ({ filters, from, to: from + days }));

describe('the sessions that a request selects', () => {
  it('are what plain loops select, in memory that was used before, too', () => {
    fc.assert(
      fc.property(fc.array(fc.array(plainSession, { maxLength: 6 }), { maxLength: 3 }), request, (parts, scope) => {
        inScratch(1_000_000, () => {
          const selected = selectSessions(decodeSessions(NO_ROWS, [], parts.map(chunkOf)), scope, COUNTED_UNITS);
          const hasPages = scope.filters.some(selectsHits);
          const isSelected = (name: Unit, session: PlainSession) => (each: PlainUnit) =>
            passesPages(name, each, session, scope.filters);
          const plain = parts
            .flat()
            .filter((session) => passesAttributes(session, scope.filters))
            .filter(
              (session) =>
                !hasPages || COUNTED_UNITS.some((name) => session.units[name].some(isSelected(name, session))),
            );
          const inRange = ({ at }: PlainUnit) => at >= scope.from && at < scope.to;
          const visitors = [...new Set(plain.map(({ visitor }) => visitor).filter((visitor) => visitor >= 0))];
          expect([...selected.visitors.numbers]).toEqual(plain.map(({ visitor }) => visitors.indexOf(visitor)));
          expect([...selected.field('os_name')]).toEqual(plain.map((session) => session.os_name));
          expect([...selected.isCounted]).toEqual(
            plain.map((session) =>
              Number(
                !session.isSingle &&
                  session.units.views.some(isSelected('views', session)) &&
                  inRange(session.units.views[0]!),
              ),
            ),
          );
          for (const name of COUNTED_UNITS) {
            const all = plain.flatMap((session, place) =>
              session.units[name].map((each) => ({
                ...each,
                place,
                os: session.os_name,
                isWanted: Number(isSelected(name, session)(each)),
              })),
            );
            const found = selected.unit(name);
            expect(found.size).toBe(all.length);
            expect([...found.places]).toEqual(all.map(({ place }) => place));
            expect([...found.counts]).toEqual(plain.map(({ units: each }) => each[name].length));
            expect([...found.field('at')]).toEqual(all.map(({ at }) => at));
            expect([...found.field('path')]).toEqual(all.map(({ path }) => path));
            expect([...found.field('os_name')]).toEqual(all.map(({ os }) => os));
            expect([...found.isSelected]).toEqual(all.map(({ isWanted }) => isWanted));
            expect([...found.isIn]).toEqual(all.map((each) => Number(inRange(each) && each.isWanted === 1)));
          }
        });
      }),
      { seed: 28, numRuns: 500 },
    );
  });

  it('have visits with the query string of their page view', () => {
    const views = [
      { at: 1, path: 1, query_string: 7 },
      { at: 2, path: 2, query_string: 0 },
      { at: 3, path: 1, query_string: 8 },
    ];
    const visits = [0, 1, 2, 3].map((at) => ({
      at,
      path: at === 2 ? 2 : 1,
      time_ms: at,
      scroll: -1,
      interactions: -1,
    }));
    const chunk = chunkOf([sessionWith({ views, visits })]);
    const visited = (values: number[], negated = false) => {
      const scope = { filters: [{ field: 'query_string', values, negated }], from: 0, to: 10 };
      const { isIn, field } = selectSessions(chunk, scope, ['views', 'visits']).unit('visits');
      return [...field('time_ms')].filter((_, at) => isIn[at] === 1);
    };
    expect(visited([7])).toEqual([1]);
    expect(visited([8])).toEqual([3]);
    expect(visited([0])).toEqual([0, 2]);
    expect(visited([8], true)).toEqual([0, 1, 2]);
  });

  it('fail to give what was not read', () => {
    const chunk = chunkOfColumns(1, new Map([['visitor', new Int32Array(1)]]), new Map());
    const selected = selectSessions(chunk, { filters: [], from: 0, to: 10 }, []);
    expect(() => selected.field('city')).toThrow('The city of sessions were not read.');
    expect(() => selected.unit('spans')).toThrow('The spans of sessions were not read.');
  });
});

function sessionWith(given: Partial<Record<Unit, readonly PlainUnit[]>>): PlainSession {
  const none = Object.fromEntries(UNITS.map((name) => [name, []])) as unknown as PlainSession['units']; // all, by name
  return { visitor: 0, first_at: 0, isSingle: false, country: 0, os_name: 0, units: { ...none, ...given } };
}

const passesAttributes = (session: PlainSession, filters: readonly SelectingFilter[]): boolean =>
  filters
    .filter((each) => !selectsHits(each))
    .every((each) => alternativesOf(each).some((one) => passesAttribute(session, one)));

function passesAttribute(
  { isSingle, units: { views, custom_events }, ...session }: PlainSession,
  { field, values, negated }: ValueFilter,
): boolean {
  if (isSingle || views.length === 0) return false;
  if (field === 'event') return custom_events.some(({ name = 0 }) => values.includes(name)) !== negated;
  const ofViews = { entry_page: views[0]!.path, exit_page: views.at(-1)!.path };
  const value = { ...session, ...ofViews }[field as 'country'];
  return values.includes(value) !== negated;
}

const OF_VIEWS = ['query_string'];

const passesPages = (
  name: Unit,
  each: PlainUnit,
  session: PlainSession,
  filters: readonly SelectingFilter[],
): boolean =>
  filters.filter(selectsHits).every((filter) =>
    alternativesOf(filter).some((one) => {
      if (!isOfHits(one.field)) return passesAttribute(session, one);
      const { field, values, negated } = one;
      const isOfViews = OF_VIEWS.includes(field);
      return values.includes(isOfViews && name !== 'views' ? 0 : (each[field] ?? 0)) !== negated;
    }),
  );

const NO_ROWS = { size: new Int32Array(), day: new Int32Array() };

function chunkOf(sessions: readonly PlainSession[]): SessionChunk {
  const numbers: Readonly<Record<string, (session: PlainSession) => number>> = {
    visitor: ({ visitor }) => visitor,
    flags: ({ isSingle }) => (isSingle ? SESSION_FLAG.single : 0),
    country: ({ country }) => country,
    os_name: (session) => session.os_name,
  };
  const fields = SESSION_FIELDS.map((name) => [name, Int32Array.from(sessions, numbers[name] ?? (() => 0))] as const);
  const times = ['first_at', Float64Array.from(sessions, (session) => session.first_at)] as const;
  return chunkOfColumns(
    sessions.length,
    new Map<SessionField, Numbers>([...fields, times]),
    new Map(UNITS.map((name) => [name, unitColumns(name, sessions)])),
  );
}

function unitColumns(name: Unit, sessions: readonly PlainSession[]) {
  const all = sessions.flatMap((session) => session.units[name]);
  return unitOfColumns(
    Int32Array.from(sessions, (session) => session.units[name].length),
    new Map(
      UNIT_FIELDS[name].map((field) => {
        const values = all.map((each) => each[field] ?? 0);
        return [field, field === 'at' ? Float64Array.from(values) : Int32Array.from(values)] as const;
      }),
    ),
  );
}
