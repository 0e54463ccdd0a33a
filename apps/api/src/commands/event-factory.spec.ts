import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { PersonalDataCipher } from '@ledgerline/platform/personal-data/personal-data-cipher';
import type { PersonalData } from '@ledgerline/platform/personal-data/sealed-part';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { ask } from '@test/api/ask';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';

const BROWSER = 'Mozilla/5.0 (an audited browser)';
const ADDRESS = '203.0.113.77';

describe('the events of a command', () => {
  let api: TestApi;
  let store: EventStore;
  let owner: Owner;

  beforeAll(async () => {
    api = await startTestApi({ TRUST_PROXY: 'true' });
    store = api.app.get<EventStore>(EVENT_STORE);
    owner = await ownerWithWebsite(api);
  });
  afterAll(() => api.close());

  const client = { 'user-agent': BROWSER, 'x-forwarded-for': `[::ffff:${ADDRESS}]:51234` };
  const newest = async (): Promise<HistoryEntry> =>
    (await store.readBack({ organization: owner.organizationId, limit: 1 }))[0]!;
  const personalIn = async (event: HistoryEntry): Promise<Record<string, PersonalData>> =>
    Object.fromEntries((await api.app.get(PersonalDataCipher).open([event])).get(event.id)!);
  const rename = (name: string, headers: Readonly<Record<string, string>>) =>
    ask(api, `PATCH /v1/websites/${owner.websiteId}`, { body: { name }, headers });

  it('name the person, the request and what they correlate with', async () => {
    const headers = { ...owner.headers, ...client, 'x-request-id': 'request-17', 'x-correlation-id': 'order-17' };
    expect((await rename('Renamed', headers)).status).toBe(200);
    const event = await newest();
    expect(event.metadata).toMatchObject({
      actor: owner.id,
      actorType: 'user',
      requestId: 'request-17',
      correlation: 'order-17',
      causation: event.metadata['command'],
      schemaVersion: '2',
    });
    const personal = { name: 'Ada', email: owner.email, ip: ADDRESS, userAgent: BROWSER };
    expect(await personalIn(event)).toEqual({ [owner.id]: personal });
  });

  it('name an API key, and encrypt what its client is', async () => {
    const key = await newKey(api, owner, { scopes: ['write:data', 'read:data'] });
    const headers = { 'x-api-key': key, ...client };
    const body = { organizationId: owner.organizationId, name: 'A link', targetUrl: 'https://example.com/' };
    expect((await ask(api, 'POST /v1/links', { body, headers })).status).toBe(201);
    const event = await newest();
    expect(event).toMatchObject({ type: 'LinkCreated', metadata: { actorType: 'api_key', actorName: 'A key' } });
    const personal = { ip: ADDRESS, userAgent: BROWSER };
    expect(await personalIn(event)).toEqual({ [event.metadata['actor']!]: personal });
  });

  it('name the member whose role is changed, or who is removed', async () => {
    const person = await colleague(api, owner, 'member');
    const path = `/v1/organizations/${owner.organizationId}/members/${person.id}`;
    const member = { name: 'Ada', email: person.email };
    await ask(api, `PATCH ${path}`, { body: { role: 'admin' }, headers: owner.headers });
    expect(await personalIn(await newest())).toMatchObject({ [person.id]: member });
    await ask(api, `DELETE ${path}`, { headers: owner.headers });
    expect(await newest()).toMatchObject({ type: 'MemberRemoved' });
    expect(await personalIn(await newest())).toMatchObject({ [person.id]: member, [owner.id]: { name: 'Ada' } });
  });

  it('hold no personal data that can be read without a key', async () => {
    await rename('Renamed again', { ...owner.headers, ...client });
    const events = await store.readBack({ organization: owner.organizationId, limit: 1_000 });
    const text = events
      .map(({ sealed = '', ...event }) => JSON.stringify(event) + Buffer.from(sealed, 'base64').toString('latin1'))
      .join();
    for (const value of ['Ada', owner.email, ADDRESS, BROWSER]) expect(text).not.toContain(value);
  });

  it('forget a person whose key is destroyed, and stay a valid chain', async () => {
    await rename('Renamed for good', { ...owner.headers, ...client });
    const event = await newest();
    const keys = api.app.get(SubjectKeys);
    await keys.destroy(owner.organizationId, await keys.idsOf(owner.organizationId, owner.id));
    expect(await personalIn(event)).toEqual({ [owner.id]: { erased: true } });
    expect(await verifyChain(store, owner.organizationId)).toMatchObject({ valid: true, unsealed: 0 });
    expect((await rename('And goes on', owner.headers)).status).toBe(200);
    expect(await personalIn(await newest())).toMatchObject({ [owner.id]: { name: 'Ada' } });
  });
});
