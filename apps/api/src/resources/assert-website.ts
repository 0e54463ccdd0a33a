import type { Registry } from '@ledgerline/domain/registry/registry';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { notFound } from '../http/problems';

interface OfWebsite {
  readonly organizationId?: string;
  readonly websiteId?: string | null;
}

/** Refuses the id of what is no website of the organization; null names none. @throws Problem NOT_FOUND */
export async function assertWebsite(
  registry: Registry,
  live: LiveRegistry,
  { organizationId, websiteId = null }: OfWebsite,
): Promise<void> {
  if (websiteId === null) return;
  if (!registry.website(websiteId)) await live.catchUp();
  if (registry.website(websiteId)?.organizationId !== organizationId) throw notFound('Website');
}
