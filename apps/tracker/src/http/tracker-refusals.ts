import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { countedAddress } from '@ledgerline/platform/http/address';
import { frameworkProblem } from '@ledgerline/platform/http/framework-problems';
import type { HostRefusals } from '@ledgerline/platform/http/problem.filter';
import type { RefusalReply, RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { setRateLimitHeaders, type RateLimits } from './rate-limits';

const RETRY_SECONDS = 2;
const OUTCOME_UNKNOWN =
  'It is not known whether these events were accepted; send them again: those with the same event ids are counted once, others may be counted twice';

/** How the tracking host refuses requests: by their address, with a body that the SDKs read. */
export class TrackerRefusals implements HostRefusals {
  constructor(private readonly limits: RateLimits) {}

  problemOf(error: unknown): Problem | undefined {
    if (error instanceof Problem) return error;
    if (error instanceof OutcomeUnknown)
      return new Problem('SERVICE_UNAVAILABLE', OUTCOME_UNKNOWN, undefined, RETRY_SECONDS);
    if (error instanceof LogUnavailable)
      return new Problem('SERVICE_UNAVAILABLE', 'Nothing was accepted; please try again', undefined, RETRY_SECONDS);
    if (error instanceof HitTooLarge) return new Problem('PAYLOAD_TOO_LARGE', 'An event is too large');
    return frameworkProblem(error);
  }

  /** An address that is refused too often is refused for that. */
  count(problem: Problem, { ip }: RefusedRequest, reply: RefusalReply): Problem {
    const limit = this.limits.take('refused', countedAddress(ip), 1);
    setRateLimitHeaders(limit, reply);
    return limit.exceeded ? tooManyRequests(limit.resetSeconds) : problem;
  }

  challenge({ code }: Problem): string | undefined {
    return code === 'AUTH_REQUIRED' ? 'Bearer' : undefined;
  }

  allow(methods: readonly string[]): readonly string[] {
    return ['OPTIONS', ...methods];
  }

  bodyOf({ code, message, details }: Problem, { id: requestId }: RefusedRequest): object {
    const errors = details ? { errors: details } : {};
    return { success: false, status: 'error', error: message, message, code, requestId, ...errors };
  }
}

export const tooManyRequests = (resetSeconds: number): Problem =>
  new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
