import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { AlertDecided } from '@ledgerline/contracts/events/observed-events';

const HOUR_MS = 3_600_000;

/** What an alert decided on the hour that ends at a time (epoch ms). */
export function alertDecided(alertId: string, to: number, more: Partial<AlertDecided['data']> = {}): AlertDecided {
  const data: AlertDecided['data'] = {
    organizationId: 'org_1',
    alertId,
    websiteId: 'site_1',
    linkId: null,
    revision: 1,
    outcome: 'fired',
    from: to - HOUR_MS,
    to,
    toldAt: to,
    figure: 12,
    usual: null,
    asOf: to + 120_000,
    why: null,
    windows: 1,
    told: 1,
    ...more,
  };
  const id = derivedEventId(alertId, 'AlertDecided', `${data.revision} ${to} ${data.outcome}`);
  return { type: 'AlertDecided', id, at: to, receivedAt: data.asOf, data };
}
