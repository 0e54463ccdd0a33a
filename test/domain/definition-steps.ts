import fc from 'fast-check';
import { type AlertCommand, alert, plainAlert } from '@ledgerline/domain/alerts/alert.decider';
import {
  type DestinationCommand,
  destination,
  plainDestination,
} from '@ledgerline/domain/destinations/destination.decider';
import { annotation, plainAnnotation, type AnnotationCommand } from '@ledgerline/domain/goals/annotation.decider';
import {
  funnel,
  goal,
  segment,
  type FunnelCommand,
  type GoalCommand,
  type SegmentCommand,
} from '@ledgerline/domain/goals/definitions.decider';
import { type ReportCommand, plainReport, report } from '@ledgerline/domain/reports/report.decider';
import { plainView, savedView, type SavedViewCommand } from '@ledgerline/domain/saved-views/saved-view.decider';
import { plainTag, tag, type TagCommand } from '@ledgerline/domain/tags/tag.decider';
import { few, name, organizationId, step } from './step';

/** Steps of what is defined of websites that come and go, and of who is told. */
export const definitionSteps = [
  fc
    .record({ organizationId, n: few, name, of: few, what: fc.nat({ max: 2 }) })
    .map(({ organizationId, n, name, of, what }) => {
      const websiteId = `site_${organizationId}_${of}`;
      const goalId = `goal_${organizationId}_${of}_${n}`;
      const settings = { name, condition: { kind: 'event' }, value: { property: 'total', currency: 'EUR' } } as const;
      const commands: GoalCommand[] = [
        { type: 'CreateGoal', data: { goalId, organizationId, websiteId, ...settings } },
        { type: 'UpdateGoal', data: { goalId, changes: { name, value: null } } },
        { type: 'DeleteGoal', data: { goalId } },
      ];
      return step(`goals ${websiteId}`, goal, commands[what]!);
    }),
  fc
    .record({ organizationId, n: few, name, of: few, what: fc.nat({ max: 2 }) })
    .map(({ organizationId, n, name, of, what }) => {
      const websiteId = `site_${organizationId}_${of}`;
      const funnelId = `funnel_${organizationId}_${of}_${n}`;
      const steps = [{ condition: { kind: 'page' } }, { name, condition: { kind: 'form_submit' } }] as const;
      const settings = { name, steps, window: null, order: 'ordered', per: 'visitor' } as const;
      const commands: FunnelCommand[] = [
        { type: 'CreateFunnel', data: { funnelId, organizationId, websiteId, ...settings } },
        { type: 'UpdateFunnel', data: { funnelId, changes: { name, window: `${n}d` } } },
        { type: 'DeleteFunnel', data: { funnelId } },
      ];
      return step(`funnels ${websiteId}`, funnel, commands[what]!);
    }),
  fc
    .record({ organizationId, n: few, name, of: fc.nat({ max: 3 }), what: fc.nat({ max: 2 }) })
    .map(({ organizationId, n, name, of, what }) => {
      const websiteId = of === 0 ? null : `site_${organizationId}_${of}`;
      const segmentId = `seg_${organizationId}_${of}_${n}`;
      const filters = [{ field: 'path', op: 'eq', value: name }] as const;
      const commands: SegmentCommand[] = [
        { type: 'CreateSegment', data: { segmentId, organizationId, websiteId, name, filters, did: [] } },
        { type: 'UpdateSegment', data: { segmentId, changes: { name, filters: [] } } },
        { type: 'DeleteSegment', data: { segmentId } },
      ];
      return step(`segments ${organizationId} ${websiteId}`, segment, commands[what]!);
    }),
  fc
    .record({ organizationId, n: few, name, of: few, isPrivate: fc.boolean(), what: fc.nat({ max: 2 }) })
    .map(({ organizationId, n, name, of, isPrivate, what }) => {
      const websiteId = `site_${organizationId}_${of}`;
      const savedViewId = `view_${organizationId}_${of}_${n}`;
      const settings = isPrivate
        ? { ownerId: 'usr_1', name: null, sealed: name }
        : { ownerId: null, name, sealed: null };
      const commands: SavedViewCommand[] = [
        { type: 'CreateSavedView', data: { savedViewId, organizationId, websiteId, ...plainView, ...settings } },
        { type: 'UpdateSavedView', data: { savedViewId, changes: { preset: 'last_7d' } } },
        { type: 'DeleteSavedView', data: { savedViewId } },
      ];
      return step(`saved-views ${websiteId}`, savedView, commands[what]!);
    }),
  fc.record({ organizationId, n: few, name, what: fc.nat({ max: 3 }) }).map(({ organizationId, n, name, what }) => {
    const destinationId = `dst_${organizationId}_${n}`;
    const details = { ...plainDestination, begin: n, origin: 'https://a.example', headerNames: [], sealed: 'one' };
    const commands: DestinationCommand[] = [
      { type: 'CreateDestination', data: { destinationId, organizationId, name, kind: 'webhook', ...details } },
      { type: 'UpdateDestination', data: { destinationId, changes: { name, enabled: false } } },
      { type: 'RotateDestination', data: { destinationId, sealed: 'two' } },
      { type: 'DeleteDestination', data: { destinationId } },
    ];
    return step(`destinations ${organizationId}`, destination, commands[what]!);
  }),
  fc.record({ organizationId, n: few, name, what: fc.nat({ max: 3 }) }).map(({ organizationId, n, name, what }) => {
    const alertId = `alr_${organizationId}_${n}`;
    const websiteId = `site_${organizationId}_${n}`;
    const author = { type: 'user', id: 'usr_1' } as const;
    const window = { minutes: 60 } as const;
    const rule = { ...plainAlert, websiteId, figure: 'visitors', window, compare: 'above', threshold: 9 } as const;
    const commands: AlertCommand[] = [
      { type: 'CreateAlert', data: { alertId, organizationId, name, ...rule, author, pausedFor: null } },
      { type: 'UpdateAlert', data: { alertId, changes: { name, enabled: true, pausedFor: null } } },
      { type: 'PauseAlert', data: { alertId, pausedFor: 'rights' } },
      { type: 'DeleteAlert', data: { alertId } },
    ];
    return step(`alerts ${organizationId}`, alert, commands[what]!);
  }),
  fc.record({ organizationId, n: few, name, what: fc.nat({ max: 2 }) }).map(({ organizationId, n, name, what }) => {
    const reportId = `rpt_${organizationId}_${n}`;
    const destinationIds = [`dst_${organizationId}_${n}`];
    const commands: ReportCommand[] = [
      {
        type: 'CreateReport',
        data: { reportId, organizationId, name, ...plainReport, destinationIds, ownerId: 'usr_1' },
      },
      { type: 'UpdateReport', data: { reportId, changes: { name, period: 'month' } } },
      { type: 'DeleteReport', data: { reportId } },
    ];
    return step(`reports ${organizationId}`, report, commands[what]!);
  }),
  fc.record({ organizationId, n: few, name, what: fc.nat({ max: 2 }) }).map(({ organizationId, n, name, what }) => {
    const tagId = `tag_${organizationId}_${n}`;
    const commands: TagCommand[] = [
      { type: 'CreateTag', data: { tagId, organizationId, name, ...plainTag } },
      { type: 'UpdateTag', data: { tagId, changes: { name, color: 'red' } } },
      { type: 'DeleteTag', data: { tagId } },
    ];
    return step(`tags ${organizationId}`, tag, commands[what]!);
  }),
  fc
    .record({ organizationId, n: few, name, of: fc.nat({ max: 3 }), what: fc.nat({ max: 2 }) })
    .map(({ organizationId, n, name, of, what }) => {
      const websiteId = of === 0 ? null : `site_${organizationId}_${of}`;
      const annotationId = `note_${organizationId}_${n}`;
      const settings = { ...plainAnnotation, websiteId, text: name, at: '2026-01-01T00:00:00.000Z' };
      const commands: AnnotationCommand[] = [
        { type: 'CreateAnnotation', data: { annotationId, organizationId, ...settings } },
        { type: 'UpdateAnnotation', data: { changes: { text: name, kind: 'deploy' } } },
        { type: 'DeleteAnnotation', data: {} },
      ];
      return step(annotationId, annotation, commands[what]!);
    }),
];
