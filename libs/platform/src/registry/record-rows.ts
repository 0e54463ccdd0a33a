import type { Json } from '@ledgerline/contracts/json';
import type { ColumnType, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  apiKeys,
  flags,
  incidents,
  invitations,
  links,
  members,
  monitors,
  oauthGrants,
  organizations,
  statusPages,
  websites,
} from '@ledgerline/contracts/read-models/registry';
import type { StoredRecords } from '@ledgerline/contracts/records';
import type { Value } from '../database/read-model-rows';
import { identifier, joinSql, sql, type Sql } from '../database/sql';
import { jsonText } from '../database/text';

/** The table of each kind of record. A column holds the field of its name in camel case, of the record or of its details. */
export const TABLES = {
  organizations,
  members,
  invitations,
  websites,
  links,
  flags,
  monitors,
  statusPages,
  incidents,
  apiKeys,
  oauthGrants,
} satisfies {
  readonly [Kind in keyof StoredRecords]: ReadModel;
};

/** The columns that these fields are written to. */
export function rowOf({ columns }: ReadModel, fields: object): Readonly<Record<string, Value>> {
  const values = { ...('details' in fields ? (fields.details as object) : {}), ...fields } as Record<string, unknown>;
  const held = Object.entries(columns).filter(([name]) => values[fieldOf(name)] !== undefined);
  return Object.fromEntries(held.map(([name, { type }]) => [name, valueOf(type, values[fieldOf(name)])]));
}

/** A select list of the fields of a record; words are only searched. */
export function fieldsOf({ columns }: ReadModel, table: Sql): Sql {
  const names = Object.keys(columns).filter((name) => columns[name]?.type !== 'tsvector');
  return joinSql(
    names.map((name) => sql`${table}.${identifier(name)} as ${identifier(fieldOf(name))}`),
    ', ',
  );
}

const fieldOf = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function valueOf(type: ColumnType, value: unknown): Value {
  if (value instanceof Date) return value.getTime();
  return type === 'jsonb' ? jsonText(value as Json) : (value as Value);
}
