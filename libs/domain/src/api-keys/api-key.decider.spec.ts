import type { ApiKeyCreated } from '@ledgerline/contracts/events/api-key.events';
import { specify } from '../../../../test/domain/given';
import { apiKey, type CreateApiKey } from './api-key.decider';
import { plainKey } from './plain-key';

describe('an API key', () => {
  it('is created', () => given().when(create(null)).then(created(null)));
  it('is created once', () => given(created(null)).when(create(null)).rejects('API_KEY_EXISTS'));

  it('may be given websites, everything, or nothing', () => {
    const possible: Data['resources'][] = [{}, { global: ['read:data'] }, { [`website:${SITE}`]: [] }];
    for (const resources of possible) given().when(create(resources)).then(created(resources));
  });

  it('names no other kind of resource', () => {
    for (const name of ['website:', 'link:link_1', `website:${SITE} `, '__proto__x'])
      given()
        .when(create({ [name]: ['read:data'] }))
        .rejects('RESOURCE_INVALID');
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
const create = (resources: Data['resources']): CreateApiKey => ({ type: 'CreateApiKey', data: data(resources) });
const created = (resources: Data['resources']): ApiKeyCreated => ({ type: 'ApiKeyCreated', data: data(resources) });
