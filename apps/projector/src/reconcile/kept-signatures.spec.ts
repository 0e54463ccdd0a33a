import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { ChangedSession } from '@ledgerline/domain/counting/changed-items';
import { changedSessions } from '@ledgerline/domain/counting/changed-sessions';
import { differencesOf } from '@ledgerline/domain/counting/differences';
import { rowsOfDifferences } from '@ledgerline/domain/counting/kept-differences';
import { layoutOf, mergePacks, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import { EVENT_NAMES, KEPT_COUNTS, OUTBOUND_LINKS, VISITS } from '@ledgerline/domain/counts/website-counts';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { ATTRIBUTES, sessionOf, type Attributes } from '@ledgerline/domain/sessions/session';
import fc from 'fast-check';
import { keptFindings } from './findings';
import { signPack } from './kept-signatures';
import { keptDifferences } from '../comparing/kept-difference';

const WEBSITE = 5;
const DAY_MS = 86_400_000;
const CALENDAR = calendarOf('UTC');

const someHit = fc.record({
  at: fc.integer({ min: 0, max: 4 * 24 }).map((hour) => hour * 3_600_000),
  kind: fc.constantFrom(HIT.view, HIT.custom, HIT.outgoing, HIT.error, HIT.engagement),
  path: fc.integer({ min: 0, max: 2 }),
  text: fc.integer({ min: 1, max: 2 }),
  extra: fc.integer({ min: 0, max: 1 }),
});
/** A session of each visitor. */
const visitors = fc.array(fc.array(someHit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 });
type Hits = readonly Omit<Parameters<typeof sessionOf>[2][number], 'id'>[];

const changesOf = (sessions: readonly Hits[], sign: 1 | -1 = 1): ChangedSession[] =>
  sessions.map((some, visitor) => {
    const hits = some
      .map((hit, nth) => ({ ...hit, id: (100 * visitor + nth).toString(16).padStart(32, '0') }))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    const attributes = Object.fromEntries(ATTRIBUTES.map((name) => [name, visitor % 2])) as Attributes;
    const session = sessionOf(visitor.toString(16).padStart(32, '0'), SESSION_KIND.client, hits, attributes);
    return { session, sign, website: WEBSITE, calendar: CALENDAR, visitor, number: visitor };
  });

const stored = (pack: PackRows) => ({ pack, unreadable: [] });

describe('what is kept of a count beside what should be', () => {
  it.each(KEPT_COUNTS.map((count) => [count.name, count] as const))(
    'differs in %s exactly where an item is missing, whatever packs it is in',
    (_, count) => {
      const layout = layoutOf(count);
      const partsOf = (changes: ChangedSession[]) =>
        rowsOfDifferences(layout, differencesOf(count, changedSessions(changes, [])));
      const signed = (pack: PackRows) => new Map([...signPack(count, pack)].map(({ day, sum }) => [day, sum]));
      const property = fc.property(visitors, fc.nat(), (sessions, place) => {
        const whole = mergePacks(layout, partsOf(changesOf(sessions)));
        const again = mergePacks(layout, [whole, ...partsOf(changesOf(sessions)), ...partsOf(changesOf(sessions, -1))]);
        expect(keptDifferences(count, stored(whole), stored(again))).toEqual([]);
        expect(signed(again)).toEqual(signed(whole));
        const reversed = mergePacks(layout, partsOf(changesOf(sessions).reverse()));
        expect(signed(reversed)).toEqual(signed(whole));
        const lost = mergePacks(
          layout,
          partsOf(changesOf(sessions.filter((_, nth) => nth !== place % sessions.length))),
        );
        const differences = keptDifferences(count, stored(whole), stored(lost));
        const [a, b] = [signed(whole), signed(lost)];
        const days = [...new Set([...a.keys(), ...b.keys()])].filter((day) => a.get(day) !== b.get(day));
        expect(new Set(differences.map(({ day }) => day))).toEqual(new Set(days));
        const mirrored = differences.map(({ expected, found, ...of }) => ({ ...of, expected: found, found: expected }));
        expect(new Set(keptDifferences(count, stored(lost), stored(whole)))).toEqual(new Set(mirrored));
      });
      fc.assert(property, { seed: 77, numRuns: 25 });
    },
  );

  it('names count, day and key of a row with both values', () => {
    const count = EVENT_NAMES.kept;
    const layout = layoutOf(count);
    const event = { at: 3 * DAY_MS, kind: HIT.custom, path: 0, text: 7, extra: 1 };
    const packOf = (hits: (typeof event)[]) =>
      mergePacks(layout, rowsOfDifferences(layout, differencesOf(count, changedSessions(changesOf([hits]), []))));
    const [one, two] = [packOf([event]), packOf([event, { ...event, at: event.at + 1 }])];
    const [row, ...others] = keptDifferences(count, stored(two), stored(one));
    expect(others).toEqual([]);
    const same = { value: 7, unique_users: { 0: 1 }, unique_sessions: { 0: 1 }, first_occurrence: event.at };
    expect(row).toMatchObject({ website: WEBSITE, day: 3, key: { value: 7 } });
    expect(keptFindings(count, [row!])).toEqual([
      {
        ...{ table: 'kept_counts.event_names', day: 3, missing: 0, extra: 0, changed: 1 },
        expected: { ...same, total_events: 2, last_occurrence: event.at + 1, events_with_properties: 2 },
        found: { ...same, total_events: 1, last_occurrence: event.at, events_with_properties: 1 },
      },
    ]);
  });

  it('is the same where extremes are left of items that were all taken away, but not of another latest item', () => {
    const count = OUTBOUND_LINKS.kept;
    const layout = layoutOf(count);
    const click = { at: 3 * DAY_MS, kind: HIT.outgoing, path: 0, text: 7, extra: 1 };
    const partsOf = (changes: ChangedSession[]) =>
      rowsOfDifferences(layout, differencesOf(count, changedSessions(changes, [{ value: 7, domain: 8 }])));
    const [added, removed] = [partsOf(changesOf([[click]])), partsOf(changesOf([[click]], -1))];
    const [nothing, taken] = [mergePacks(layout, []), mergePacks(layout, [...added, ...removed])];
    expect(taken.size).toBe(1);
    expect(keptDifferences(count, stored(nothing), stored(taken))).toEqual([]);
    const first = mergePacks(layout, added);
    const id = first.columns.findLast((column) => column.length > 0) as Float64Array;
    const other = {
      ...first,
      columns: first.columns.map((column) => (column === id ? id.map((word) => word + 1) : column)),
    };
    expect(keptDifferences(count, stored(first), stored(other))).toMatchObject([
      { day: 3, key: { value: 7, domain: 8 } },
    ]);
  });

  it('names the day of a pack that cannot be read', () => {
    const pack = mergePacks(layoutOf(VISITS.kept), []);
    const found = keptDifferences(VISITS.kept, stored(pack), { pack, unreadable: [{ website: WEBSITE, day: 9 }] });
    expect(keptFindings(VISITS.kept, found)).toMatchObject([{ table: 'kept_counts.sessions', day: 9, extra: 1 }]);
  });
});
