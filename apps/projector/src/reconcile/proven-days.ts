import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { dayName, type SubjectDay } from './findings';
import { DayCounts, LogCounts, type CountEvent, type EventCount, type LogPart } from './log-counts';
import type { Reconciled } from './reconciliations';

/** What is known of a subject. */
export interface KnownSubject {
  readonly zone: string;
  /** Of the events in the log up to {@link ProvenDays.cursor}. */
  readonly logged: DayCounts;
  /** The signatures of days that need no comparison while they have them. */
  readonly proven: Map<number, bigint>;
}

/** A day that was found to follow from the log. */
export interface Proof extends SubjectDay {
  readonly zone: string;
  readonly signature: bigint;
}

/** Counts are stored after about so many events. */
const CHUNK = 50_000;
/** Days are compared again after this time, of all of them one of so many parts in a pass. */
const [TRUSTED_HOURS, PARTS] = [4, 24];

/** The days of a partition that are known to follow from the log, and how many events the log has on each day. */
export class ProvenDays {
  private constructor(
    private readonly pool: Pool,
    private readonly of: Reconciled,
    /** Up to where the log is counted. */
    public cursor: Cursor,
    /** Days that were proven then or earlier are compared again; a text, as a Date lacks the microseconds. */
    private readonly trustedSince: string,
  ) {}

  /** Forgets what was known of other tables, or of another log. */
  static async open(pool: Pool, of: Reconciled, layout: string, epoch: string): Promise<ProvenDays> {
    const { group, partition } = of;
    const [state] = await run<{ cursor: Cursor; isSame: boolean }>(
      pool,
      sql`select counted_to as cursor, (counted_layout = ${layout} and counted_epoch = ${epoch}) is true as "isSame" from reconciliations
        where projection_group = ${group} and partition = ${partition}`,
    );
    if (!state?.isSame) {
      await transaction(pool, async (client) => {
        await run(
          client,
          sql`delete from reconciled_days where projection_group = ${group} and partition = ${partition}`,
        );
        await run(
          client,
          sql`update reconciliations set counted_to = '', counted_layout = ${layout}, counted_epoch = ${epoch}
            where projection_group = ${group} and partition = ${partition}`,
        );
      });
    }
    const [oldest] = await run<{ since: string }>(
      pool,
      sql`select least(clock_timestamp() - ${TRUSTED_HOURS} * interval '1 hour', (
          select percentile_disc(${1 / PARTS}::float8) within group (order by proven_at) from reconciled_days
          where projection_group = ${group} and partition = ${partition} and signature is not null
        ))::text as since`,
    );
    return new ProvenDays(pool, of, state?.isSame ? state.cursor : '', oldest?.since ?? 'infinity');
  }

  /** Reads on up to a cursor; the days of what it reads are no longer proven. */
  async count(part: LogPart, count: CountEvent, upTo: Cursor, rest: () => Promise<void>): Promise<void> {
    while (part.log.compare(this.cursor, upTo) < 0) {
      const counts = new LogCounts(part, count, this.cursor);
      await counts.readTo(upTo, rest, CHUNK);
      await this.add(counts);
    }
  }

  private async add({ cursor, subjects }: LogCounts): Promise<void> {
    const rows = [...subjects].flatMap(([subject, { zone, days }]) =>
      [...days].map(([day, counts]) => ({ subject, zone, day: dayName(day), counts: toJson(counts) })),
    );
    await transaction(this.pool, async (client) => {
      await run(
        client,
        sql`insert into reconciled_days as old (projection_group, partition, subject, day, zone, counts)
          select ${this.of.group}, ${this.of.partition}, subject, day, zone, counts
          from jsonb_to_recordset(${JSON.stringify(rows)}) as new (subject text, day date, zone text, counts jsonb)
          order by subject, day
          on conflict (projection_group, subject, day) do update set signature = null, zone = excluded.zone, counts = (
            select jsonb_object_agg(name, jsonb_build_array(events, times)) from (
              select key as name, sum((value->>0)::float8) as events, sum((value->>1)::float8) as times
              from (select * from jsonb_each(old.counts) union all select * from jsonb_each(excluded.counts)) both_counts
              group by key
            ) added
          )`,
      );
      const moved = await run(
        client,
        sql`update reconciliations set counted_to = ${cursor}
          where projection_group = ${this.of.group} and partition = ${this.of.partition} and counted_to = ${this.cursor}
          returning 1`,
      );
      if (moved.length === 0) throw new Error('Another process counts the events of this partition.');
    });
    this.cursor = cursor;
  }

  /** With the number of their events, about. */
  async subjects(): Promise<ReadonlyMap<string, number>> {
    const { group, partition } = this.of;
    const rows = await run<{ subject: string; events: number }>(
      this.pool,
      sql`select subject, sum((select coalesce(max((value->>0)::float8), 0) from jsonb_each(counts))) as events
        from reconciled_days where projection_group = ${group} and partition = ${partition} group by 1 order by 1`,
    );
    return new Map(rows.map(({ subject, events }) => [subject, events]));
  }

  async load(subjects: readonly string[]): Promise<ReadonlyMap<string, KnownSubject>> {
    const rows = await run<{
      subject: string;
      day: number;
      zone: string;
      counts: Record<string, [events: number, times: number]>;
      signature: string | null;
    }>(
      this.pool,
      sql`select subject, day - '1970-01-01'::date as day, zone, counts,
          case when proven_at > ${this.trustedSince}::timestamptz then signature::text end as signature
        from reconciled_days where projection_group = ${this.of.group} and subject = any(${subjects}::text[])`,
    );
    const known = new Map<string, KnownSubject>();
    for (const { subject, day, zone, counts, signature } of rows) {
      const its = known.get(subject) ?? { zone, logged: new DayCounts(), proven: new Map<number, bigint>() };
      known.set(subject, its);
      its.logged.addDay(day);
      for (const [table, [events, times]] of Object.entries(counts)) its.logged.addCount(table, day, { events, times });
      if (signature !== null) its.proven.set(day, BigInt(signature));
    }
    return known;
  }

  async prove(proofs: readonly Proof[]): Promise<void> {
    if (proofs.length === 0) return;
    const rows = proofs.map(({ day, signature, ...proof }) => {
      return { ...proof, day: dayName(day), signature: signature.toString() };
    });
    await run(
      this.pool,
      sql`insert into reconciled_days (projection_group, partition, subject, day, zone, signature, proven_at)
        select ${this.of.group}, ${this.of.partition}, subject, day, zone, signature, clock_timestamp()
        from jsonb_to_recordset(${JSON.stringify(rows)}) as new (subject text, day date, zone text, signature numeric)
        order by subject, day
        on conflict (projection_group, subject, day) do update set
          signature = excluded.signature, proven_at = excluded.proven_at`,
    );
  }

  /** A day that was found to differ beside others that were compared. */
  async forget({ subject, day }: SubjectDay): Promise<void> {
    await run(
      this.pool,
      sql`update reconciled_days set signature = null
        where projection_group = ${this.of.group} and subject = ${subject} and day = ${dayName(day)}`,
    );
  }

  /** Replaces a count by that of events without their repeats. */
  async correct({ subject, day }: SubjectDay, table: string, count: EventCount): Promise<void> {
    await run(
      this.pool,
      sql`update reconciled_days set counts = counts || ${JSON.stringify(toJson(new Map([[table, count]])))}::jsonb
        where projection_group = ${this.of.group} and subject = ${subject} and day = ${dayName(day)}`,
    );
  }
}

const toJson = (counts: ReadonlyMap<string, EventCount>) =>
  Object.fromEntries([...counts].map(([table, { events, times }]) => [table, [events, times]]));
