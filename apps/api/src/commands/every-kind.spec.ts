import { DiscoveryService } from '@nestjs/core';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { Resource } from './resource';

describe('the kinds of records', () => {
  let api: TestApi;
  beforeAll(async () => void (api = await startTestApi()));
  afterAll(() => api.close());

  it('are commanded in one way, each by its resource', () => {
    const instances = api.app.get(DiscoveryService, { strict: false }).getProviders();
    const kinds = instances.map(({ instance }) => instance as unknown).filter((each) => each instanceof Resource);
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(Object.keys(RECORD_KINDS).sort());
  });
});
