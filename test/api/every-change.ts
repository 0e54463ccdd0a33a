import { ask, type Answer } from './ask';
import { colleague, type Owner } from './people';
import type { TestApi } from './test-api';

/** The actions of every kind of change, in the order of {@link changeEverything}. */
export const EVERY_ACTION = [
  'organization.created',
  'website.created',
  'organization.updated',
  'website.created',
  'website.updated',
  'website.deleted',
  'link.created',
  'link.updated',
  'link.deleted',
  'api_key.created',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.deleted',
  'member.invited',
  'member.invitation_revoked',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.invited',
  'member.joined',
  'member.left',
  'audit_log.exported',
];

/** Makes every kind of change once; answers the secrets of its key. */
export async function changeEverything(api: TestApi, owner: Owner): Promise<string[]> {
  const { organizationId, headers } = owner;
  const of = `/v1/organizations/${organizationId}`;
  await ok(api, `PATCH ${of}`, { body: { name: 'Acme Ltd' }, headers });
  const website = await ok(api, 'POST /v1/websites', {
    body: { organizationId, name: 'Blog', domain: 'blog.example' },
    headers,
  });
  await ok(api, `PATCH /v1/websites/${website.body.id as string}`, { body: { name: 'News' }, headers });
  await ok(api, `DELETE /v1/websites/${website.body.id as string}`, owner);
  const sale = { organizationId, name: 'Sale', targetUrl: 'https://example.com/' };
  const link = await ok(api, 'POST /v1/links', { body: sale, headers });
  await ok(api, `PATCH /v1/links/${link.body.id as string}`, { body: { name: 'Spring' }, headers });
  await ok(api, `DELETE /v1/links/${link.body.id as string}`, owner);
  const key = await ok(api, 'POST /v1/api-keys', {
    body: { organizationId, name: 'Server', scopes: ['read:data'] },
    headers,
  });
  const keyPath = `/v1/api-keys/${key.body.id as string}`;
  await ok(api, `PATCH ${keyPath}`, { body: { enabled: false, tags: ['old'] }, headers });
  const rotated = await ok(api, `POST ${keyPath}/rotate`, owner);
  await ok(api, `POST ${keyPath}/revoke`, owner);
  await ok(api, `DELETE ${keyPath}`, owner);
  const invitation = await ok(api, `POST ${of}/invitations`, {
    body: { email: 'a@b.example', role: 'member' },
    headers,
  });
  await ok(api, `DELETE ${of}/invitations/${invitation.body.id as string}`, owner);
  const member = await colleague(api, owner, 'member');
  await ok(api, `PATCH ${of}/members/${member.id}`, { body: { role: 'admin' }, headers });
  await ok(api, `DELETE ${of}/members/${member.id}`, owner);
  const leaver = await colleague(api, owner, 'member');
  await ok(api, `DELETE ${of}/members/${leaver.id}`, leaver);
  await ok(api, `GET ${exportPath(owner, 'csv')}`, owner);
  return [key.body.secret as string, rotated.body.secret as string];
}

export const exportPath = ({ organizationId }: Owner, format: string) =>
  `/v1/audit-log/export?organizationId=${organizationId}&format=${format}`;

/** A request that succeeds. */
export async function ok(
  api: TestApi,
  ...[route, sent]: [Parameters<typeof ask>[1], Parameters<typeof ask>[2]]
): Promise<Answer> {
  const answer = await ask(api, route, sent);
  if (answer.status >= 300) throw new Error(`${route}: ${answer.text}`);
  return answer;
}
