import { Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter';
import { RequestCounts } from './request-counts';

/** How many requests each caller may make. */
@Module({ providers: [RequestCounts, RateLimiter], exports: [RequestCounts, RateLimiter] })
export class LimitsModule {}
