import type { Pool } from 'pg';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run, transaction } from '@ledgerline/platform/database/pool';
import type { Cursor, LogReader } from '@ledgerline/platform/log/log-reader';
import type { ProjectionGroup } from '../projections/projection-group';
import { resolveTables } from '../versions/program-tables';
import { isDueToEvents } from './batch-reader';
import { type CheckpointKey, addToCheckpoint, readCheckpoint } from './checkpoint';
import { loadRules } from './erasure-rules';
import { deleteParked, noteFailure, readWaitingEvents, reviseParked, type ParkedEvent } from './parked-events';

interface Parts<Event> {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  readonly pool: Pool;
}

/** The parked events that are retried: of one version of a partition, with these order keys, or with any. */
export interface Retry {
  readonly key: CheckpointKey;
  readonly orderKeys?: readonly string[] | undefined;
}

export interface RetryResult {
  readonly projected: number;
  /** Events that still cannot be projected; what waits behind them was not tried. */
  readonly failed: number;
}

const MAX_AT_ONCE = 500;

/**
 * Projects parked events in the order of the log, in as large pieces as they can be; an event that fails stays parked
 * with its new error, and so do those behind it. The projector waits for each piece.
 */
export async function retryParked<Event>(parts: Parts<Event>, { key, orderKeys: keys }: Retry): Promise<RetryResult> {
  const epoch = await parts.log.epoch();
  const failed = new Set<string>();
  let projected = 0;
  let after = 0;
  let limit = MAX_AT_ONCE;
  for (;;) {
    const found = await readWaitingEvents(parts.pool, key, { epoch, keys, after, limit });
    const last = found.at(-1);
    if (!last) return { projected, failed: failed.size };
    const waiting = found.filter(({ orderKey }) => !failed.has(orderKey));
    const error = await project(parts, key, waiting).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    );
    if (error && (error.reason instanceof StartFailure || !isDueToEvents(error.reason))) throw error.reason;
    const [first] = waiting;
    if (error && first && waiting.length > 1) {
      limit = Math.ceil(found.length / 2);
      continue;
    }
    if (error && first) {
      await noteFailure(parts.pool, first.number, error.reason);
      failed.add(first.orderKey);
    } else projected += waiting.length;
    after = last.number;
    limit = Math.min(limit * 2, MAX_AT_ONCE);
  }
}

/** Projects parked events and takes them off the parked ones, or neither. */
async function project<Event>(parts: Parts<Event>, key: CheckpointKey, waiting: readonly ParkedEvent[]): Promise<void> {
  if (waiting.length === 0) return;
  const { group, pool } = parts;
  const revision = (await readCheckpoint(pool, key))?.parkedRevision ?? 0;
  group.invalidateCaches(); // since the revision before, texts may have got other ids
  const events = await withoutErased(parts, await readEvents(parts, key.partition, waiting));
  const compute = await group.prepare(events);
  await transaction(pool, async (client) => {
    const [revised] = await run<{ revision: number }>(client, reviseParked(key));
    const taken = await deleteParked(
      client,
      waiting.map(({ number }) => number),
    );
    if (taken < waiting.length || revised?.revision !== revision + 1)
      throw new StartFailure('Parked events were retried, or tables repaired, elsewhere meanwhile; try again.');
    const { statements } = await compute(pool, (await resolveTables(client, group, key.version)).tables);
    for (const statement of statements) await run(client, statement);
    if (events.length === 0) return;
    const asOf = events.map((event) => group.loggedAt(event)).reduce((a, b) => Math.max(a, b));
    await addToCheckpoint(client, key, { events: events.length, asOf });
  });
}

async function withoutErased<Event>(
  { group, pool }: Parts<Event>,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const erased = await loadRules(pool, group.name);
  return events.filter((event) => !group.hitIn || erased.matching(group.hitIn(event)).length === 0);
}

/** @throws RangeError for an event that the log does not have any more */
async function readEvents<Event>(
  parts: Parts<Event>,
  partition: number,
  parked: readonly ParkedEvent[],
): Promise<readonly Event[]> {
  const known = new Map<Cursor, Event>();
  const events: Event[] = [];
  for (const { cursor, after } of parked) {
    if (!known.has(cursor)) {
      known.clear();
      for (const event of await readUpTo(parts, partition, { after, cursor }))
        known.set(parts.group.cursorOf(event), event);
    }
    const event = known.get(cursor);
    if (event === undefined) throw new RangeError('The log does not have this event any more.');
    events.push(event);
  }
  return events;
}

/** Returns what the log has of the group's types from one cursor to at least the other. */
async function readUpTo<Event>(
  { log, group }: Pick<Parts<Event>, 'log' | 'group'>,
  partition: number,
  { after, cursor }: Pick<ParkedEvent, 'after' | 'cursor'>,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let from = after; log.compare(from, cursor) < 0;) {
    const batch = await log.read(partition, from, { max: MAX_AT_ONCE, types: group.types });
    events.push(...batch.events);
    if (batch.atHead) break;
    from = batch.next;
  }
  return events;
}

/** A parked event as the log has it. @throws RangeError if it does not any more */
export async function readParkedEvent<Event>(
  parts: Parts<Event>,
  partition: number,
  parked: ParkedEvent,
): Promise<Event> {
  const [event] = await readEvents(parts, partition, [parked]);
  if (event === undefined) throw new RangeError('The log does not have this event any more.');
  return event;
}
