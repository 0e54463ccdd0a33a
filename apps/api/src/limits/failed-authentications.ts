import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS } from '../tokens';
import { RequestCounts } from './request-counts';
import { spend } from './spend';

/** Wrong credentials per address. @see AuthenticationGuard */
@Injectable()
export class FailedAuthentications {
  constructor(
    private readonly counts: RequestCounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Problem RATE_LIMITED after too many of them */
  count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const max = this.settings.limits.failedAuthPerMinute;
    return spend(this.counts, { key: `failed:ip:${countedAddress(request.ip)}`, max, windowMs: 60_000 }, reply);
  }
}
