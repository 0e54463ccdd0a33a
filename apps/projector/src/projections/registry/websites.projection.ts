import { websites } from '@ledgerline/contracts/read-models/registry';
import { registryProjection } from './decided';

export const websitesProjection = registryProjection(websites, {
  WebsiteRegistered: ({ data, at, revision }) => [
    {
      id: data.websiteId,
      organization_id: data.organizationId,
      name: data.name,
      domain: data.domain,
      is_public: data.isPublic,
      timezone: data.timezone,
      visitor_identity: data.visitorIdentity,
      created_at: at,
      revision,
    },
  ],
});
