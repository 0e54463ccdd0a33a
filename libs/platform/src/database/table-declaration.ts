import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { GAMMA } from '@ledgerline/contracts/read-models/encodings';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from './pool';
import { identifier, sql } from './sql';

/** What the rows of a table are: its comment, so that a program with another declaration recognises it. */
export interface TableDeclaration {
  /** Numbers that rows depend on; another text means other rows of the same events. */
  readonly meaning: string;
  /** By name: how two rows merge, and the type. */
  readonly columns: Readonly<Record<string, string>>;
}

const declarations = new WeakMap<ReadModel, TableDeclaration>();

export function declarationOf(model: ReadModel): TableDeclaration {
  let declaration = declarations.get(model);
  if (!declaration) declarations.set(model, (declaration = declare(model)));
  return declaration;
}

/** Of tables that are gone: without them all others with a span would mean something else than before. */
const FORMER_SPANS = [1, 8, 64];

function declare({ columns, meaning = [1] }: ReadModel): TableDeclaration {
  const spans = 'span' in columns ? [...FORMER_SPANS, ...LINK_SPANS] : [];
  const bins = Object.values(columns).some(({ merge }) => merge === 'histogram') ? [GAMMA] : [];
  const texts = Object.entries(columns).map(([name, { merge, type, by = '' }]) => [
    name,
    `${merge} ${type} ${by}`.trim(),
  ]);
  return {
    meaning: [...meaning, ...spans, ...bins].join(' '),
    columns: Object.fromEntries(texts) as Readonly<Record<string, string>>,
  };
}

/** Whether rows of one are rows of the other, but for columns that only one has: keys are the same, and all both have. */
export function isAlike(a: TableDeclaration, b: TableDeclaration): boolean {
  if (a.meaning !== b.meaning) return false;
  const isShared = (name: string, { columns }: TableDeclaration, other: TableDeclaration) =>
    other.columns[name] === columns[name] || (!(name in other.columns) && !columns[name]?.startsWith('key '));
  return (
    Object.keys(a.columns).every((name) => isShared(name, a, b)) &&
    Object.keys(b.columns).every((name) => isShared(name, b, a))
  );
}

/** Whether a table has all columns of a declaration, with the same meaning; it may have more. */
export const covers = (stored: TableDeclaration, own: TableDeclaration): boolean =>
  isAlike(stored, own) && Object.keys(own.columns).every((name) => name in stored.columns);

export const isSame = (a: TableDeclaration, b: TableDeclaration): boolean => covers(a, b) && covers(b, a);

const MARK = 'Ledgerline ';

/** The statement that writes the declaration of a table. */
export function declarationDdl(schema: string, model: ReadModel): string {
  const comment = `${MARK}${JSON.stringify(declarationOf(model))}`.replaceAll("'", "''");
  return `comment on table ${identifier(schema, model.name).text} is '${comment}'`;
}

/** A table of a version of a group. */
export interface StoredTable {
  readonly version: number;
  readonly name: string;
  /** Undefined for a table without one: of an earlier program, or that is only used while another one is filled. */
  readonly declaration: TableDeclaration | undefined;
}

/** All tables of all versions of a group. */
export async function readStoredTables(on: Queryable, group: Group): Promise<readonly StoredTable[]> {
  const rows = await run<{ version: number; name: string; comment: string | null }>(
    on,
    sql`select substring(n.nspname from '[0-9]+$')::integer as version, c.relname as name,
        obj_description(c.oid, 'pg_class') as comment
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname ~ ${`^${group}_v[0-9]+$`} and c.relkind = 'r'`,
  );
  return rows.map(({ comment, ...table }) => {
    const declared = comment?.startsWith(MARK) ? comment.slice(MARK.length) : undefined;
    return { ...table, declaration: declared === undefined ? undefined : (JSON.parse(declared) as TableDeclaration) };
  });
}
