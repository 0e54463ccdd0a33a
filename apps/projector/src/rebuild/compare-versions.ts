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

/** Compares every table of two versions of a group, row for row; nothing = they are equal. */
export async function compareVersions(
  on: Queryable,
  { name, builds }: Pick<BoundGroup, 'name' | 'builds'>,
  before: number,
  after: number,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const model of builds) {
    const [a, b] = [tableOf(model, schemaOf(name, before)), tableOf(model, schemaOf(name, after))];
    if ((await fingerprint(on, model, a)) === (await fingerprint(on, model, b))) continue;
    const [onlyBefore, onlyAfter] = [await countExcept(on, a, b), await countExcept(on, b, a)];
    differences.push({ table: model.name, onlyBefore, onlyAfter });
  }
  return differences;
}

/** The number of rows and the sum of their hashes, whatever their order. */
async function fingerprint(on: Queryable, { columns }: ReadModel, table: string): Promise<string> {
  const hashable = Object.entries(columns).map(([name, { type }]) => {
    const column = identifier(name).text;
    return type === 'tsvector' ? `${column}::text` : column;
  });
  const hash = `hash_record_extended(row(${hashable.join(', ')}), 0)`;
  const text = `select count(*)::text as rows, sum(${hash})::text as hash from ${table}`;
  const [row] = await run<{ rows: string; hash: string | null }>(on, { text, values: [] });
  return `${row?.rows ?? ''} ${row?.hash ?? ''}`;
}

async function countExcept(on: Queryable, a: string, b: string): Promise<number> {
  const text = `select count(*)::integer as rows from (select * from ${a} except all select * from ${b}) missing`;
  const [row] = await run<{ rows: number }>(on, { text, values: [] });
  return row?.rows ?? 0;
}

const tableOf = (model: ReadModel, schema: string) => identifier(schema, model.name).text;
