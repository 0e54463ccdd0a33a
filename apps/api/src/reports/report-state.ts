import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { ReportReady } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { POOL } from '../tokens';

/** How long a report belongs to a process after each step, s: longer than the figures of a website may take. */
const CLAIM_S = 60;
/** How long one waits for events before it is looked at again, s. */
const WAITING_S = 30;

/** A report that this process makes. */
interface ClaimedReport {
  readonly id: string;
  readonly claim: string;
}

/** The mail of a report, and the event that says so. */
interface MadeReport {
  readonly body: string;
  readonly html: string;
  readonly event: ReportReady;
}

/** How far reports are: each period of one is decided once, by the process whose claim has not ended. */
@Injectable()
export class ReportState {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** The first day of which the period of a report is not decided, of those that were ever looked at. */
  async settled(): Promise<ReadonlyMap<string, string>> {
    const rows = await run<{ id: string; until: string }>(
      this.pool,
      sql`select report_id as id, settled_until::text as until from report_state`,
    );
    return new Map(rows.map(({ id, until }) => [id, until]));
  }

  /** A report of which nothing is known begins there. */
  async begin(id: string, settledUntil: string): Promise<void> {
    await run(
      this.pool,
      sql`insert into report_state (report_id, settled_until) values (${id}, ${settledUntil}::date) on conflict do nothing`,
    );
  }

  /** Nothing of the periods up to that day is sent. */
  async skip(id: string, settledUntil: string): Promise<void> {
    await run(
      this.pool,
      sql`update report_state set settled_until = greatest(settled_until, ${settledUntil}::date), claim = null, claimed_until = null
        where report_id = ${id}`,
    );
  }

  /** Undefined where the period before that day is decided, or another process is about to. */
  async claim(id: string, nextDate: string): Promise<ClaimedReport | undefined> {
    const claim = randomUUID();
    const rows = await run(
      this.pool,
      sql`update report_state set claim = ${claim}, claimed_until = ${CLAIMED_UNTIL}
        where report_id = ${id} and settled_until < ${nextDate}::date and next_at <= now()
          and coalesce(claimed_until <= now(), true)
        returning 1`,
    );
    return rows.length > 0 ? { id, claim } : undefined;
  }

  /** @throws Error where it is another process's by now */
  async renew(claimed: ClaimedReport): Promise<void> {
    const rows = await run(
      this.pool,
      sql`update report_state set claimed_until = ${CLAIMED_UNTIL} where ${ours(claimed)} returning 1`,
    );
    if (rows.length === 0) throw new Error(`The report ${claimed.id} took too long: another process makes it.`);
  }

  /** `pauseS`: before anybody looks at it again. */
  async giveBack(claimed: ClaimedReport, pauseS = WAITING_S): Promise<void> {
    await run(
      this.pool,
      sql`update report_state set claim = null, claimed_until = null, next_at = now() + make_interval(secs => ${pauseS})
        where ${ours(claimed)}`,
    );
  }

  /** Keeps the mail, and goes on to the next period: together, so that there is one of each. False under a claim that has ended. */
  async settle(claimed: ClaimedReport, nextDate: string, { body, html, event }: MadeReport): Promise<boolean> {
    const kept = await run(
      this.pool,
      sql`with ours as (
          update report_state set settled_until = ${nextDate}::date, claim = null, claimed_until = null
          where ${ours(claimed)} and settled_until < ${nextDate}::date returning 1
        )
        insert into report_mails (event_id, report_id, organization_id, body, html, event)
        select ${event.id}, ${claimed.id}, ${event.data.organizationId}, ${body}, ${html}, ${JSON.stringify(event)}::jsonb from ours
        on conflict do nothing returning 1`,
    );
    return kept.length > 0;
  }

  /** The events that wait to be recorded, the oldest first. */
  async waiting(): Promise<readonly ReportReady[]> {
    const rows = await run<{ event: ReportReady }>(
      this.pool,
      sql`select event from report_mails where recorded_at is null order by created_at limit 100`,
    );
    return rows.map(({ event }) => event);
  }

  async recorded({ id }: ReportReady): Promise<void> {
    await run(this.pool, sql`update report_mails set recorded_at = now() where event_id = ${id}`);
  }

  /** Forgets reports that are deleted. */
  async forget(ids: readonly string[]): Promise<void> {
    await run(this.pool, sql`delete from report_state where report_id = any(${ids}::text[])`);
  }
}

const CLAIMED_UNTIL: Sql = sql`now() + make_interval(secs => ${CLAIM_S})`;
const ours = ({ id, claim }: ClaimedReport): Sql =>
  sql`report_id = ${id} and claim = ${claim} and claimed_until > now()`;
