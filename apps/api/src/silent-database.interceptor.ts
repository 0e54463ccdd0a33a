import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { budgetOf } from './http/route';

const READS: readonly string[] = ['GET', 'HEAD'];

/** Answers a request 503 as soon as the database is silent: its statement would wait for a timeout of its own, up to 30 s. */
@Injectable()
export class SilentDatabaseInterceptor implements NestInterceptor {
  constructor(private readonly heartbeat: Heartbeat) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    if (budgetOf(context.getHandler(), context.getClass()) === 'probes') return next.handle();
    const handled = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.heartbeat.whileAnswering(handled, () => silenceOf(context)));
  }
}

function silenceOf(context: ExecutionContext): LogUnavailable {
  const { method } = context.switchToHttp().getRequest<FastifyRequest>();
  const budget = budgetOf(context.getHandler(), context.getClass());
  const isRead = READS.includes(method) || budget === 'query' || budget === 'flags';
  const Failure = isRead ? LogUnavailable : OutcomeUnknown;
  return new Failure('The database does not answer.');
}
