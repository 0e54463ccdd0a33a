import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { invalid } from './problems';

/** Refuses the fields of a body where a route takes none, as DTOs refuse those that they do not describe. */
@Injectable()
export class NoBodyGuard implements CanActivate {
  /** By handler. */
  private readonly readers = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (typeof body !== 'object' || body === null || this.readsBody(context)) return true;
    const details = Object.keys(body).map((field) => ({ field, message: 'Is not a known field.' }));
    if (details.length > 0) throw invalid(details);
    return true;
  }

  private readsBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const reads = this.readers.get(handler) ?? readsBody(context.getClass(), handler);
    this.readers.set(handler, reads);
    return reads;
  }
}

/** Whether the route has a parameter for the body, or for the whole request. */
function readsBody(controller: object, { name }: { readonly name: string }): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object;
  return Object.keys(parameters).some((key) => READERS.includes(Number(key.split(':')[0])));
}

const READERS: readonly number[] = [RouteParamtypes.BODY, RouteParamtypes.RAW_BODY, RouteParamtypes.REQUEST];
