import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import { apiKeys, flags, linkCounts, links, oauthGrants, websites } from '@ledgerline/contracts/read-models/registry';
import { omit } from '@ledgerline/domain/changes';
import { linkWords } from '@ledgerline/domain/links/link-words';
import { jsonText } from '@ledgerline/platform/database/text';
import { invitationsProjection, membersProjection, organizationsProjection } from './organizations.projections';
import {
  registryProjection,
  type HandledType,
  type RecordedDecision,
  type RegistryProjection,
} from './registry-projection';

const created = ({ at, revision }: RecordedDecision) => ({ created_at: at, updated_at: at, revision });
const updated = ({ at, revision }: RecordedDecision) => ({ updated_at: at, revision });

const websiteColumns = (details: WebsiteDetails) => ({
  organization_id: details.organizationId,
  name: details.name,
  domain: details.domain,
  details: jsonText({ ...details }),
});

const websitesProjection = registryProjection(websites, {
  WebsiteRegistered: (event) => [
    { write: { id: event.data.websiteId, ...websiteColumns(omit(event.data, 'websiteId')), ...created(event) } },
  ],
  WebsiteUpdated: (event) => [
    {
      set: { id: event.data.websiteId, ...websiteColumns(omit(event.data, 'websiteId', 'before')), ...updated(event) },
    },
  ],
  WebsiteDeleted: ({ data }) => [{ remove: { id: data.websiteId } }],
});

const linkColumns = (details: LinkDetails) => ({
  organization_id: details.organizationId,
  slug: details.slug,
  name: details.name,
  external_id: details.externalId,
  details: jsonText({ ...details }),
  words: linkWords(details),
});

const linksProjection = registryProjection(
  links,
  {
    LinkCreated: (event) => {
      const { linkId: id, createdBy, ...details } = event.data;
      return [{ write: { id, ...linkColumns(details), created_by: createdBy, ...created(event) } }];
    },
    LinkUpdated: (event) => [
      { set: { id: event.data.linkId, ...linkColumns(omit(event.data, 'linkId', 'before')), ...updated(event) } },
    ],
    LinkDeleted: ({ data }) => [{ remove: { id: data.linkId } }],
  },
  { in: linkCounts, of: 'links', by: 'organization_id' },
);

const flagColumns = (details: FlagDetails) => ({
  organization_id: details.organizationId,
  details: jsonText({ ...details }),
});

const flagsProjection = registryProjection(flags, {
  FlagCreated: (event) => [
    { write: { id: event.data.flagId, ...flagColumns(omit(event.data, 'flagId')), ...created(event) } },
  ],
  FlagUpdated: (event) => [
    { set: { id: event.data.flagId, ...flagColumns(omit(event.data, 'flagId', 'before')), ...updated(event) } },
  ],
  FlagDeleted: ({ data }) => [{ remove: { id: data.flagId } }],
});

const apiKeyColumns = (details: ApiKeyDetails) => ({
  organization_id: details.organizationId,
  name: details.name,
  details: jsonText({ ...details }),
});

const apiKeysProjection = registryProjection(apiKeys, {
  ApiKeyCreated: (event) => {
    const { keyId: id, secretId, start, ...details } = event.data;
    const columns = { ...apiKeyColumns(details), enabled: true, start, secret_id: secretId, revoked_at: null };
    return [{ write: { id, ...columns, ...created(event) } }];
  },
  ApiKeyUpdated: (event) => {
    const { keyId: id, enabled } = event.data;
    return [
      { set: { id, ...apiKeyColumns(omit(event.data, 'keyId', 'enabled', 'before')), enabled, ...updated(event) } },
    ];
  },
  ApiKeyRotated: (event) => {
    const { keyId: id, secretId, start } = event.data;
    return [{ set: { id, secret_id: secretId, start, ...updated(event) } }];
  },
  ApiKeyRevoked: (event) => [{ set: { id: event.data.keyId, revoked_at: event.at, ...updated(event) } }],
  ApiKeyDeleted: ({ data }) => [{ remove: { id: data.keyId } }],
});

const oauthGrantsProjection = registryProjection(oauthGrants, {
  OAuthGrantCreated: (event) => {
    const { grantId: id, ...details } = event.data;
    const { organizationId: organization_id, userId: user_id } = details;
    return [{ write: { id, organization_id, user_id, details: jsonText({ ...details }), ...created(event) } }];
  },
  OAuthGrantRevoked: ({ data }) => [{ remove: { id: data.grantId } }],
});

const PROJECTIONS = [
  organizationsProjection,
  membersProjection,
  invitationsProjection,
  websitesProjection,
  linksProjection,
  flagsProjection,
  apiKeysProjection,
  oauthGrantsProjection,
] as const;

type Unhandled = Exclude<DecidedEvent['type'], HandledType<(typeof PROJECTIONS)[number]>>;

/** What changes no row of the registry; while another event has no handler, this does not compile. */
export const WITHOUT_ROWS: Readonly<Record<Unhandled, true>> = {
  SlugReserved: true,
  AuditLogExported: true,
  AuditLogResealed: true,
  SubjectErased: true,
};

/** The read models of the registry. */
export const REGISTRY_PROJECTIONS: readonly RegistryProjection[] = PROJECTIONS;
