import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { plainLink } from '@ledgerline/domain/links/plain-link';
import { plainKey } from '@ledgerline/domain/api-keys/plain-key';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { rowsOf } from '../event-projection';
import { registryGroup } from './registry-group';
import { REGISTRY_PROJECTIONS, type RecordedDecision } from './registry.projections';

describe('the registry', () => {
  it('subscribes to what it has handlers for', () => {
    expect([...registryGroup().types].sort()).toEqual([
      'ApiKeyCreated',
      'LinkCreated',
      'OrganizationCreated',
      'WebsiteRegistered',
    ]);
  });

  it('holds organizations', () => {
    expect(
      rowsFor({
        type: 'OrganizationCreated',
        data: { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' },
        ...at,
      }),
    ).toEqual([{ id: 'org_1', name: 'Acme', owner_id: 'usr_1', created_at: 5, revision: 0 }]);
  });

  it('holds websites', () => {
    const data = {
      websiteId: 'site_1',
      organizationId: 'org_1',
      name: 'Shop',
      domain: 'shop.example',
      isPublic: true,
      allowedOrigins: [],
      timezone: 'Europe/Berlin',
      visitorIdentity: 'daily' as const,
    };
    expect(rowsFor({ type: 'WebsiteRegistered', data, ...at })).toEqual([
      {
        id: 'site_1',
        organization_id: 'org_1',
        name: 'Shop',
        domain: 'shop.example',
        is_public: true,
        timezone: 'Europe/Berlin',
        visitor_identity: 'daily',
        created_at: 5,
        revision: 0,
      },
    ]);
  });

  it('holds links with their details', () => {
    const [row] = rowsFor({ type: 'LinkCreated', data: { ...link, linkId: 'link_1', createdBy: 'usr_1' }, ...at });
    expect(row).toMatchObject({ id: 'link_1', slug: 'go', external_id: 'x-1', created_by: 'usr_1', updated_at: 5 });
    expect(JSON.parse(row?.details as string)).toEqual(link);
  });

  it('holds API keys, and nothing of their secret but its name and its beginning', () => {
    const data = { ...apiKey, keyId: 'key_1', secretId: 'secret_1', start: 'svc_ab' };
    const [row] = rowsFor({ type: 'ApiKeyCreated', data, ...at });
    expect(row).toMatchObject({ id: 'key_1', organization_id: 'org_1', start: 'svc_ab', secret_id: 'secret_1' });
    expect(JSON.parse(row?.details as string)).toEqual(apiKey);
  });
});

const at = { at: 5, revision: 0 };
const rowsFor = (event: RecordedDecision): Row[] =>
  REGISTRY_PROJECTIONS.flatMap((projection) => rowsOf(projection, event));

const link: LinkDetails = {
  organizationId: 'org_1',
  slug: 'go',
  name: 'Go',
  targetUrl: 'https://target.example/',
  ...plainLink,
  externalId: 'x-1',
};

const apiKey: ApiKeyDetails = {
  organizationId: 'org_1',
  name: 'CI',
  ...plainKey,
  scopes: ['read:data'],
};
