import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { House } from '../access/cast';

export const GOALS = [
  ...['list_goals', 'get_goal_analytics', 'create_goal', 'update_goal', 'delete_goal'],
  ...['list_funnels', 'get_funnel_analytics', 'create_funnel', 'update_funnel', 'delete_funnel'],
  ...['list_segments', 'create_segment', 'update_segment', 'delete_segment'],
  ...['list_saved_views', 'create_saved_view', 'update_saved_view', 'delete_saved_view'],
  ...['list_annotations', 'create_annotation'],
  ...['list_alerts', 'create_alert'],
];
export const READS_MONITORS = ['list_monitors', 'get_status', 'list_destinations'];
export const ALL = [
  ...['list_websites', 'list_query_types', 'query', 'list_links', 'get_link', 'create_link', 'update_link'],
  ...[
    'delete_link',
    ...GOALS,
    'list_tags',
    'create_tag',
    'update_tag',
    'delete_tag',
    'read_audit_log',
    'verify_audit_log',
    'list_flags',
    ...READS_MONITORS,
  ],
];
export const READS_LINKS = ['list_links', 'get_link'];
export const WRITES_LINKS = ['create_link', 'update_link', 'delete_link', 'create_tag', 'update_tag', 'delete_tag'];
export const READS_GOALS = GOALS.filter((name) => /^(list|get)_/.test(name));
const WRITES_GOALS = GOALS.filter((name) => !READS_GOALS.includes(name));
export const AUDIT = ['read_audit_log', 'verify_audit_log'];
export const READS = ['list_websites', 'list_query_types', 'query'];

export type Grants = { readonly scopes: readonly Scope[]; readonly on?: 'everything' | 'a website' };

export const EVERY: readonly Scope[] = ['read:data', 'write:data', 'read:audit', 'manage:flags'];

/** The tools that a key sees, written from the contract. */
export const VISIBLE: readonly (readonly [name: string, grants: Grants, tools: readonly string[]])[] = [
  ['every scope', { scopes: EVERY }, ALL],
  ['read:data', { scopes: ['read:data'] }, [...READS, ...READS_LINKS, ...READS_GOALS, 'list_tags', ...READS_MONITORS]],
  [
    'write:data',
    { scopes: ['write:data'] },
    ['list_query_types', ...WRITES_LINKS, ...WRITES_GOALS.filter((name) => name !== 'create_alert')],
  ],
  ['read:audit', { scopes: ['read:audit'] }, ['list_query_types', ...AUDIT]],
  ['track:events', { scopes: ['track:events'] }, ['list_query_types']],
  ['manage:flags', { scopes: ['manage:flags'] }, ['list_query_types', 'list_flags']],
  ['every scope on one website', { scopes: EVERY, on: 'a website' }, [...READS, ...GOALS, 'list_flags']],
];

/** Ids of what is defined of the website. */
export type Definitions = Readonly<Record<'goalId' | 'funnelId' | 'segmentId' | 'savedViewId' | 'tagId', string>>;

/** Arguments that would be right for each tool. */
export const argsFor = (
  { websiteId, linkId }: House,
  { goalId, funnelId, segmentId, savedViewId, tagId }: Definitions,
): Readonly<Record<string, Record<string, unknown>>> => ({
  query: { websiteId, parameters: ['summary_metrics'] },
  get_link: { linkId },
  create_link: { name: 'New', targetUrl: 'https://example.com/' },
  update_link: { linkId, name: 'Renamed' },
  delete_link: { linkId },
  get_goal_analytics: { goalId },
  get_funnel_analytics: { funnelId },
  create_goal: { websiteId, name: 'New', condition: { kind: 'page' } },
  update_goal: { goalId, name: 'Renamed' },
  delete_goal: { goalId },
  create_funnel: { websiteId, name: 'New', steps: [{ condition: { kind: 'page' } }, { condition: { kind: 'error' } }] },
  update_funnel: { funnelId, name: 'Renamed' },
  delete_funnel: { funnelId },
  create_segment: { websiteId, name: 'New', filters: [{ field: 'country', op: 'eq', value: 'DE' }] },
  update_segment: { segmentId, name: 'Renamed' },
  delete_segment: { segmentId },
  create_saved_view: { websiteId, name: 'New', preset: 'last_30d' },
  update_saved_view: { savedViewId, name: 'Renamed' },
  delete_saved_view: { savedViewId },
  create_tag: { name: 'New' },
  update_tag: { tagId, name: 'Renamed' },
  delete_tag: { tagId },
  create_annotation: { websiteId, text: 'New', at: '2026-11-27T12:00:00Z' },
  create_alert: {
    websiteId,
    name: 'New',
    figure: 'pageviews',
    window: { minutes: 1_440 },
    compare: 'above',
    threshold: 9,
  },
});
