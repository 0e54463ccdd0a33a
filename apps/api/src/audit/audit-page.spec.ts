import type { HistoryEntry, HistoryPage } from '@ledgerline/platform/event-store/event-store';
import { auditPage, MAX_LOOKED_AT, type AuditEventPage } from './read-audit-log.query';

const COUNT = 35_000;
const START = Date.parse('2026-01-01T00:00:00Z');

/** One event a minute, every 7,000th of them of a key. */
const eventAt = (n: number): HistoryEntry => ({
  id: String(n),
  stream: 'org_1-website-site_1',
  revision: n,
  type: n % 7_000 === 0 ? 'ApiKeyRevoked' : 'WebsiteDeleted',
  data: { organizationId: 'org_1', keyId: 'key_1', websiteId: 'site_1' },
  metadata: { actor: 'usr_1', occurredAt: new Date(START + n * 60_000).toISOString() },
  cursor: String(n),
  recordedAt: new Date(0),
  chain: null,
});

describe('a page of the audit log', () => {
  it('looks at a bounded number of events, and goes on where it stopped', async () => {
    const found: string[] = [];
    const pages: AuditEventPage[] = [];
    for (let before: string | undefined; pages.at(-1)?.next !== null;) {
      lookedAt = 0;
      const page = await ask({ action: 'api_key.revoked' }, before);
      expect(lookedAt).toBeLessThanOrEqual(MAX_LOOKED_AT);
      pages.push(page);
      found.push(...page.events.map(({ id }) => id));
      before = page.next ?? undefined;
    }
    expect(found).toEqual(['28000', '21000', '14000', '7000', '0']);
    expect(pages).toHaveLength(4);
  });

  it('may be empty although more follow', async () => {
    expect(await ask({ action: 'link.created' })).toEqual({ events: [], next: String(COUNT - MAX_LOOKED_AT) });
  });

  it('without a filter reads no more than one event beyond the page', async () => {
    lookedAt = 0;
    const { events, next } = await ask({});
    expect([events.length, next, lookedAt]).toEqual([50, String(COUNT - 50), 51]);
  });

  it('stops soon before the time it begins with', async () => {
    lookedAt = 0;
    const from = new Date(START + (COUNT - 3) * 60_000).toISOString();
    const { events, next } = await ask({ from });
    expect([events.length, next]).toEqual([3, null]);
    expect(lookedAt).toBeLessThanOrEqual(1_000);
  });

  it('does not end at one event whose time was set back', async () => {
    const times = new Map([[String(COUNT - 2), '1970-01-01T00:00:00.000Z']]);
    const from = new Date(START + (COUNT - 4) * 60_000).toISOString();
    const { events } = await ask({ from }, undefined, times);
    expect(events.map(({ id }) => Number(id) - COUNT)).toEqual([-1, -3, -4]);
  });
});

let lookedAt = 0;

const ask = (filter: object, before?: string, times = new Map<string, string>()): Promise<AuditEventPage> =>
  auditPage({ readBack: (page) => readBack(page, times) }, { organizationId: 'org_1', filter, before, limit: 50 });

function readBack({ before = String(COUNT), limit }: HistoryPage, times: ReadonlyMap<string, string>) {
  const length = Math.min(limit, Number(before));
  lookedAt += length;
  const events = Array.from({ length }, (_, n) => eventAt(Number(before) - 1 - n));
  return Promise.resolve(
    events.map((event) => {
      const occurredAt = times.get(event.id);
      return occurredAt === undefined ? event : { ...event, metadata: { ...event.metadata, occurredAt } };
    }),
  );
}
