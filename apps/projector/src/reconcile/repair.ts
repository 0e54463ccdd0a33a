import type { PoolClient } from 'pg';
import { rollupDifferences } from '@ledgerline/aggregation/aggregation';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { keepExpired } from '../compaction/keep-expired';
import { readStoredRollups, type StoredRollups } from '../compaction/stored-rollups';
import type { TableTarget } from '../projections/projection-group';
import { ChangedDays } from '../projections/websites/changed-days';
import {
  type ChangedText,
  deleteChangedTexts,
  deleteUnusedTexts,
  findWebsite,
} from '../projections/websites/dictionary';
import { deleteErased, reviseParked } from '../runner/parked-events';
import {
  changedTextFindings,
  forgetFindings,
  keptFindings,
  noteRepair,
  TablesRevised,
  misdatedFindings,
  type Finding,
  type TableDifference,
} from './findings';
import type { LivePartition } from './log-part';
import { Replay, subjectTables, type ReplayedGroup, type SubjectTable } from './replay';

export const HELD = `begin; set local idle_in_transaction_session_timeout = '300s'; set local lock_timeout = '60s'`;
const [KEPT, SESSIONS] = [websiteRollups, sessions].map(Replay.tableOf) as [string, string];
const DAY = `(first_at at time zone 'UTC')::date - '1970-01-01'::date`;

/** Some days on which tables of a website, link or monitor differ from the log. */
export interface DifferingDays {
  readonly subject: string;
  readonly days: readonly number[];
}

/**
 * Makes the live tables hold what follows from the log of a website, link or monitor: its events are projected to
 * temporary tables, and rows that differ from these replaced, as are texts that were changed. The projector of the
 * partition waits while rows are compared and replaced. Answers what differed, and notes it.
 * @throws TablesRevised
 */
export const repairSubject = (group: ReplayedGroup, live: LivePartition, of: DifferingDays) =>
  replaySubject(group, live, of, async (client, repaired) => {
    await noteRepair(client, live.key, of.subject, repaired);
  });

/**
 * Takes what is erased of a website or link out of the live tables, as above, also out of what was found before, the
 * parked events, and the texts that no hit has any more.
 * @param parked cursors of parked events that are erased
 * @throws TablesRevised
 */
export async function eraseSubject(
  group: ReplayedGroup,
  live: LivePartition,
  subject: string,
  parked: readonly Cursor[],
): Promise<void> {
  const erase = (used?: ReadonlySet<number>) =>
    replaySubject(group, live, { subject, days: [] }, async (client, _, website) => {
      await deleteErased(client, live.key, await live.log.epoch(), parked);
      await forgetFindings(client, live.key, subject);
      // rollups of expired days have texts that no hit has any more
      const isKept = live.erased.expiredOf(subject) !== undefined;
      if (used && website !== undefined && !isKept) await deleteUnusedTexts(client, website, used);
    });
  await (group.dictionary ? group.dictionary.collectUsed(erase) : erase());
}

/** @param finish the end of the transaction; `website` is the text id, if the subject is one that has any */
async function replaySubject(
  group: ReplayedGroup,
  live: LivePartition,
  { subject, days }: DifferingDays,
  finish: (client: PoolClient, repaired: readonly Finding[], website: number | undefined) => Promise<void>,
): Promise<readonly Finding[]> {
  group.dictionary?.noteChanged({ mends: true });
  group.invalidateCaches(); // so that each text is looked at
  return Replay.within(group, live, new Set([subject]), async (replay) => {
    await replay.readOn();
    const website = group.dictionary && ((await findWebsite(replay.client, subject)) ?? 0); // the replay gives it a number
    return replay.inTransaction(HELD, async () => {
      const { client } = replay;
      await holdProjector(client, live);
      await replay.readOn();
      const replaced =
        website === undefined
          ? await replaceRows(replay, subjectTables(group, live), subject)
          : await replaceWebsite(replay, group, live, { website, subject, days });
      const forgotten = website === undefined ? [] : await forgetTexts(client, group, live, { website, subject });
      const texts = [...(group.dictionary?.changed.values() ?? []), ...forgotten];
      const repaired = [...changedTextFindings(Math.max(0, ...days), texts), ...replaced].map((each) => {
        return { ...each, subject };
      });
      await finish(client, repaired, website || undefined);
      return repaired;
    });
  });
}

/** The projector of the partition waits until the transaction ends. @throws TablesRevised */
export async function holdProjector(on: Queryable, { key, parkedRevision }: LivePartition): Promise<void> {
  const revised = await run<{ revision: number }>(on, reviseParked(key)); // locks the checkpoint
  if (revised[0]?.revision !== parkedRevision + 1) throw new TablesRevised(key);
}

/**
 * Deletes the texts of a website that are not those of their hashes once all that are in the log have their own ones: the
 * log has none of these hashes, and no row their ids any more. Also what is stored for the website by such an id of its own.
 */
async function forgetTexts(
  on: Queryable,
  { builds }: ReplayedGroup,
  { tables }: LivePartition,
  { website, subject }: { readonly website: number; readonly subject: string },
): Promise<readonly ChangedText[]> {
  const changed = await deleteChangedTexts(on, { website, websiteId: subject });
  const former = changed.filter(({ scope }) => scope === WEBSITE_SCOPE).map(({ id }) => id);
  if (former.length === 0) return changed;
  for (const { schema, model } of builds.flatMap((each) => tables.targetsOf(each)))
    await run(on, sql`delete from ${identifier(schema, model.name)} where website = any(${former}::integer[])`);
  await run(on, sql`delete from dictionary where scope = any(${former}::integer[])`);
  return changed;
}

async function replaceRows(
  replay: Replay,
  tables: readonly SubjectTable[],
  value: string | number,
  before?: (table: SubjectTable, keys: string) => Promise<void>,
): Promise<readonly TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of tables) {
    const ofTable = await replay.differences(table, [value]);
    if (ofTable.length > 0) await replay.replace(table, [value], async (keys) => before?.(table, keys));
    differences.push(...ofTable);
  }
  return differences;
}

/**
 * Repairs sessions, and opens the days of UTC, which the projector seals anew, of sessions that differ, and those of
 * the given ones that have any.
 */
async function replaceWebsite(
  replay: Replay,
  group: ReplayedGroup,
  live: LivePartition,
  { website, subject, days }: DifferingDays & { readonly website: number },
): Promise<readonly TableDifference[]> {
  const { client } = replay;
  const rule = live.erased.expiredOf(subject);
  if (rule) await keepExpired(client, live.tables, { website, rule, later: KEPT });
  const stored = identifier(live.tables.state, sessions.name).text;
  await numberVisitors(client, stored, website);
  const changes = new ChangedDays();
  const open = async (text: string, values: readonly unknown[] = []) => {
    for (const { day } of await run<{ day: number }>(client, { text, values })) changes.addDay(website, day);
  };
  const openDiffering = async ({ replayed }: SubjectTable, keys: string) => {
    if (replayed !== sessions) return;
    for (const table of [stored, SESSIONS])
      await open(`select distinct ${DAY} as day from ${table} join ${keys} using (website, actor, session)`);
  };
  const differences = [...(await replaceRows(replay, subjectTables(group, live), website, openDiffering))];
  const packed = identifier(live.tables.state, sessionDays.name).text;
  await open(
    `select day - '1970-01-01'::date as day from ${packed} where website = $1 and day - '1970-01-01'::date = any($2)
      union select ${DAY} from ${stored} where website = $1 and ${DAY} = any($2)`,
    [website, days],
  );
  for (const target of live.tables.targetsOf(websiteRollups)) {
    const ofTable = await findDifferingKept(client, target, website);
    if (ofTable.length > 0) await replaceKept(client, target, website);
    differences.push(...ofTable);
  }
  for (const statement of changes.wholeStatements(live.tables)) await run(client, statement);
  return differences;
}

/** Compares what is kept of a website with what is kept of its replayed events. */
async function findDifferingKept(
  on: Queryable,
  { schema, model }: TableTarget,
  website: number,
): Promise<readonly TableDifference[]> {
  const differences: TableDifference[] = [];
  const rows: StoredRollups['rows'][number][] = [];
  for (const count of ROLLUPS) {
    if (!(count.name in model.columns)) continue;
    const expected = await readStoredRollups(on, KEPT, count, [website]);
    const found = await readStoredRollups(on, identifier(schema, model.name).text, count, [website]);
    rows.push(...found.rows);
    differences.push(...keptFindings(count, rollupDifferences(count, expected, found)));
  }
  return model === websiteRollups ? [...differences, ...misdatedFindings(rows)] : differences;
}

/** Replaces all that is kept of a website: extremes and packs that cannot be read are not mended by adding something. */
export async function replaceKept(on: Queryable, { schema, model }: TableTarget, website: number): Promise<void> {
  const table = identifier(schema, model.name).text;
  const values = [website];
  const left = { text: `select from ${table} where website = $1 limit 1`, values };
  // TRICKY: a statement that waited for rows does not see those that they were merged into meanwhile
  while ((await run(on, left)).length > 0) await run(on, { text: `delete from ${table} where website = $1`, values });
  const columns = Object.keys(model.columns)
    .map((name) => identifier(name).text)
    .join(', ');
  await run(on, {
    text: `insert into ${table} (${columns}) select ${columns} from ${KEPT} where website = $1`,
    values,
  });
}

/**
 * Numbers the replayed visitors from 0 without gaps, as a rebuild does: those keep the number that they have in the tables
 * who have one that is theirs alone, and the others get those that are left, in the order of the log.
 */
async function numberVisitors(on: Queryable, stored: string, website: number): Promise<void> {
  const text = `
    with visitors as (
      select actor, visitor_number as replayed, count(*) over () as total
      from (select distinct actor, visitor_number from ${SESSIONS} where visitor is not null) each
    ), own as (
      select actor, min(visitor_number) as number from ${stored} join visitors using (actor)
      where website = $1 and visitor_number >= 0 and visitor_number < total
      group by actor having count(distinct visitor_number) = 1
    ), kept as (
      select min(actor::text)::uuid as actor, number from own group by number having count(*) = 1
    ), others as (
      select actor, row_number() over (order by replayed) as place from visitors
      where not exists (select from kept where kept.actor = visitors.actor)
    ), free as (
      select number, row_number() over (order by number) as place
      from (select generate_series(0, (select max(total) from visitors)::integer - 1) as number) each
      where not exists (select from kept where kept.number = each.number)
    ), numbered as (
      select actor, number from kept union all select actor, number from others join free using (place)
    )
    update ${SESSIONS} t set visitor_number = number from numbered
    where t.actor = numbered.actor and visitor_number is distinct from number`;
  await run(on, { text, values: [website] });
}
