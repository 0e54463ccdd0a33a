import type { GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { declarationOf, readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { readLayout, versionOf } from '@ledgerline/platform/table-versions/group-layout';
import type { Pool } from 'pg';
import { isSameTable } from './resolve-tables';
import { createIndexes } from './version-tables';

/** Gives the tables that answer the secondary indexes that this program declares, if they are its own. */
export async function createMissingIndexes(pool: Pool, group: GroupSchema): Promise<void> {
  const [layout, stored] = [await readLayout(pool, group.name), await readStoredTables(pool, group.name)];
  if (!layout) return;
  const byVersion = new Map<number, ReadModel[]>();
  for (const model of group.builds) {
    const version = versionOf(layout, model.name);
    const table = stored.find((each) => each.name === model.name && each.version === version);
    if (isSameTable(table?.declaration, declarationOf(model)))
      byVersion.set(version, [...(byVersion.get(version) ?? []), model]);
  }
  for (const [version, models] of byVersion) await createIndexes(pool, group, version, models);
}
