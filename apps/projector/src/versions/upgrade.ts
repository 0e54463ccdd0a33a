import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { filledVersion } from '@ledgerline/platform/table-versions/filled-versions';
import { pendingVersion, readLayout } from '@ledgerline/platform/table-versions/live-tables';
import type { Pool } from 'pg';
import { isOwn, planTables } from './program-tables';

/** A group and the database of its tables. */
export type GroupTables = GroupSchema & { readonly pool: Pool };

/**
 * The tables that this build declares otherwise than those that answer. Rollups alone are none: what they count is
 * answered from columns while they are filled. Nor are those that an earlier start of this build has begun to fill.
 */
export async function changedTables({ pool, ...group }: GroupTables): Promise<readonly ReadModel[]> {
  const [layout, stored] = [await readLayout(pool, group.name), await readStoredTables(pool, group.name)];
  if (!layout) return [];
  const pending = pendingVersion(layout);
  if (pending !== undefined && isOwn(group, pending, stored)) return [];
  const { wanted } = planTables(group, layout, stored);
  return wanted.every((model) => model === websiteRollups) ? [] : wanted;
}

interface Size {
  readonly events: number;
  /** Of the tables that answer, with their indexes. */
  readonly bytes: number;
}

/** What has to be filled for all tables of a group. */
export async function sizeOf(on: Queryable, group: string): Promise<Size> {
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

/** Events that a rebuild takes in a second on a busy machine of two processors. */
const EVENTS_PER_SECOND = 10_000;

/** For people. */
export function aboutHowLong(events: number): string {
  const seconds = Math.max(1, Math.ceil(events / EVENTS_PER_SECOND));
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** What a start of this build without preparation leaves unanswered: a line for each group; none = nothing. */
export async function downtimesOf(groups: readonly GroupTables[]): Promise<readonly string[]> {
  const lines = await Promise.all(
    groups.map(async (group) => {
      const changed = await changedTables(group);
      if (changed.length === 0 || (await filledVersion(group.pool, group)) !== undefined) return [];
      const { events } = await sizeOf(group.pool, group.name);
      const names = changed.map(({ name }) => name).join(', ');
      const count = `${events.toLocaleString('en-US')} events`;
      return events === 0 ? [] : [`- ${group.name}, for about ${aboutHowLong(events)} (${count}): ${names}`];
    }),
  );
  return lines.flat();
}

export const downtimeSentence = (lines: readonly string[]): string =>
  [
    'Tables of this build are not filled. What reads them would be answered with REBUILDING until they are:',
    ...lines,
    'Run "npm run projections -- prepare" with this build while the earlier one serves, and start it then; or accept that with "npm start -- --accept-downtime" or ACCEPT_DOWNTIME=1.',
  ].join('\n');
