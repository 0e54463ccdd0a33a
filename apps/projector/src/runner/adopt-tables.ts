import { schemaOf, type Group, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { execute } from '@ledgerline/platform/database/read-model-ddl';
import { hasShape } from '@ledgerline/platform/database/read-model-shape';
import { sql } from '@ledgerline/platform/database/sql';
import { declarationDdl, readStoredTables } from '@ledgerline/platform/database/table-declaration';
import type { PoolClient } from 'pg';

/** Comments of the schemas of the last program that declared tables by group. */
const LAST: Readonly<Record<Group, string>> = {
  registry: 'Ledgerline d6a71ecee681cc89',
  websites: 'Ledgerline 85258e64964fbb20',
  links: 'Ledgerline 376fbc91ccfbb9ef',
  monitors: 'Ledgerline 0de4adabde4a3d11',
};

/** The first number of the meaning that each of its tables had. */
const meaningThen = ({ name }: ReadModel): number => (name === 'sessions' ? 8 : 1);

/** Declares the tables of that program which are those of this one, too. */
export async function adoptTables(
  client: PoolClient,
  { name, builds }: Pick<GroupSchema, 'name' | 'builds'>,
  version: number,
): Promise<void> {
  const schema = schemaOf(name, version);
  const stored = await readStoredTables(client, name);
  const undeclared = stored.filter((table) => table.version === version && table.declaration === undefined);
  if (undeclared.length === 0) return;
  const [its] = await run<{ comment: string | null }>(
    client,
    sql`select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = ${schema}`,
  );
  if (its?.comment !== LAST[name]) return;
  for (const model of builds.filter((each) => undeclared.some((table) => table.name === each.name)))
    if ((model.meaning?.[0] ?? 1) === meaningThen(model) && (await hasShape(client, schema, [model])))
      await execute(client, [declarationDdl(schema, model)]);
}
