import type { AlertDto } from '@ledgerline/client';
import type { AlertComparison, AlertDirection, AlertFigure } from '@ledgerline/contracts/events/alert.events';
import type { Tone } from '../../components/page-parts';
import { formatFigure, type Kind } from '../website/format';
import { VITALS } from '../website/report/vital-metrics';

/** The names of figures. */
export const FIGURES: Readonly<Record<AlertFigure, string>> = {
  pageviews: 'Page views',
  visitors: 'Visitors',
  custom_events: 'Custom events',
  errors: 'Errors',
  conversions: 'Conversions',
  lcp: 'LCP',
  fcp: 'FCP',
  cls: 'CLS',
  inp: 'INP',
  ttfb: 'TTFB',
  bounce_rate: 'Bounce rate',
  session_duration: 'Median duration',
  clicks: 'Clicks',
};

export const COMPARISONS: Readonly<Record<AlertComparison, string>> = {
  changed: 'Other than usual',
  above: 'Above a threshold',
  below: 'Below a threshold',
  silence: 'None at all',
};

export const DIRECTION_OPTIONS: readonly (readonly [AlertDirection, string])[] = [
  ['down', 'Below the usual'],
  ['up', 'Above the usual'],
  ['both', 'Above or below it'],
];

/** A length of time: `15 minutes`, `7 days`. */
export function lengthText(minutes: number): string {
  const [count, unit] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export const PAUSE_OPTIONS = [0, 15, 60, 180, 720, 1_440, 10_080].map(
  (minutes) => [String(minutes), minutes === 0 ? 'None' : lengthText(minutes)] as const,
);

const KINDS: Readonly<Partial<Record<AlertFigure, Kind>>> = { bounce_rate: 'percent', session_duration: 'seconds' };

/** A figure of an alert as people read it. */
export const formatAlertFigure = (figure: AlertFigure, value: number | null): string =>
  formatFigure(KINDS[figure] ?? VITALS.get(figure.toUpperCase())?.kind ?? 'count', value);

/** The state of an alert in a word. */
export const ALERT_STATES: Readonly<Record<AlertDto['state'], readonly [Tone, string]>> = {
  waiting: ['neutral', 'Waiting for data'],
  ok: ['good', 'OK'],
  firing: ['danger', 'Triggered'],
  blind: ['warning', 'Data missing'],
  undecided: ['neutral', 'Too little data'],
  paused: ['neutral', 'Paused'],
};

/** What an alert told. */
export const OUTCOMES: Readonly<Record<NonNullable<AlertDto['lastDecision']>['outcome'], readonly [Tone, string]>> = {
  fired: ['danger', 'Triggered'],
  over: ['good', 'Resolved'],
  blind: ['warning', 'Data missing'],
  seeing: ['good', 'Data back'],
};

/** Why it does not decide any more. */
export const PAUSES: Readonly<Record<NonNullable<AlertDto['pausedFor']>, string>> = {
  rights: 'Who made it may not have it sent there any more. Whoever enables it again has it sent in their name.',
  goal: 'Its goal is deleted. Choose another one.',
  segment: 'Its segment is deleted. Choose another one, or none.',
  link: 'Its link is deleted.',
};

const MOMENT = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;

/** When a window ends, in its time zone. */
export const formatMoment = (at: number | string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone, ...MOMENT }).format(new Date(at));
