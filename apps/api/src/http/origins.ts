import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import { SETTINGS } from '../tokens';
import { forbidden } from './problems';
import type { CallerRequest } from './route';

type Origins = Pick<Settings, 'publicApiUrl' | 'dashboardOrigins'>;

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** `none`: typed by a person, or sent by no page. */
const OWN_SITES: readonly unknown[] = ['same-origin', 'none'];

/**
 * Returns whether a page of another origin wants to change something. Browsers send the session cookie by themselves: a
 * change must come from our own pages, from those of a dashboard, or from no page at all.
 */
export const isForeignChange = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>, origins: Origins) =>
  !SAFE_METHODS.includes(method) && isFromForeignPage(headers, origins);

function isFromForeignPage(headers: IncomingHttpHeaders, { publicApiUrl, dashboardOrigins }: Origins): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin') return false; // of the address the request went to, as its browser states; no script sets it
  if (origin !== undefined) return origin !== new URL(publicApiUrl).origin && !dashboardOrigins.includes(origin);
  return site !== undefined && !OWN_SITES.includes(site);
}

/**
 * Returns whether a dashboard's browser calls requests to the api cross-site, which decides which cookies it sends with
 * them.
 */
export const hasCrossSiteDashboard = ({ publicApiUrl, dashboardOrigins }: Origins): boolean =>
  dashboardOrigins.some((origin) => !isSameSite(new URL(origin), new URL(publicApiUrl)));

/**
 * Certainly of one site: the same scheme, and one host equal to or below the other. Siblings are of one site only if
 * their common parent is registered by one owner, which needs a list of public suffixes to decide.
 */
function isSameSite(one: URL, other: URL): boolean {
  const isBelow = (host: string, parent: string) => host === parent || host.endsWith(`.${parent}`);
  const a = one.hostname;
  const b = other.hostname;
  return one.protocol === other.protocol && (isBelow(a, b) || isBelow(b, a));
}

/** Keeps other sites from signing a browser in, which needs no session to be abused. */
@Injectable()
export class OwnPagesGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    if (isForeignChange(context.switchToHttp().getRequest<CallerRequest>(), this.settings)) throw forbidden();
    return true;
  }
}
