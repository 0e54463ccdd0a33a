import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { decidedIn, erasureStream, readWholeStream } from '@ledgerline/platform/event-store/event-store';
import { hitsIn } from '@ledgerline/platform/intake-log/hits-in';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { count, type Figure } from '../figure';
import type { Loaded } from '../loaded';
import type { Part } from './part';

const WANTED_SECONDS = 60;
const WANTED_CPU_SECONDS = 10;
const WANTED_SHARE = 2;
const LOOK_EVERY_MS = 50;
const ERASURES = 10_000;
/** CPU of projecting an event, µs: what reading is compared with (P4). */
const PROJECTING_MICROS = 90;

/** P23: from the decision to erase a visitor until no table and no payload of the log has anything of it; and what rules cost. */
export const erase: Part = async ({ loaded, print, detail }) => {
  const all = await loaded();
  const erased = await eraseVisitor(all, print);
  const micros = await microsOfRules(all);
  detail('erasure', { ...erased, micros });
  const { seconds, cpuSeconds, hits } = erased;
  const events = count(all.events.large + all.events.small);
  const figure = (what: string, wanted: number, measured: number, unit: string, note = ''): Figure => ({
    id: 'P23',
    what,
    target: `≤ ${wanted} ${unit}`,
    measured: `${measured.toFixed(1)} ${unit}${note}`,
    yardstick: '',
    ratio: '',
    isMet: measured <= wanted,
  });
  return [
    figure(`A visitor of ${hits} events erased, of ${events}`, WANTED_SECONDS, seconds, 's'),
    figure('CPU of projector and Postgres', WANTED_CPU_SECONDS, cpuSeconds, 's'),
    figure(
      `Reading with ${count(ERASURES)} erasures`,
      WANTED_SHARE,
      (100 * micros) / PROJECTING_MICROS,
      '% of projecting',
      ` (${micros.toFixed(2)} µs/event)`,
    ),
  ];
};

async function eraseVisitor({ installation, large }: Loaded, print: (line: string) => void) {
  const { databaseUrl } = installation;
  const pool = openPool({ url: databaseUrl, name: 'bench-erase', max: 1 });
  const store = await openEventStore({ databaseUrl });
  const projector = await installation.start('projector');
  try {
    const { organizationId, websiteId } = large;
    const { visitor, hits } = await visitorOf(pool, websiteId);
    print(`erase: a visitor of ${hits} events`);
    const erasureId = `era_${randomUUID()}`;
    const data = { organizationId, erasureId, subject: { websiteId, visitors: [visitor] }, destroyedKeyIds: [] };
    const metadata = { occurredAt: new Date().toISOString(), schemaVersion: '2', actor: 'usr_bench' };
    const stream = erasureStream(organizationId, erasureId);
    const startedAt = performance.now();
    const cpuBefore = installation.cpuSeconds();
    await store.append(stream, 'no-stream', [{ id: randomUUID(), type: 'SubjectErased', data, metadata }]);
    for (;;) {
      const events = decidedIn(await readWholeStream(store, stream));
      if (events.some((event) => event.type === 'HitsRewritten' && event.data.rules !== null)) break;
      await sleep(LOOK_EVERY_MS);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { hits, seconds, cpuSeconds: installation.cpuSeconds() - cpuBefore };
  } finally {
    await projector.stop();
    await store.close();
    await pool.end();
  }
}

/** One who came on more days than nine tenths of all. */
async function visitorOf(pool: ReturnType<typeof openPool>, websiteId: string) {
  const [schema] = await run<{ name: string }>(
    pool,
    sql`select name || '_v' || coalesce(tables->'sessions'->>'version', live_version::text) as name
        from projection_groups where name = 'websites'`,
  );
  const text = `select replace(visitor::text, '-', '') as visitor, sum(cardinality(hit_id))::integer as hits
    from ${schema?.name ?? ''}.sessions join dictionary d on d.id = website
    where d.text = $1 and visitor is not null group by 1 order by 2 desc, 1 limit 1 offset 100`;
  const [found] = await run<{ visitor: string; hits: number }>(pool, { text, values: [websiteId] });
  if (!found) throw new Error('There is no visitor to erase.');
  return found;
}

/** Returns what it takes to look whether an event is erased, with so many erasures of other visitors, µs of CPU. */
async function microsOfRules({ log, large: { organizationId, websiteId } }: Loaded): Promise<number> {
  const partition = partitionOf(websiteId, await log.partitions());
  const until = Date.now();
  const rules = new ErasureRules(
    Array.from({ length: ERASURES }, (_, nth) => {
      const id = nth.toString(16).padStart(32, '0');
      return { erasureId: `era_${nth}`, organizationId, websiteId, kind: 'visitor', subject: websiteId, id, until };
    }),
  );
  const events = [];
  for await (const { event } of hitsIn({ log, partition, upTo: await log.head(partition) })) {
    events.push(event);
    if (events.length === 200_000) break;
  }
  const before = process.cpuUsage();
  for (const event of events) if (rules.matching(event).length > 0) throw new Error('None of them is erased.');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / events.length;
}
