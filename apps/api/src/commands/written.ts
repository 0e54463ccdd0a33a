import {
  applyDecorators,
  HttpCode,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { ApiNoContentResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** What a command wrote: the entry as it was then, and the position in the event store that includes it. */
export class Written<Entry> {
  constructor(
    readonly entry: Entry,
    readonly cursor: Cursor,
    /** True when an earlier request with the same Idempotency-Key had written it. */
    readonly replayed: boolean,
  ) {}

  as<Other>(change: (entry: Entry) => Other): Written<Other> {
    return new Written(change(this.entry), this.cursor, this.replayed);
  }
}

/** Sends the entry as the response of a write, and its position in X-Log-Position. */
@Injectable()
export class WrittenInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((result) => {
        if (!(result instanceof Written)) return result;
        void reply.header('x-log-position', `e:${result.cursor}`);
        return (result.entry as unknown) ?? undefined; // a deletion answers with an empty body
      }),
    );
  }
}

/** A route that deletes: it answers 204, and its command with `deleted`. */
export const Deletes = () => applyDecorators(HttpCode(204), ApiNoContentResponse({ description: 'Deleted' }));
