import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { invalid } from './problems';

/** Refuses the fields of a body where a route takes none, as DTOs refuse those that they do not describe. */
@Injectable()
export class NoBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (typeof body === 'object' && body !== null && !readsBody(context)) {
      const details = Object.keys(body).map((field) => ({ field, message: 'Is not a known field.' }));
      if (details.length > 0) throw invalid(details);
    }
    return next.handle();
  }
}

/** Whether the route has a parameter for the body, or for the whole request. */
function readsBody(context: ExecutionContext): boolean {
  const { name } = context.getHandler();
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
  return Object.keys(parameters).some((key) => READERS.includes(Number(key.split(':')[0])));
}

const READERS: readonly number[] = [RouteParamtypes.BODY, RouteParamtypes.RAW_BODY, RouteParamtypes.REQUEST];
