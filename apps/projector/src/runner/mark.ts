import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { wordHash } from '@ledgerline/platform/database/word-hash';
import type { ProjectionGroup } from '../projections/projection-group';

/** What tells the tables of two programs apart. */
export type MarkedGroup = Pick<ProjectionGroup<never>, 'name' | 'builds' | 'meaning'>;

/** What this program's tables of a group are and mean, in short. */
export function markOf({ builds, meaning }: Omit<MarkedGroup, 'name'>): string {
  const columns = builds.flatMap((model) =>
    Object.entries(model.columns).map(([name, { merge, type, by }]) => [model.name, name, merge, type, by].join(' ')),
  );
  return `Ledgerline ${wordHash(JSON.stringify([columns.sort(), meaning])).slice(0, 16)}`;
}

/** Says on the schema of a version whose tables are in it. */
export async function mark(on: Queryable, group: MarkedGroup, version: number): Promise<void> {
  const schema = identifier(schemaOf(group.name, version)).text;
  await run(on, { text: `comment on schema ${schema} is '${markOf(group)}'`, values: [] });
}

/** What the schema of a version says; null = it was made before schemas said anything, undefined = there is none. */
export async function readMark(
  on: Queryable,
  { name }: Pick<MarkedGroup, 'name'>,
  version: number,
): Promise<string | null | undefined> {
  const [schema] = await run<{ mark: string | null }>(
    on,
    sql`select obj_description(oid, 'pg_namespace') as mark from pg_namespace where nspname = ${schemaOf(name, version)}`,
  );
  return schema?.mark;
}
