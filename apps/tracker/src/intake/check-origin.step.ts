import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import { isWithin } from '../parse/page';
import { refuse, type IntakeContext } from './intake-context';

/** A page may only send for its own websites; a request without an origin is not from a page. */
export function checkOrigin(context: IntakeContext): void {
  const { origin } = context.request;
  if (context.caller !== null || origin === null) return;
  const host = normalHost(parseUrl(origin)?.hostname ?? '');
  for (const item of context.items) {
    const { domain, allowedOrigins } = item.website ?? NO_WEBSITE;
    const allowed = host !== '' && (isWithin(host, domain) || allowedOrigins.includes(host));
    if (!allowed)
      refuse(context, item, 'FORBIDDEN', { field: 'origin', message: 'may not send events for this website' });
  }
}

const NO_WEBSITE = { domain: '', allowedOrigins: [] as readonly string[] };
