import type { AuditEntryDto } from '@ledgerline/client';
import { fromKeys, keysOf } from '@ledgerline/contracts/json';
import type { AuditSearch } from './audit-search';

/** The search without an action or a kind of target that does not exist. */
export function withKnownWords({ action, targetType, ...others }: AuditSearch): AuditSearch {
  return {
    ...others,
    ...(action !== undefined && Object.hasOwn(ACTIONS, action) && { action }),
    ...(targetType !== undefined && Object.hasOwn(TARGET_TYPES, targetType) && { targetType }),
  };
}

/** The words for what people create, change and delete. */
const KINDS = {
  website: 'a website',
  link: 'a link',
  flag: 'a flag',
  goal: 'a goal',
  funnel: 'a funnel',
  segment: 'a segment',
  saved_view: 'a saved view',
  tag: 'a tag',
  annotation: 'an annotation',
  monitor: 'a monitor',
  status_page: 'a status page',
  incident: 'an incident',
  share: 'a share',
  destination: 'a destination',
  alert: 'an alert',
  report: 'a report',
  api_key: 'an API key',
} as const;

const VERBS = { created: 'created', updated: 'changed', deleted: 'deleted' } as const;

type Kind = keyof typeof KINDS;

const changesOfKinds = Object.fromEntries(
  Object.entries(KINDS).flatMap(([kind, one]) =>
    Object.entries(VERBS).map(([did, verb]) => [`${kind}.${did}`, `${verb} ${one}`]),
  ),
) as Record<`${Kind}.${keyof typeof VERBS}`, string>;

/** The words for each action, after the name of who did it. */
export const ACTIONS: Readonly<Record<AuditEntryDto['action'], string>> = {
  'organization.created': 'created the organization',
  'organization.updated': 'changed the organization',
  'organization.deleted': 'deleted the organization',
  'member.invited': 'invited a member',
  'member.invitation_revoked': 'revoked an invitation',
  'member.joined': 'joined',
  'member.role_changed': 'changed the role of a member',
  'member.removed': 'removed a member',
  'member.left': 'left',
  ...changesOfKinds,
  'saved_view.created': 'saved a view',
  'share.created': 'shared a website',
  'share.deleted': 'revoked a share',
  'destination.rotated': 'rotated the secret of a destination',
  'destination.confirmed': 'wanted the mails of a destination',
  'destination.unsubscribed': 'wanted no more mails of a destination',
  'destination.tested': 'sent a test to a destination',
  'destination.retried': 'had messages sent again to a destination',
  'alert.paused': 'paused an alert',
  'api_key.rotated': 'rotated an API key',
  'api_key.revoked': 'revoked an API key',
  'oauth_grant.created': 'let a client act for them',
  'oauth_grant.revoked': 'ended the grant of a client',
  'audit_log.exported': 'exported the audit log',
  'person.exported': 'exported what is held about a visitor',
  'audit_log.resealed': 'sealed the audit log anew',
  'read_models.replaced': 'accepted figures rebuilt from the log',
  'subject.erased': 'erased a person or visitor',
  'erasure.extended': 'found more of an erased visitor',
  'hits.expired': 'deleted expired days of a website',
  'erasure.rewritten': 'rewrote the log without an erased visitor',
  unknown: 'wrote an unknown event',
};

export const TARGET_TYPES: Readonly<Record<AuditEntryDto['target']['type'], string>> = {
  organization: 'Organization',
  member: 'Member',
  invitation: 'Invitation',
  ...fromKeys(keysOf(KINDS), (kind) => titleOf(KINDS[kind])),
  oauth_grant: 'Grant of a client',
  audit_log: 'Audit log',
  person: 'Erased person',
  profile: 'Erased visitor',
  visitor: 'Erased visitor',
  erasure: 'Erasure',
  unknown: 'Unknown',
};

/** Without its article. */
function titleOf(one: string): string {
  const noun = one.replace(/^an? /, '');
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

/** The words for what the hash of an entry proves. */
export const PROOF_STATE_LABELS: Readonly<
  Record<
    AuditEntryDto['proof'],
    { readonly word: string; readonly tone: 'good' | 'warning' | 'danger'; readonly means: string }
  >
> = {
  sealed: { word: 'Sealed', tone: 'good', means: 'Its hash in the chain fits its content.' },
  pending: { word: 'Pending', tone: 'warning', means: 'Recorded a moment ago; it has no place in the chain yet.' },
  unproven: {
    word: 'Unproven',
    tone: 'danger',
    means: 'Changed, not sealed in time, or written by something else: who did it is not proven.',
  },
};
