import fc from 'fast-check';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import { ROLES } from '@ledgerline/contracts/events/organization.events';
import { apiKey, type ApiKeyCommand, plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { decide, type DomainMessage } from '@ledgerline/domain/decider';
import { flag, plainFlag, type FlagCommand } from '@ledgerline/domain/flags/flag.decider';
import { link, plainLink, type LinkCommand } from '@ledgerline/domain/links/link.decider';
import { monitor, plainMonitor, type MonitorCommand } from '@ledgerline/domain/monitors/monitor.decider';
import { oauthGrant, type OAuthGrantCommand } from '@ledgerline/domain/oauth-grants/oauth-grant.decider';
import { organization, type OrganizationCommand } from '@ledgerline/domain/organizations/organization.decider';
import { plainShare, share, type ShareCommand } from '@ledgerline/domain/shares/share.decider';
import { incident, type IncidentCommand } from '@ledgerline/domain/status-pages/incident.decider';
import { statusPage, type StatusPageCommand } from '@ledgerline/domain/status-pages/status-page.decider';
import { website, type WebsiteCommand } from '@ledgerline/domain/websites/website.decider';
import { definitionSteps } from './definition-steps';
import { few, name, organizationId, step, type Step } from './step';

const userId = few.map((n) => `usr_${n}`);
const role = fc.constantFrom(...ROLES);

const organizationStep = fc
  .record({ organizationId, userId, by: userId, invitation: few, name, role, what: fc.nat({ max: 60 }) })
  .map(({ organizationId, userId, by, invitation, name, role, what }) => {
    const invitationId = `inv_${organizationId}_${invitation}`;
    const commands: OrganizationCommand[] = [
      { type: 'InviteMember', data: { invitationId, role, expiresAt: '2027-01-01T00:00:00.000Z', by } },
      { type: 'AcceptInvitation', data: { invitationId, userId, at: new Date('2026-01-01T00:00:00Z') } },
      { type: 'RevokeInvitation', data: { invitationId, by } },
      { type: 'ChangeMemberRole', data: { userId, role, by } },
      { type: 'RemoveMember', data: { userId, by } },
      { type: 'UpdateOrganization', data: { changes: { name }, by } },
    ];
    const command =
      what === 60 ? { type: 'DeleteOrganization' as const, data: { by } } : commands[what % commands.length];
    return step(organizationId, organization, command!);
  });

const websiteStep = fc
  .record({ organizationId, n: few, name, isPublic: fc.boolean(), what: fc.nat({ max: 3 }) })
  .map(({ organizationId, n, name, isPublic, what }) => {
    const websiteId = `site_${organizationId}_${n}`;
    const details = {
      domain: 'a.test',
      isPublic,
      allowedOrigins: [],
      timezone: 'UTC',
      visitorIdentity: 'daily',
      retentionDays: null,
    } as const;
    const commands: WebsiteCommand[] = [
      { type: 'RegisterWebsite', data: { websiteId, organizationId, name, ...details } },
      { type: 'UpdateWebsite', data: { changes: { name, retentionDays: n } } },
      { type: 'UpdateWebsite', data: { changes: { isPublic } } },
      { type: 'DeleteWebsite', data: {} },
    ];
    return step(websiteId, website, commands[what]!);
  });

const startedAt = new Date(0);

const linkStep = fc
  .record({ organizationId, n: few, name, what: fc.nat({ max: 3 }) })
  .map(({ organizationId, n, name, what }) => {
    const linkId = `link_${organizationId}_${n}`;
    const slug = `${linkId}_${name}`;
    const targetUrl = 'https://target.example/';
    const commands: LinkCommand[] = [
      {
        type: 'CreateLink',
        data: { linkId, organizationId, slug, name, targetUrl, ...plainLink, createdBy: 'usr_1', startedAt },
      },
      { type: 'UpdateLink', data: { changes: { name, slug } } },
      { type: 'UpdateLink', data: { changes: { externalId: name, iosUrl: name === 'A' ? null : targetUrl } } },
      { type: 'DeleteLink', data: {} },
    ];
    return step(linkId, link, commands[what]!);
  });

/** A multivariant flag, whose variants are given other shares now and then. */
const weighted = (name: string, weight: number) => ({
  type: 'multivariant' as const,
  rollout: null,
  variants: [
    { key: name, value: name, weight },
    { key: 'other', value: null, weight: 1 },
  ],
});

const flagStep = fc
  .record({ organizationId, n: few, name, what: fc.nat({ max: 4 }) })
  .map(({ organizationId, n, name, what }) => {
    // a key that was given up is taken again by another flag
    const flagId = `flag_${organizationId}_${n}_${name}`;
    const changes = { name, payload: { of: name }, rules: [], ruleValues: name === 'A' ? null : name };
    const commands: FlagCommand[] = [
      {
        type: 'CreateFlag',
        data: { flagId, organizationId, websiteId: null, key: `key-${n}`, ...plainFlag, ruleValues: null, name },
      },
      { type: 'UpdateFlag', data: { flagId, changes } },
      { type: 'UpdateFlag', data: { flagId, changes: { type: 'rollout', rollout: { percentage: n, by: 'user' } } } },
      { type: 'UpdateFlag', data: { flagId, changes: weighted(name, n + 1) } },
      { type: 'DeleteFlag', data: { flagId } },
    ];
    return step(`flag_${organizationId}_${n}`, flag, commands[what]!);
  });

const monitorStep = fc
  .record({ organizationId, n: few, name, paused: fc.boolean(), what: fc.nat({ max: 2 }) })
  .map(({ organizationId, n, name, paused, what }) => {
    const monitorId = `mon_${organizationId}_${n}`;
    const url = 'https://a.test/';
    const sealed = { headerNames: [name], sealedHeaders: name };
    const commands: MonitorCommand[] = [
      { type: 'CreateMonitor', data: { monitorId, organizationId, ...plainMonitor, name, url } },
      { type: 'UpdateMonitor', data: { changes: { name, paused, ...sealed } } },
      { type: 'DeleteMonitor', data: {} },
    ];
    return step(monitorId, monitor, commands[what]!);
  });

const statusPageStep = fc
  .record({ organizationId, n: few, name, isPublic: fc.boolean(), what: fc.nat({ max: 2 }) })
  .map(({ organizationId, n, name, isPublic, what }) => {
    const slug = `page-${organizationId}-${n}`;
    const statusPageId = `status_${organizationId}_${n}_${name}`;
    const monitorIds = [`mon_${organizationId}_${n}`];
    const settings = { name, description: null, monitorIds, isPublic, timezone: 'UTC' };
    const commands: StatusPageCommand[] = [
      { type: 'CreateStatusPage', data: { statusPageId, organizationId, slug, ...settings } },
      { type: 'UpdateStatusPage', data: { statusPageId, changes: { name, isPublic } } },
      { type: 'DeleteStatusPage', data: { statusPageId } },
    ];
    return step(`${organizationId} ${slug}`, statusPage, commands[what]!);
  });

const incidentStep = fc
  .record({ organizationId, n: few, name, what: fc.nat({ max: 2 }) })
  .map(({ organizationId, n, name, what }) => {
    const incidentId = `inc_${organizationId}_${n}`;
    const statusPageId = `status_${organizationId}_${n}_A`;
    const times = { startsAt: null, endsAt: null, repeat: null };
    const about = { monitorIds: [], ...times, severity: 'minor', status: 'investigating' } as const;
    const at = '2026-01-01T00:00:00.000Z';
    const data = { incidentId, organizationId, statusPageId, title: name, ...about, message: name, at };
    const update = name === 'A' ? null : ({ status: 'resolved', message: name } as const);
    const commands: IncidentCommand[] = [
      { type: 'CreateIncident', data },
      { type: 'UpdateIncident', data: { changes: { title: name }, update, at } },
      { type: 'DeleteIncident', data: {} },
    ];
    return step(incidentId, incident, commands[what]!);
  });

const shareStep = fc
  .record({ organizationId, n: few, name, what: fc.nat({ max: 2 }) })
  .map(({ organizationId, n, name, what }) => {
    const shareId = `share_${organizationId}_${n}`;
    const websiteId = `site_${organizationId}_${n}`;
    const data = { shareId, organizationId, websiteId, name, ...plainShare, passwordHash: null, startedAt };
    const commands: ShareCommand[] = [
      { type: 'CreateShare', data },
      { type: 'UpdateShare', data: { changes: { name, passwordHash: name === 'A' ? null : name } } },
      { type: 'DeleteShare', data: {} },
    ];
    return step(shareId, share, commands[what]!);
  });

const keyStep = fc
  .record({ organizationId, n: few, name, enabled: fc.boolean(), what: fc.nat({ max: 5 }) })
  .map(({ organizationId, n, name, enabled, what }) => {
    const keyId = `key_${organizationId}_${n}`;
    const secret = { secretId: `sec_${name}`, start: `svc_${name}` };
    const commands: ApiKeyCommand[] = [
      {
        type: 'CreateApiKey',
        data: { keyId, organizationId, name, ...plainKey, scopes: ['read:data'], ...secret, startedAt },
      },
      { type: 'UpdateApiKey', data: { changes: { name, enabled, tags: [name] } } },
      { type: 'UpdateApiKey', data: { changes: { enabled, resources: {} } } },
      { type: 'RotateApiKey', data: secret },
      { type: 'RevokeApiKey', data: {} },
      { type: 'DeleteApiKey', data: {} },
    ];
    return step(keyId, apiKey, commands[what]!);
  });

const grantStep = fc
  .record({ organizationId, userId, n: few, name, websites: fc.boolean(), what: fc.nat({ max: 1 }) })
  .map(({ organizationId, userId, n, name, websites, what }) => {
    const grantId = `grant_${organizationId}_${n}`;
    const client = { clientId: `https://${name}.example/client.json`, clientName: name };
    const websiteIds = websites ? [`site_${organizationId}_${n}`] : null;
    const data = { grantId, organizationId, userId, ...client, scopes: ['read:data'] as const, websiteIds };
    const commands: OAuthGrantCommand[] = [
      { type: 'CreateOAuthGrant', data },
      { type: 'RevokeOAuthGrant', data: { reason: 'person' } },
    ];
    return step(grantId, oauthGrant, commands[what]!);
  });

const ownedStep = fc.oneof(
  ...[websiteStep, linkStep, flagStep, monitorStep, statusPageStep, incidentStep, shareStep, keyStep, grantStep],
  ...definitionSteps,
);

/** A history that random commands of several people lead to, in two organizations. */
export const decidedHistory: fc.Arbitrary<readonly Recorded[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: organizationStep }, { weight: 6, arbitrary: ownedStep }), {
    maxLength: 150,
    size: 'max',
  })
  .map((steps) => record([...[1, 2].map(founding), ...steps]));

const founding = (n: number) => {
  const data = { organizationId: `org_${n}`, name: 'A', ownerId: `usr_${n}` };
  return step(data.organizationId, organization, { type: 'CreateOrganization', data });
};

function record(steps: readonly Step[]): Recorded[] {
  const streams = new Map<string, DecidedEvent[]>();
  const recorded: (Recorded & { readonly stream: string })[] = [];
  for (const { stream, rules, command } of steps) {
    const history = streams.get(stream) ?? [];
    for (const event of decided(rules, history, command)) {
      const recordedAt = new Date(Date.UTC(2026, 0, 1) + recorded.length * 1000);
      const ofOrganization = `${event.data.organizationId}-${stream}`;
      recorded.push({ ...event, stream: ofOrganization, revision: history.length, recordedAt });
      streams.set(stream, history);
      history.push(event);
    }
  }
  return recorded;
}

function decided(
  rules: Step['rules'],
  history: readonly DecidedEvent[],
  command: DomainMessage,
): readonly DecidedEvent[] {
  try {
    return decide(rules, history, command) as readonly DecidedEvent[];
  } catch (error) {
    if (error instanceof Rejection) return [];
    throw error;
  }
}
