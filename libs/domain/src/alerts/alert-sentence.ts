import type { AnyFilter, FieldFilter, Filter, FilterOp } from '@ledgerline/contracts/definitions';
import type { AlertFigure, AlertSettings } from '@ledgerline/contracts/events/alert.events';

/** The part of an alert that its sentence says. */
export type SaidRule = Pick<
  AlertSettings,
  'figure' | 'filters' | 'window' | 'compare' | 'threshold' | 'percent' | 'direction' | 'minimum'
>;

/** Names of what a rule has ids of. */
export interface RuleNames {
  readonly goal?: string | undefined;
  readonly segment?: string | undefined;
  /** The weekday and the time of the clock at which a window ends: `Tuesday 10:00`. */
  readonly at?: string | undefined;
}

const NOUNS: Readonly<Record<AlertFigure, string>> = {
  pageviews: 'Page views',
  visitors: 'Visitors',
  custom_events: 'Custom events',
  errors: 'Errors',
  conversions: 'Conversions',
  lcp: 'LCP (p75)',
  fcp: 'FCP (p75)',
  cls: 'CLS (p75)',
  inp: 'INP (p75)',
  ttfb: 'TTFB (p75)',
  bounce_rate: 'Bounce rate',
  session_duration: 'Session duration (median)',
  clicks: 'Clicks',
};

const UNITS: Partial<Readonly<Record<AlertFigure, string>>> = {
  lcp: ' ms',
  fcp: ' ms',
  inp: ' ms',
  ttfb: ' ms',
  bounce_rate: ' %',
  session_duration: ' s',
};

/** Says a rule back: `Visitors of the last hour more than 50 % below the usual for a Tuesday 10:00`. */
export function alertSentence(rule: SaidRule, names: RuleNames = {}): string {
  const { figure, filters, minimum, compare, window } = rule;
  const of = figure === 'conversions' && names.goal !== undefined ? ` of ${names.goal}` : '';
  const noun = `${NOUNS[figure]}${of}`;
  const begin =
    compare === 'silence'
      ? `No ${noun.charAt(0).toLowerCase()}${noun.slice(1)} in ${windowText(window.minutes)}`
      : `${noun} of ${windowText(window.minutes)} ${comparisonText(rule, names)}`;
  return [
    begin,
    ...(filters.length > 0 ? [`where ${filters.map(filterText).join(' and ')}`] : []),
    ...(names.segment === undefined ? [] : [`in the segment ${names.segment}`]),
    ...(minimum === null ? [] : [`from ${amountText(figure, minimum)} on`]),
  ].join(', ');
}

function comparisonText({ figure, compare, threshold, percent, direction }: SaidRule, { at }: RuleNames): string {
  if (compare !== 'changed') return `${compare} ${amountText(figure, threshold ?? 0)}`;
  const side = direction === 'up' ? 'above' : direction === 'down' ? 'below' : 'above or below';
  return `more than ${percent ?? 0} % ${side} the usual${at === undefined ? '' : ` for a ${at}`}`;
}

const amountText = (figure: AlertFigure, amount: number): string => `${amount}${UNITS[figure] ?? ''}`;

function windowText(minutes: number): string {
  if (minutes < 60) return `the last ${minutes} minutes`;
  if (minutes < 1_440) return minutes === 60 ? 'the last hour' : `the last ${minutes / 60} hours`;
  return minutes === 1_440 ? 'the last day' : `the last ${minutes / 1_440} days`;
}

const OPS: Readonly<Record<FilterOp, string>> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  in: 'is one of',
  not_in: 'is none of',
  glob: 'matches',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

const filterText = (filter: Filter): string =>
  isAny(filter) ? `(${filter.any.map(fieldText).join(' or ')})` : fieldText(filter);

const isAny = (filter: Filter): filter is AnyFilter => 'any' in filter;

const fieldText = ({ field, op, value }: FieldFilter): string =>
  `${field.replaceAll('_', ' ')} ${OPS[op]} ${typeof value === 'string' ? value : value.join(', ')}`;
