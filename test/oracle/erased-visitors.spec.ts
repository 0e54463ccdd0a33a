import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { VisitorIdentified, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { DecidedErasures } from '../../apps/projector/src/erasures/decided-erasures';
import { eraseVisits } from '../../apps/projector/src/erasures/erase-visits';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { noteUncompared } from '../../apps/projector/src/reconcile/findings';
import { reconcilePartition } from '../../apps/projector/src/reconcile/run-reconciling';
import { boundGroups, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { hasVisits } from '../../apps/projector/src/runner/erasure-rules';
import { openProjectedDatabase, PARTITIONS, type ProjectedDatabase } from '../query/projected-database';
import { sealDays } from '../query/seal-days';
import { asTheyArrive, arrival } from './arrival';
import { request, RUNS, SEED } from './asked-requests';
import { checkDefinitions, definitionsAsked, sceneOf } from './check-definitions';
import { websiteFilters } from './random-requests';
import { eventId, hex, stampOf, traffic } from './random-traffic';

jest.setTimeout(3_600_000);

const numRuns = Math.ceil(RUNS / 2);

const received = <Event extends { receivedAt: number }>(event: Event, receivedAt: number) => ({ ...event, receivedAt });

/** A visitor of the traffic who is identified in some of its hits, and how many of a hundred hits come before the erasure. */
const erasure = fc.record({
  visitor: fc.constantFrom(0, 1, 2),
  share: fc.constantFrom(50, 80, 100),
  at: fc.array(fc.nat(59), { minLength: 1, maxLength: 3 }),
});

const busy = traffic.filter(
  (some) => some.events({ websiteId: 'site', organizationId: 'org', zone: 'UTC' }).length >= 20,
);

it(`an erased visitor is in no answer, nor after a rebuild (seed ${SEED}, ${numRuns} runs)`, async () => {
  const asked: (() => Promise<void>)[] = [];
  let erased = 0;
  const property = fc.asyncProperty(
    ...([busy, arrival, request, websiteFilters, definitionsAsked, erasure] as const),
    async (some, arriving, random, filters, definitions, { visitor, share, at }) => {
      const id = `site_${++websites}`;
      const site = { websiteId: id, organizationId: 'org_1', zone: some.zone };
      const events = some.events(site);
      const { visitorId } = stampOf(site, visitor, null);
      const inOrder = asTheyArrive(events, arriving);
      const before = inOrder.slice(0, (inOrder.length * share) / 100);
      const early = new Set(before.map((event) => event.id));
      const late = inOrder.filter((event) => !early.has(event.id));
      const erasedAt = momentAmong(events, share);
      const identified = at
        .flatMap((place) => events[place] ?? events[0] ?? [])
        .map((event) => identificationIn(event, site, visitor));
      await send(
        id,
        before.map((event) => received(event, erasedAt - 1)),
        arriving,
      );
      await send(
        id,
        identified.map((event) => received(event, erasedAt)),
        arriving,
      );
      await sealDays(database.pool, id, (day) => (day + arriving.batch) % 2 === 0);
      for (const group of groups) expect(await findings(group)).toEqual([]); // the log is counted with the hits
      if (identified.length > 0) await erase(id, erasedAt);
      await send(
        id,
        late.map((event) => received(event, erasedAt + 1)),
        arriving,
      );
      await sealDays(database.pool, id, (day) => (day + arriving.batch) % 3 === 0);
      const counts = ({ id: hit, at: happened }: { id: string; at: number }) => !early.has(hit) && happened > erasedAt;
      const left = events.filter((event) => event.data.visitorId !== visitorId || counts(event));
      erased += events.length - left.length;
      const scene = () =>
        sceneOf(database.pool, { id, events: left, zone: some.zone, start: some.start }, random, filters);
      asked.push(() => checkDefinitions(scene(), definitions));
      await asked.at(-1)!();
    },
  );
  await fc.assert(property, { seed: SEED, numRuns, endOnFailure: process.env['ORACLE_SHRINK'] === undefined });
  expect(erased).toBeGreaterThan(3 * numRuns);
  for (const group of groups) expect(await findings(group)).toEqual([]);
  for (const group of groups) expect(await rebuild({ group, flip: true })).toMatchObject({ flipped: true });
  for (const again of asked) await again();
});

let database: ProjectedDatabase;
let eventStore: EventStore;
let intakeLog: IntakeLog;
let pool: Pool;
let groups: readonly BoundGroup[];
let websites = 0;

beforeAll(async () => {
  database = await openProjectedDatabase();
  const { url: databaseUrl } = database;
  eventStore = await openEventStore({ databaseUrl });
  intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
  pool = openProjectionPool(databaseUrl, { max: 4 });
  groups = boundGroups({ eventStore, intakeLog, pool }).filter(hasVisits);
});
afterAll(async () => {
  await Promise.all([eventStore.close(), intakeLog.close(), pool.end()]);
  await database.close();
});

const send = (
  id: string,
  events: readonly (WebsiteObservedEvent | VisitorIdentified)[],
  { batch, dedupe }: { batch: number; dedupe: '48h' | 'never' },
) => database.send(id, events, batch, dedupe);

/** Whatever else the visitor's hits say of him. */
const identificationIn = (
  { at, id }: WebsiteObservedEvent,
  site: Parameters<typeof stampOf>[0],
  visitor: number,
): VisitorIdentified => ({
  type: 'VisitorIdentified',
  id: eventId('identified', id),
  at,
  receivedAt: at,
  data: { ...stampOf(site, visitor, null), subject: profileOf(site.websiteId), profileId: 'sealed', traits: {} },
});

const profileOf = (websiteId: string) => hex('profile', websiteId);

/** When the profile is erased: what happened or was received until then is out of everything, what is later counts. */
const momentAmong = (events: readonly { readonly at: number }[], share: number): number =>
  events.map(({ at }) => at).sort((a, b) => a - b)[Math.floor((events.length * share) / 200)] ?? 0;

/** As the api records it and the projector carries it out. */
async function erase(websiteId: string, at: number): Promise<void> {
  const erasureId = `era_${websiteId}`;
  const organizationId = 'org_1';
  const profile = profileOf(websiteId);
  const data = { organizationId, erasureId, subject: { websiteId, profile }, destroyedKeyIds: [profile] };
  const metadata = { occurredAt: new Date(at).toISOString(), schemaVersion: '2' };
  const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
  await eventStore.append(erasureStream(organizationId, erasureId), 'no-stream', [event]);
  for (const group of groups) {
    const erased = await eraseVisits(group, new DecidedErasures(eventStore));
    if (group.name === 'websites')
      expect(erased).toContainEqual(expect.objectContaining({ erasureId, kind: 'profile' }));
    expect(await eraseVisits(group, new DecidedErasures(eventStore))).toEqual([]);
  }
}

/** Returns what comparing the tables with the log finds. */
async function findings(group: BoundGroup): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const rest = () => Promise.resolve();
    await noteUncompared(group.pool, { group: group.name, partition });
    await reconcilePartition({ group, partition, goesOn: true, rest, onFinding: (finding) => found.push(finding) });
  }
  return found;
}
