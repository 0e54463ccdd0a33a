import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { apiKey, type ApiKeyCommand, plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import {
  type PersonalData,
  PersonalDataCipher,
  SubjectKeys,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import { RegistryFence } from '@ledgerline/platform/registry/registry-lease';
import { ask } from '@test/api/ask';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';
import { CommandResult, IdempotencyStore, type StartedCommand, deletionResult, newPrefixedId } from './command-context';
import { CommandRunner } from './command-runner';

describe('a command', () => {
  it('decides on the revision that If-Match names, and on no other', async () => {
    const key = await created();
    await expect(key.run(rename('B'), { expectedRevision: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(key.run(rename('A'), { expectedRevision: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await key.run(rename('B'), { expectedRevision: 0 })).entry).toMatchObject({ name: 'B', revision: 1 });
    await expect(key.run(rename('C'), { expectedRevision: 0 })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is refused when another one comes between its decision and its event', async () => {
    const key = await created();
    const append = store.append.bind(store);
    const spy = jest.spyOn(store, 'append').mockImplementationOnce(async (...sent) => {
      await key.run(rename('first'));
      return append(...sent);
    });
    await expect(key.run(rename('second'), { expectedRevision: 0 })).rejects.toMatchObject({ code: 'CONFLICT' });
    spy.mockRestore();
    expect((await key.events()).map(({ type }) => type)).toEqual(['ApiKeyCreated', 'ApiKeyUpdated']);
  });

  it('is decided again after another one, when it names no revision', async () => {
    const key = await created();
    await Promise.all(['one', 'two', 'three'].map((name) => key.run(rename(name))));
    expect(await key.events()).toHaveLength(4);
  });

  it('is decided again as often as other ones come first', async () => {
    const key = await created();
    const append = store.append.bind(store);
    let others = 0;
    const spy = jest.spyOn(store, 'append').mockImplementation(async (...sent) => {
      if (others === 8) return append(...sent);
      others += 1;
      spy.mockImplementationOnce(append);
      await key.run(rename(`other ${others}`));
      return append(...sent);
    });
    expect((await key.run(rename('last'))).entry).toMatchObject({ name: 'last', revision: 9 });
    spy.mockRestore();
  });

  it('whose stream never stays as it was read is unavailable in the end, which is no conflict', async () => {
    const key = await created();
    const clock = jest.spyOn(Date, 'now');
    const now = Date.now();
    const spy = jest.spyOn(store, 'append').mockImplementation(() => {
      clock.mockReturnValue(now + 60_000);
      return Promise.resolve({ ok: false, conflict: 7 });
    });
    await expect(key.run(rename('B'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
    for (const each of [spy, clock]) each.mockRestore();
    expect(await key.events()).toHaveLength(1);
  });

  it('whose event is stored, but not in force everywhere in time, says that its outcome is unknown', async () => {
    const key = await created();
    const late = jest.spyOn(RegistryFence.prototype, 'passed').mockRejectedValueOnce(new LogUnavailable('late'));
    const revoked = key.run({ type: 'RevokeApiKey', data: {} });
    await expect(revoked).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    late.mockRestore();
    expect(await key.events()).toHaveLength(2);
  });

  it('that changes nothing records nothing, and is answered all the same', async () => {
    const key = await created();
    const { entry, cursor, replayed } = await key.run(rename('A'));
    const [event] = await key.events();
    expect({ entry, cursor, replayed }).toMatchObject({ entry: { name: 'A' }, cursor: event?.cursor, replayed: false });
    expect(await key.events()).toHaveLength(1);
  });

  it('is done once and answered alike when it is repeated, whatever happened meanwhile', async () => {
    const key = await created();
    const commandId = randomUUID();
    const first = await key.run(rename('B'), { commandId, expectedRevision: 0 });
    await key.run(rename('C'));
    const second = await key.run(rename('B'), { commandId, expectedRevision: 0 });
    expect(second).toEqual(new CommandResult(first.entry, first.cursor, true));
    expect(await key.events()).toHaveLength(3);
  });

  it('states that its ids are new only where no repetition can have them', async () => {
    const key = await created();
    const idempotency = api.app.get(IdempotencyStore);
    const append = jest.spyOn(store, 'append');
    for (const idempotencyKey of [undefined, 'a', 'a']) {
      const started = await idempotency.start({ caller: ANONYMOUS, idempotencyKey }, 'UpdateApiKey', {}, 'key_1');
      await key.run(rename(`${idempotencyKey} ${append.mock.calls.length}`), started);
    }
    expect(append.mock.calls.map(([, , , options]) => options?.newIds)).toEqual([true, false]);
    append.mockRestore();
  });

  it('is prepared before its event, but neither when it is refused nor when it is repeated', async () => {
    const key = await created();
    const commandId = randomUUID();
    const prepared: number[] = [];
    const prepare = async () => void prepared.push((await key.events()).length);
    await key.run(rename('B'), { commandId }, undefined, prepare);
    await key.run(rename('B'), { commandId }, undefined, prepare);
    await expect(key.run(rename('C'), { expectedRevision: 0 }, undefined, prepare)).rejects.toThrow();
    expect(prepared).toEqual([1]);
  });

  it('names itself as the cause of its events, and what they correlate with', async () => {
    const key = await created();
    const commandId = randomUUID();
    await key.run(rename('B'), { commandId, correlationId: 'order-17' });
    await key.run(rename('C'), { commandId: OTHER });
    const [, second, third] = await key.events();
    expect(second?.metadata).toMatchObject({ causation: commandId, correlation: 'order-17' });
    expect(third?.metadata).toMatchObject({ causation: OTHER, correlation: OTHER });
  });

  it('that deletes answers where it was written', async () => {
    const key = await created();
    const { entry, cursor } = await key.run({ type: 'DeleteApiKey', data: {} }, {}, deletionResult);
    expect({ entry, cursor }).toEqual({ entry: null, cursor: (await key.events())[1]?.cursor });
  });
});

const startedAt = new Date(0);
const OTHER = '7b0f0e6c-5b0a-4c34-9a51-0d8a3c6f0001';
const rename = (name: string): ApiKeyCommand => ({ type: 'UpdateApiKey', data: { changes: { name } } });

let api: TestApi;
let store: EventStore;

/** A key called A, and what can be done with it. */
async function created() {
  const keyId = newPrefixedId('key');
  const stream = `org_1-key-${keyId}`;
  const found = (registry: () => Registry) => registry().find('apiKeys', keyId);
  const run = <Entry>(
    command: ApiKeyCommand,
    more: Partial<StartedCommand> = {},
    answer: (registry: () => Registry) => Entry | undefined = found as never,
    prepare: () => Promise<void> = () => Promise.resolve(),
  ) => {
    const started = { caller: ANONYMOUS, commandId: randomUUID(), id: keyId, startedAt, ...more };
    return api.app.get(CommandRunner).run({ decider: apiKey, stream, command, prepare, answer }, started);
  };
  const data = {
    ...plainKey,
    startedAt,
    keyId,
    secretId: 'sec_1',
    start: 'svc_abcd',
    organizationId: 'org_1',
    name: 'A',
    scopes: ['read:data'] as const,
  };
  await run({ type: 'CreateApiKey', data });
  return { run, events: () => store.readStream(stream) };
}

beforeAll(async () => {
  api = await startTestApi();
  store = api.app.get<EventStore>(EVENT_STORE);
});

afterAll(() => api.close());

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
