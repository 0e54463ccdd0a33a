import type { ApiKeyCreated, ApiKeyEvent, ApiKeyUpdated } from '@ledgerline/contracts/events/api-key.events';
import { specify } from '@test/domain/given';
import { omit } from '../decider';
import { apiKey, type ApiKeyCommand, type CreateApiKey, plainKey, type UpdateApiKey } from './api-key.decider';

describe('an API key', () => {
  it('is created', () => given().when(create(null)).then(created(null)));
  it('is created once', () => given(created(null)).when(create(null)).rejects('API_KEY_EXISTS'));

  it('expires after its command was started', () => {
    const expiring = (at: number) => ({ ...create(null).data, expiresAt: new Date(at).toISOString() });
    const late = expiring(STARTED.getTime());
    const soon = expiring(STARTED.getTime() + 1);
    given().when({ type: 'CreateApiKey', data: late }).rejects('EXPIRED');
    given()
      .when({ type: 'CreateApiKey', data: soon })
      .then({ type: 'ApiKeyCreated', data: omit(soon, 'startedAt') });
  });

  it('may be given websites or everything, and never nothing, unless it is disabled', () => {
    const possible: Data['resources'][] = [{ global: ['read:data'] }, { [`website:${SITE}`]: [] }];
    for (const resources of possible) given().when(create(resources)).then(created(resources));
    given().when(create({})).rejects('API_KEY_EMPTY');
    given(key)
      .when(update({ resources: {} }))
      .rejects('API_KEY_EMPTY');
    given(key)
      .when(update({ scopes: [] }))
      .rejects('API_KEY_EMPTY');
    given(key)
      .when(update({ scopes: [], enabled: false }))
      .then(updated({ scopes: [], enabled: false }, { scopes: ['read:data'], enabled: true }));
  });

  it('names no other kind of resource', () => {
    for (const name of ['website:', 'link:link_1', `website:${SITE} `, '__proto__x'])
      given()
        .when(create({ [name]: ['read:data'] }))
        .rejects('RESOURCE_INVALID');
  });

  it('is updated, and keeps what its fields held before', () =>
    given(key)
      .when(update({ name: 'CI', scopes: ['read:data'], tags: ['a'] }))
      .then(updated({ name: 'CI', tags: ['a'] }, { name: 'Server', tags: [] })));

  it('is disabled and enabled again', () => {
    given(key)
      .when(update({ enabled: false }))
      .then(disabled);
    given(key, disabled)
      .when(update({ enabled: true }))
      .then(updated({ enabled: true }, { enabled: false }));
  });

  it('stays without an event when an update changes nothing', () => {
    given(key)
      .when(update({ enabled: true, name: 'Server', expiresAt: null }))
      .then();
    given(key, disabled)
      .when(update({ enabled: false }))
      .then();
  });

  it('is updated to resources that can be ones', () =>
    given(key)
      .when(update({ resources: { 'link:link_1': [] } }))
      .rejects('RESOURCE_INVALID'));

  it('takes a new secret when rotated, again and again', () => {
    given(key).when(rotate).then(rotated);
    given(key, rotated)
      .when({ type: 'RotateApiKey', data: { secretId: 'sec_3', start: 'svc_ijkl' } })
      .then({
        type: 'ApiKeyRotated',
        data: { ...named, secretId: 'sec_3', start: 'svc_ijkl', before: { start: 'svc_efgh' } },
      });
  });

  it('is rotated while it is disabled, and stays so', () => {
    given(key, disabled).when(rotate).then(rotated);
    given(key, disabled, rotated)
      .when(update({ enabled: false }))
      .then();
  });

  it('is revoked, also while it is disabled', () => {
    given(key).when(revoke).then(revoked);
    given(key, disabled).when(revoke).then(revoked);
  });

  it('is never changed, rotated or revoked again after it is revoked', () => {
    for (const command of [update({ enabled: true }), update({}), rotate, revoke])
      given(key, revoked).when(command).rejects('API_KEY_REVOKED');
  });

  it('is deleted, revoked or not', () => {
    given(key).when(remove).then(deleted);
    given(key, revoked).when(remove).then(deleted);
    given(key, disabled, rotated)
      .when(remove)
      .then({ type: 'ApiKeyDeleted', data: { ...details, enabled: false, start: 'svc_efgh' } });
  });

  it('is not found before it is created or after it is deleted', () => {
    for (const command of [update({}), rotate, revoke, remove]) {
      given().when(command).rejects('API_KEY_NOT_FOUND');
      given(key, deleted).when(command).rejects('API_KEY_NOT_FOUND');
      given(key, revoked, deleted).when(command).rejects('API_KEY_NOT_FOUND');
    }
    given(key, deleted).when(create(null)).rejects('API_KEY_EXISTS');
  });
});

const given = specify(apiKey);
const SITE = 'site_01ARZ3NDEKTSV4RRFFQ69G5FAV';

type Data = ApiKeyCreated['data'];
const data = (resources: Data['resources']): Data => ({
  keyId: 'key_1',
  secretId: 'sec_1',
  start: 'svc_abcd',
  organizationId: 'org_1',
  name: 'Server',
  ...plainKey,
  scopes: ['read:data'],
  resources,
});
const STARTED = new Date('2026-01-01T00:00:00Z');
const create = (resources: Data['resources']): CreateApiKey => ({
  type: 'CreateApiKey',
  data: { ...data(resources), startedAt: STARTED },
});
const created = (resources: Data['resources']): ApiKeyCreated => ({ type: 'ApiKeyCreated', data: data(resources) });

const key = created(null);
const named = { keyId: 'key_1', organizationId: 'org_1', name: 'Server' };
const details = omit(data(null), 'secretId', 'start');
const update = (changes: UpdateApiKey['data']['changes']): ApiKeyCommand => ({
  type: 'UpdateApiKey',
  data: { changes },
});
const updated = (changes: Partial<ApiKeyUpdated['data']>, before: ApiKeyUpdated['data']['before']): ApiKeyEvent => ({
  type: 'ApiKeyUpdated',
  data: { ...details, enabled: true, ...changes, before },
});
const disabled = updated({ enabled: false }, { enabled: true });
const rotate: ApiKeyCommand = { type: 'RotateApiKey', data: { secretId: 'sec_2', start: 'svc_efgh' } };
const rotated: ApiKeyEvent = {
  type: 'ApiKeyRotated',
  data: { ...named, secretId: 'sec_2', start: 'svc_efgh', before: { start: 'svc_abcd' } },
};
const revoke: ApiKeyCommand = { type: 'RevokeApiKey', data: {} };
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: named };
const remove: ApiKeyCommand = { type: 'DeleteApiKey', data: {} };
const deleted: ApiKeyEvent = { type: 'ApiKeyDeleted', data: { ...details, enabled: true, start: 'svc_abcd' } };
