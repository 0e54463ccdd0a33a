import { randomUUID } from 'node:crypto';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { linkClicked, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { PartitionedMemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { rebuild } from '../rebuild/rebuild';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';

const START = Date.parse('2026-05-04T10:00:00Z');
const ERASED = START + 3_600_000;
const LATER = START + 7_200_000;
const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const PROFILE = 'c'.repeat(32);
const STORES = 2;

const ORDERS = [
  ['hit', 'identification', 'click'],
  ['hit', 'click', 'identification'],
  ['identification', 'hit', 'click'],
  ['identification', 'click', 'hit'],
  ['click', 'hit', 'identification'],
  ['click', 'identification', 'hit'],
] as const;

/** A website and a link of two read stores: what is found in one is erased in the other. */
const SCENES = ORDERS.map((order, nth) => ({
  order,
  site: idIn(`site_${nth}`, nth % STORES),
  link: idIn(`link_${nth}`, (nth + 1) % STORES),
}));

describe('hits of an erased visitor that arrive late', () => {
  it.each([
    ['each with its repair', true],
    ['all before any repair', false],
  ])('are in no table, in any order, live and rebuilt: %s', async (_, isRepairedAtOnce) => {
    const erased = await installation();
    const oracle = await installation();
    await both(erased, oracle, (scene) => [view(scene.site, BOB, 1), click(scene.link, BOB, 1)]);
    for (const { site } of SCENES) await erase(erased, site);
    await erased.repair();
    const arriving = SCENES.map((scene) => ({ scene, events: late(scene) }));
    for (const step of [0, 1, 2]) {
      await erased.send(arriving.map(({ scene, events }) => events[scene.order[step]!]));
      if (isRepairedAtOnce) await erased.repair();
    }
    await both(erased, oracle, (scene) => [view(scene.site, ANN, 90), click(scene.link, ANN, 90)]);
    await erased.repair();
    const expected = await oracle.rows();
    expect(expected.length).toBeGreaterThan(4 * SCENES.length);
    expect(await erased.rows()).toEqual(expected);
    expect(await erased.repair()).toBe(0);
    for (const group of erased.groups) expect(await rebuild({ group, flip: true })).toMatchObject({ flipped: true });
    expect(await erased.rows()).toEqual(expected);
  });

  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Two read stores, each with a projector. */
  async function installation(): Promise<Installation> {
    const databases = await Promise.all(Array.from({ length: STORES }, createTestDatabase));
    const store = await openEventStore({ databaseUrl: (databases[0] as TestDatabase).url });
    const log = new PartitionedMemoryLog(STORES);
    const groups: BoundGroup[] = [];
    for (const [at, { url, drop }] of databases.entries()) {
      const pool = openProjectionPool(url, { max: 4 });
      ends.push(drop, () => pool.end());
      const share = { share: { place: at + 1, stores: STORES } };
      groups.push(bind(new WebsitesGroup(pool), log, pool, share), bind(linksGroup(), log, pool, share));
    }
    ends.push(() => store.close());
    for (const group of groups) await createIndexes(group.pool, group, await openLiveVersion(group.pool, group, log));
    return installed(store, log, groups);
  }
});

interface Installation {
  readonly store: EventStore;
  readonly groups: readonly BoundGroup[];
  /** Also projects it. */
  send(events: readonly ObservedEvent[]): Promise<void>;
  /** Does what projectors do until nothing is left to be done; answers how many rules they carried out. */
  repair(): Promise<number>;
  /** Of the tables that answer. */
  rows(): Promise<readonly string[]>;
}

function installed(store: EventStore, log: PartitionedMemoryLog, groups: readonly BoundGroup[]): Installation {
  const decided = new Map(groups.map((group) => [group, new DecidedErasures(store)]));
  const partitions = groups.map((group) => ({ group, partition: group.share.place - 1 }));
  const runners = partitions.map(({ group, partition }) => group.runner({ partition, batch: 100, version: 'live' }));
  return {
    store,
    groups,
    async send(events) {
      for (const event of events) log.add(partitionOf(subjectOf(event), STORES), event);
      for (const runner of runners) for (let step; step !== 'idle';) step = await runner.step();
    },
    async repair() {
      let all = 0;
      for (let carried = 1; carried > 0; all += carried) {
        carried = 0;
        for (const [group, of] of decided) carried += (await eraseVisits(group, of)).length;
      }
      return all;
    },
    rows: async () => (await Promise.all(groups.map(rowsOf))).flat(),
  };
}

/** Without what is packed or has deltas, which a rebuild compares. */
async function rowsOf({ name, builds, pool }: BoundGroup): Promise<string[]> {
  const schema = schemaOf(name, (await readLayout(pool, name))?.version ?? 1);
  const rows: string[] = [];
  for (const model of builds.filter(({ isCompared }) => isCompared !== false)) {
    if (model.name === 'website_rollups') continue;
    const table = identifier(schema, model.name);
    const found = await run<{ row: string }>(pool, sql`select to_jsonb(t)::text as row from ${table} t order by 1`);
    rows.push(...found.map(({ row }) => `${model.name} ${row}`));
  }
  return rows;
}

type Scene = (typeof SCENES)[number];

async function both(one: Installation, other: Installation, eventsOf: (scene: Scene) => readonly ObservedEvent[]) {
  const events = SCENES.flatMap(eventsOf);
  for (const { send } of [one, other]) await send(events);
}

async function erase({ store }: Installation, websiteId: string): Promise<void> {
  const organizationId = 'org_1';
  const erasureId = `era_${websiteId}`;
  const data = { organizationId, erasureId, subject: { websiteId, profile: PROFILE }, destroyedKeyIds: [] };
  const metadata = { occurredAt: new Date(ERASED).toISOString(), schemaVersion: '2' };
  const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
  await store.append(erasureStream(organizationId, erasureId), 'no-stream', [event]);
}

/** Returns what happened before the erasure and is received after it. */
function late({ site, link }: Scene): Readonly<Record<Scene['order'][number], ObservedEvent>> {
  const led = click(link, ANN, 20);
  const hit = view(site, ANN, 21, { id: led.id, linkId: link });
  const { organizationId, zone, identity, visitorId, sessionId } = hit.data;
  const stamp = { organizationId, websiteId: site, zone, identity, visitorId, sessionId };
  const data = { ...stamp, subject: PROFILE, profileId: 'sealed', traits: { name: 'sealed' } };
  const { id: _, ...of } = view(site, ANN, 22);
  const identification: ObservedEvent = { ...of, id: click(link, ANN, 0).id, type: 'VisitorIdentified', data };
  return arrivingLate({ hit, identification, click: led });
}

const arrivingLate = <Events extends Readonly<Record<string, ObservedEvent>>>(events: Events) =>
  Object.fromEntries(
    Object.entries(events).map(([name, event]) => [name, { ...event, receivedAt: LATER }]),
  ) as unknown as Events; // of the same events

const view = (websiteId: string, visitorId: string, minute: number, of?: { id: string; linkId: string }) =>
  pageView(START + minute * 60_000, { websiteId, visitorId, ...(of && { click: of }) });

const click = (linkId: string, visitorId: string, minute: number) =>
  linkClicked(START + minute * 60_000, { linkId, visitorId });

const subjectOf = ({ data }: ObservedEvent): string =>
  'websiteId' in data ? (data.websiteId ?? '') : 'linkId' in data ? data.linkId : '';

/** An id that belongs to a partition. */
function idIn(name: string, partition: number): string {
  for (let nth = 0; ; nth++) if (partitionOf(`${name}_${nth}`, STORES) === partition) return `${name}_${nth}`;
}
