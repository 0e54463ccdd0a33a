import { links } from '@ledgerline/contracts/read-models/registry';
import { jsonText } from '@ledgerline/platform/database/json-text';
import { registryProjection } from './decided';

export const linksProjection = registryProjection(links, {
  LinkCreated: ({ data: { linkId, createdBy, ...details }, at, revision }) => [
    {
      id: linkId,
      organization_id: details.organizationId,
      slug: details.slug,
      name: details.name,
      target_url: details.targetUrl,
      external_id: details.externalId,
      details: jsonText({ ...details }),
      created_by: createdBy,
      created_at: at,
      updated_at: at,
      revision,
    },
  ],
});
