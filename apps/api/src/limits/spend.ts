import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import type { Allowance } from './budgets';

/** Takes one request from an allowance and writes the headers. @throws Problem RATE_LIMITED when nothing is left */
export async function spend(counts: ThrottlerStorage, allowance: Allowance, reply: FastifyReply): Promise<void> {
  const { key, max, windowMs } = allowance;
  const { totalHits, timeToExpire, isBlocked } = await counts.increment(key, windowMs, max, windowMs, 'default');
  void reply.headers({
    'x-ratelimit-limit': String(max),
    'x-ratelimit-remaining': String(Math.max(0, max - totalHits)),
    'x-ratelimit-reset': String(timeToExpire),
  });
  if (isBlocked) throw new Problem('RATE_LIMITED', 'Too many requests', undefined, timeToExpire);
}
