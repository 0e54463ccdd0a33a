import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { GOAL_HIT_TYPES } from '@ledgerline/domain/goals/reached-goal';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { isInstallation } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type LoggedHit, readHeads } from '@ledgerline/platform/intake-log/intake-log';
import { type Cursor, type LogReader, isReplaced } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { PeriodicWork } from '@ledgerline/platform/processes/periodic-work';
import { insertDeliveries } from './kept-deliveries';
import { type NewDelivery, deliveryOf } from './messages';
import { type ObservedFold, ObservedFolds, type FoldedMessage, foldKeys } from './observed-folds';
import { type ObservedRecords, ObservedRecordsReader } from './observed-records';

interface ObservedMessagesParts {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'epoch'>;
  readonly intakeLog: LogReader<LoggedHit>;
  /** Hits that are left out match one of them. */
  readonly erasures: () => Promise<readonly ErasureRules[]>;
  readonly publicApiUrl: string;
  readonly logger: Logger;
}

const REPEATED = {
  everyMs: 500,
  began: 'no messages are made of what was observed; trying again until they are',
  ended: 'messages are made of what was observed again',
};
const NOTED_EVERY = sql`interval '10 s'`;
/** While nothing happens, what destinations want is compared no more often. */
const COMPARED_EVERY_MS = 5_000;
const BATCH = 2_000;
const TYPES: readonly ObservedEvent['type'][] = [
  'MonitorChecked',
  'AlertDecided',
  'LinkClicked',
  'ReportReady',
  ...GOAL_HIT_TYPES,
];

/** Makes messages of the intake log: cursor, what is remembered and messages of a batch are committed together. */
export class ObservedMessages extends PeriodicWork {
  private readonly reader: ObservedRecordsReader;
  private comparedAt = -Infinity;

  constructor(private readonly parts: ObservedMessagesParts) {
    super(parts.logger, REPEATED);
    this.reader = new ObservedRecordsReader(parts.pool);
  }

  async runOnce(): Promise<void> {
    const { pool, store, publicApiUrl } = this.parts;
    const sources = await readSources(pool);
    const isSoon = performance.now() - this.comparedAt < COMPARED_EVERY_MS;
    if (sources.length > 0 && isSoon && !sources.some(isWaiting)) return;
    this.comparedAt = performance.now();
    const epoch = await store.epoch();
    const records = await this.reader.read(epoch);
    if (!records) return;
    if (records.destinations.length === 0) return this.forget();
    if (!(await isInstallation(pool, { publicApiUrl, epoch }))) return;
    await this.begin();
    const known = sources.length > 0 ? sources : await readSources(pool);
    for (const source of known.filter(isWaiting)) await this.readOn(source, epoch);
    await run(pool, sql`update delivery_sources set looked_at = now() where looked_at < now() - ${NOTED_EVERY}`);
  }

  /** What happens while no destination wants anything is never sent. */
  private async forget(): Promise<void> {
    await run(
      this.parts.pool,
      sql`with gone as (delete from delivery_sources returning 1)
        delete from delivery_folds where exists (select from gone)`,
    );
  }

  /** The first wish begins now, and so does one after the log was replaced. */
  private async begin(): Promise<void> {
    const { pool, intakeLog } = this.parts;
    const epoch = await intakeLog.epoch();
    const count = await intakeLog.partitions();
    const known = await run<{ partition: number }>(
      pool,
      sql`select partition from delivery_sources where epoch = ${epoch}`,
    );
    if (known.length === count) return;
    const heads = await readHeads(pool);
    const all = Array.from({ length: count }, (_, partition) => partition);
    await transaction(pool, async (client) => {
      await run(
        client,
        sql`delete from delivery_folds f using delivery_sources s
        where s.partition = f.partition and s.epoch <> ${epoch}`,
      );
      await run(
        client,
        sql`insert into delivery_sources as old (partition, epoch, cursor)
          select partition, ${epoch}, cursor
          from unnest(${all}::integer[], ${all.map((partition) => heads.get(partition) ?? '')}::text[]) as s (partition, cursor)
          on conflict (partition) do update set epoch = excluded.epoch, cursor = excluded.cursor where old.epoch <> excluded.epoch`,
      );
    });
  }

  /** Records are read after events, so that a destination gets what happens once it is known. */
  private async readOn({ partition, cursor, isBehind }: Source, epoch: string): Promise<void> {
    const { pool, intakeLog, erasures } = this.parts;
    let from = cursor;
    for (let atHead = !isBehind; ;) {
      const batch = atHead ? { events: [], next: from, atHead } : await this.read(intakeLog, partition, from);
      const rules = await erasures();
      const records = await this.reader.read(epoch);
      if (!records) return;
      const hits = batch.events.filter(({ event }) => rules.every((each) => each.matching(event).length === 0));
      const isOurs = await transaction(pool, (client) =>
        this.keep(client, { partition, from, next: batch.next }, hits, records),
      );
      if (!isOurs || batch.atHead || this.signal.aborted) return;
      ({ next: from, atHead } = batch);
    }
  }

  private async read(log: LogReader<LoggedHit>, partition: number, from: Cursor) {
    try {
      return await log.read(partition, from, { max: BATCH, types: TYPES });
    } catch (error) {
      if (!isReplaced(error)) throw error;
      throw new Error(`Partition ${partition} of the intake log is not the one that was read.`, { cause: error });
    }
  }

  /** False where another process has read on meanwhile. */
  private async keep(
    client: Queryable,
    { partition, from, next }: { readonly partition: number; readonly from: Cursor; readonly next: Cursor },
    hits: readonly LoggedHit[],
    records: ObservedRecords,
  ): Promise<boolean> {
    const [row] = await run<{ now: number }>(
      client,
      sql`update delivery_sources set cursor = ${next} where partition = ${partition} and cursor = ${from}
        returning (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    if (!row) return false;
    const keys = [...new Set(hits.flatMap((hit) => foldKeys(hit, records)))];
    const held = await readFolds(client, partition, keys);
    const linkIds = [...held.keys(), ...keys].filter((key) => key.startsWith('link ')).map((key) => key.slice(5));
    await records.addLinks(client, linkIds);
    const folds = new ObservedFolds(held, records, partition, row.now);
    for (const hit of hits) folds.add(hit);
    folds.pass();
    await writeFolds(client, partition, folds.changes);
    await insertMessages(client, folds.messages, records);
    return true;
  }
}

interface Source {
  readonly partition: number;
  readonly cursor: Cursor;
  /** There are new events. */
  readonly isBehind: boolean;
  /** The time of something has come. */
  readonly isDue: boolean;
}

const isWaiting = ({ isBehind, isDue }: Source): boolean => isBehind || isDue;

/** All partitions; none while no destination wants anything. */
const readSources = (on: Queryable): Promise<Source[]> =>
  run<Source & Record<string, unknown>>(
    on,
    sql`select s.partition, s.cursor, coalesce(nullif(s.cursor, '')::bigint, -1) < coalesce(h.next_offset - 1, -1) as "isBehind",
        exists (select from delivery_folds f where f.partition = s.partition and f.due_at <= now()) as "isDue"
      from delivery_sources s left join intake_heads h using (partition) order by partition`,
  );

/** Those with these keys, and those whose time has come. */
async function readFolds(
  on: Queryable,
  partition: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ObservedFold>> {
  const rows = await run<ObservedFold & Record<string, unknown>>(
    on,
    sql`select key, state, (extract(epoch from due_at) * 1000)::float8 as "dueAt" from delivery_folds
      where partition = ${partition} and (key = any(${keys}::text[]) or due_at <= now())`,
  );
  return new Map(rows.map((fold) => [fold.key, fold]));
}

async function writeFolds(
  on: Queryable,
  partition: number,
  changes: ReadonlyMap<string, ObservedFold | null>,
): Promise<void> {
  const gone = [...changes].flatMap(([key, fold]) => (fold ? [] : [key]));
  const kept = [...changes.values()].filter((fold) => fold !== null);
  if (gone.length > 0)
    await run(on, sql`delete from delivery_folds where partition = ${partition} and key = any(${gone}::text[])`);
  if (kept.length === 0) return;
  const dueTimes = kept.map(({ dueAt }) => (dueAt === null ? null : new Date(dueAt).toISOString()));
  await run(
    on,
    sql`insert into delivery_folds (partition, key, state, due_at)
      select ${partition}, key, state, due_at
      from unnest(${kept.map(({ key }) => key)}::text[], ${kept.map(({ state }) => JSON.stringify(state))}::jsonb[],
        ${dueTimes}::timestamptz[]) as f (key, state, due_at)
      on conflict (partition, key) do update set state = excluded.state, due_at = excluded.due_at`,
  );
}

/** By destination in the order of ids, as each stays locked until the end. */
async function insertMessages(
  on: Queryable,
  messages: readonly FoldedMessage[],
  records: ObservedRecords,
): Promise<void> {
  const wanting = messages.map(({ message, since, destinationIds }) => {
    const all = destinationIds
      ? records.destinations.filter(({ id }) => destinationIds.includes(id))
      : records.wanting(message);
    return all.filter(({ createdAt }) => createdAt.getTime() <= since);
  });
  const mails = await reportMails(on, messages);
  const ids = new Set(wanting.flat().map(({ id }) => id));
  for (const { id, details } of records.destinations.filter((each) => ids.has(each.id)).toSorted(byId)) {
    const own = messages.filter((_, at) => wanting[at]?.some((each) => each.id === id));
    await insertDeliveries(
      on,
      id,
      own.map(({ content, message }) => {
        const delivery = deliveryOf(id, details, content, message);
        return details.kind === 'mail' ? { ...delivery, ...mails.get(message.data.id) } : delivery;
      }),
    );
  }
}

type ReportMail = Pick<NewDelivery, 'body' | 'html'>;

/** The mails of reports, by their events. */
async function reportMails(
  on: Queryable,
  messages: readonly FoldedMessage[],
): Promise<ReadonlyMap<string, ReportMail>> {
  const ids = messages.filter(({ message }) => message.type === 'report.ready').map(({ message }) => message.data.id);
  if (ids.length === 0) return new Map();
  const rows = await run<ReportMail & { readonly id: string }>(
    on,
    sql`select event_id as id, body, html from report_mails where event_id = any(${ids}::text[]) and html is not null`,
  );
  return new Map(rows.map(({ id, body, html }) => [id, { body, html }]));
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
