import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { kindOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { type SessionHit, valueOf } from '@ledgerline/contracts/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, type Sql, sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projection-group';
import { EVENT_FACTS } from './read-hit';
import { readSessionsWith } from './session-rows';

interface TextsOfWebsite {
  /** Text id of the website. */
  readonly website: number;
  readonly ids: ReadonlySet<number>;
  /** Visitors, or sessions without one, whose hits do not count: 32 hex digits. */
  readonly except: readonly string[];
}

/** The columns of sessions that hold text ids; values of hits are of both kinds. */
const OF_SESSIONS = ['entry_path', 'exit_path', ...SESSION_ATTRIBUTES];

/** Which of these texts no session and no fact of a website has; inside a transaction. */
export async function unusedTexts(
  on: Queryable,
  tables: WrittenTables,
  { website, ids, except }: TextsOfWebsite,
): Promise<ReadonlySet<number>> {
  const left = new Set(ids);
  const others = sql`website = ${website} and not actor = any(${except}::uuid[])`;
  const remove = async (columns: readonly string[], arrays: readonly string[], table: Sql) => {
    if (left.size === 0) return;
    const all = [
      sql`array[${joinSql(columns.map((name) => identifier(name)))}]`,
      ...arrays.map((name) => identifier(name)),
    ];
    const used = sql`select distinct text.id from ${table}, unnest(${joinSql(all, ' || ')}) as text (id)
      where ${others} and text.id = any(${arrayOf(left)}::integer[])`;
    for (const { id } of await run<{ id: number }>(on, used)) left.delete(id);
  };
  const stored = identifier(tables.state, sessions.name);
  await remove(OF_SESSIONS, ['hit_path', 'hit_hostname'], stored);
  for (const { builds, texts } of EVENT_FACTS) {
    const [target] = tables.targetsOf(builds);
    if (target) await remove(texts, [], identifier(target.schema, target.model.name));
  }
  if (left.size === 0) return left;
  const withValues = sql`${others} and exists (
    select from unnest(hit_values) as stored (value) where value = any(${arrayOf(left)}::integer[])
  )`;
  for await (const visitors of readSessionsWith(on, tables.state, withValues))
    for (const visitor of visitors.values())
      for (const { hits } of visitor.sessions) for (const hit of hits) for (const id of textsOf(hit)) left.delete(id);
  return left;
}

/** Deletes texts of a website that {@link unusedTexts} named, with the hosts of links that nobody has clicked. */
export async function deleteTexts(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  unused: ReadonlySet<number>,
): Promise<void> {
  if (unused.size === 0) return;
  const left = new Set(unused);
  for (const { schema, model } of tables.targetsOf(linkDomains)) {
    const table = identifier(schema, model.name);
    await run(on, sql`delete from ${table} where website = ${website} and value = any(${arrayOf(unused)}::integer[])`);
    const domains = sql`select distinct domain as id from ${table}
      where website = ${website} and domain = any(${arrayOf(left)}::integer[])`;
    for (const { id } of await run<{ id: number }>(on, domains)) left.delete(id);
  }
  await run(on, sql`delete from dictionary where scope = ${website} and id = any(${arrayOf(left)}::integer[])`);
}

const arrayOf = (ids: ReadonlySet<number>) => binaryArray('integer', [...ids]);

/** The values of a hit that are text ids. */
function textsOf(hit: SessionHit): readonly number[] {
  const fields = Object.values(kindOfHit(hit.kind)?.fields ?? {});
  return fields.flatMap(({ isText }, place) => (isText ? [valueOf(hit, place)] : []));
}
