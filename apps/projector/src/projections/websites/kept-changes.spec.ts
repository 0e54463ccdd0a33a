import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { latestTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import { ALWAYS, splitByWindow } from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import { supersededIn, type SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { addsSomething, FoldedRows, mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import fc from 'fast-check';
import { traffic } from '@test/oracle/random-traffic';
import { EVENT_FACTS, FACT_SUMS } from './event-facts.projections';
import type { FactColumns } from './fact-sums';
import { KeptChanges } from './kept-changes';
import { KEPT_TABLES } from './kept-tables';
import { readHit, type ReadHit, type WebsiteEvent } from './read-hit';
import { intoBlocks } from './into-blocks';
import { expandRows } from './rollup';
import { tableRows } from './table-rows';
import { ROLLUPS } from './rollups';
import { StringInterner } from './string-interner';
import { addToVisitorHits, type VisitorHits } from './visitor-hits';

const RUNS = Number(process.env['PROJECTION_RUNS'] ?? 60);

it('what is kept of batches in any pieces is what the old projections make of all sessions', () => {
  fc.assert(
    fc.property(
      traffic,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      fc.constantFrom(0, 1, 4),
      (random, pieces, seed, nearest) => {
        const events = shuffle(random.events({ websiteId: 'site', organizationId: 'org_1', zone: random.zone }), seed);
        const { found, visitors } = inPieces(events, pieces, nearest);

        expect(found.map(textsOf)).toEqual([true, false].map((isClosed) => textsOf(expandedRows(visitors, isClosed))));
      },
    ),
    { seed: 44, numRuns: RUNS },
  );
});

interface Stored {
  readonly visit: VisitorHits;
  readonly sessions: readonly Session[];
  readonly columns: Map<string, FactColumns>;
}

const keyOf = ({ at, id }: SessionHit) => `${at} ${id}`;
const domainOf = (href: number) => 100_000 + href;

function inPieces(events: readonly WebsiteObservedEvent[], pieces: readonly number[], nearest: number) {
  const texts = new Map<string, number>();
  const strings = new StringInterner((scope, text) => {
    const id = texts.get(`${scope} ${text}`) ?? texts.size + 1;
    texts.set(`${scope} ${text}`, id);
    return id;
  });
  const found = [new Map<ReadModel, FoldedRows>(), new Map<ReadModel, FoldedRows>()] as const;
  const visitors = new Map<string, Stored>();
  for (let from = 0, nth = 0; from < events.length; nth++) {
    const size = pieces[nth % pieces.length] ?? 1;
    const visits = new Map<string, VisitorHits>();
    for (const event of events.slice(from, from + size) as WebsiteEvent[]) {
      const hit: ReadHit = readHit(event, strings);
      addToVisitorHits(visits, hit, event);
    }
    from += size;
    const changes = new KeptChanges(nearest);
    for (const [key, visit] of visits) {
      const stored = visitors.get(key);
      const [before, after] = [stored?.sessions ?? [], addHits(visit.visitor, stored?.sessions ?? [], visit.arrivals)];
      changes.addVisitor(visit, before, after);
      for (const { hits } of after) for (const { text } of hits) changes.addDomain(text, domainOf(text));
      const columns = new Map(stored?.columns);
      const counted = (sessions: readonly Session[]) =>
        new Set(sessions.flatMap(({ hits }) => hits.filter((hit) => !supersededIn(hits).has(hit)).map(keyOf)));
      const [old, now] = [counted(before), counted(after)];
      const hits = new Map([...before, ...after].flatMap((session) => session.hits.map((hit) => [keyOf(hit), hit])));
      for (const [hit, values] of visit.columns) if (!columns.has(keyOf(hit))) columns.set(keyOf(hit), values);
      for (const [hitKey, hit] of hits) {
        const unit = hit.kind === 6 ? 'vitals' : hit.kind === 7 ? 'spans' : undefined;
        const sign = Number(now.has(hitKey)) - Number(old.has(hitKey));
        if (unit && sign !== 0)
          changes.addFact(unit, columns.get(hitKey) ?? {}, { ...visit, at: hit.at }, sign as 1 | -1);
      }
      visitors.set(key, { visit, sessions: after, columns });
    }
    const changesIn = changes.changes();
    for (const table of KEPT_TABLES) {
      for (const [nth, isClosed] of [true, false].entries()) {
        const all = found[nth]?.get(table.builds) ?? new FoldedRows(table.builds);
        found[nth]?.set(table.builds, all);
        for (const row of tableRows(table, changesIn(table), () => isClosed)) all.add(row);
      }
    }
  }
  return { found, visitors };
}

function expectedRows(visitors: ReadonlyMap<string, Stored>): Map<ReadModel, FoldedRows> {
  const expected = new Map([...ROLLUPS.map(({ builds }) => builds), ...FACT_SUMS].map((m) => [m, new FoldedRows(m)]));
  for (const { visit, sessions, columns } of visitors.values()) {
    const { website, visitor, calendar } = visit;
    const around = splitByWindow(sessions, calendar, ALWAYS);
    const input = { website, visitor, calendar, window: ALWAYS, changed: sessions, ...around, domainOf };
    for (const { builds, rowsOf } of ROLLUPS) rowsOf(input, (row) => expected.get(builds)?.add(row));
    for (const { hits } of sessions) {
      const superseded = supersededIn(hits);
      for (const hit of hits) {
        if (superseded.has(hit)) continue;
        for (const { sums } of EVENT_FACTS.filter(({ kind }) => kind === hit.kind)) {
          for (const { builds, rowsOf } of sums) {
            for (const row of rowsOf(columns.get(keyOf(hit)) ?? {}, hit.at))
              expected.get(builds)?.add({ website, span: 1, day: calendar.day(hit.at), ...row } as Row);
          }
        }
      }
    }
  }
  return expected;
}

function expandedRows(visitors: ReadonlyMap<string, Stored>, isClosed: boolean): ReadonlyMap<ReadModel, FoldedRows> {
  const rows = new Map<ReadModel, FoldedRows>();
  for (const [model, unexpanded] of expectedRows(visitors)) {
    const rollup = ROLLUPS.find(({ builds }) => builds === model);
    const all = new FoldedRows(model);
    rows.set(model, all);
    const isMoved = (row: Row) => isClosed && model !== latestTransitions && row !== undefined;
    const into = rollup ?? { builds: model, expand: intoBlocks };
    for (const row of expandRows(into, unexpanded.values(), isMoved)) all.add(row);
  }
  return rows;
}

/** As they are in the tables. */
function textsOf(rows: ReadonlyMap<ReadModel, FoldedRows>) {
  return Object.fromEntries(
    KEPT_TABLES.map(({ builds }) => {
      const adding = (rows.get(builds)?.values() ?? []).filter((row) => addsSomething(row, mergeRolesOf(builds)));
      return [builds.name, adding.map((row) => JSON.stringify(sorted(row))).sort()];
    }),
  );
}

const sorted = (row: Row) =>
  Object.entries(row)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, String(value)]);

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, at) => ({ item, key: Math.sin(seed + at * 7919) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
