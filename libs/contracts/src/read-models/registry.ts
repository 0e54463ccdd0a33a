import { key, last, readModel } from './read-model';

/** Organizations, websites, links and API keys from the event store, one row each. */
export const organizations = readModel('organizations', {
  id: key('text'),
  name: last('text'),
  owner_id: last('text'),
  created_at: last('timestamptz'),
  revision: last('integer'),
});

export const websites = readModel(
  'websites',
  {
    id: key('text'),
    organization_id: last('text'),
    name: last('text'),
    domain: last('text'),
    is_public: last('boolean'),
    timezone: last('text'),
    visitor_identity: last('text'),
    created_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['organization_id'] }],
);

export const links = readModel(
  'links',
  {
    id: key('text'),
    organization_id: last('text'),
    slug: last('text'),
    name: last('text'),
    target_url: last('text'),
    external_id: last('text?'),
    details: last('jsonb'),
    created_by: last('text'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['organization_id', 'external_id'] }, { on: ['slug'] }],
);

export const apiKeys = readModel(
  'api_keys',
  {
    id: key('text'),
    organization_id: last('text'),
    details: last('jsonb'),
    start: last('text'),
    secret_id: last('text'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['organization_id'] }],
);
