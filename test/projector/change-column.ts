import type { Pool } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';

/** Another value of each type, of one that is there and of null. */
const OTHERS: Readonly<Record<string, readonly [changed: (value: string) => string, ofNull: string]>> = {
  boolean: [(value) => `not ${value}`, 'true'],
  smallint: [(value) => `${value} + 1`, '1'],
  integer: [(value) => `${value} + 1`, '1'],
  bigint: [(value) => `${value} + 1`, '1'],
  'double precision': [(value) => `${value} + 1`, '1'],
  text: [(value) => `${value} || 'x'`, `'x'`],
  uuid: [() => 'gen_random_uuid()', 'gen_random_uuid()'],
  date: [(value) => `${value} + 1`, 'now()'],
  timestamptz: [(value) => `${value} + interval '15 minutes'`, 'now()'],
  jsonb: [(value) => `${value} || '{"changed": true}'`, `'{}'`],
  tsvector: [(value) => `${value} || 'x'::tsvector`, `'x'`],
  bytea: [
    (value) => `set_byte(${value}, length(${value}) / 2, get_byte(${value}, length(${value}) / 2) # 1)`,
    `'\\xff'`,
  ],
};

/** Changes a column in one row, the first element of an array; false for a table without a row to change. */
export async function changeColumn(on: Pool, schema: string, { name, columns }: ReadModel, column: string) {
  const table = identifier(schema, name).text;
  const quoted = identifier(column).text;
  const type = columns[column]?.type ?? '';
  const [changed, ofNull] = OTHERS[type.replace(/\?$|\[\]$/, '')] ?? [];
  if (!changed || ofNull === undefined) throw new RangeError(`${name}.${column} has the type ${type}.`);
  const isArray = type.endsWith('[]');
  const target = isArray ? `${quoted}[1]` : quoted;
  const some = isArray ? `where cardinality(${quoted}) > 0` : '';
  const text = `update ${table} set ${target} = case when ${target} is null then ${ofNull} else ${changed(target)} end
    where ctid = (select ctid from ${table} ${some} order by ${quoted} is null, ${quoted} desc limit 1) returning 1`;
  return (await run(on, { text, values: [] })).length > 0;
}
