import type { AlertDto } from '@ledgerline/client';
import {
  ALERT_COMPARISONS,
  ALERT_FIGURES,
  ALERT_WINDOW_MINUTES,
  type AlertComparison,
  type AlertFigure,
  type AlertSettings,
  type AlertWindowMinutes,
  isAlertCount,
} from '@ledgerline/contracts/events/alert.events';
import { VITALS } from '../website/report/vital-metrics';
import type { ViewFilter } from '../website/view/view-search';
import type { AlertSearch } from './alert-search';

/** What decides, and of which figures. */
export interface AlertRule extends Omit<
  AlertSettings,
  'name' | 'destinationIds' | 'enabled' | 'pausedFor' | 'author' | 'filters'
> {
  readonly filters: readonly ViewFilter[];
}

/** An alert as it is edited. */
export interface AlertDraft extends AlertRule {
  /** Empty: it is called as its sentence. */
  readonly name: string;
  readonly websiteId: string | null;
  readonly linkId: string | null;
  readonly destinationIds: readonly string[];
}

const HOUR = 60;
const DAY = 1_440;

/** A rule of a figure that tells little of what is usual: it changed by half, for better or worse as the figure is. */
function firstRule(figure: AlertFigure): AlertRule {
  const isBad = figure === 'errors' || !isAlertCount(figure);
  const vital = VITALS.get(figure.toUpperCase());
  return {
    figure,
    goalId: null,
    filters: [],
    segment: null,
    window: { minutes: isAlertCount(figure) && figure !== 'conversions' ? HOUR : DAY },
    compare: vital ? 'above' : 'changed',
    threshold: vital?.poor ?? null,
    percent: 50,
    direction: isBad ? 'up' : 'down',
    minimum: isAlertCount(figure) ? 10 : null,
    quietHours: null,
    pauseMinutes: HOUR,
    graceSeconds: Math.max(ALERT_FIGURES[figure].minGraceSeconds, 120),
  };
}

/** Figures of a website, or of a link. */
export const figuresOf = ({ linkId }: Pick<AlertDraft, 'linkId'>): readonly AlertFigure[] =>
  (Object.keys(ALERT_FIGURES) as AlertFigure[]).filter((figure) => (figure === 'clicks') === (linkId !== null));

/** Windows that a figure has. */
export const windowsOf = (figure: AlertFigure): readonly AlertWindowMinutes[] =>
  ALERT_WINDOW_MINUTES.filter((minutes) => minutes >= ALERT_FIGURES[figure].minMinutes);

/** A figure that is no number of events or visitors is not there where nothing happens. */
export const comparisonsOf = (figure: AlertFigure): readonly AlertComparison[] =>
  ALERT_COMPARISONS.filter((compare) => compare !== 'silence' || isAlertCount(figure));

/** A new one, as an address asks for it. */
export function newDraft(
  search: AlertSearch,
  websiteId: string | undefined,
  destinationIds: readonly string[],
): AlertDraft {
  const target = { linkId: search.link ?? null, websiteId: search.link === undefined ? (websiteId ?? null) : null };
  const figures = figuresOf(target);
  const figure = figures.find((each) => each === search.figure) ?? figures[0] ?? 'pageviews';
  return {
    ...firstRule(figure),
    goalId: search.goal ?? null,
    filters: [...(search.filters ?? [])],
    segment: search.segment ?? null,
    ...target,
    name: '',
    destinationIds,
  };
}

export const alertDraftOf = ({ destinationIds, ...alert }: AlertDto): AlertDraft => ({ ...alert, destinationIds });

/** With another figure: its first rule, about the same events. */
export const withFigure = ({ filters, segment, ...draft }: AlertDraft, figure: AlertFigure): AlertDraft => ({
  ...draft,
  ...firstRule(figure),
  filters,
  segment,
});

/** With another comparison: its least figure is of what changes, where few say little. */
export const withComparison = (draft: AlertDraft, compare: AlertComparison): AlertDraft => ({
  ...draft,
  compare,
  minimum: compare === 'changed' ? firstRule(draft.figure).minimum : null,
});

/** Returns the rule that a draft says, without what its comparison and figure do not have. */
export function ruleIn(draft: AlertDraft): AlertRule {
  const { figure, compare, quietHours, filters } = draft;
  const isNumber = compare === 'above' || compare === 'below';
  return {
    figure,
    goalId: figure === 'conversions' ? draft.goalId : null,
    filters: [...filters],
    segment: draft.segment,
    window: draft.window,
    compare,
    threshold: isNumber ? draft.threshold : null,
    percent: compare === 'changed' ? draft.percent : null,
    direction: compare === 'changed' ? draft.direction : null,
    minimum: compare === 'above' || compare === 'changed' ? draft.minimum : null,
    quietHours: quietHours?.from && quietHours.to ? quietHours : null,
    pauseMinutes: draft.pauseMinutes,
    graceSeconds: draft.graceSeconds,
  };
}

/** Returns whether a rule says all that it needs to decide. */
export const isCompleteRule = ({ compare, threshold, percent, figure, goalId }: AlertRule): boolean =>
  (figure !== 'conversions' || goalId !== null) &&
  (compare === 'changed' ? percent !== null : compare === 'silence' || threshold !== null);
