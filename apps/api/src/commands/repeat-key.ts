import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../http/problems';

const HEADER = 'Idempotency-Key';

/** The request's Idempotency-Key, if it has one. */
export const RepeatKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const sent = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
  if (sent === undefined) return undefined;
  if (typeof sent === 'string' && /^[\x21-\x7e]{1,255}$/.test(sent)) return sent;
  throw invalid([{ field: HEADER, message: `${HEADER} must be 1 to 255 printable characters` }]);
});
