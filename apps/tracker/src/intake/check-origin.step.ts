import { isWithin } from './payloads/page';
import { refuse, type Delivery } from './delivery';

/** A browser may only send for websites that its page belongs to; what sends no origin is no page. */
export function checkOrigin(delivery: Delivery): void {
  const { origin } = delivery.request;
  if (delivery.caller !== null || origin === null) return;
  const host = hostOf(origin);
  for (const item of delivery.items) {
    const { domain, allowedOrigins } = item.website ?? NOBODY;
    const allowed = host !== null && (isWithin(host, domain) || allowedOrigins.includes(host));
    if (!allowed)
      refuse(delivery, item, 'FORBIDDEN', { field: 'origin', message: 'may not send events for this website' });
  }
}

const NOBODY = { domain: '', allowedOrigins: [] as readonly string[] };

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).hostname : null);
