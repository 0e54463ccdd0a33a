import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CallerRequest } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { TOOLS } from './catalogue';

/**
 * Counts what a request asks for beyond being one request: the further messages of a batch, which early revisions of the
 * protocol have, and the tools with a budget of their own, so that `query` costs what `POST /v1/query` does.
 */
@Injectable()
export class MessageLimitGuard implements CanActivate {
  constructor(private readonly limits: RequestLimitGuard) {}

  /** @throws Problem RATE_LIMITED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const messages: readonly unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    for (const [at, message] of messages.entries()) {
      if (at > 0) await this.limits.count('api', request, reply);
      const budget = budgetOf(message);
      if (budget && !hasOwnLimit(request)) await this.limits.count(budget, request, reply);
    }
    return true;
  }
}

/** A key that carries its own limit has that one for everything: its requests are counted once. */
const hasOwnLimit = ({ caller }: CallerRequest): boolean => caller?.kind === 'key' && caller.rateLimit !== null;

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

function budgetOf(message: unknown) {
  const { method, params } = (message ?? {}) as Message;
  return method === 'tools/call' ? TOOLS.find(({ name }) => name === params?.name)?.budget : undefined;
}
