import { CommandBus } from '@nestjs/cqrs';
import { CreateRecord } from '../../apps/api/src/commands/resource.commands';
import { OAuthGrants } from '../../apps/api/src/identity/oauth/grants';
import type { Owner } from '../api/people';
import type { TestApi } from '../api/test-api';

/** Lets a client read everything of the owner's organization. */
export async function newGrant(api: TestApi, { id: userId, organizationId }: Owner): Promise<string> {
  const client = { clientId: 'https://agent.example/client.json', clientName: 'Agent' };
  const details = { organizationId, userId, ...client, scopes: ['read:data'] as const, websiteIds: null };
  const caller = { kind: 'user', id: userId, roles: new Map([[organizationId, 'owner' as const]]) } as const;
  const written = await api.app.get(CommandBus).execute(new CreateRecord(OAuthGrants, details, { caller }));
  return written.entry.id;
}
