import type { AlertEvent } from '@ledgerline/contracts/events/alert.events';
import type {
  AnnotationEvent,
  FunnelEvent,
  GoalEvent,
  SegmentEvent,
} from '@ledgerline/contracts/events/definition.events';
import type { DestinationEvent } from '@ledgerline/contracts/events/destination.events';
import type { ReportDetails, ReportEvent } from '@ledgerline/contracts/events/report.events';
import type { SavedViewEvent } from '@ledgerline/contracts/events/saved-view.events';
import type { TagEvent } from '@ledgerline/contracts/events/tag.events';

export type DataOf<Union extends { type: string; data: object }> = {
  readonly [Type in Union['type']]: Extract<Union, { type: Type }>['data'];
};

const organizationId = 'org_golden';
const websiteId = 'site_golden';
const linkId = 'link_golden';
const goalId = 'goal_golden';
const funnelId = 'funnel_golden';
const segmentId = 'seg_golden';
const annotationId = 'note_golden';
const at = '2026-11-20T10:00:00.000Z';

const condition = {
  kind: 'event',
  filters: [
    { field: 'name', op: 'eq', value: 'order' },
    { any: [{ field: 'property:plan', op: 'in', value: ['team', 'pro'] }] },
  ],
} as const;
const goal = {
  organizationId,
  websiteId,
  name: 'Orders',
  condition,
  value: { property: 'total', currency: { property: 'currency' } },
};
const funnel = {
  organizationId,
  websiteId,
  name: 'Checkout',
  window: '1d',
  order: 'strict',
  per: 'session',
  steps: [{ name: 'Cart', condition: { kind: 'page' } }, { condition }],
} as const;
const destinationId = 'dst_golden';
const destination = {
  organizationId,
  kind: 'webhook',
  format: 'slack',
  begin: 3,
  name: 'Pager',
  origin: 'https://hooks.example',
  headerNames: ['authorization'],
  sealed: 'part.sk_1.c2VhbGVk',
  sends: ['member.joined', 'goal.reached'],
  websiteIds: ['site_golden'],
  linkIds: null,
  monitorIds: [],
  goalIds: null,
  openToMembers: true,
  enabled: true,
  consent: null,
} as const;
const alertId = 'alr_golden';
const alert = {
  organizationId,
  websiteId,
  linkId: null,
  name: 'Fewer orders',
  figure: 'conversions',
  goalId,
  filters: [{ field: 'country', op: 'eq', value: 'DE' }],
  segment: segmentId,
  window: { minutes: 60 },
  compare: 'changed',
  threshold: null,
  percent: 50,
  direction: 'down',
  minimum: 20,
  quietHours: { from: '22:00', to: '07:00' },
  pauseMinutes: 60,
  graceSeconds: 120,
  destinationIds: [destinationId],
  enabled: true,
  pausedFor: null,
  author: { type: 'user', id: 'usr_golden' },
} as const;
const segment = {
  organizationId,
  websiteId,
  name: 'Buyers',
  filters: [{ field: 'country', op: 'eq', value: 'DE' }],
  did: [{ condition, within: 'range', not: true }],
} as const;
const view = {
  organizationId,
  websiteId,
  ownerId: null,
  name: 'Campaign',
  preset: 'last_30d',
  startDate: null,
  endDate: null,
  filters: segment.filters,
  segment: segmentId,
  goal: goalId,
  sealed: null,
};
const privateView = {
  organizationId,
  websiteId,
  ownerId: 'usr_golden',
  name: null,
  preset: null,
  startDate: null,
  endDate: null,
  compare: null,
  filters: null,
  segment: null,
  goal: null,
};
const annotation = {
  organizationId,
  websiteId: null,
  linkId,
  text: 'New prices',
  kind: null,
  at,
  from: null,
  to: null,
};
const reportId = 'rpt_golden';
const report: ReportDetails = {
  organizationId,
  name: 'Weekly figures',
  websiteIds: null,
  period: 'week',
  timezone: 'Europe/Berlin',
  destinationIds: ['dst_golden'],
  enabled: true,
  ownerId: 'usr_golden',
};

/** Samples of goals, funnels, segments, saved views and annotations. */
export const DEFINITION_SAMPLES: DataOf<
  | GoalEvent
  | FunnelEvent
  | SegmentEvent
  | SavedViewEvent
  | TagEvent
  | DestinationEvent
  | AlertEvent
  | ReportEvent
  | AnnotationEvent
> = {
  GoalCreated: { goalId, ...goal },
  GoalUpdated: { goalId, ...goal, name: 'Sales', value: null, before: { name: 'Orders', value: goal.value } },
  GoalDeleted: { goalId: 'goal_gone', organizationId, websiteId, name: 'Gone', condition },
  FunnelCreated: { funnelId, ...funnel },
  FunnelUpdated: { funnelId, ...funnel, window: null, before: { window: '1d' } },
  FunnelDeleted: { funnelId: 'funnel_gone', organizationId, websiteId, name: 'Gone', steps: funnel.steps },
  SegmentCreated: { segmentId, ...segment },
  SegmentUpdated: { segmentId, ...segment, did: [], before: { did: segment.did } },
  SegmentDeleted: { segmentId: 'seg_gone', organizationId, websiteId: null, name: 'Gone', filters: [] },
  SavedViewCreated: { savedViewId: 'view_golden', ...view, compare: 'previous_year' },
  SavedViewUpdated: {
    savedViewId: 'view_private',
    ...privateView,
    sealed: 'part.sk_2.c2VhbGVk',
    before: { sealed: 'part.sk_1.c2VhbGVk' },
  },
  SavedViewDeleted: { savedViewId: 'view_gone', ...privateView, sealed: 'part.sk_1.c2VhbGVk' },
  TagCreated: { tagId: 'tag_golden', organizationId, name: 'Spring', color: 'gray' },
  TagUpdated: { tagId: 'tag_golden', organizationId, name: 'Spring', color: 'red', before: { color: 'gray' } },
  TagDeleted: { tagId: 'tag_gone', organizationId, name: 'Gone', color: 'pink' },
  AnnotationCreated: { annotationId, ...annotation },
  AnnotationUpdated: {
    annotationId,
    ...annotation,
    kind: 'deploy',
    at: null,
    from: at,
    to: '2026-11-20T11:00:00.000Z',
    before: { kind: null, at, from: null, to: null },
  },
  AnnotationDeleted: { annotationId: 'note_gone', organizationId, websiteId, linkId: null, text: 'Gone', at },
  AlertCreated: { alertId, ...alert },
  AlertUpdated: { alertId, ...alert, percent: 30, before: { percent: 50 } },
  AlertPaused: {
    alertId,
    ...alert,
    enabled: false,
    pausedFor: 'rights',
    before: { enabled: true, pausedFor: null },
  },
  AlertDeleted: { alertId: 'alr_gone', ...alert, name: 'Gone' },
  DestinationCreated: { destinationId, ...destination },
  DestinationUpdated: { destinationId, ...destination, enabled: false, before: { enabled: true } },
  DestinationRotated: {
    destinationId,
    ...destination,
    sealed: 'part.sk_2.c2VhbGVk',
    before: { sealed: destination.sealed },
  },
  DestinationConfirmed: {
    destinationId,
    ...destination,
    kind: 'mail',
    consent: 'given',
    before: { consent: 'asked', begin: 1 },
  },
  DestinationUnsubscribed: {
    destinationId,
    ...destination,
    kind: 'mail',
    consent: 'withdrawn',
    enabled: false,
    before: { consent: 'given', enabled: true },
  },
  DestinationDeleted: { destinationId: 'dst_gone', ...destination, kind: 'audit', sends: [] },
  ReportCreated: { reportId, ...report },
  ReportUpdated: { reportId, ...report, websiteIds: [websiteId], before: { websiteIds: null } },
  ReportDeleted: { reportId: 'rpt_gone', ...report, period: 'month' },
};
