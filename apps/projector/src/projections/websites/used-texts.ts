import { textsInPart } from '@ledgerline/aggregation/aggregation';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { kindOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { type Session, hitValue } from '@ledgerline/contracts/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { type Queryable, readInPortions, run } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, type Sql, sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projection-group';
import { EVENT_FACTS } from './read-hit';
import { readSessionsWith } from './session-rows';

/** Sessions that are looked at first: they have most of the texts that others have, too. */
const FIRST = 5_000;

/** Returns which of these texts no session, no fact and no count of expired days of a website has; inside a transaction. */
export async function unusedTexts(
  on: Queryable,
  tables: WrittenTables,
  { website, websiteId }: { readonly website: number; readonly websiteId: string },
  texts: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const left = new Set(texts);
  const removeUsed = async (sessionsWith: Sql) => {
    for await (const visitors of readSessionsWith(on, tables.state, sql`website = ${website} ${sessionsWith}`))
      for (const visitor of visitors.values())
        for (const session of visitor.sessions) for (const id of textsIn(session)) left.delete(id);
  };
  await removeUsed(sql`limit ${FIRST}`);
  for (const { builds, texts: columns } of EVENT_FACTS) {
    const [target] = tables.targetsOf(builds);
    if (!target || left.size === 0) continue;
    const used = sql`select distinct text.id from ${identifier(target.schema, target.model.name)},
        unnest(array[${joinSql(columns.map((name) => identifier(name)))}]) as text (id)
      where website = ${website} and text.id = any(${arrayOf(left)}::integer[])`;
    for (const { id } of await run<{ id: number }>(on, used)) left.delete(id);
  }
  if (left.size === 0) return left;
  const ids = sql`${arrayOf(left)}::integer[]`;
  const some = [
    ...OF_SESSIONS.map((name) => sql`${identifier(name)} = any(${ids})`),
    ...['hit_path', 'hit_hostname', 'hit_values'].map((name) => sql`${identifier(name)} && ${ids}`),
  ];
  await removeUsed(sql`and (${joinSql(some, ' or ')})`);
  const expired = sql`select rollup, bytes from expired_rollups where website_id = ${websiteId}`;
  for await (const parts of readInPortions<{ rollup: string; bytes: Buffer }>(on, expired))
    for (const { rollup, bytes } of parts) {
      const declared = ROLLUPS.find(({ name }) => name === rollup);
      if (declared) for (const id of textsInPart(declared, bytes)) left.delete(id);
    }
  return left;
}

/** The columns of sessions that hold text ids, beside those of hits. */
const OF_SESSIONS = ['entry_path', 'exit_path', ...SESSION_ATTRIBUTES] as const;

function* textsIn({ entryPath, exitPath, attributes, hits }: Session): Iterable<number> {
  yield entryPath;
  yield exitPath;
  yield* Object.values(attributes ?? {});
  for (const hit of hits) {
    yield hit.path;
    yield hit.hostname;
    const fields = Object.values(kindOfHit(hit.kind)?.fields ?? {});
    for (const [place, { isText }] of fields.entries()) if (isText) yield hitValue(hit, place);
  }
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
