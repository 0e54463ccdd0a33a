import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import type { BoundGroup } from '../runner/bound-group';

/** A table that differs between two versions, with the number of rows only one of them has. */
export interface Difference {
  readonly table: string;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
}

/** Compares the tables of two versions of a group, row for row, but for what is `notCompared`; nothing = they are equal. */
export async function compareVersions(
  on: Queryable,
  { name, builds }: Pick<BoundGroup, 'name' | 'builds'>,
  before: number,
  after: number,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const model of builds.filter(({ isCompared }) => isCompared !== false)) {
    const [a, b] = [tableOf(model, schemaOf(name, before)), tableOf(model, schemaOf(name, after))];
    if ((await fingerprint(on, model, a)) === (await fingerprint(on, model, b))) continue;
    const [onlyBefore, onlyAfter] = [await countExcept(on, model, a, b), await countExcept(on, model, b, a)];
    differences.push({ table: model.name, onlyBefore, onlyAfter });
  }
  return differences;
}

/** The number of rows and the sum of their hashes, whatever their order. */
async function fingerprint(on: Queryable, model: ReadModel, table: string): Promise<string> {
  const hashable = comparedColumns(model).map(([name, { type }]) => {
    const column = identifier(name).text;
    return type === 'tsvector' ? `${column}::text` : column;
  });
  const hash = `hash_record_extended(row(${hashable.join(', ')}), 0)`;
  const text = `select count(*)::text as rows, sum(${hash})::text as hash from ${table}`;
  const [row] = await run<{ rows: string; hash: string | null }>(on, { text, values: [] });
  return `${row?.rows ?? ''} ${row?.hash ?? ''}`;
}

async function countExcept(on: Queryable, model: ReadModel, a: string, b: string): Promise<number> {
  const columns = comparedColumns(model).map(([name]) => identifier(name).text);
  const [from, without] = [a, b].map((table) => `select ${columns.join(', ')} from ${table}`);
  const text = `select count(*)::integer as rows from (${from} except all ${without}) missing`;
  const [row] = await run<{ rows: number }>(on, { text, values: [] });
  return row?.rows ?? 0;
}

const comparedColumns = ({ columns }: ReadModel) =>
  Object.entries(columns).filter(([, { isCompared }]) => isCompared !== false);

const tableOf = (model: ReadModel, schema: string) => identifier(schema, model.name).text;
