import { formatFigure } from '../format';

interface VitalMetric {
  readonly meaning: string;
  readonly kind: 'milliseconds' | 'number';
  /** Up to where its 75th percentile counts as good, and as poor from where (web.dev/vitals). */
  readonly good: number;
  readonly poor: number;
}

/** In the order of their columns; the first three are the Core Web Vitals. */
export const VITALS: ReadonlyMap<string, VitalMetric> = new Map(
  Object.entries<VitalMetric>({
    LCP: { meaning: 'Until the largest text or picture is shown.', kind: 'milliseconds', good: 2_500, poor: 4_000 },
    INP: { meaning: 'Until the page reacts to what a visitor does.', kind: 'milliseconds', good: 200, poor: 500 },
    CLS: { meaning: 'How much the content moves by itself: a score.', kind: 'number', good: 0.1, poor: 0.25 },
    FCP: { meaning: 'Until the first content is shown.', kind: 'milliseconds', good: 1_800, poor: 3_000 },
    TTFB: { meaning: 'Until the first byte of the document arrives.', kind: 'milliseconds', good: 800, poor: 1_800 },
  }),
);

/** With its unit. */
export const formatVital = (metric: string, value: number | null | undefined): string =>
  formatFigure(VITALS.get(metric)?.kind ?? 'number', value);

/** Returns what a metric is, and from where it counts as what. */
export function describeVital(metric: string): string {
  const known = VITALS.get(metric);
  if (!known) return 'As pages report it.';
  const good = formatVital(metric, known.good);
  const poor = formatVital(metric, known.poor);
  return `${known.meaning} Good up to ${good}, poor above ${poor}.`;
}

export const RATINGS = { good: 'Good', fair: 'Needs improvement', poor: 'Poor' } as const;

/** As exact as `formatVital` shows it: what is said of a figure follows the figure that is read. */
const shownValue = ({ kind }: VitalMetric, value: number): number => {
  const step = kind === 'number' ? 0.01 : value < 1_000 ? 1 : 10;
  return Math.round(value / step) * step;
};

export function ratingOf(metric: string, p75: number | null | undefined): keyof typeof RATINGS | undefined {
  const known = VITALS.get(metric);
  if (p75 === null || p75 === undefined || !known) return undefined;
  const shown = shownValue(known, p75);
  return shown <= known.good ? 'good' : shown > known.poor ? 'poor' : 'fair';
}
