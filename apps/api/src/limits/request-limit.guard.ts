import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { PERMISSIONS, type AskedRequest } from '../auth/permissions';
import { SETTINGS } from '../tokens';
import { allowanceFor, BUDGET, type BudgetName } from './budgets';
import { spend } from './spend';

/** Counts every request against its principal's budget and says on every response what is left of it. */
@Injectable()
export class RequestLimitGuard extends ThrottlerGuard implements CanActivate {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super(options, storage, reflector);
  }

  /** Unlike the library's own, sets the headers on the refusal too. */
  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AskedRequest>();
    const ip = countedAddress(request.ip);
    const allowance = allowanceFor(this.budgetOf(context), request.caller, ip, this.settings.limits);
    await spend(this.storageService, allowance, context.switchToHttp().getResponse<FastifyReply>());
    return true;
  }

  private budgetOf(context: ExecutionContext): BudgetName {
    const places = [context.getHandler(), context.getClass()];
    const stated = this.reflector.getAllAndOverride<BudgetName | undefined>(BUDGET, places);
    return stated ?? (this.reflector.getAllAndOverride(PERMISSIONS, places) === 'public' ? 'public' : 'api');
  }
}
