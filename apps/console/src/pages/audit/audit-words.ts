import type { AuditEntryDto } from '@ledgerline/client';
import type { AuditSearch } from './audit-search';

/** The search without an action or a kind of target that does not exist. */
export function withKnownWords({ action, targetType, ...others }: AuditSearch): AuditSearch {
  return {
    ...others,
    ...(action !== undefined && Object.hasOwn(ACTIONS, action) && { action }),
    ...(targetType !== undefined && Object.hasOwn(TARGET_TYPES, targetType) && { targetType }),
  };
}

/** What each action says, after the name of who did it. */
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
  'website.created': 'created a website',
  'website.updated': 'changed a website',
  'website.deleted': 'deleted a website',
  'link.created': 'created a link',
  'link.updated': 'changed a link',
  'link.deleted': 'deleted a link',
  'flag.created': 'created a flag',
  'flag.updated': 'changed a flag',
  'flag.deleted': 'deleted a flag',
  'goal.created': 'created a goal',
  'goal.updated': 'changed a goal',
  'goal.deleted': 'deleted a goal',
  'funnel.created': 'created a funnel',
  'funnel.updated': 'changed a funnel',
  'funnel.deleted': 'deleted a funnel',
  'segment.created': 'created a segment',
  'segment.updated': 'changed a segment',
  'segment.deleted': 'deleted a segment',
  'saved_view.created': 'saved a view',
  'saved_view.updated': 'changed a saved view',
  'saved_view.deleted': 'deleted a saved view',
  'tag.created': 'created a tag',
  'tag.updated': 'changed a tag',
  'tag.deleted': 'deleted a tag',
  'annotation.created': 'created an annotation',
  'annotation.updated': 'changed an annotation',
  'annotation.deleted': 'deleted an annotation',
  'monitor.created': 'created a monitor',
  'monitor.updated': 'changed a monitor',
  'monitor.deleted': 'deleted a monitor',
  'status_page.created': 'created a status page',
  'status_page.updated': 'changed a status page',
  'status_page.deleted': 'deleted a status page',
  'incident.created': 'created an incident',
  'incident.updated': 'changed an incident',
  'incident.deleted': 'deleted an incident',
  'share.created': 'shared a website',
  'share.updated': 'changed a share',
  'share.deleted': 'revoked a share',
  'api_key.created': 'created an API key',
  'api_key.updated': 'changed an API key',
  'api_key.rotated': 'rotated an API key',
  'api_key.revoked': 'revoked an API key',
  'api_key.deleted': 'deleted an API key',
  'oauth_grant.created': 'let a client act for them',
  'oauth_grant.revoked': 'ended the grant of a client',
  'audit_log.exported': 'exported the audit log',
  'person.exported': 'exported what is held about a visitor',
  'audit_log.resealed': 'sealed the audit log anew',
  'read_models.replaced': 'accepted figures rebuilt from the log',
  'subject.erased': 'erased a person or visitor',
  'erasure.extended': 'found more of an erased visitor',
  'erasure.rewritten': 'rewrote the log without an erased visitor',
  unknown: 'wrote an unknown event',
};

export const TARGET_TYPES: Readonly<Record<AuditEntryDto['target']['type'], string>> = {
  organization: 'Organization',
  member: 'Member',
  invitation: 'Invitation',
  website: 'Website',
  link: 'Link',
  flag: 'Flag',
  goal: 'Goal',
  funnel: 'Funnel',
  segment: 'Segment',
  saved_view: 'Saved view',
  tag: 'Tag',
  annotation: 'Annotation',
  monitor: 'Monitor',
  status_page: 'Status page',
  incident: 'Incident',
  share: 'Share',
  api_key: 'API key',
  oauth_grant: 'Grant of a client',
  audit_log: 'Audit log',
  person: 'Erased person',
  profile: 'Erased visitor',
  visitor: 'Erased visitor',
  erasure: 'Erasure',
  unknown: 'Unknown',
};

/** What the hash of an entry proves. */
export const PROOFS: Readonly<
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
