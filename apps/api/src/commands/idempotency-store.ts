import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@ledgerline/contracts/json';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { canonicalJson } from '@ledgerline/platform/event-store/chain-hash';
import type { Pool } from 'pg';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import { conflict } from '../http/problems';
import { POOL } from '../tokens';
import type { CommandContext } from './command-context';

/** A command with its ids; the same for every repetition under one Idempotency-Key. */
export interface StartedCommand extends CommandContext {
  /** UUID; every event id of the command is derived from it. */
  readonly commandId: string;
  /** When it was sent first. */
  readonly startedAt: Date;
  /** Made for this request alone, so that nothing can be stored under the command's ids yet. */
  readonly isNew?: boolean;
  /** The id of what the command creates or changes. */
  readonly id: string;
}

interface Row {
  readonly command_id: string;
  readonly thing_id: string;
  readonly body_hash: Buffer;
  readonly created_at: Date;
}

/** The beginning of an id, which says what it is of. */
export type IdPrefix =
  | ('org' | 'site' | 'link' | 'key' | 'sec' | 'inv' | 'exp' | 'era')
  | ('goal' | 'funnel' | 'seg' | 'note')
  | ('grant' | 'flag' | 'mon' | 'status' | 'inc' | 'share' | 'seal' | 'rebuild');

/** `site_01J…`: a readable prefix and a ULID, so that ids sort by the time they were made. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${newUlid()}`;

/** Commands by Idempotency-Key, so that a repetition has the ids of the first one. */
@Injectable()
export class IdempotencyStore {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * `body` is all that the request asks for, the id of what it changes included.
   * @throws Problem CONFLICT when the key was sent before with another request
   */
  async start(context: CommandContext, command: string, body: object, id: string): Promise<StartedCommand> {
    const { caller, idempotencyKey } = context;
    const started = { ...context, commandId: randomUUID(), id, startedAt: new Date() };
    if (idempotencyKey === undefined) return { ...started, isNew: true };
    const hash = createHash('sha256')
      .update(canonicalJson(body as JsonObject))
      .digest();
    const principal = caller.kind === 'anonymous' ? 'anonymous' : caller.id;
    const first = await this.insertOrFind([principal, command, idempotencyKey], hash, started);
    if (!first.body_hash.equals(hash)) throw conflict('This idempotency key was sent with another request');
    return { ...context, commandId: first.command_id, id: first.thing_id, startedAt: first.created_at };
  }

  /** Deletes what is older than a week. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from idempotency_keys where created_at < now() - interval '7 days'`);
  }

  private async insertOrFind(
    [principal, route, key]: readonly [string, string, string],
    hash: Buffer,
    { commandId, id, startedAt }: StartedCommand,
  ): Promise<Row> {
    const isKey = sql`principal = ${principal} and route = ${route} and key = ${key}`;
    const columns = sql`command_id, thing_id, body_hash, created_at`;
    const [inserted] = await run<Row>(
      this.pool,
      sql`
        insert into idempotency_keys (principal, route, key, ${columns})
        values (${principal}, ${route}, ${key}, ${commandId}, ${id}, ${hash}, ${startedAt})
        on conflict do nothing returning ${columns}`,
    );
    if (inserted) return inserted;
    const [row] = await run<Row>(this.pool, sql`select ${columns} from idempotency_keys where ${isKey}`);
    if (!row) throw new Error('An Idempotency-Key vanished while it was used.');
    return row;
  }
}
