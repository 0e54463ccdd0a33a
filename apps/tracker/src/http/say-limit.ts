import type { FastifyReply } from 'fastify';
import type { RateLimit } from './rate-limits';

/** Says on the answer what is left of the budget it was taken from. */
export function sayLimit({ limit, remaining, resetSeconds }: RateLimit, reply: FastifyReply): void {
  void reply.header('x-ratelimit-limit', limit);
  void reply.header('x-ratelimit-remaining', remaining);
  void reply.header('x-ratelimit-reset', resetSeconds);
}
