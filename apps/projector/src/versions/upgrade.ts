import type { Pool } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { ANSWERS_OF_TABLES } from '@ledgerline/contracts/read-models/answers-of-tables';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import {
  covers,
  declarationOf,
  readStoredTables,
  type StoredTable,
} from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { filledVersion } from '@ledgerline/platform/table-versions/filled-versions';
import { pendingVersion, readLayout, tableVersionOf } from '@ledgerline/platform/table-versions/live-tables';
import { isOwn, replacesLiveVersion, planTables } from './program-tables';

/** A group and the database of its tables. */
type GroupTables = GroupSchema & { readonly pool: Pool };

/**
 * The tables that this build declares otherwise than those that answer. Rollups alone are none: what they count is
 * answered from columns while they are filled. Nor are those that an earlier start of this build has begun to fill.
 */
export async function changedTables({ pool, ...group }: GroupTables): Promise<readonly ReadModel[]> {
  const layout = await readLayout(pool, group.name);
  const stored = await readStoredTables(pool, group.name);
  if (!layout) return [];
  const pending = pendingVersion(layout);
  if (pending !== undefined && isOwn(group, pending, stored)) return [];
  const { wanted } = planTables(group, layout, stored);
  return wanted.every((model) => model === websiteRollups) ? [] : wanted;
}

interface Size {
  readonly events: number;
  /** The bytes of the tables that answer, with their indexes. */
  readonly bytes: number;
}

/** Returns what has to be filled for all tables of a group. */
export async function readUpgradeSize(on: Queryable, group: string): Promise<Size> {
  const [size] = await run<Size & Record<string, unknown>>(
    on,
    sql`select (select coalesce(sum(events), 0)::float8 from projection_checkpoints
          where projection_group = g.name and version = g.live_version) as events,
        (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = g.name || '_v' || coalesce(g.tables->c.relname->>'version', g.live_version::text)
            and c.relkind = 'r') as bytes
      from projection_groups g where g.name = ${group}`,
  );
  return size ?? { events: 0, bytes: 0 };
}

/** Measured beside five readers on two processors: a start of some seconds, then so many events in a second. */
const START_SECONDS = 13;
const EVENTS_PER_SECOND = 10_000;
const OF_FEW_EVENTS = 3_500;

/** For people. */
export function aboutHowLong(events: number): string {
  const seconds = Math.min(START_SECONDS + events / EVENTS_PER_SECOND, events / OF_FEW_EVENTS);
  return seconds < 120 ? `${Math.max(1, Math.ceil(seconds))} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Returns what a start of this build without preparation leaves unanswered: a line for each group; none = nothing. */
export async function downtimesOf(groups: readonly GroupTables[]): Promise<readonly string[]> {
  const lines = await Promise.all(
    groups.map(async (group) => {
      const changed = await changedTables(group);
      if (changed.length === 0 || (await filledVersion(group.pool, group)) !== undefined) return [];
      const { events } = await readUpgradeSize(group.pool, group.name);
      const count = `${events.toLocaleString('en-US')} events`;
      const others = replacesLiveVersion(group, changed) ? '; all others of it stand still' : '';
      const missing = describeAnswers(await unreadableTables(group));
      return events === 0 ? [] : [`- ${group.name}, for about ${aboutHowLong(events)} (${count}): ${missing}${others}`];
    }),
  );
  return lines.flat();
}

/** The tables that this build cannot read whole before they are filled. */
async function unreadableTables({ pool, ...group }: GroupTables): Promise<readonly ReadModel[]> {
  const layout = await readLayout(pool, group.name);
  const stored = await readStoredTables(pool, group.name);
  if (!layout) return [];
  return group.builds.filter((model) => {
    const isAnswering = (table: StoredTable) =>
      table.name === model.name && table.version === tableVersionOf(layout, model.name);
    const declaration = layout.tables[model.name]?.isFrozen ? undefined : stored.find(isAnswering)?.declaration;
    return declaration === undefined || !covers(declaration, declarationOf(model));
  });
}

/** The query types that read some of these tables, and the tables. */
function describeAnswers(tables: readonly ReadModel[]): string {
  const found = tables.flatMap(({ name }) => ANSWERS_OF_TABLES[name] ?? []);
  const types = [...new Set(found.flatMap(({ types: names }) => names.split(' ').filter(Boolean)))].sort();
  const filtered = found.some(({ isFiltered }) => isFiltered) ? ['all others with filters or by hour'] : [];
  const names = `changed: ${tables.map(({ name }) => name).join(', ')}`;
  const answers = [...types, ...filtered].join(', ');
  return answers === '' ? names : `${answers} (${names})`;
}

export const downtimeSentence = (lines: readonly string[]): string =>
  [
    'Tables of this build are not filled. Until they are, which takes longer on a busy machine, these query types would be answered with REBUILDING:',
    ...lines,
    'Run "npm run projections -- prepare" with this build while the earlier one serves, and start it then; or accept that with "npm start -- --accept-downtime" or ACCEPT_DOWNTIME=1.',
  ].join('\n');
