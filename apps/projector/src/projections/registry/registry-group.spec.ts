import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import type { RecordKind } from '@ledgerline/domain/registry/record-changes';
import { registryGroup, rowChangeOf, type RowChange } from './registry-group';

describe('the rows of the registry', () => {
  it('are changed by what has a handler', () => {
    expect([...registryGroup().types].sort()).toEqual([
      'AlertCreated',
      'AlertDeleted',
      'AlertPaused',
      'AlertUpdated',
      'AnnotationCreated',
      'AnnotationDeleted',
      'AnnotationUpdated',
      'ApiKeyCreated',
      'ApiKeyDeleted',
      'ApiKeyRevoked',
      'ApiKeyRotated',
      'ApiKeyUpdated',
      'DestinationConfirmed',
      'DestinationCreated',
      'DestinationDeleted',
      'DestinationRotated',
      'DestinationUnsubscribed',
      'DestinationUpdated',
      'FlagCreated',
      'FlagDeleted',
      'FlagUpdated',
      'FunnelCreated',
      'FunnelDeleted',
      'FunnelUpdated',
      'GoalCreated',
      'GoalDeleted',
      'GoalUpdated',
      'IncidentCreated',
      'IncidentDeleted',
      'IncidentUpdated',
      'InvitationRevoked',
      'LinkCreated',
      'LinkDeleted',
      'LinkUpdated',
      'MemberAdded',
      'MemberInvited',
      'MemberLeft',
      'MemberRemoved',
      'MemberRoleChanged',
      'MonitorCreated',
      'MonitorDeleted',
      'MonitorUpdated',
      'OAuthGrantCreated',
      'OAuthGrantRevoked',
      'OrganizationCreated',
      'OrganizationDeleted',
      'OrganizationUpdated',
      'ReportCreated',
      'ReportDeleted',
      'ReportUpdated',
      'SavedViewCreated',
      'SavedViewDeleted',
      'SavedViewUpdated',
      'SegmentCreated',
      'SegmentDeleted',
      'SegmentUpdated',
      'ShareCreated',
      'ShareDeleted',
      'ShareUpdated',
      'StatusPageCreated',
      'StatusPageDeleted',
      'StatusPageUpdated',
      'TagCreated',
      'TagDeleted',
      'TagUpdated',
      'WebsiteDeleted',
      'WebsiteRegistered',
      'WebsiteUpdated',
    ]);
  });

  it('writes an organization with its owner as its first member', () =>
    expect(
      changesOf({
        type: 'OrganizationCreated',
        data: { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' },
        ...at,
      }),
    ).toEqual([
      { write: { id: 'org_1', name: 'Acme', deleted_at: null, ...created } },
      { write: { organization_id: 'org_1', user_id: 'usr_1', role: 'owner', ...joined } },
    ]));

  it('keeps a deleted organization, marked', () =>
    expect(changesOf({ type: 'OrganizationDeleted', data: { organizationId: 'org_1', name: 'Acme' }, ...at })).toEqual([
      { set: { id: 'org_1', deleted_at: 5, updated_at: 5, revision: 0 } },
    ]));

  it('turns an invitation into a member', () =>
    expect(
      changesOf({
        type: 'MemberAdded',
        data: { organizationId: 'org_1', userId: 'usr_2', role: 'admin', invitationId: 'inv_1' },
        ...at,
      }),
    ).toEqual([
      { set: { id: 'org_1', updated_at: 5, revision: 0 } },
      { write: { organization_id: 'org_1', user_id: 'usr_2', role: 'admin', ...joined } },
      { remove: { id: 'inv_1' } },
    ]));

  it('holds websites with their details', () => {
    const data = {
      organizationId: 'org_1',
      name: 'Shop',
      domain: 'shop.example',
      isPublic: true,
      allowedOrigins: [],
      timezone: 'Europe/Berlin',
      visitorIdentity: 'daily' as const,
      retentionDays: null,
    };
    expect(changesOf({ type: 'WebsiteRegistered', data: { websiteId: 'site_1', ...data }, ...at })).toEqual([
      {
        write: {
          id: 'site_1',
          organization_id: 'org_1',
          name: 'Shop',
          domain: 'shop.example',
          details: JSON.stringify(data),
          ...created,
        },
      },
    ]);
  });

  it('holds links with their details', () => {
    const [change] = changesOf({ type: 'LinkCreated', data: { ...link, linkId: 'link_1', createdBy: 'usr_1' }, ...at });
    expect(change).toEqual({
      write: {
        id: 'link_1',
        organization_id: 'org_1',
        slug: 'go',
        tag_ids: '[]',
        name: 'Go',
        external_id: 'x-1',
        details: JSON.stringify(link),
        words: ['rg_1go', 'rg_1https', 'rg_1target', 'rg_1example'],
        created_by: 'usr_1',
        ...created,
      },
    });
  });

  it('holds API keys, and nothing of their secret but its name and its beginning', () => {
    const data = { keyId: 'key_1', secretId: 'secret_1', start: 'svc_ab', ...apiKey };
    expect(changesOf({ type: 'ApiKeyCreated', data, ...at })).toEqual([
      {
        write: {
          id: 'key_1',
          organization_id: 'org_1',
          name: 'CI',
          details: JSON.stringify(apiKey),
          enabled: true,
          start: 'svc_ab',
          secret_id: 'secret_1',
          revoked_at: null,
          ...created,
        },
      },
    ]);
  });

  it('keeps of an update what is, not what was', () => {
    const data = { keyId: 'key_1', ...apiKey, enabled: false, before: { enabled: true } };
    const [change] = changesOf({ type: 'ApiKeyUpdated', data, recordedAt: new Date(9), revision: 3 });
    const columns = { name: 'CI', details: JSON.stringify(apiKey), enabled: false };
    expect(change).toEqual({
      set: { id: 'key_1', organization_id: 'org_1', ...columns, updated_at: 9, revision: 3 },
    });
  });
});

const KINDS = Object.keys(RECORD_TABLES) as RecordKind[];

const at = { recordedAt: new Date(5), revision: 0 };
const created = { created_at: 5, updated_at: 5, revision: 0 };
const joined = { joined_at: 5, joined_revision: 0, role_revision: 0 };
const changesOf = (event: Recorded): RowChange[] => KINDS.flatMap((kind) => rowChangeOf(kind, event) ?? []);

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
