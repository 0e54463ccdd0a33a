import { createHash, randomUUID } from 'node:crypto';
import {
  type ExecutionContext,
  HttpCode,
  Inject,
  Injectable,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { ApiExtension, ApiNoContentResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { RecordKinds } from '@ledgerline/contracts/record-kinds';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { canonicalJson } from '@ledgerline/platform/event-store/appended-events';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { Deadline } from '@ledgerline/platform/log/timing';
import { conflict, invalid } from '../http/problems';
import { COMMAND_EXTENSION, callerOf } from '../http/route';
import { POOL } from '../tokens';

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
  | RecordKinds[keyof RecordKinds]['prefix']
  | 'sec'
  | 'inv'
  | 'exp'
  | 'use'
  | 'era'
  | 'seal'
  | 'rebuild';

/** `site_01J…`: a readable prefix and a ULID, so that ids sort by the time they were made. */
export const newPrefixedId = (prefix: IdPrefix): string => `${prefix}_${newUlid()}`;

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

/** The caller of a command, the client that sent it, and the headers that concern it. */
export interface CommandContext {
  readonly caller: Caller;
  readonly client?: Client | undefined;
  /** None for what no request causes. */
  readonly requestId?: string | undefined;
  /** The key of a POST only; the other methods are idempotent by themselves. */
  readonly idempotencyKey?: string | undefined;
  /** `If-Match`: the command is refused unless this is the current revision of what it changes. */
  readonly expectedRevision?: number | undefined;
  /** `X-Correlation-ID`: joins the events of several requests; without it they are joined by the request id. */
  readonly correlationId?: string | undefined;
  /** The deadline of the request; none for one of several commands that a request leads to. */
  readonly deadline?: Deadline | undefined;
}

/** Personal data, so it is encrypted in events. */
interface Client {
  readonly ip: string;
  readonly userAgent?: string | undefined;
}

const MAX_USER_AGENT = 512;

/** The caller and the headers of the request, as a parameter of a route without headers of commands in its description. */
export const RequestContext = createParamDecorator((_: unknown, execution: ExecutionContext): CommandContext => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  const caller = callerOf(execution) ?? ANONYMOUS;
  const headers = commandHeaders(request);
  return { caller, client: clientOf(request), requestId: request.id, ...headers, deadline: new Deadline() };
});

/** The context of the command that a route sends, as a parameter of the route, which takes the headers of commands. */
export const CurrentCommandContext = (): ParameterDecorator => (target, name, index) => {
  const method = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
  if (name !== undefined && method) ApiExtension(COMMAND_EXTENSION, true)(target, name, method);
  RequestContext()(target, name, index);
};

const clientOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client => ({
  ip,
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT),
});

/**
 * Reads the headers of a command; a malformed X-Correlation-Id is ignored.
 * @throws Problem VALIDATION_ERROR that names a malformed Idempotency-Key or If-Match
 */
export function commandHeaders({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>) {
  const key = method === 'POST' ? headers['idempotency-key'] : undefined;
  const revision = headers['if-match'];
  const correlation = headers['x-correlation-id'];
  const malformed = [
    ...(key === undefined || isMatch(key, IDEMPOTENCY_KEY)
      ? []
      : ['Idempotency-Key must be 1 to 255 printable characters']),
    ...(revision === undefined || isMatch(revision, REVISION) ? [] : ['If-Match must be the revision of the record']),
  ];
  const details = malformed.map((message) => ({ field: message.split(' ', 1).join(), message }));
  if (details.length > 0) throw invalid(details);
  return {
    idempotencyKey: key as string | undefined,
    expectedRevision: revision === undefined ? undefined : Number(revision.replaceAll('"', '')),
    correlationId: isMatch(correlation, TOKEN) ? correlation : undefined,
  };
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const REVISION = /^(\d{1,9}|"\d{1,9}")$/;
const TOKEN = /^[A-Za-z0-9._:-]{1,128}$/;

const isMatch = (header: string | string[] | undefined, pattern: RegExp): header is string =>
  typeof header === 'string' && pattern.test(header);

/**
 * The result of a command: the entry as it was then, and the position in the event store that includes it; none if
 * nothing was written.
 */
export class CommandResult<Entry> {
  constructor(
    readonly entry: Entry,
    readonly cursor: Cursor | undefined,
    /** True when an earlier request with the same Idempotency-Key had written it. */
    readonly replayed: boolean,
  ) {}

  as<Other>(change: (entry: Entry) => Other): CommandResult<Other> {
    return new CommandResult(change(this.entry), this.cursor, this.replayed);
  }
}

/** A route that deletes: it answers 204, and its command with `deleted`. */
export const Deletes = () => applyDecorators(HttpCode(204), ApiNoContentResponse({ description: 'Deleted' }));

/** The result of a deletion. */
export const deletionResult = (): null => null;
