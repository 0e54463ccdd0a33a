import { setTimeout } from 'node:timers/promises';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { type GroupSchema, GROUPS, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { isMissingTable, isUnavailable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { readStoredTables } from '../database/read-model-tables';
import { identifier, sql } from '../database/sql';
import { readLayout, tableVersionOf } from './live-tables';
import { programOf, programWith } from './program';

type Tables = Pick<GroupSchema, 'name' | 'builds'>;

/** The comment of the schema of a version that a build has filled, and that is not to answer before it starts. */
const mark = ({ builds }: Tables): string => `Ledgerline filled ${programWith(builds)}`;

/** Notes that all tables of a version are filled and compared. */
export async function markFilled(on: Queryable, group: Tables, version: number): Promise<void> {
  const text = `comment on schema ${identifier(schemaOf(group.name, version)).text} is '${mark(group)}'`;
  await run(on, { text, values: [] });
}

/** The version that a build may switch to when it starts: it was prepared, or answered before another build switched. */
export async function filledVersion(on: Queryable, group: Tables): Promise<number | undefined> {
  const layout = await readLayout(on, group.name);
  if (!layout) return undefined;
  if (layout.previous?.program === programWith(group.builds)) return layout.previous.version;
  const rows = await run<{ version: number }>(
    on,
    sql`select substring(nspname from '[0-9]+$')::integer as version from pg_namespace
      where nspname ~ ${`^${group.name}_v[0-9]+$`} and obj_description(oid, 'pg_namespace') = ${mark(group)}`,
  );
  return rows.map(({ version }) => version).find((version) => version > layout.version);
}

async function isAwaited(on: Queryable, group: Tables): Promise<boolean> {
  if ((await filledVersion(on, group)) === undefined) return false;
  const layout = await readLayout(on, group.name);
  const stored = await readStoredTables(on, group.name);
  const answering = stored.filter(({ name, version }) => layout && version === tableVersionOf(layout, name));
  const declared = answering.flatMap(({ name, declaration }) => (declaration ? [{ name, declaration }] : []));
  return programOf(declared) !== programWith(group.builds);
}

/** Nothing is awaited of a database before its first start, nor of one that is away. */
function falseIfAway(error: unknown): false {
  if (isMissingTable(error) || isUnavailable(error)) return false;
  throw error;
}

const POLL_MS = 100;

/** Resolves when no tables of this build are filled that its projector has still to switch to. */
export async function untilSwitched(stores: readonly Queryable[], onWaiting: () => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const waits = stores.flatMap((store) =>
      GROUPS.map((group) => isAwaited(store, GROUP_TABLES[group]).catch(falseIfAway)),
    );
    if (!(await Promise.all(waits)).includes(true)) return;
    if (isFirst) onWaiting();
    await setTimeout(POLL_MS);
  }
}
