import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Environment } from './environment';

/** The origins whose pages may use the api with a session; one sentence for each that is wrong. */
export function dashboardOrigins(env: Environment): readonly string[] {
  const given = env.optional('DASHBOARD_ORIGINS')?.split(',') ?? [];
  return given.map((each) => originOf(each.trim()) ?? env.wrong(problemOf(each.trim()), ''));
}

/** The origin in its usual form, without a default port and the dot of the root, and in lower case. */
function originOf(text: string): string | undefined {
  const url = parseUrl(text);
  const isOrigin = url && /^https?:\/\/[a-z0-9.:[\]-]+\/?$/i.test(text) && url.href === `${url.origin}/`;
  if (!isOrigin) return undefined;
  url.hostname = normalHost(url.hostname);
  return url.origin;
}

const problemOf = (text: string): string =>
  `DASHBOARD_ORIGINS has "${text}"; each must be a scheme, a host and at most a port, such as https://app.example.com.`;
