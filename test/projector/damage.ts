import type { Pool } from 'pg';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { run } from '@ledgerline/platform/database/pool';
import { WebsitesGroup } from '../../apps/projector/src/projections/websites/websites-group';

export const FAULT = { missing: 0, doubled: 1, changed: 2, lost: 3, sealed: 4 } as const;

interface Damage {
  /** The id of the website. */
  readonly id: string;
  readonly fault: number;
  /** The number of the row and bit among those that there are. */
  readonly place: number;
}

/** Columns that are damaged in a bit, or name another domain. */
const CHANGES = ['link_domains.domain', ...ROLLUPS.map(({ name }) => `website_rollups.${name}`)];
const OF_SITE = `where website = (select id from dictionary where scope = 0 and text = $1)`;
/** Tables whose damage is found in another way, or by a rebuild alone. */
const NOT_DAMAGED = [
  ...['website_days', 'website_newest_events', 'session_days', 'session_day_states'],
  ...['visitor_profiles', 'profile_traits'],
];

/** A fault in a row of any table of the website; false where it has none. */
export async function damage(on: Pool, schema: string, { id, fault, place }: Damage): Promise<boolean> {
  if (fault === FAULT.sealed) return damageSealed(on, schema, id);
  const { builds } = new WebsitesGroup(on);
  const names =
    fault === FAULT.missing ? builds.map(({ name }) => name) : fault === FAULT.doubled ? ['website_rollups'] : CHANGES;
  for (let next = 0; next < names.length; next++) {
    const name = names[(place + next) % names.length]!;
    if (NOT_DAMAGED.includes(name)) continue;
    const [table = '', column = ''] = name.split('.');
    const own = `ctid = (select ctid from ${schema}.${table} ${OF_SITE} order by ctid
      limit 1 offset (select $2::bigint % greatest(count(*), 1) from ${schema}.${table} ${OF_SITE}))`;
    const at = `($2::bigint % length(${column}))::integer`;
    const changed =
      table === 'link_domains'
        ? `domain + 1`
        : `set_byte(${column}, ${at}, get_byte(${column}, ${at}) # ${1 << (place % 8)})`;
    const text = {
      [FAULT.missing]: `delete from ${schema}.${table} where ${own} returning 1`,
      [FAULT.doubled]: `insert into ${schema}.${table}
        select (jsonb_populate_record(t, '{"number": 1}')).* from ${schema}.${table} t where ${own} returning 1`,
      [FAULT.changed]: `update ${schema}.${table} set ${column} = ${changed} where ${own} and ${column} is not null returning 1`,
    }[fault]!;
    if ((await run(on, { text, values: [id, place] })).length > 0) return true;
  }
  return false;
}

/** A byte of a column of a sealed day. */
async function damageSealed(on: Pool, schema: string, id: string): Promise<boolean> {
  const text = `update ${schema}.session_days set first_at = set_byte(first_at, 0, (get_byte(first_at, 0) + 1) % 256)
    where website = (select id from dictionary where scope = 0 and text = $1) and first_at is not null returning 1`;
  return (await run(on, { text, values: [id] })).length > 0;
}
