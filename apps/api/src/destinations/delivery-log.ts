import { run, transaction } from '@ledgerline/platform/database/pool';
import { type Sql, emptySql, sql } from '@ledgerline/platform/database/sql';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { invalid } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { POOL } from '../tokens';
import type { DeliveryDto, DestinationDto, ListDeliveriesDto, RetryDto } from './destination.dto';

type State = Pick<Plain<DestinationDto>, 'state' | 'lastAnswer' | 'lagSeconds'>;

/** What was sent to destinations, and what waits; the projector sends it. */
@Injectable()
export class DeliveryLog {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** How sending goes; absent = it has not begun. */
  async states(ids: readonly string[]): Promise<ReadonlyMap<string, State>> {
    const rows = await run<{
      id: string;
      state: State['state'];
      status: number | null;
      answer: string | null;
      answeredAt: Date | null;
      lagSeconds: number;
    }>(
      this.pool,
      sql`select destination_id as id, state, status, answer, answered_at as "answeredAt", coalesce((
          select extract(epoch from now() - min(created_at)) from deliveries d
          where d.destination_id = s.destination_id and d.state = 'waiting' and not d.is_repeated), 0)::integer as "lagSeconds"
        from destination_sending s where destination_id = any(${[...ids]}::text[])`,
    );
    return new Map(
      rows.map(({ id, state, status, answer, answeredAt, lagSeconds }) => [
        id,
        { state, lastAnswer: answeredAt && { status, text: answer, at: answeredAt.toISOString() }, lagSeconds },
      ]),
    );
  }

  /** The newest first. */
  async list(id: string, { state, before, limit }: Plain<ListDeliveriesDto>): Promise<readonly Plain<DeliveryDto>[]> {
    const rows = await run<Omit<Plain<DeliveryDto>, 'at'> & { at: Date }>(
      this.pool,
      sql`select id, type, first_revision::float8 as position, created_at as at, state, tries, status, answer, body
        from deliveries where destination_id = ${id} ${(state ?? null) === null ? emptySql : sql`and state = ${state}`}
          ${(before ?? null) === null ? emptySql : sql`and first_revision < ${before}`}
        order by first_revision desc, created_at desc limit ${limit}`,
    );
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }

  /** Sends messages again that were set aside or sent, and what waits at once; answers how many. */
  async retry(id: string, wanted: Plain<RetryDto>): Promise<number> {
    const which = wantedIn(wanted);
    return transaction(this.pool, async (client) => {
      const retried = await run(
        client,
        sql`update deliveries set state = 'waiting', is_repeated = true, tries = 0, changed_at = now()
          where destination_id = ${id} and state <> 'waiting' and body is not null and ${which} returning 1`,
      );
      const chain = wanted.all ? sql`, hash = null` : emptySql; // it goes on from the chain as it is
      await run(
        client,
        sql`update destination_sending set state = 'ok', next_at = now(), failing_since = null ${chain}
          where destination_id = ${id}`,
      );
      return retried.length;
    });
  }
}

/** @throws Problem VALIDATION_ERROR unless the request says one thing */
function wantedIn({ deliveryIds = null, from, to, all }: Plain<RetryDto>): Sql {
  const isRange = typeof from === 'number' && typeof to === 'number';
  const isHalf = !isRange && (typeof from === 'number' || typeof to === 'number');
  if (isHalf || [deliveryIds !== null, isRange, all === true].filter(Boolean).length !== 1)
    throw invalid([
      { field: 'deliveryIds', message: 'Exactly one of deliveryIds, from with to, and all must be there.' },
    ]);
  if (isRange) return sql`first_revision >= ${from} and last_revision <= ${to}`;
  return deliveryIds ? sql`id = any(${[...deliveryIds]}::uuid[])` : sql`state = 'set_aside'`;
}
