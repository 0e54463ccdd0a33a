import { apiKeys } from '@ledgerline/contracts/read-models/registry';
import { jsonText } from '@ledgerline/platform/database/json-text';
import { registryProjection } from './decided';

export const apiKeysProjection = registryProjection(apiKeys, {
  ApiKeyCreated: ({ data: { keyId, secretId, start, ...details }, at, revision }) => [
    {
      id: keyId,
      organization_id: details.organizationId,
      details: jsonText({ ...details }),
      start,
      secret_id: secretId,
      created_at: at,
      updated_at: at,
      revision,
    },
  ],
});
