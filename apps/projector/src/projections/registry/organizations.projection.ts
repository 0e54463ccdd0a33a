import { organizations } from '@ledgerline/contracts/read-models/registry';
import { registryProjection } from './decided';

export const organizationsProjection = registryProjection(organizations, {
  OrganizationCreated: ({ data, at, revision }) => [
    { id: data.organizationId, name: data.name, owner_id: data.ownerId, created_at: at, revision },
  ],
});
