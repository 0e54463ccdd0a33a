import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { Caller } from '@ledgerline/domain/access/caller';
import { run } from '@ledgerline/platform/database/pool';
import { canonicalJson } from '@ledgerline/platform/event-store/canonical-json';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { conflict } from '../http/problems';
import { POOL } from '../tokens';
import type { Asker, Attempt } from './attempt';
import { newId, type IdPrefix } from './ids';

interface Row {
  readonly command_id: string;
  readonly thing_id: string;
  readonly body_hash: Buffer;
}

/** Remembers attempts by Idempotency-Key, so that a repetition finds the ids of the first. */
@Injectable()
export class Attempts {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @throws Problem CONFLICT when the key came before with another request */
  async begin(asker: Asker, command: string, body: object, prefix: IdPrefix): Promise<Attempt> {
    const { caller, repeatKey } = asker;
    const fresh = { caller, commandId: randomUUID(), thingId: newId(prefix) };
    if (repeatKey === undefined) return fresh;
    const hash = createHash('sha256')
      .update(canonicalJson(body as JsonObject))
      .digest();
    const first = await this.remember([principalOf(caller), command, repeatKey], hash, fresh);
    if (!first.body_hash.equals(hash)) throw conflict('This Idempotency-Key was sent with another request');
    return { caller, commandId: first.command_id, thingId: first.thing_id };
  }

  /** Forgets what is older than a week. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from idempotency_keys where created_at < now() - interval '7 days'`);
  }

  private async remember(
    [principal, route, key]: readonly [string, string, string],
    hash: Buffer,
    { commandId, thingId }: Attempt,
  ): Promise<Row> {
    await run(
      this.pool,
      sql`
        insert into idempotency_keys (principal, route, key, body_hash, command_id, thing_id)
        values (${principal}, ${route}, ${key}, ${hash}, ${commandId}, ${thingId})
        on conflict do nothing`,
    );
    const [row] = await run<Row>(
      this.pool,
      sql`
        select command_id, thing_id, body_hash from idempotency_keys
        where principal = ${principal} and route = ${route} and key = ${key}`,
    );
    if (!row) throw new Error('An Idempotency-Key vanished while it was used.');
    return row;
  }
}

const principalOf = (caller: Caller): string => (caller.kind === 'anonymous' ? 'anonymous' : caller.id);
