import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../http/problems';
import { callerOf } from '../http/route';

/** The caller of a command, and its Idempotency-Key, if any. */
export interface CommandContext {
  readonly caller: Caller;
  readonly idempotencyKey?: string | undefined;
}

/** The context of the command that a route sends, as a parameter of the route. */
export const Context = createParamDecorator((_: unknown, execution: ExecutionContext): CommandContext => {
  const { headers } = execution.switchToHttp().getRequest<FastifyRequest>();
  return { caller: callerOf(execution) ?? ANONYMOUS, idempotencyKey: idempotencyKeyOf(headers) };
});

const HEADER = 'Idempotency-Key';

function idempotencyKeyOf(headers: FastifyRequest['headers']): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  if (typeof sent === 'string' && /^[\x21-\x7e]{1,255}$/.test(sent)) return sent;
  throw invalid([{ field: HEADER, message: `${HEADER} must be 1 to 255 printable characters` }]);
}
