import type { PoolClient } from 'pg';
import { RollupDeltas, RollupRowsByWebsite } from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { clickedIn, supersededIn, type Session } from '@ledgerline/contracts/sessions/session';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { copyRows } from '@ledgerline/platform/database/copy-rows';
import { transaction } from '@ledgerline/platform/database/pool';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { StoredVisitor, WrittenTables } from '../projections/projection-group';
import { readFacts } from '../projections/websites/fact-changes';
import { EVENT_FACTS } from '../projections/websites/read-hit';
import { readVisitors, type ActorRange } from '../projections/websites/session-rows';
import { resolveTables } from '../versions/program-tables';
import type { BulkWork } from './bulk-work';

/** Some visitors of a website, as a snapshot has them in the tables that answer. */
export interface StoredPart extends ActorRange {
  /** IANA. */
  readonly zone: string;
  /** As Postgres names it. */
  readonly snapshot: string;
  /** The version whose table gets rows. */
  readonly version: number;
  /** Names of those that are evaluated. */
  readonly counts: readonly string[];
}

/** In the snapshot. The server is not to end it while visitors are evaluated. */
const reading = (snapshot: string) =>
  `begin isolation level repeatable read read only; set transaction snapshot '${snapshot.replaceAll("'", "''")}';
   set local idle_in_transaction_session_timeout = '600s'; set local statement_timeout = '600s'`;
/** A crash leaves an incomplete version, which begins again. */
const COPYING = 'begin; set local synchronous_commit = off';

/** Evaluates counts over the sessions and facts of whole visitors, and adds rows with them to the table of a version. */
export async function countStored(
  { pool, copying, group }: BulkWork,
  part: StoredPart,
  onHits: (hits: number) => void,
): Promise<void> {
  const filled = (await resolveTables(pool, group, part.version)).tables;
  const counts = ROLLUPS.filter(({ name }) => part.counts.includes(name));
  const work = async (client: PoolClient) => {
    const { tables } = await resolveTables(client, group, 'live');
    for await (const visitors of readVisitors(client, tables.state, part)) {
      const stored = new StoredVisitors(client, tables, part, visitors);
      const domains = await group.domains.resolve(part.website, stored.hrefs());
      const rows = (await stored.evaluate(counts, domains)).values();
      await transaction(copying, (to) => copyRows(to, filled.state, websiteRollups, rows), COPYING);
      onHits(stored.hits);
    }
  };
  await transaction(pool, work, reading(part.snapshot));
}

/** Some visitors of a website with all their sessions. */
class StoredVisitors {
  private readonly pause = yieldToEventLoop();
  private readonly sessions: readonly { readonly actor: string; readonly session: Session }[];

  constructor(
    private readonly on: PoolClient,
    private readonly tables: WrittenTables,
    private readonly of: StoredPart,
    private readonly visitors: ReadonlyMap<string, StoredVisitor>,
  ) {
    this.sessions = [...visitors].flatMap(([actor, { sessions }]) => sessions.map((session) => ({ actor, session })));
  }

  get hits(): number {
    return this.sessions.reduce((sum, { session }) => sum + session.hits.length, 0);
  }

  /** The links that they clicked, as text ids. */
  hrefs(): Iterable<number> {
    return clickedIn(this.sessions.map(({ session }) => session));
  }

  async evaluate(counts: readonly Rollup[], domains: ReadonlyMap<number, number>): Promise<RollupRowsByWebsite> {
    const kept = new RollupDeltas();
    for (const [href, domain] of domains) kept.addDomain(href, domain);
    const { website, zone } = this.of;
    const calendar = calendarOf(zone);
    for (const [actor, { number, sessions: added }] of this.visitors) {
      const visitor = number === null ? null : actor;
      kept.addVisitor({ website, visitor, calendar }, { added, removed: [], staying: [] });
      await this.pause();
    }
    for (const facts of EVENT_FACTS) if (counts.some(({ of }) => of === facts.unit)) await this.addFacts(kept, facts);
    const rows = new RollupRowsByWebsite();
    for (const [count, pack] of kept.parts(counts)) {
      rows.add(count, pack);
      await this.pause();
    }
    return rows;
  }

  /** Adds the facts that no later revision of the same report replaces. */
  private async addFacts(kept: RollupDeltas, { builds, kind, unit }: (typeof EVENT_FACTS)[number]): Promise<void> {
    const { website, zone } = this.of;
    const calendar = calendarOf(zone);
    const facts = this.sessions.flatMap(({ actor, session: { hits } }) => {
      const superseded = supersededIn(hits);
      const counting = hits.filter((hit) => hit.kind === kind && !superseded.has(hit));
      return counting.map(({ at, id }) => ({ key: { website, at, id, actor } }));
    });
    for (const [place, columns] of await readFacts(this.on, this.tables, builds, facts)) {
      const at = facts[place]?.key.at;
      if (unit && at !== undefined) kept.addFact(unit, columns, { website, calendar, at }, 1);
    }
  }
}
