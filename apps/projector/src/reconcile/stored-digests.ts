import { dayName } from '@ledgerline/domain/time/zones';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { BoundGroup } from '../runner/bound-group';
import { DayDigests, type Digest, type TableDigests } from './digest';
import { type Finding, type SubjectDay, keyOf } from './findings';
import { type EventDigest, type LivePartition, LogDigests } from './log-part';

/** A partition that is compared. */
export interface Comparing {
  readonly group: BoundGroup;
  readonly live: LivePartition;
  /** Undefined = the whole log is read, and everything compared. */
  readonly stored: StoredDigests | undefined;
  /** Called for each finding at once. */
  readonly report: (finding: Finding) => Promise<void>;
  /** Called between pieces of work, outside of transactions. */
  readonly rest: () => Promise<void>;
}

/** The day by which the signature of all of a subject is stored: no event is of it. */
export const ALL_DAYS = -1;

/** Digests are stored after about so many events. */
const CHUNK = 50_000;

/** To be raised when the same events have other hashes: they are counted anew. */
const HASHES = 2;

/**
 * The time, ms, after which the days of a website that were compared longest ago are compared again,
 * whatever their signature.
 */
const TRUSTED_HOURS = 4;

/** Days that were compared, from one on; null = they do not follow from the log. */
interface ComparedDays extends SubjectDay {
  readonly signature: bigint | null;
}

/** The digests of a partition of the log up to a cursor, in Postgres: each event is read once. */
export class StoredDigests {
  private constructor(
    private readonly live: LivePartition,
    public cursor: Cursor,
  ) {}

  /** Forgets those of another log, or made for other tables. */
  static async open(live: LivePartition): Promise<StoredDigests> {
    const { pool, log } = live;
    const { group, partition } = live.key;
    const layout = `${live.layout} ${HASHES}`;
    const epoch = await log.epoch();
    return transaction(pool, async (client) => {
      const [state] = await run<{ cursor: Cursor }>(
        client,
        sql`select counted_to as cursor from reconciliations
          where projection_group = ${group} and partition = ${partition}
            and counted_layout = ${layout} and counted_epoch = ${epoch}`,
      );
      if (state) return new StoredDigests(live, state.cursor);
      await run(
        client,
        sql`delete from reconciled_days where projection_group = ${group} and partition = ${partition}`,
      );
      await run(
        client,
        sql`update reconciliations set counted_to = '', counted_layout = ${layout}, counted_epoch = ${epoch}
          where projection_group = ${group} and partition = ${partition}`,
      );
      return new StoredDigests(live, '');
    });
  }

  async readTo(digest: EventDigest, upTo: Cursor, rest: () => Promise<void>): Promise<void> {
    while (this.live.log.compare(this.cursor, upTo) < 0) {
      const digests = new LogDigests(this.live, digest, this.cursor);
      await digests.readTo(upTo, rest, CHUNK);
      await this.add(digests);
    }
  }

  private async add({ cursor, subjects }: LogDigests): Promise<void> {
    const { group, partition } = this.live.key;
    const rows = [...subjects].flatMap(([subject, { zone, days }]) =>
      [...days].map(([day, digests]) => ({ subject, zone, day: dayName(day), counts: toJson(digests) })),
    );
    await transaction(this.live.pool, async (client) => {
      await run(
        client,
        sql`insert into reconciled_days as old (projection_group, partition, subject, day, zone, counts)
          select ${group}, ${partition}, subject, day, zone, counts
          from jsonb_to_recordset(${JSON.stringify(rows)}) as new (subject text, day date, zone text, counts jsonb)
          order by subject, day
          on conflict (projection_group, subject, day) do update set signature = null, zone = excluded.zone, counts = (
            select jsonb_object_agg(name, jsonb_build_array(events, checksum)) from (
              select key as name, sum((value->>0)::float8) as events, sum((value->>1)::float8) as checksum
              from (select * from jsonb_each(old.counts) union all select * from jsonb_each(excluded.counts)) both_counts
              group by key
            ) added
          )`,
      );
      const moved = await run(
        client,
        sql`update reconciliations set counted_to = ${cursor}
          where projection_group = ${group} and partition = ${partition} and counted_to = ${this.cursor} returning 1`,
      );
      if (moved.length === 0) throw new Error('Another process reads the events of this partition.');
    });
    this.cursor = cursor;
  }

  /** The digests of what the log has of each subject, or of what it is counted by for one table. */
  async subjects(table: string | null = null): Promise<ReadonlyMap<string, Digest>> {
    const { group, partition } = this.live.key;
    const rows = await run<Digest & { subject: string }>(
      this.live.pool,
      sql`select subject, coalesce(sum((value->>0)::float8), 0) as events, coalesce(sum((value->>1)::float8), 0) as checksum
        from reconciled_days left join lateral jsonb_each(counts) on ${table}::text is null or key = ${table}
        where projection_group = ${group} and partition = ${partition} group by 1 order by 1`,
    );
    return new Map(rows.map(({ subject, ...digest }) => [subject, digest]));
  }

  /** Undefined for a website of which the log has nothing. */
  async load(website: string): Promise<(DayDigests & { readonly zone: string }) | undefined> {
    type Counts = Record<string, [events: number, checksum: number]>;
    const rows = await run<{ day: number; zone: string; counts: Counts }>(
      this.live.pool,
      sql`select day - '1970-01-01'::date as day, zone, counts from reconciled_days
        where projection_group = ${this.live.key.group} and subject = ${website} and day <> ${dayName(ALL_DAYS)}`,
    );
    const [first] = rows;
    const digests = new DayDigests();
    for (const { day, counts } of rows)
      for (const [table, [events, checksum]] of Object.entries(counts))
        digests.addDigest(table, day, { events, checksum });
    return first && Object.assign(digests, { zone: first.zone });
  }

  /** The signatures of what followed from the log, by subject and first day; of a website without one that is due again. */
  async proven(website: string | null = null): Promise<ReadonlyMap<string, bigint>> {
    const { group, partition } = this.live.key;
    const rows = await run<SubjectDay & { signature: string; isOld: boolean }>(
      this.live.pool,
      sql`select subject, day - '1970-01-01'::date as day, signature::text,
          proven_at < clock_timestamp() - ${TRUSTED_HOURS} * interval '1 hour' as "isOld"
        from reconciled_days where projection_group = ${group} and partition = ${partition}
          and (${website}::text is null or (subject = ${website} and day <> ${dayName(ALL_DAYS)}))
          and signature is not null
        order by proven_at`,
    );
    const isDue = website !== null && rows[0]?.isOld === true;
    return new Map(rows.slice(isDue ? 1 : 0).map((row) => [keyOf(row), BigInt(row.signature)]));
  }

  async prove(compared: readonly ComparedDays[]): Promise<void> {
    const { group, partition } = this.live.key;
    const rows = compared.map((each) => ({ ...each, day: dayName(each.day), signature: each.signature?.toString() }));
    await run(
      this.live.pool,
      sql`insert into reconciled_days (projection_group, partition, subject, day, zone, signature, proven_at)
        select ${group}, ${partition}, subject, day, 'UTC', signature, clock_timestamp()
        from jsonb_to_recordset(${JSON.stringify(rows)}) as new (subject text, day date, signature numeric)
        on conflict (projection_group, subject, day) do update set signature = excluded.signature, proven_at = excluded.proven_at`,
    );
  }

  /** Replaces the digests of a day by those of its events, without their repeats and what is left out by now. */
  async correct({ subject, day }: SubjectDay, digests: TableDigests): Promise<void> {
    await run(
      this.live.pool,
      sql`update reconciled_days set counts = ${JSON.stringify(toJson(digests))}::jsonb
        where projection_group = ${this.live.key.group} and subject = ${subject} and day = ${dayName(day)}`,
    );
  }
}

const toJson = (digests: TableDigests) =>
  Object.fromEntries([...digests].map(([table, { events, checksum }]) => [table, [events, checksum]]));
