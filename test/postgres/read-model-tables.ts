import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { execute, indexesDdl, tablesDdl } from '@ledgerline/platform/database/read-model-tables';

/** Creates tables with all of their indexes, as a version has them once it is filled. */
export async function createReadModels(on: Queryable, schema: string, models: readonly ReadModel[]): Promise<void> {
  await execute(on, [...tablesDdl(schema, models), ...indexesDdl(schema, models)]);
}
