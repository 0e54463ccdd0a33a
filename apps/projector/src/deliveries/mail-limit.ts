import type { Pool } from 'pg';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { DIGEST_TYPE, type NewDelivery, digestOf } from './messages';
import { type TakenDestination, ours } from './sending';

/** The most mails to a destination in an hour. */
const MAX_MAILS = 20;
const HOUR = sql`interval '1 hour'`;
/** The most messages in one mail. */
const MAX_JOINED = 500;

/** Returns for how long no mail may be sent, ms; 0 = one may. The last that may is made one of all that wait. */
export async function mailPause(pool: Pool, taken: TakenDestination): Promise<number> {
  const [row] = await run<{ sent: number; pauseMs: number | null }>(
    pool,
    sql`select count(*)::integer as sent, (extract(epoch from min(changed_at) + ${HOUR} - now()) * 1000)::float8 as "pauseMs"
      from deliveries where destination_id = ${taken.id} and state = 'sent' and changed_at > now() - ${HOUR}`,
  );
  const left = MAX_MAILS - (row?.sent ?? 0);
  if (left <= 0) return Math.max(row?.pauseMs ?? 0, 1);
  if (left === 1) await transaction(pool, (client) => joinUntried(client, taken));
  return 0;
}

interface Untried extends Pick<NewDelivery, 'id' | 'body'>, Record<string, unknown> {
  readonly number: number;
  readonly createdAt: Date;
}

/** Makes one of the first messages that wait, as far as none was tried or is a report: what was tried stays under its id. */
async function joinUntried(on: Queryable, taken: TakenDestination): Promise<void> {
  const { id: destination } = taken;
  const isOurs = await run(on, sql`select from destination_sending where ${ours(taken)} for update`);
  if (isOurs.length === 0) return;
  const waiting = sql`destination_id = ${destination} and state = 'waiting' and not is_repeated`;
  const untried = await run<Untried>(
    on,
    sql`select id, number::float8 as number, body, created_at as "createdAt" from deliveries
      where ${waiting} and number < coalesce((
        select min(number)::float8 from deliveries where ${waiting} and (tries > 0 or type = ${DIGEST_TYPE} or html is not null)), 'infinity')
      order by number limit ${MAX_JOINED}`,
  );
  const [first, second] = untried;
  if (!first || !second) return;
  const { id, body } = digestOf(destination, untried);
  const numbers = untried.map(({ number }) => number);
  await run(
    on,
    sql`delete from deliveries where destination_id = ${destination} and number = any(${numbers}::bigint[])`,
  );
  await run(
    on,
    sql`insert into deliveries (destination_id, number, id, type, body, created_at)
      values (${destination}, ${first.number}, ${id}, ${DIGEST_TYPE}, ${body}, ${first.createdAt})`,
  );
}
