import type { OAuthGrantDetails } from '@ledgerline/contracts/events/api-key.events';
import type { RecordKindName } from '@ledgerline/contracts/record-kinds';
import { clientLabel } from '../access/caller';
import { alert } from '../alerts/alert.decider';
import { apiKey } from '../api-keys/api-key.decider';
import { omit } from '../decider';
import { destination } from '../destinations/destination.decider';
import { flag } from '../flags/flag.decider';
import { annotation } from '../goals/annotation.decider';
import { funnel, goal, segment } from '../goals/definitions.decider';
import { link } from '../links/link.decider';
import { monitor } from '../monitors/monitor.decider';
import { oauthGrant } from '../oauth-grants/oauth-grant.decider';
import { organization } from '../organizations/organization.decider';
import { report } from '../reports/report.decider';
import { savedView } from '../saved-views/saved-view.decider';
import { share } from '../shares/share.decider';
import { incident } from '../status-pages/incident.decider';
import { statusPage } from '../status-pages/status-page.decider';
import { tag } from '../tags/tag.decider';
import { website } from '../websites/website.decider';
import { recordCommands, defineRecord } from './define-record';

const role = ({ role }: { readonly role: string }) => ({ role });
/** The name of a person is in no event. */
const member = ({ userId: id }: { readonly userId: string }) => ({ type: 'member', id });
const invitation = ({ invitationId: id }: { readonly invitationId: string }) => ({ type: 'invitation', id });

/** The kinds of records, with what is decided about them. The tracker loads none of it. */
export const RECORDS = {
  organizations: defineRecord('organizations', {
    decider: organization,
    commands: recordCommands('Organization'),
    audit: {
      rows: {
        OrganizationCreated: { action: 'organization.created', gives: (data) => omit(data, 'organizationId') },
        OrganizationUpdated: { action: 'organization.updated' },
        OrganizationDeleted: { action: 'organization.deleted', takes: ({ name }) => ({ name }) },
        MemberInvited: {
          action: 'member.invited',
          target: invitation,
          gives: ({ role, expiresAt }) => ({ role, expiresAt }),
        },
        InvitationRevoked: { action: 'member.invitation_revoked', target: invitation, takes: role },
        MemberAdded: { action: 'member.joined', target: member, gives: role },
        MemberRoleChanged: { action: 'member.role_changed', target: member },
        MemberRemoved: { action: 'member.removed', target: member, takes: role },
        MemberLeft: { action: 'member.left', target: member, takes: role },
      },
    },
  }),
  websites: defineRecord('websites', {
    decider: website,
    commands: { ...recordCommands('Website'), creates: 'RegisterWebsite' },
    audit: {},
  }),
  links: defineRecord('links', { decider: link, commands: recordCommands('Link'), audit: { hidden: ['createdBy'] } }),
  flags: defineRecord('flags', { decider: flag, commands: recordCommands('Flag'), audit: { sealed: 'ruleValues' } }),
  goals: defineRecord('goals', { decider: goal, commands: recordCommands('Goal'), audit: {} }),
  funnels: defineRecord('funnels', { decider: funnel, commands: recordCommands('Funnel'), audit: {} }),
  segments: defineRecord('segments', { decider: segment, commands: recordCommands('Segment'), audit: {} }),
  savedViews: defineRecord('savedViews', {
    decider: savedView,
    commands: recordCommands('SavedView'),
    audit: { sealed: 'sealed' },
  }),
  tags: defineRecord('tags', { decider: tag, commands: recordCommands('Tag'), audit: {} }),
  annotations: defineRecord('annotations', {
    decider: annotation,
    commands: recordCommands('Annotation'),
    audit: { title: ({ text }: { readonly text: string }) => text },
  }),
  monitors: defineRecord('monitors', {
    decider: monitor,
    commands: recordCommands('Monitor'),
    audit: { sealed: 'sealedHeaders' },
  }),
  statusPages: defineRecord('statusPages', { decider: statusPage, commands: recordCommands('StatusPage'), audit: {} }),
  incidents: defineRecord('incidents', {
    decider: incident,
    commands: recordCommands('Incident'),
    audit: {
      title: ({ title }: { readonly title: string }) => title,
      rows: { IncidentDeleted: { takes: ({ title }) => ({ title }) } },
    },
  }),
  shares: defineRecord('shares', {
    decider: share,
    commands: recordCommands('Share'),
    audit: { sealed: 'passwordHash' },
  }),
  destinations: defineRecord('destinations', {
    decider: destination,
    commands: recordCommands('Destination'),
    audit: {
      sealed: 'sealed',
      rows: {
        DestinationRotated: { action: 'destination.rotated' },
        DestinationConfirmed: { action: 'destination.confirmed' },
        DestinationUnsubscribed: { action: 'destination.unsubscribed' },
      },
    },
  }),
  alerts: defineRecord('alerts', {
    decider: alert,
    commands: recordCommands('Alert'),
    audit: { rows: { AlertPaused: { action: 'alert.paused' } } },
  }),
  reports: defineRecord('reports', { decider: report, commands: recordCommands('Report'), audit: {} }),
  apiKeys: defineRecord('apiKeys', {
    decider: apiKey,
    commands: recordCommands('ApiKey'),
    audit: {
      hidden: ['secretId'],
      rows: { ApiKeyRotated: { action: 'api_key.rotated' }, ApiKeyRevoked: { action: 'api_key.revoked' } },
    },
  }),
  oauthGrants: defineRecord('oauthGrants', {
    decider: oauthGrant,
    commands: { creates: 'CreateOAuthGrant', deletes: 'RevokeOAuthGrant' },
    audit: {
      title: (grant: Pick<OAuthGrantDetails, 'clientId' | 'clientName'>) => clientLabel(grant),
      rows: {
        OAuthGrantCreated: {
          gives: ({ websiteIds, ...data }) => ({
            ...omit(data, 'grantId', 'organizationId', 'clientName'),
            websiteIds: websiteIds ?? 'all',
          }),
        },
        OAuthGrantRevoked: {
          action: 'oauth_grant.revoked',
          takes: ({ userId, clientId }) => ({ userId, clientId }),
          gives: ({ reason }) => ({ reason }),
        },
      },
    },
  }),
} satisfies { readonly [Kind in RecordKindName]: object };
