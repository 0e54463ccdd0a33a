import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { sessionOf, type Session } from '@ledgerline/domain/sessions/session';
import { supersededIn, type SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { addsSomething, FoldedRows, mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import fc from 'fast-check';
import { traffic } from '@test/oracle/random-traffic';
import type { FactColumns } from './event-facts.projections';
import { KeptChanges } from './kept-changes';
import { KEPT_TABLES } from './kept-tables';
import { readHit, type ReadHit, type WebsiteEvent } from './read-hit';
import { NOTHING_CLOSED, tableRows } from './table-rows';
import { StringInterner } from './string-interner';
import { addToVisitorHits, type VisitorHits } from './visitor-hits';

const RUNS = Number(process.env['PROJECTION_RUNS'] ?? 60);

it('batches in any pieces change what is kept as all of their events at once do', () => {
  fc.assert(
    fc.property(
      traffic,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      fc.constantFrom(0, 1, 4),
      (random, pieces, seed, nearest) => {
        const events = random.events({ websiteId: 'site', organizationId: 'org_1', zone: random.zone });
        const texts = new Map<string, number>();
        const whole = inPieces(events, [events.length], { nearest, texts });
        const found = inPieces(shuffle(events, seed), pieces, { nearest, texts });
        expect(found.map(textsOf)).toEqual(whole.map(textsOf));
      },
    ),
    { seed: 44, numRuns: RUNS },
  );
});

it('a visitor may have more sessions than a call can pass', () => {
  const sessions = Array.from({ length: 150_000 }, (_, n) => {
    const hit = { at: n * 60_000, id: n.toString(16).padStart(32, '0'), kind: HIT.view, path: 1, text: 0, extra: 0 };
    return sessionOf(hit.id, SESSION_KIND.client, [hit], undefined);
  });
  const changes = new KeptChanges();
  changes.addVisitor({ website: 1, visitor: 'v', calendar: calendarOf('UTC') }, changesOf(sessions.slice(1), sessions));
  const pages = KEPT_TABLES.filter(({ builds }) => builds === topPages);
  const rows = pages.flatMap((table) => tableRows(table, changes.changes()(table), NOTHING_CLOSED));
  expect(rows.map(({ value, pageviews, visitors }) => [value, pageviews, visitors])).toEqual([
    [1, 1, 0],
    [EVERY_VALUE, 1, 0],
  ]);
});

function changesOf(before: readonly Session[], after: readonly Session[]) {
  const [old, now] = [new Set(before), new Set(after)];
  return {
    added: after.filter((session) => !old.has(session)),
    removed: before.filter((session) => !now.has(session)),
    staying: after.filter((session) => old.has(session)),
  };
}

interface Stored {
  readonly visit: VisitorHits;
  readonly sessions: readonly Session[];
  readonly columns: Map<string, FactColumns>;
}

const keyOf = ({ at, id }: SessionHit) => `${at} ${id}`;
const domainOf = (href: number) => 100_000 + href;

function inPieces(
  events: readonly WebsiteObservedEvent[],
  pieces: readonly number[],
  { nearest, texts }: { readonly nearest: number; readonly texts: Map<string, number> },
) {
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
      changes.addVisitor(visit, changesOf(before, after));
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
  return found;
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
