import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, emptySql, sql } from '@ledgerline/platform/database/sql';
import { retryDeliveries } from '@ledgerline/platform/deliveries/retry-deliveries';
import { invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { POOL } from '../tokens';
import type { DeliveryDto, ListDeliveriesDto, RetryDto } from './delivery.dto';
import type { DestinationDto } from './destination.dto';

type State = Pick<PlainData<DestinationDto>, 'state' | 'lastAnswer' | 'lagSeconds'>;

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
  async list(
    id: string,
    { state, before, limit }: PlainData<ListDeliveriesDto>,
  ): Promise<readonly PlainData<DeliveryDto>[]> {
    const rows = await run<Omit<PlainData<DeliveryDto>, 'at'> & { at: Date }>(
      this.pool,
      sql`select id, number::float8 as number, type, first_revision::float8 as position, created_at as at, state, tries, status, answer, body
        from deliveries where destination_id = ${id} ${(state ?? null) === null ? emptySql : sql`and state = ${state}`}
          ${(before ?? null) === null ? emptySql : sql`and number < ${before}`}
        order by number desc limit ${limit}`,
    );
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }

  /** Sends messages again that were set aside or sent, and what waits at once; answers how many. */
  retry(id: string, wanted: PlainData<RetryDto>): Promise<number> {
    return retryDeliveries(this.pool, id, { which: wantedIn(wanted), goesOn: wanted.all === true });
  }
}

/** @throws Problem VALIDATION_ERROR unless the request says one thing */
export function assertOneWish({ deliveryIds = null, from, to, all }: PlainData<RetryDto>): void {
  const isHalf = typeof from !== typeof to;
  if (isHalf || [deliveryIds !== null, typeof from === 'number', all === true].filter(Boolean).length !== 1)
    throw invalid([
      { field: 'deliveryIds', message: 'Exactly one of deliveryIds, from with to, and all must be there.' },
    ]);
}

function wantedIn({ deliveryIds = null, from = null, to = null }: PlainData<RetryDto>): Sql {
  if (from !== null) return sql`number between ${from} and ${to}`;
  return deliveryIds ? sql`id = any(${[...deliveryIds]}::uuid[])` : sql`state = 'set_aside'`;
}
