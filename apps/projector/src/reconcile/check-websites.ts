import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { PoolClient } from 'pg';
import { Dictionary } from '../projections/websites/dictionary';
import { EVENT_FACTS } from '../projections/websites/event-facts.projections';
import { HrefDomains } from '../projections/websites/href-domains';
import { compareBlocks, LONGEST, type BlockRange } from './compare-blocks';
import { compareWindow } from './compare-window';
import type { WebsiteWindow } from './expected-rollups';
import type { Finding } from './findings';
import { answeringTable, positionOf, type LivePartition } from './live-partition';
import {
  asDifference,
  confirmSuspects,
  isSameCount,
  LogCounts,
  NONE,
  type Suspect,
  type TableCounts,
} from './log-counts';
import { readWindow } from './stored-window';
import { countHit, divideDays, readClosed, readWebsites } from './website-parts';

export interface PartitionCheck extends LivePartition {
  /** Called for each finding at once. */
  readonly report: (finding: Finding) => Promise<void>;
  /** Called between pieces of work, outside of transactions. */
  readonly rest: () => Promise<void>;
}

/** One snapshot for the checkpoint, sessions and rollups. */
export const SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '60s'`;
/** About so many sessions are compared at once. */
const SESSIONS_AT_ONCE = 10_000;

/**
 * Compares the tables of the websites of a partition with its log: the events of each day with those in sessions and
 * facts, these with the rollups of single days row by row, and those with the longer blocks. Returns the number of days.
 */
export class WebsitesCheck {
  private readonly domains: HrefDomains;
  private readonly logged: LogCounts;
  private readonly suspects: Suspect[] = [];
  /** Tables of facts that are not compared. */
  private readonly lacked: ReadonlySet<string>;
  private days = 0;

  constructor(private readonly check: PartitionCheck) {
    this.domains = new HrefDomains(new Dictionary(check.pool));
    this.logged = new LogCounts(check.part, countHit);
    const lacked = EVENT_FACTS.filter(({ builds }) => !answeringTable(check.tables, builds));
    this.lacked = new Set(lacked.map(({ builds }) => builds.name));
  }

  async run(): Promise<number> {
    const { pool, part, tables, rest, isCurrent } = this.check;
    await this.logged.readTo(await positionOf(pool, this.check), rest);
    const partitions = await part.log.partitions();
    const websites = await readWebsites(pool, tables.state, this.logged.subjects.keys());
    for (const [id, website] of websites) {
      if (partitionOf(id, partitions) !== part.partition) continue;
      await this.checkWebsite(id, website);
    }
    for (const id of this.logged.subjects.keys()) if (!websites.has(id)) this.suspectAll(id);
    const lost = (await isCurrent()) ? await confirmSuspects(part, countHit, this.suspects, rest) : [];
    for (const { logged: expected, stored: found, ...of } of lost)
      await this.check.report({ ...of, ...asDifference(expected, found) });
    return this.days;
  }

  private async checkWebsite(id: string, website: number): Promise<void> {
    const { pool, tables, rest, report } = this.check;
    const zone = this.logged.subjects.get(id)?.zone ?? 'UTC';
    const windows = await divideDays(pool, tables.state, { website, zone, size: SESSIONS_AT_ONCE });
    for (const window of windows) {
      await this.logged.readTo(await positionOf(pool, this.check), rest);
      const differences = await transaction(pool, (client) => this.compare(client, id, window), SNAPSHOT);
      for (const difference of differences) await report({ ...difference, subject: id });
      await rest();
    }
    for (const range of await this.blocksOf(website, windows.length > 1)) {
      const differences = await transaction(pool, (client) => this.compareBlocks(client, range), SNAPSHOT);
      for (const difference of differences) await report({ ...difference, subject: id });
      await rest();
    }
  }

  private async compare(client: PoolClient, id: string, of: WebsiteWindow) {
    const { tables } = this.check;
    const cursor = await positionOf(client, this.check);
    await this.logged.readTo(cursor);
    const { expected, counts } = await readWindow(client, tables, of, this.domains);
    this.suspect(id, of, counts, cursor);
    const isClosed = await readClosed(client, tables.state, of.website);
    return compareWindow(client, expected, { tables, of, isClosed, replace: false });
  }

  /** Days whose events are not as many as the log has. */
  private suspect(
    subject: string,
    { since, until }: { since: number; until: number },
    stored: TableCounts,
    upTo: Cursor,
  ) {
    const logged = this.logged.subjects.get(subject)?.tables ?? new Map<string, never>();
    for (const table of new Set([...logged.keys(), ...stored.keys()])) {
      if (this.lacked.has(table)) continue;
      const [all, own] = [logged.get(table), stored.get(table)];
      const days = new Set([...(all?.keys() ?? []), ...(own?.keys() ?? [])]);
      for (const day of days) {
        if (day < since || day > until) continue;
        if (table === 'sessions') this.days++;
        const count = own?.get(day) ?? NONE;
        if (!isSameCount(all?.get(day) ?? NONE, count))
          this.suspects.push({ subject, day, table, stored: count, upTo });
      }
    }
  }

  private suspectAll(subject: string): void {
    this.suspect(subject, { since: -Infinity, until: Infinity }, new Map(), this.logged.position);
  }

  /** The longest blocks in which a website has days, one by one or all at once. */
  private async blocksOf(website: number, oneByOne: boolean): Promise<readonly BlockRange[]> {
    const rows = await run<{ day: number }>(
      this.check.pool,
      sql`select distinct first_at::date - '1970-01-01'::date as day from ${identifier(this.check.tables.state, sessions.name)}
        where website = ${website} order by 1`,
    );
    const days = rows.flatMap(({ day }) => [day - 1, day, day + 1]); // of its time zone, and of sessions over midnight
    const blocks = [...new Set(days.map((day) => blockOf(day, LONGEST)))];
    const [since, last] = [blocks[0], blocks.at(-1)];
    if (oneByOne || since === undefined || last === undefined)
      return blocks.map((block) => ({ website, since: block, length: LONGEST }));
    return [{ website, since, length: last + LONGEST - since }];
  }

  private async compareBlocks(client: PoolClient, range: BlockRange) {
    await positionOf(client, this.check);
    return compareBlocks(client, this.check.tables, range);
  }
}
