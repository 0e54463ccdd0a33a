import { applyDecorators, createParamDecorator, HttpCode, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import { ApiExtension, ApiNoContentResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { invalid } from '../http/problems';
import { callerOf, COMMAND_EXTENSION } from '../http/route';

/** The caller of a command, the client that sent it, and the headers that concern it. */
export interface CommandContext {
  readonly caller: Caller;
  readonly client?: Client | undefined;
  /** None for what no request causes. */
  readonly requestId?: string | undefined;
  /** Of a POST only; the other methods are idempotent by themselves. */
  readonly idempotencyKey?: string | undefined;
  /** `If-Match`: the command is refused unless this is the current revision of what it changes. */
  readonly expectedRevision?: number | undefined;
  /** `X-Correlation-ID`: joins the events of several requests; without it they are joined by the request id. */
  readonly correlationId?: string | undefined;
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
  return { caller, client: clientOf(request), requestId: request.id, ...commandHeaders(request) };
});

/** The context of the command that a route sends, as a parameter of the route, which takes the headers of commands. */
export const Context = (): ParameterDecorator => (target, name, index) => {
  const method = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
  if (name !== undefined && method) ApiExtension(COMMAND_EXTENSION, true)(target, name, method);
  RequestContext()(target, name, index);
};

const clientOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client => ({
  ip,
  userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT),
});

/** @throws Problem VALIDATION_ERROR that names every header that is malformed */
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

/** What a command wrote: the entry as it was then, and the position in the event store that includes it. */
export class CommandResult<Entry> {
  constructor(
    readonly entry: Entry,
    readonly cursor: Cursor,
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
export const deleted = (): null => null;
