import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Written } from './attempt';

/** Answers a write with the thing itself, and with the place in the log from which on everybody sees it. */
@Injectable()
export class LogPositionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((result) => {
        if (!(result instanceof Written)) return result;
        void reply.header('x-log-position', `e:${result.cursor}`);
        return result.thing as unknown;
      }),
    );
  }
}
