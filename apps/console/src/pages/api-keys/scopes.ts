import type { ApiKeyDto } from '@ledgerline/client';

export type Scope = ApiKeyDto['scopes'][number];

/** What each scope allows, in words. */
export const SCOPES: Readonly<Record<Scope, { readonly name: string; readonly allows: string }>> = {
  'read:data': {
    name: 'Read',
    allows: 'Ask for statistics, and see websites, links, monitors and status pages.',
  },
  'track:events': {
    name: 'Send events',
    allows: 'Record page views and events from a server. What was recorded cannot be changed with it.',
  },
  'write:data': {
    name: 'Change',
    allows: 'Create, change and delete websites, links, monitors and status pages.',
  },
  'manage:flags': {
    name: 'Feature flags',
    allows: 'See, create, change and delete feature flags.',
  },
  'read:audit': {
    name: 'Audit',
    allows: 'Read, verify and export the audit log, with the names and addresses in it. Needs access to everything.',
  },
};

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
