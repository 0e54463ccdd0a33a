import { timestampAt } from '@ledgerline/platform/database/binary-format';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { SelectedHit } from './session-columns';
import type { QueryContext } from '../query-type';
import {
  arrays,
  integerAt,
  integers,
  readArrays,
  readIntegers,
  smallintAt,
  type Columns,
} from '@ledgerline/platform/database/binary-columns';

/** A session with its place, and its key in the table: the actor is its visitor or else itself. */
export interface SessionKey {
  readonly place: number;
  readonly actor: string;
  readonly session: string;
}

/** All hits of these sessions. */
export async function readSessionHits(
  on: Queryable,
  { table, website }: Pick<QueryContext, 'table' | 'website'>,
  keys: readonly SessionKey[],
): Promise<readonly SelectedHit[]> {
  if (keys.length === 0) return [];
  const [found] = await run<Columns>(on, hitsSql(table(sessions), website, keys));
  const places = readIntegers(found?.['places']);
  const at = readArrays(found?.['at'], timestampAt);
  const kinds = readArrays(found?.['kinds'], smallintAt).values;
  const paths = readArrays(found?.['paths'], integerAt).values;
  const texts = readArrays(found?.['texts'], integerAt).values;
  const extras = readArrays(found?.['extras'], integerAt).values;
  const owners = at.lengths.flatMap((length, nth) => new Array<number>(length).fill(places[nth] ?? 0));
  return owners.map((place, hit) => {
    return {
      place,
      at: at.values[hit] ?? 0,
      kind: kinds[hit] ?? 0,
      path: paths[hit] ?? 0,
      text: texts[hit] ?? 0,
      extra: extras[hit] ?? 0,
    };
  });
}

/** TRICKY: the offset makes Postgres look each session up by its key. */
const hitsSql = (table: Sql, website: number, keys: readonly SessionKey[]): Sql => sql`
select ${integers(sql`k.place`)} as places, ${arrays(sql`s.hit_at`)} as at, ${arrays(sql`s.hit_kind`)} as kinds,
  ${arrays(sql`s.hit_path`)} as paths, ${arrays(sql`s.hit_text`)} as texts, ${arrays(sql`s.hit_extra`)} as extras
from unnest(${keys.map(({ place }) => place)}::int[], ${keys.map(({ actor }) => actor)}::uuid[],
  ${keys.map(({ session }) => session)}::uuid[]) as k(place, actor, session)
cross join lateral (
  select hit_at, hit_kind, hit_path, hit_text, hit_extra from ${table}
  where website = ${website} and actor = k.actor and session = k.session offset 0
) s`;
