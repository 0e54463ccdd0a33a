import type { DecidedEvent } from './decided-events';

const RIGHTS: readonly string[] = ['enabled', 'scopes', 'resources', 'expiresAt', 'rateLimit'];

/** Whether a key, a session, a member or a client may do less after this event than before. */
const RULES: {
  readonly [Type in DecidedEvent['type']]?: (data: Extract<DecidedEvent, { type: Type }>['data']) => boolean;
} = {
  ApiKeyUpdated: ({ before }) => Object.keys(before).some((field) => RIGHTS.includes(field)),
  ApiKeyRotated: () => true,
  ApiKeyRevoked: () => true,
  ApiKeyDeleted: () => true,
  OAuthGrantRevoked: () => true,
  MemberRoleChanged: () => true,
  MemberRemoved: () => true,
  MemberLeft: () => true,
  OrganizationDeleted: () => true,
  WebsiteDeleted: () => true,
};

/** The types of which an event may take rights away. */
export const TYPES_THAT_TAKE_RIGHTS_AWAY: readonly string[] = Object.keys(RULES);

export function takesRightsAway({ type, data }: { readonly type: string; readonly data: object }): boolean {
  const rule = Object.hasOwn(RULES, type) ? RULES[type as DecidedEvent['type']] : undefined;
  return (rule as ((data: object) => boolean) | undefined)?.(data) ?? false; // the rule of a type takes its data
}
