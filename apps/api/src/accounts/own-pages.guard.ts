import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isForeignChange } from '../http/origins';
import { forbidden } from '../http/problems';
import type { CallerRequest } from '../http/route';
import { SETTINGS } from '../tokens';

/** Keeps other sites from signing a browser in, which needs no session to be abused. */
@Injectable()
export class OwnPagesGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    if (isForeignChange(context.switchToHttp().getRequest<CallerRequest>(), this.settings)) throw forbidden();
    return true;
  }
}
