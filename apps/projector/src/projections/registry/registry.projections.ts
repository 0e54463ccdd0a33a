import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import { apiKeys, links, organizations, websites } from '@ledgerline/contracts/read-models/registry';
import { jsonText } from '@ledgerline/platform/database/json-text';
import { eventProjection, type EventProjection } from '../event-projection';

/** A decided event as it was recorded; `at` in epoch ms, `revision` in its stream. */
export type RecordedDecision<Event extends DecidedEvent = DecidedEvent> = Event extends DecidedEvent
  ? Event & { readonly at: number; readonly revision: number }
  : never;

const projection = eventProjection<RecordedDecision>();

const organizationsProjection = projection(organizations, {
  OrganizationCreated: ({ data, at, revision }) => [
    { id: data.organizationId, name: data.name, owner_id: data.ownerId, created_at: at, revision },
  ],
});

const websitesProjection = projection(websites, {
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

const linksProjection = projection(links, {
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

const apiKeysProjection = projection(apiKeys, {
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

/** Everything that exists, as decided. */
export const REGISTRY_PROJECTIONS: readonly EventProjection<RecordedDecision>[] = [
  organizationsProjection,
  websitesProjection,
  linksProjection,
  apiKeysProjection,
];
