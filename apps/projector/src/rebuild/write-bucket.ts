import type { PoolClient } from 'pg';
import { websiteDays } from '@ledgerline/contracts/read-models/website-facts';
import { copyRows } from '@ledgerline/platform/database/copy-rows';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { WebsiteState } from '../projections/projection-group';
import { BatchChanges, resolveDomains, WebsiteStates } from '../projections/websites/batch-changes';
import { addToVisitorHits, type VisitorHits } from '../projections/websites/read-hit';
import { isDueToEvents } from '../runner/batch-reader';
import { resolveTables, type ResolvedTables } from '../versions/program-tables';
import { EventRefused, hitEventId, type BulkWork } from './bulk-work';
import { type Block, readBlocks, readRecord, recordsIn } from './spill';

/** The hits of some visitors. */
export interface VisitorBucket {
  /** In the order of the log for each visitor. */
  readonly blocks: readonly Block[];
  readonly version: number;
}

/** A crash leaves an incomplete version, which begins again. */
const BEGIN = 'begin; set local synchronous_commit = off';

type Visits = ReadonlyMap<string, VisitorHits>;

/**
 * Makes the sessions of the visitors of a bucket from all of their hits, and adds their rows to the tables of a version.
 * @throws EventRefused for one that cannot be stored
 */
export async function writeBucket(
  work: BulkWork,
  { blocks, version }: VisitorBucket,
  onHits: (hits: number) => void,
): Promise<void> {
  const resolved = await resolveTables(work.pool, work.group, version);
  const { visits, hits } = await readVisits(blocks);
  try {
    await writeVisits(work, resolved, visits);
  } catch (error) {
    throw isDueToEvents(error) ? await refusal(work, resolved, visits, error) : error;
  }
  onHits(hits);
}

async function readVisits(blocks: readonly Block[]) {
  const visits = new Map<string, VisitorHits>();
  let hits = 0;
  for await (const bytes of readBlocks(blocks)) {
    for (const at of recordsIn(bytes)) {
      const [hit, data] = readRecord(bytes, at);
      addToVisitorHits(visits, hit, { data });
      hits++;
    }
  }
  return { visits, hits };
}

async function writeVisits(work: BulkWork, { tables }: ResolvedTables, visits: Visits): Promise<void> {
  const { pool, copying } = work;
  const numbered = await reserveNumbers(pool, tables.state, visits);
  const changes = await changesOf(work, tables, visits, numbered);
  for (const [model, rows] of changes.shared())
    if (rows.length > 0 && tables.targetsOf(model).length > 0) await run(pool, upsert(tables.state, model, rows));
  await transaction(copying, (client) => copyAdded(client, tables, changes), BEGIN);
}

async function copyAdded(client: PoolClient, tables: ResolvedTables['tables'], changes: BatchChanges): Promise<void> {
  for (const [model, rows] of changes.added())
    if (rows.length > 0 && tables.targetsOf(model).length > 0) await copyRows(client, tables.state, model, rows);
}

async function changesOf(
  { pool, group }: BulkWork,
  tables: ResolvedTables['tables'],
  visits: Visits,
  numbered: ReadonlyMap<number, WebsiteState>,
): Promise<BatchChanges> {
  const changes = new BatchChanges(await resolveDomains(group.domains, visits), new WebsiteStates(numbered));
  const pause = yieldToEventLoop();
  for (const visit of visits.values()) {
    changes.add(visit, undefined);
    await pause();
  }
  await changes.finish(pool, tables, pause);
  return changes;
}

/** Counts these visitors in `website_days`; answers from which number on they have theirs. */
async function reserveNumbers(
  on: Queryable,
  schema: string,
  visits: Visits,
): Promise<ReadonlyMap<number, WebsiteState>> {
  const states = new WebsiteStates(new Map());
  for (const visit of visits.values()) {
    states.add(visit);
    if (visit.visitor !== null) states.nextVisitor(visit.website);
  }
  const websites = [...states.after].sort(([a], [b]) => a - b);
  const column = (of: (state: WebsiteState) => number) => websites.map(([, state]) => of(state));
  const reserved = await run<{ website: number; visitors: number }>(
    on,
    sql`insert into ${identifier(schema, websiteDays.name)} as old (website, latest_day, visitors)
      select website, '1970-01-01'::date + latest_day, visitors
      from unnest(${websites.map(([website]) => website)}::integer[], ${column(({ latestDay }) => latestDay)}::integer[],
        ${column(({ visitors }) => visitors)}::integer[]) as new (website, latest_day, visitors)
      order by website
      on conflict (website) do update set latest_day = greatest(old.latest_day, excluded.latest_day),
        visitors = old.visitors + excluded.visitors
      returning website, visitors`,
  );
  return new Map(
    reserved.map(({ website, visitors }) => {
      const state = states.after.get(website) ?? { latestDay: -Infinity, visitors: 0 };
      return [website, { ...state, visitors: visitors - state.visitors }];
    }),
  );
}

/** Finds the event by which visits are refused: each visitor is tried alone, and of the first that is refused ever more hits. */
async function refusal(work: BulkWork, { tables }: ResolvedTables, visits: Visits, error: unknown): Promise<unknown> {
  for (const [key, visit] of visits) {
    const whole = await refused(work, tables, key, visit);
    if (whole === undefined) continue;
    for (let size = 1; size <= visit.arrivals.length; size++) {
      const arrivals = visit.arrivals.slice(0, size);
      const why = await refused(work, tables, key, { ...visit, arrivals });
      const hit = arrivals.at(-1)?.hit;
      if (why === undefined || !hit) continue;
      const texts = await work.group.dictionary.textsOf([visit.website]);
      return new EventRefused(
        { id: hitEventId(hit), type: `hit ${hit.kind}`, subject: texts.get(visit.website) ?? '' },
        why,
      );
    }
    return whole;
  }
  return error;
}

/** Why rows of a visitor cannot be stored; undefined where they can, but are not. */
async function refused(work: BulkWork, tables: ResolvedTables['tables'], key: string, visit: VisitorHits) {
  class Undone extends Error {}
  try {
    const changes = await changesOf(work, tables, new Map([[key, visit]]), new Map());
    await transaction(work.copying, async (client) => {
      await copyAdded(client, tables, changes);
      throw new Undone();
    });
    return undefined;
  } catch (error) {
    if (error instanceof Undone) return undefined;
    if (!isDueToEvents(error)) throw error;
    return error;
  }
}
