import { v4 as uuid } from 'uuid';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import { checkAppend } from '@ledgerline/platform/event-store/appended-events';
import type { EventStore, JsonEvent, StreamName } from '@ledgerline/platform/event-store/event-store';
import { PostgresAppender } from '@ledgerline/platform/event-store/postgres-appender';
import { perSecond, times, type Figure } from '../figure';
import { Installation } from '../installation/installation';
import { median } from '../statistics';
import { bareEventStoreDb } from '../yardsticks/bare-eventstoredb';
import type { Part } from './part';

const CALLERS = 32;
const ROUNDS = 3;
const SECONDS = 4;
const WANTED_FACTOR = 4;
const WANTED_RATE = 6_000;
/** On EventStoreDB, of what its driver does without our rules. */
const WANTED_SHARE = 0.5;

export type Append = (stream: StreamName, revision: number, event: JsonEvent) => Promise<unknown>;

/**
 * P9: 32 callers, each on its own stream, grouped by the event store against one transaction for each append; with
 * EVENTSTORE_URL also by the adapter of EventStoreDB against its bare driver, in turns with the others.
 */
export const append: Part = async ({ print }) => {
  const installation = await Installation.open({ websites: 1 });
  try {
    const { databaseUrl } = installation;
    const store = await openEventStore({ databaseUrl });
    const url = process.env['EVENTSTORE_URL'];
    const other = url === undefined ? undefined : await openEventStore({ databaseUrl, eventStoreUrl: url });
    const bare = url === undefined ? undefined : bareEventStoreDb(url);
    const pool = openPool({ url: databaseUrl, name: 'bench-append', max: CALLERS, pipeline: true });
    const appender = new PostgresAppender(pool);
    const alone: Append = (stream, at, event) =>
      appender.flush([[checkAppend(stream, at === 0 ? 'no-stream' : at - 1, [event])]]);
    const rates: Record<'grouped' | 'alone' | 'other' | 'bare', number[]> = {
      grouped: [],
      alone: [],
      other: [],
      bare: [],
    };
    await rate(appendTo(store), 1);
    for (let round = 1; round <= ROUNDS; round++) {
      print(`append: round ${round} of ${ROUNDS}`);
      rates.alone.push(await rate(alone, SECONDS));
      rates.grouped.push(await rate(appendTo(store), SECONDS));
      if (bare) rates.bare.push(await rate(bare.append, SECONDS));
      if (other) rates.other.push(await rate(appendTo(other), SECONDS));
    }
    await Promise.all([store.close(), other?.close(), bare?.close(), pool.end()]);
    const p9 = figure(median(rates.grouped), median(rates.alone));
    return other ? [p9, onEventStoreDb(median(rates.other), median(rates.bare))] : [p9];
  } finally {
    await installation.close();
  }
};

const figure = (grouped: number, alone: number): Figure => ({
  id: 'P9',
  what: 'Decided events, durable, 32 callers on their own streams, hash chain on',
  target: `≥ ${WANTED_FACTOR}× the un-grouped append and ≥ ${perSecond(WANTED_RATE, 'events')}`,
  measured: perSecond(grouped, 'events'),
  yardstick: `${perSecond(alone, 'events')} un-grouped`,
  ratio: times(grouped / alone),
  isMet: grouped >= alone * WANTED_FACTOR && grouped >= WANTED_RATE,
});

const onEventStoreDb = (appended: number, bare: number): Figure => ({
  id: 'P9',
  what: 'The same on the EventStoreDB that EVENTSTORE_URL names',
  target: `≥ ${WANTED_SHARE * 100} % of its bare driver`,
  measured: perSecond(appended, 'events'),
  yardstick: `${perSecond(bare, 'events')} by the bare driver`,
  ratio: times(appended / bare),
  isMet: appended >= bare * WANTED_SHARE,
});

const appendTo =
  (store: EventStore): Append =>
  (stream, at, event) =>
    store.append(stream, at === 0 ? 'no-stream' : at - 1, [event]);

/** Appends a second by 32 callers. */
export const rate = (append: Append, seconds: number): Promise<number> =>
  ratePerSecond((until) => caller(append, until), seconds);

/** Returns what 32 callers do a second, each of whom returns how much it did until then. */
export async function ratePerSecond(call: (until: number) => Promise<number>, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const counts = await Promise.all(Array.from({ length: CALLERS }, () => call(until)));
  return counts.reduce((sum, each) => sum + each, 0) / ((performance.now() - startedAt) / 1000);
}

/** Appends one event after the other, of the size of a created link but of a type that no projection reads. */
async function caller(append: Append, until: number): Promise<number> {
  const id = uuid().replaceAll('-', '');
  const stream = `org_bench-benchmark-${id}`;
  let revision = 0;
  for (; performance.now() < until; revision++) {
    const data = { linkId: id, organizationId: 'org_bench', name: 'A link', targetUrl: 'https://example.com/landing' };
    const metadata = { actor: 'usr_bench', correlation: id, command: uuid() };
    await append(stream, revision, { id: uuid(), type: 'BenchmarkAppended', data, metadata });
  }
  return revision;
}
