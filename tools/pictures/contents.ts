import type { FirstRun } from '../../scripts/supervisor/screen';
import type { Api } from './api';

/** Ids of what the pages show. */
export interface Contents extends Pick<FirstRun, 'organizationId' | 'websiteId' | 'linkId'> {
  readonly flagId: string;
  readonly monitorId: string;
  readonly statusPageId: string;
  readonly alertId: string;
  readonly reportId: string;
  readonly invitationId: string;
}

interface Created {
  readonly id: string;
}

const LINKS = [
  { name: 'Newsletter of the spring', targetUrl: 'https://shop.example/spring?utm_source=newsletter', slug: 'spring' },
  { name: 'Poster at the station', targetUrl: 'https://shop.example/welcome', slug: 'station', externalId: 'posters' },
  { name: 'Terms of the summer sale', targetUrl: 'https://shop.example/terms', slug: 'terms' },
];

const KEYS = [
  { name: 'Shop server', scopes: ['track:events'], description: 'Sends the orders', tags: ['production'] },
  { name: 'Weekly report', scopes: ['read:data'], expiresAt: '2099-01-01T00:00:00Z' },
];

const OTHER_FLAGS = [
  { key: 'old-search', name: 'Old search', defaultValue: true, description: 'Until the new search is complete' },
  {
    key: 'button-colour',
    name: 'Colour of the button',
    type: 'multivariant',
    variants: [
      { key: 'blue', value: '#0b5fff', weight: 50 },
      { key: 'green', value: '#0a7d33', weight: 50 },
    ],
  },
];

const NEW_CHECKOUT = {
  key: 'new-checkout',
  name: 'New checkout',
  type: 'rollout',
  description: 'One page instead of three',
  rollout: { percentage: 20, by: 'user' },
  rules: [{ attribute: 'email', operator: 'ends_with', values: ['@shop.example'], enabled: true }],
};

/** They are told of what is created after them. */
const DESTINATIONS = [
  { name: 'Shop server', kind: 'webhook', sends: ['monitor.down', 'monitor.up', 'flag.created'] },
  { name: 'Channel of the team', kind: 'webhook', format: 'slack', sends: ['incident.created'] },
  { name: 'SIEM', kind: 'audit' },
];

const FEW_VIEWS = {
  name: 'Fewer page views than usual',
  figure: 'pageviews',
  window: { minutes: 1_440 },
  compare: 'changed',
  direction: 'down',
  percent: 30,
};

const WEEKLY = { name: 'Weekly figures', period: 'week', timezone: 'Europe/Berlin', websiteIds: null };

/** Creates a few of everything that an organization has. */
export async function createContents(api: Api, demo: FirstRun, receiverUrl: string): Promise<Contents> {
  const { organizationId, websiteId, linkId } = demo;
  const create = (path: string, body: object) => api.ask<Created>(path, { organizationId, ...body });
  const destinations: Created[] = [];
  for (const each of DESTINATIONS) destinations.push(await create('/v1/destinations', { ...each, url: receiverUrl }));
  const destinationIds = destinations.slice(0, 1).map(({ id }) => id);
  const alert = await create('/v1/alerts', { ...FEW_VIEWS, websiteId, destinationIds });
  const weekly = await create('/v1/reports', { ...WEEKLY, destinationIds });
  for (const link of LINKS) await create('/v1/links', link);
  for (const key of KEYS) await create('/v1/api-keys', key);
  for (const flag of OTHER_FLAGS) await create('/v1/flags', flag);
  const flag = await create('/v1/flags', NEW_CHECKOUT);
  const shop = await create('/v1/monitors', { name: 'Shop', url: `${demo.apiUrl}/health`, intervalSeconds: 30 });
  const script = await create('/v1/monitors', { name: 'Script', url: `${demo.trackUrl}/health`, intervalSeconds: 30 });
  const page = { slug: 'example-shop', name: 'Example Shop', monitorIds: [shop.id, script.id], isPublic: true };
  const statusPage = await create('/v1/status-pages', page);
  await report(api, statusPage.id, shop.id);
  const grace = { email: 'grace@shop.example', role: 'admin' };
  const invitation = await api.ask<Created>(`/v1/organizations/${organizationId}/invitations`, grace);
  const ids = { flagId: flag.id, monitorId: shop.id, statusPageId: statusPage.id, invitationId: invitation.id };
  return { organizationId, websiteId, linkId, ...ids, alertId: alert.id, reportId: weekly.id };
}

async function report(api: Api, statusPageId: string, monitorId: string): Promise<void> {
  const path = `/v1/status-pages/${statusPageId}/incidents`;
  const opened = { title: 'Orders fail', severity: 'major', message: 'We are looking for the cause.' };
  const { id } = await api.ask<Created>(path, { ...opened, monitorIds: [monitorId] });
  const update = { status: 'resolved', message: 'A disk was full. Orders work again.' };
  await api.ask(`${path}/${id}`, { update }, 'PATCH');
}

interface Status {
  readonly data: readonly { readonly currentStatus: string }[];
}

interface Answer {
  readonly meta: { readonly lagMs: number };
}

interface Destinations {
  readonly data: readonly { readonly lastAnswer: object | null }[];
}

/** Until the answers hold all that was sent, every monitor was checked, and every destination told. */
export async function untilShown(api: Api, { organizationId, websiteId }: Contents): Promise<void> {
  const statuses = () => api.ask<Status>(`/v1/monitors/status?organizationId=${organizationId}`);
  await api.until(statuses, ({ data }) => data.every(({ currentStatus }) => currentStatus === 'up'));
  const destinations = () => api.ask<Destinations>(`/v1/destinations?organizationId=${organizationId}`);
  await api.until(destinations, ({ data }) => data.every(({ lastAnswer }) => lastAnswer !== null));
  const question = { parameters: ['summary_metrics'], preset: 'last_30d' };
  const answer = () => api.ask<Answer>(`/v1/query?website_id=${websiteId}`, question);
  await api.until(answer, ({ meta }) => meta.lagMs === 0);
}
