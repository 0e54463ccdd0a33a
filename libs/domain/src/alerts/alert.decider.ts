import { Rejection } from '@ledgerline/contracts/errors/rejection';
import {
  ALERT_FIGURES,
  type AlertDetails,
  type AlertEvent,
  type AlertPause,
  isAlertCount,
} from '@ledgerline/contracts/events/alert.events';
import { type Command, type Decider, applyChanges } from '../decider';
import { type NamedRecordCommand, namedRecords } from '../named-records';

type OfAlert = NamedRecordCommand<'Alert', 'alertId', AlertDetails>;
type PauseAlert = Command<'PauseAlert', { readonly alertId: string; readonly pausedFor: AlertPause }>;
export type AlertCommand = OfAlert | PauseAlert;

/** The defaults of an alert; `changed` is without a direction `both`. */
export const plainAlert = {
  websiteId: null,
  linkId: null,
  goalId: null,
  filters: [],
  segment: null,
  threshold: null,
  percent: null,
  direction: null,
  minimum: null,
  quietHours: null,
  pauseMinutes: 60,
  graceSeconds: 120,
  destinationIds: [],
  enabled: true,
} as const satisfies Partial<AlertDetails>;

const named = namedRecords<'alerts', OfAlert>('alerts', { full: 'ALERTS_FULL', assertValid: assertValidAlert });

/** The alerts of an organization. */
export const alert: Decider<ReadonlyMap<string, AlertDetails>, AlertCommand, AlertEvent> = {
  ...named,
  decide: {
    ...named.decide,
    PauseAlert(alerts, { alertId, pausedFor }) {
      const held = alerts.get(alertId);
      if (!held) throw new Rejection('ALERT_NOT_FOUND');
      if (!held.enabled) return [];
      const details = applyChanges({ ...held, alertId }, { enabled: false, pausedFor });
      return details ? [{ type: 'AlertPaused', data: details }] : [];
    },
  },
  evolve: { ...named.evolve, AlertPaused: named.evolve.AlertUpdated },
};

/** @throws Rejection for a rule that means nothing */
export function assertValidAlert(details: AlertDetails): void {
  assertSubject(details);
  assertFigure(details);
  assertComparison(details);
  const { quietHours } = details;
  if (quietHours && quietHours.from === quietHours.to) throw new Rejection('ALERT_QUIET_HOURS_INVALID', 'quietHours');
}

function assertSubject({ websiteId, linkId, figure, segment }: AlertDetails): void {
  if ((websiteId === null) === (linkId === null)) throw new Rejection('ALERT_SUBJECT_INVALID', 'linkId');
  if ((figure === 'clicks') !== (linkId !== null)) throw new Rejection('ALERT_FIGURE_INVALID', 'figure');
  if (segment !== null && websiteId === null) throw new Rejection('ALERT_SEGMENT_INVALID', 'segment');
}

function assertFigure({ figure, goalId, window: { minutes }, graceSeconds }: AlertDetails): void {
  const { minMinutes, minGraceSeconds } = ALERT_FIGURES[figure];
  if ((figure === 'conversions') !== (goalId !== null)) throw new Rejection('ALERT_GOAL_INVALID', 'goalId');
  if (minutes < minMinutes) throw new Rejection('ALERT_WINDOW_INVALID', 'window');
  if (graceSeconds < minGraceSeconds) throw new Rejection('ALERT_GRACE_INVALID', 'graceSeconds');
}

function assertComparison({ figure, compare, threshold, percent, direction, minimum }: AlertDetails): void {
  const isChange = compare === 'changed';
  const hasThreshold = compare === 'above' || compare === 'below';
  const isPossible = direction !== 'down' || percent === null || percent < 100;
  if (compare === 'silence' && !isAlertCount(figure)) throw new Rejection('ALERT_SILENCE_INVALID', 'compare');
  if (hasThreshold !== (threshold !== null)) throw new Rejection('ALERT_THRESHOLD_INVALID', 'threshold');
  if (isChange !== (percent !== null) || !isPossible) throw new Rejection('ALERT_PERCENT_INVALID', 'percent');
  if (direction !== null && !isChange) throw new Rejection('ALERT_DIRECTION_INVALID', 'direction');
  if (minimum !== null && !isChange && compare !== 'above') throw new Rejection('ALERT_MINIMUM_INVALID', 'minimum');
}
