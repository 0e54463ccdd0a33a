import { createHash } from 'node:crypto';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { encodeSessions } from '@ledgerline/domain/session-days/session-day';
import { visitsIn } from '@ledgerline/domain/sessions/page-visits';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import { chunkOf, EVERY_COLUMN, readSessionSlices } from '@ledgerline/platform/session-days/session-chunks';

const SCHEMA = 'websites_v1';

interface SessionDay {
  readonly day: number;
  readonly country: number;
  readonly device_type: number;
  readonly last_at: Date;
}

/** Seals days of a website, as the projector does when they are over. Returns the website's id in the dictionary. */
export async function sealDays(on: Queryable, websiteId: string, isSealed: (day: number) => boolean): Promise<number> {
  const [site] = await run<{ id: number }>(
    on,
    sql`select id from dictionary where hash = ${textHash(websiteId)}::uuid`,
  );
  const website = site?.id ?? -1;
  const days = await run<SessionDay>(
    on,
    sql`select (first_at at time zone 'UTC')::date - '1970-01-01'::date as day, country, device_type, max(last_at) as last_at
      from ${identifier(SCHEMA, 'sessions')} where website = ${website} group by 1, 2, 3`,
  );
  for (const each of days.filter(({ day }) => isSealed(day))) await seal(on, website, each);
  return website;
}

async function seal(on: Queryable, website: number, { day, country, device_type, last_at }: SessionDay): Promise<void> {
  const where = sql` and s.country = ${country} and s.device_type = ${device_type}
    and (s.first_at at time zone 'UTC')::date - '1970-01-01'::date = ${day}::int`;
  const table = ({ name }: { readonly name: string }) => identifier(SCHEMA, name);
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
  const slices = await readSessionSlices(on, { table, website, where }, EVERY_COLUMN);
  const [chunk] = slices.map((slice) => chunkOf(slice, EVERY_COLUMN, visitsIn));
  if (!chunk) throw new Error('The day has no sessions.');
  const columns = [...encodeSessions(chunk, day)].map(([name, bytes]) => [name, bytes && Buffer.from(bytes)] as const);
  const hash = createHash('sha1');
  for (const [name, bytes] of columns) hash.update(name).update(bytes ?? '');
  const version = hash.digest().readBigInt64BE();
  const keys = { website, day: date, country, device_type };
  const row = Object.entries({ ...keys, size: chunk.size, last_at, version, ...Object.fromEntries(columns) });
  await run(
    on,
    sql`insert into ${table(sessionDays)} (${joinSql(
      row.map(([name]) => identifier(name)),
      ', ',
    )})
      values (${joinSql(
        row.map(([, value]) => sql`${value}`),
        ', ',
      )}) on conflict do nothing`,
  );
  await run(
    on,
    sql`update ${table(sessionDayStates)} set is_sealed = true where website = ${website} and day = ${date}::date`,
  );
}
