import type { Website } from '@ledgerline/contracts/records';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { newContext, type IntakeContext, type IntakeRequest } from '../../apps/tracker/src/intake/intake-context';
import { parseItems, readBrowserEvent } from '../../apps/tracker/src/intake/payloads';
import { assignTimes } from '../../apps/tracker/src/intake/steps';

export const NOW = Date.parse('2026-03-10T12:00:00Z');
export const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

/** A request with its items read, as the steps after the parsing meet it. */
export function contextOf(
  body: unknown,
  { website = null, caller = null, ...request }: Partial<IntakeRequest> & Partial<Given> = {},
): IntakeContext {
  const asked = { ...NOTHING_SPECIAL, secret: caller && 'svc_', ...request, body };
  const context = newContext(asked, '81.2.69.142', CHROME);
  context.caller = caller;
  parseItems(context);
  assignTimes(context);
  for (const item of context.items) {
    item.website = website;
    item.organizationId = 'org_1';
  }
  return context;
}

interface Given {
  readonly website: Website | null;
  readonly caller: KeyCaller | null;
}

const NOTHING_SPECIAL = {
  route: { read: readBrowserEvent, maxItems: 100, unidentified: 'AUTH_REQUIRED' },
  receivedAt: NOW,
  websiteId: null,
  origin: null,
  isUnseen: false,
  sentAt: null,
  clockAhead: null,
} as const;

export const WEBSITE: Website = {
  id: 'site_1',
  organizationId: 'org_1',
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: ['partner.org'],
  timezone: 'Europe/Berlin',
  visitorIdentity: 'daily',
  retentionDays: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  revision: 0,
};

export const KEY: KeyCaller = {
  kind: 'key',
  id: 'key_1',
  organizationId: 'org_1',
  name: 'Server',
  scopes: ['track:events'],
  resources: null,
  rateLimit: null,
};
