import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';

describe('an invitation', () => {
  it('leaves its address in no event in the clear', async () => {
    const owner = await ownerWithWebsite(api);
    await invite(owner, 'secret.person@example.com', 'member');
    const { organizationId } = owner;
    const events = await api.app
      .get<EventStore>(EVENT_STORE)
      .readStream(`${organizationId}-organization-${organizationId}`);
    expect(events.map(({ type }) => type)).toEqual(['OrganizationCreated', 'MemberInvited']);
    const sealed = events.map(({ sealed = '' }) => Buffer.from(sealed, 'base64').toString());
    expect(JSON.stringify([events, sealed])).not.toMatch(/secret\.person/i);
  });

  it('shows its address in the audit log, in the list and as CSV', async () => {
    const owner = await ownerWithWebsite(api);
    const { body } = await invite(owner, 'Grace@Example.com', 'admin');
    const [entry] = await readAuditLog(api, owner, { action: 'member.invited' });
    expect(entry).toMatchObject({
      target: { type: 'invitation', id: body.id, name: 'Grace@Example.com' },
      changes: { email: { before: null, after: 'Grace@Example.com' }, role: { before: null, after: 'admin' } },
    });
    const csv = `GET /v1/audit-log/export?organizationId=${owner.organizationId}&format=csv` as const;
    expect((await ask(api, csv, owner)).text).toContain(`,invitation,${body.id as string},Grace@Example.com,`);
    const [creation] = await readAuditLog(api, owner, { action: 'website.created' });
    expect(creation!.changes).not.toHaveProperty('email');
  });
});

const invite = ({ organizationId, headers }: Owner, email: string, role: string) =>
  ask(api, `POST /v1/organizations/${organizationId}/invitations`, { body: { email, role }, headers });

let api: TestApi;
beforeAll(async () => (api = await startTestApi()));
afterAll(() => api.close());
