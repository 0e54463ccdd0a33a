import fc from 'fast-check';
import { RollupDeltas, RollupRowsByWebsite } from '@ledgerline/aggregation/batch-deltas';
import { ROLLUPS, rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { hrefOf, sessionOf, type Session, supersededIn, type SessionHit } from '@ledgerline/contracts/sessions/session';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/time/zones';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { traffic } from '@test/oracle/random-traffic';
import { keptSums, type KeptRowBytes } from '@test/projector/kept-sums';
import { StringInterner } from './dictionary';
import {
  type FactColumns,
  addToVisitorHits,
  readHit,
  type ReadHit,
  type VisitorHits,
  type WebsiteHitEvent,
} from './read-hit';

const RUNS = Number(process.env['PROJECTION_RUNS'] ?? 60);

it('what batches in any pieces keep adds up to what is kept of all sessions at once', () => {
  fc.assert(
    fc.property(
      fc.array(traffic, { minLength: 1, maxLength: 2 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      fc.constantFrom(0, 1, 4),
      (sites, pieces, seed, nearest) => {
        const events = sites.flatMap((random, n) =>
          random.events({ websiteId: `site_${n}`, organizationId: 'org_1', zone: random.zone }),
        );
        const repeated = events.filter((_, n) => n % 7 === 0);
        const texts = new Map<string, number>();
        const whole = inPieces(events, [events.length], { nearest, texts });
        expect(whole.length).toBeLessThanOrEqual(sites.length);
        const found = inPieces(shuffle([...events, ...repeated], seed), pieces, { nearest, texts });
        expect(keptSums(found.map(bytesOf))).toEqual(keptSums(whole.map(bytesOf)));
      },
    ),
    { seed: 44, numRuns: RUNS },
  );
});

it('rows say how large they are, and about which days', () => {
  const changes = new RollupDeltas();
  const visit = { website: 3, visitor: 'v', calendar: calendarOf('UTC') };
  const sessions = [2, 5, 9].map((day) => sessionAt(day * DAY_MS));
  changes.addVisitor(visit, changesOf([], sessions));
  const [row] = rowsOf(changes);
  const { packs } = bytesOf(row as ReadModelRow);
  const size = Object.values(packs).reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
  expect(row).toMatchObject({ website: 3, since: 2, until: 9, size, [rollupNamed('errors').name]: null });
  expect(packs[rollupNamed('views').name]).not.toBeNull();
});

it('a visitor may have more sessions than a call can pass', () => {
  const sessions = Array.from({ length: 150_000 }, (_, n) => sessionAt(n * 60_000));
  const changes = new RollupDeltas();
  changes.addVisitor({ website: 1, visitor: 'v', calendar: calendarOf('UTC') }, changesOf(sessions.slice(1), sessions));
  const { [rollupNamed('pages').name]: pages = [] } = keptSums(rowsOf(changes).map(bytesOf));
  expect(pages).toEqual([JSON.stringify([1, 0, 1, [1], []])]); // another page view, no further visitor
});

const DAY_MS = 86_400_000;

function sessionAt(at: number): Session {
  const id = at.toString(16).padStart(32, '0');
  return sessionOf(
    id,
    SESSION_KIND.client,
    [{ at, id, kind: HIT.view, path: 1, hostname: 0, values: [0], from: 0 }],
    undefined,
  );
}

function rowsOf(changes: RollupDeltas): readonly ReadModelRow[] {
  const rows = new RollupRowsByWebsite();
  for (const [count, pack] of changes.parts()) rows.add(count, pack);
  return rows.values();
}

function bytesOf(row: ReadModelRow): KeptRowBytes {
  const packs = Object.fromEntries(
    ROLLUPS.map(({ name }) => {
      const hex = row[name] as string | null;
      return [name, hex === null ? null : Buffer.from(hex, 'hex')];
    }),
  );
  return { website: row['website'] as number, packs };
}

function changesOf(before: readonly Session[], after: readonly Session[]) {
  const old = new Set(before);
  const now = new Set(after);
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
  const found: ReadModelRow[] = [];
  const visitors = new Map<string, Stored>();
  for (let from = 0, nth = 0; from < events.length; nth++) {
    const size = pieces[nth % pieces.length] ?? 1;
    const visits = new Map<string, VisitorHits>();
    for (const event of events.slice(from, from + size) as WebsiteHitEvent[]) {
      const hit: ReadHit = readHit(event, strings);
      addToVisitorHits(visits, hit, event);
    }
    from += size;
    const changes = new RollupDeltas(nearest, nearest === 4 ? 4 : 0.1); // nearly always on their own
    for (const [key, visit] of visits) {
      const stored = visitors.get(key);
      const before = stored?.sessions ?? [];
      const after = addHits(visit.visitor, stored?.sessions ?? [], visit.arrivals);
      changes.addVisitor(visit, changesOf(before, after));
      for (const href of after.flatMap(({ hits }) => hits.flatMap((hit) => hrefOf(hit) ?? [])))
        changes.addDomain(href, domainOf(href));
      const columns = new Map(stored?.columns);
      const counted = (sessions: readonly Session[]) =>
        new Set(sessions.flatMap(({ hits }) => hits.filter((hit) => !supersededIn(hits).has(hit)).map(keyOf)));
      const old = counted(before);
      const now = counted(after);
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
    found.push(...rowsOf(changes));
  }
  return found;
}

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, at) => ({ item, key: Math.sin(seed + at * 7919) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
