import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { isForeignChange } from '../http/origins';
import { forbidden } from '../http/problems';
import { SETTINGS } from '../tokens';

/**
 * Refuses requests for another host name than ours, and those from pages of other origins: a page whose host name was
 * pointed at this machine (DNS rebinding) comes with either.
 */
@Injectable()
export class RebindingGuard implements CanActivate {
  private readonly hosts: string[];

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.hosts = [new URL(settings.publicApiUrl).hostname, ...localhostAllowedHostnames()];
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!validateHostHeader(request.headers.host, this.hosts).ok) throw forbidden();
    if (isForeignChange(request, this.settings)) throw forbidden();
    return true;
  }
}
