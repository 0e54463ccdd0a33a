import { schemaOf, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { run, type Queryable } from './pool';
import { identifier, sql } from './sql';
import { textHash } from './text';

/** A hash of this program's columns of a group and its schema version: programs with another one cannot share tables. */
export function schemaFingerprint({ builds, schemaVersion }: Omit<GroupSchema, 'name'>): string {
  const columns = builds.flatMap((model) =>
    Object.entries(model.columns).map(([name, { merge, type, by }]) => [model.name, name, merge, type, by].join(' ')),
  );
  return `Ledgerline ${textHash(JSON.stringify([columns.sort(), schemaVersion])).slice(0, 16)}`;
}

/** Writes the fingerprint as the comment of the version's schema. */
export async function writeFingerprint(on: Queryable, group: GroupSchema, version: number): Promise<void> {
  const schema = identifier(schemaOf(group.name, version)).text;
  await run(on, { text: `comment on schema ${schema} is '${schemaFingerprint(group)}'`, values: [] });
}

/** null = the schema was made before schemas had fingerprints, undefined = there is no such schema. */
export async function readFingerprint(
  on: Queryable,
  { name }: Pick<GroupSchema, 'name'>,
  version: number,
): Promise<string | null | undefined> {
  const [schema] = await run<{ fingerprint: string | null }>(
    on,
    sql`select obj_description(oid, 'pg_namespace') as fingerprint
      from pg_namespace where nspname = ${schemaOf(name, version)}`,
  );
  return schema?.fingerprint;
}
