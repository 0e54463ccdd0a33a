import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { verifyChain, type ChainVerdict } from '@ledgerline/platform/event-store/verify-chain';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { verifyIntakeLog } from '../../scripts/audit/verify-segments';
import { untilAnswer } from '../journeys/product';
import { allOf } from '../tracker/all-of';
import { ONCE, type Stream } from './stream';
import { rowsOf, type Tenant } from './tenant';

/** Everything the intake log holds. */
export async function logged(databaseUrl: string): Promise<ObservedEvent[]> {
  const log = await openIntakeLog({ databaseUrl });
  try {
    return await allOf(log);
  } finally {
    await log.close();
  }
}

/** Returns what the intake log holds of an organization. */
export const loggedOf = async ({ organizationId }: Tenant, databaseUrl: string): Promise<ObservedEvent[]> =>
  (await logged(databaseUrl)).filter(({ data }) => data.organizationId === organizationId);

/** Everything the event store holds of an organization. */
export async function decidedBy(address: EventStoreAddress, { organizationId }: Tenant): Promise<RecordedEvent[]> {
  const store = await openEventStore(address);
  try {
    const all: RecordedEvent[] = [];
    for (let cursor = BEGINNING; ;) {
      const { events, next, atHead } = await store.read(0, cursor, { max: 1_000 });
      all.push(...events.filter(({ metadata }) => metadata['organization'] === organizationId));
      if (atHead) return all;
      cursor = next;
    }
  } finally {
    await store.close();
  }
}

/** The comparison of what was acknowledged with the log; `invented` was never sent or never acknowledged. */
export interface Comparison {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly invented: readonly string[];
}

export const NONE: Comparison = { lost: [], doubled: [], invented: [] };

/** Holds the log's views and custom events against those that were acknowledged. */
export function hitsOf({ views, events }: Stream, { websiteId }: Tenant, log: readonly ObservedEvent[]): Comparison {
  const wanted = new Map([
    ...[...views.keys()].map((id) => [derivedEventId(websiteId, 'screen_view', id), id] as const),
    ...[...events].map(([id, { name }]) => [derivedEventId(websiteId, name, id), id] as const),
  ]);
  const found = log.filter((event) => event.type === 'PageViewed' || isCustom(event)).map(({ id }) => id);
  return compare(wanted.keys(), found);
}

const isCustom = (event: ObservedEvent): boolean =>
  event.type === 'CustomEventTracked' && !event.data.name.startsWith(ONCE);

/** Holds the log's events without event id against those that were acknowledged; one whose answer was lost may be there. */
export function onceOf({ once }: Stream, log: readonly ObservedEvent[]): Comparison {
  const names = log.flatMap((event) => (event.type === 'CustomEventTracked' ? [event.data.name] : []));
  return {
    ...compare(
      once,
      names.filter((name) => name.startsWith(ONCE)),
    ),
    invented: [],
  };
}

/** Holds the log's clicks against the redirects that were answered; a click whose answer was lost may be there. */
export function clicksOf({ followed }: Stream, { linkId }: Tenant, log: readonly ObservedEvent[]): Comparison {
  const found = clicksOn(linkId, log).map(({ data }) => data.utm?.content ?? 'a click of nobody');
  return { ...compare(new Set(followed.map(({ id }) => id)), found), invented: [] };
}

export const clicksOn = (linkId: string, log: readonly ObservedEvent[]): LinkClicked[] =>
  log.filter((event): event is LinkClicked => event.type === 'LinkClicked' && event.data.linkId === linkId);

/** Holds ids that were found against those that were acknowledged. */
export function compare(wanted: Iterable<string>, found: readonly string[]): Comparison {
  const all = new Set(wanted);
  const there = new Set(found);
  const seen = new Set<string>();
  return {
    lost: [...all].filter((id) => !there.has(id)),
    doubled: found.filter((id) => seen.size === seen.add(id).size),
    invented: [...there].filter((id) => !all.has(id)),
  };
}

/** Waits until an api answers with exactly these counts; fails with its last answer. */
export async function expectCounted(apiUrl: string, tenant: Tenant, log: readonly ObservedEvent[]): Promise<void> {
  const views = countBy(log.flatMap((event) => (event.type === 'PageViewed' ? [event.data.path] : [])));
  const events = countBy(log.flatMap((event) => (event.type === 'CustomEventTracked' ? [event.data.name] : [])));
  const clicks = { total: clicksOn(tenant.linkId, log).length };
  const ask = async () => ({
    views: Object.fromEntries((await rowsOf(apiUrl, tenant, 'top_pages', 'website')).map(by('pageviews'))),
    events: Object.fromEntries((await rowsOf(apiUrl, tenant, 'custom_events', 'website')).map(by('total_events'))),
    clicks: { total: (await rowsOf(apiUrl, tenant, 'link_total_clicks', 'link'))[0]?.total },
  });
  await untilAnswer(ask, (answer) => isSame(answer, { views, events, clicks }));
}

const by = (column: string) => (row: Readonly<Record<string, unknown>>) => [String(row.name), row[column]] as const;

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const isSame = (one: Answer, other: Answer) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (answer: Answer) => Object.values(answer).map((counts) => Object.entries(counts).sort());
type Answer = Readonly<Record<'views' | 'events' | 'clicks', Readonly<Record<string, unknown>>>>;

/** The verdict of both chains: of each partition of the intake log, and of the organization's decided events. */
export async function chainsOf(databaseUrl: string, address: EventStoreAddress, { organizationId }: Tenant) {
  const pool = openPool({ url: databaseUrl, name: 'verifier', max: 2 });
  const store = await openEventStore(address);
  try {
    const intake = await verifyIntakeLog(pool);
    const decided: ChainVerdict = await verifyChain(store, organizationId);
    return { intake: intake.valid, decided: decided.valid && decided.events > 0 };
  } finally {
    await store.close();
    await pool.end();
  }
}

/** Tells how the tables differ from what their logs say: nothing, if all is well. */
export async function differencesFromRebuild(databaseUrl: string, address: EventStoreAddress): Promise<object[]> {
  const pool = openProjectionPool(databaseUrl);
  const eventStore = await openEventStore(address);
  const intakeLog = await openIntakeLog({ databaseUrl });
  try {
    const differences: object[] = [];
    for (const group of boundGroups({ eventStore, intakeLog, pool })) {
      const result = await rebuild({ group, flip: false });
      if (result.differences === undefined) throw new Error(`The log of ${group.name} was replaced.`);
      differences.push(...result.differences);
    }
    return differences;
  } finally {
    await Promise.all([eventStore.close(), intakeLog.close()]);
    await pool.end();
  }
}

/** Ends a stream and answers the log since then (epoch ms), which must hold everything that it was acknowledged, once. */
export async function settled(
  stream: Stream,
  tenant: Tenant,
  databaseUrl: string,
  since = 0,
): Promise<ObservedEvent[]> {
  await stream.stop();
  expect(stream.unexpected).toEqual([]);
  const log = await untilAnswer(
    async () => (await logged(databaseUrl)).filter(({ at }) => at >= since),
    (all) => clicksOf(stream, tenant, all).lost.length === 0,
  );
  const { lost, doubled } = hitsOf(stream, tenant, log);
  const clicks = clicksOf(stream, tenant, log).doubled;
  expect({ lost, doubled, clicks }).toEqual({ lost: [], doubled: [], clicks: [] });
  expect(onceOf(stream, log)).toEqual(NONE);
  return log;
}
