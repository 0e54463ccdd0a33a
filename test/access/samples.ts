import { VERSION } from '@ledgerline/contracts/version';
import { readConsole } from '../../apps/api/src/console/console.controller';
import { ACCOUNT_SAMPLES } from './account-samples';
import { ALERT_SAMPLES } from './alert-samples';
import { created } from './cast';
import { DESTINATION_SAMPLES } from './destination-samples';
import { FLAG_SAMPLES } from './flag-samples';
import { GOAL_SAMPLES } from './goal-samples';
import { KEY_SAMPLES } from './key-samples';
import { MONITOR_SAMPLES } from './monitor-samples';
import { OAUTH_SAMPLES } from './oauth-samples';
import {
  BLOG,
  invitationOf,
  linkOf,
  listOf,
  memberOf,
  newOrganization,
  organizationOf,
  readableOf,
  websiteOf,
} from './records';
import {
  addressFor,
  creates,
  fixed,
  freshWebsite,
  invite,
  LINK,
  listWith,
  NEWCOMER,
  ofOrganization,
  onLink,
  onMember,
  overview,
  pagePreview,
  query,
  SOMEBODY,
  websitesFor,
} from './requests';
import type { Sample } from './scene';
import { SHARE_SAMPLES } from './share-samples';
import { STATUS_PAGE_SAMPLES } from './status-page-samples';
import { TAG_SAMPLES } from './tag-samples';

const FOR_MCP = { accept: 'application/json, text/event-stream' };

/** By line of the rules. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /health': fixed('/health', { status: 'ok', version: VERSION }),
  'GET /health/ready': fixed('/health/ready', expect.objectContaining({ eventStore: 'ok', database: 'ok' }) as object),
  'GET /v1/projections': fixed(
    '/v1/projections',
    expect.objectContaining({ eventStore: 'ok', processes: expect.any(Array) as object }) as object,
  ),
  'GET /openapi.json': fixed('/openapi.json', expect.objectContaining({ info: expect.anything() as object }) as object),
  'GET /metrics': fixed('/metrics', {}),
  'GET /': fixed('/', {}),
  'GET /reference/:file': fixed('/reference/reference.css', {}),
  'GET /reference/samples.json': fixed('/reference/samples.json', expect.any(Object) as object),
  'GET /console': fixed('/console', {}),
  'GET /console/assets/:file': {
    path: () => `/console/assets/${[...readConsole()!.assets.keys()][0]}`,
    answer: () => ({}),
  },
  'GET /openapi.yaml': fixed('/openapi.yaml', {}),
  'GET /.well-known/api-catalog': fixed('/.well-known/api-catalog', {
    linkset: expect.arrayContaining([]) as object,
  }),
  'GET /.well-known/mcp.json': fixed(
    '/.well-known/mcp.json',
    expect.objectContaining({ name: 'ledgerline' }) as object,
  ),
  'GET /.well-known/mcp/server-card.json': fixed(
    '/.well-known/mcp/server-card.json',
    expect.objectContaining({ name: 'ledgerline' }) as object,
  ),
  'POST /v1/mcp': {
    path: () => '/v1/mcp',
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    answer: () => ({}), // a stream, whose content the specs of the tools look at
    fresh: (_, __, { headers }) => Promise.resolve({ ids: {}, headers: { ...headers, ...FOR_MCP } }),
  },
  ...OAUTH_SAMPLES,
  'GET /v1/query/types': fixed('/v1/query/types', expect.objectContaining({ success: true }) as object),
  ...ACCOUNT_SAMPLES,
  'POST /v1/query?website_id': query(({ websiteId }) => `website_id=${websiteId}`, 'top_pages', []),
  'POST /v1/query?monitor_id': query(({ monitorId }) => `monitor_id=${monitorId}`, 'uptime_summary', [
    { uptime_percentage: null, total_checks: 0, failed_checks: 0, downtime_seconds: 0, incidents: 0 },
  ]),
  'POST /v1/query?link_id': query(({ linkId }) => `link_id=${linkId}`, 'link_total_clicks', [{ total: 0 }]),
  'POST /v1/query/overview?websites': overview('website', ({ websiteId }) => websiteId, 'top_pages', []),
  'POST /v1/query/overview?links': overview('link', ({ linkId }) => linkId, 'link_total_clicks', [{ total: 0 }]),
  'GET /v1/live': {
    path: ({ ids: { websiteId } }) => `/v1/live?website_id=${websiteId}`,
    answer: () => expect.objectContaining({ success: true, queryId: '' }) as object,
  },
  'GET /v1/query/websites': {
    path: () => '/v1/query/websites',
    answer: ({ caller }) => {
      const websites = websitesFor(caller).map((website) => readableOf(caller.house!, website));
      return { success: true, websites, total: websites.length };
    },
  },
  'GET /v1/organizations': {
    path: () => '/v1/organizations',
    // those that earlier lines created are among them
    answer: ({ caller: { house } }) => (house ? listWith(organizationOf(house)) : listOf([])),
  },
  'GET /v1/organizations/:id': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}`,
    answer: ({ ours }) => organizationOf(ours),
  },
  'GET /v1/organizations/:id/members': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}/members`,
    answer: ({ ours }) => listWith(memberOf(ours, ours, 'owner')),
  },
  'GET /v1/organizations/:id/invitations': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}/invitations`,
    answer: ({ ours, ids }) => listWith(invitationOf(ours, { id: ids.invitationId, email: NEWCOMER })),
  },
  'GET /v1/websites': {
    path: ofOrganization('/v1/websites'),
    answer: ({ ours, caller }) => listOf(websitesFor(caller).map((website) => websiteOf(ours, website))),
  },
  'GET /v1/websites/:id': {
    path: ({ ids }) => `/v1/websites/${ids.websiteId}`,
    answer: ({ ours, ids }) => websiteOf(ours, { id: ids.websiteId }),
  },
  'GET /v1/websites/:id/icon': {
    path: ({ ids }) => `/v1/websites/${ids.websiteId}/icon`,
    answer: () => ({}), // its domain is one that no resolver knows
  },
  'GET /v1/links/preview': pagePreview,
  'GET /v1/links': {
    path: ofOrganization('/v1/links'),
    answer: ({ ours }) => ({
      ...listOf([linkOf(ours, { id: ours.linkId, createdBy: ours.id })]),
      page: 1,
      limit: 50,
      totalIsExact: true,
      nextCursor: null,
    }),
  },
  'GET /v1/links/:id': {
    path: ({ ids }) => `/v1/links/${ids.linkId}`,
    answer: ({ ours, ids }) => linkOf(ours, { id: ids.linkId, createdBy: ours.id }),
  },
  'PATCH /v1/links/:id': {
    ...onLink,
    body: () => ({ name: 'Renamed' }),
    answer: ({ ours, ids }) => linkOf(ours, { id: ids.linkId, name: 'Renamed', createdBy: ours.id }),
  },
  'DELETE /v1/links/:id': { ...onLink, answer: () => ({}) },
  ...FLAG_SAMPLES,
  ...GOAL_SAMPLES,
  ...TAG_SAMPLES,
  ...DESTINATION_SAMPLES,
  ...ALERT_SAMPLES,
  ...MONITOR_SAMPLES,
  ...STATUS_PAGE_SAMPLES,
  ...SHARE_SAMPLES,
  ...KEY_SAMPLES,
  'PATCH /v1/websites/:id': {
    path: ({ ids }) => `/v1/websites/${ids.websiteId}`,
    body: () => ({ allowedOrigins: ['partner.example'] }),
    answer: ({ ours, ids }) => websiteOf(ours, { id: ids.websiteId, allowedOrigins: ['partner.example'] }),
  },
  'DELETE /v1/websites/:id': {
    path: ({ ids }) => `/v1/websites/${ids.websiteId}`,
    answer: () => ({}),
    fresh: freshWebsite,
  },
  'PATCH /v1/organizations/:id/members/:userId': {
    ...onMember,
    body: () => ({ role: 'admin' }),
    answer: ({ ours, ids }) => memberOf(ours, { id: ids.memberId, email: SOMEBODY }, 'admin'),
  },
  'DELETE /v1/organizations/:id/members/:userId': { ...onMember, answer: () => ({}) },
  'POST /v1/organizations/:id/invitations': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}/invitations`,
    body: ({ caller }) => ({ email: addressFor(caller), role: 'member' }),
    answer: ({ ours, caller }) => invitationOf(ours, { email: addressFor(caller), invitedBy: caller.person?.id }),
  },
  'DELETE /v1/organizations/:id/invitations/:invitationId': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}/invitations/${ids.invitationId}`,
    answer: () => ({}),
    fresh: async (api, ours, caller) => ({
      ids: { invitationId: await invite(api, ours, `fresh.${addressFor(caller)}`) },
    }),
  },
  'PATCH /v1/organizations/:id': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}`,
    body: () => ({ name: 'Renamed' }),
    answer: ({ ours }) => organizationOf(ours, { name: 'Renamed' }),
  },
  'DELETE /v1/organizations/:id': {
    path: ({ ids }) => `/v1/organizations/${ids.organizationId}`,
    answer: () => ({}),
    fresh: async (api, { headers }) => {
      return {
        ids: { organizationId: await created(api, 'POST /v1/organizations', { name: 'Short-lived' }, headers) },
      };
    },
  },
  'GET /v1/audit-log': {
    path: (scene) => `${ofOrganization('/v1/audit-log')(scene)}&limit=1&action=website.created`,
    answer: ({ ours }) => ({
      success: true,
      data: [expect.objectContaining({ actor: { type: 'user', id: ours.id, name: 'Ada' } })],
      hasMore: true,
      nextCursor: expect.stringMatching(/^[\w-]+$/) as string,
    }),
  },
  'GET /v1/audit-log/export': { path: ofOrganization('/v1/audit-log/export'), answer: () => ({}) },
  'GET /v1/audit-log/verify': {
    path: ofOrganization('/v1/audit-log/verify'),
    answer: ({ ids }) =>
      expect.objectContaining({ organizationId: ids.organizationId, valid: true, unsealed: 0 }) as object,
  },
  'POST /v1/websites': creates('/v1/websites', { ...BLOG, name: 'New' }, ({ ours }) =>
    websiteOf(ours, { ...BLOG, name: 'New' }),
  ),
  'POST /v1/links': creates('/v1/links', LINK, ({ ours, caller: { person } }) =>
    linkOf(ours, person ? { createdBy: person.id } : {}),
  ),
  'POST /v1/links/bulk': creates('/v1/links/bulk', { links: [LINK] }, ({ ours, caller: { person } }) => ({
    success: true,
    created: 1,
    failed: 0,
    results: [{ index: 0, success: true, link: linkOf(ours, person ? { createdBy: person.id } : {}) }],
  })),
  'POST /v1/organizations': {
    path: () => '/v1/organizations',
    body: () => ({ name: 'New' }),
    answer: ({ caller }) => newOrganization(caller.person?.id),
  },
  'POST /v1/invitations/:invitationId/accept': {
    path: ({ ids }) => `/v1/invitations/${ids.invitationId}/accept`,
    answer: ({ ours, caller }) => memberOf(ours, caller.person!, 'member'),
    fresh: async (api, ours, { person }) => ({ ids: { invitationId: await invite(api, ours, person!.email) } }),
  },
};
