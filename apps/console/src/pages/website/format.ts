import { readableAddress, readableHost, readablePath } from '../../addresses/readable-address';

/** The kind of what a field holds, which decides how it is shown. */
export type Kind =
  | 'text'
  | 'path'
  | 'host'
  | 'address'
  | 'count'
  | 'percent'
  | 'number'
  | 'seconds'
  | 'milliseconds'
  | 'time'
  | 'revenue'
  | 'properties';

/** Kinds of texts, which name a row and may be filtered by. */
const TEXT_KINDS = ['text', 'path', 'host', 'address'] as const satisfies readonly Kind[];
export type TextKind = (typeof TEXT_KINDS)[number];

export const isText = (kind: Kind): kind is TextKind => TEXT_KINDS.some((each) => each === kind);

/** A text as people read it. */
export const readableText = (kind: TextKind, text: string): string => READABLE[kind](text);

const READABLE: Readonly<Record<TextKind, (text: string) => string>> = {
  text: String,
  path: readablePath,
  host: readableHost,
  address: readableAddress,
};

const integer = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const tenth = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** In the place of a number that is not known. */
export const UNKNOWN = '–';

/** In the place of a change. */
const UNCHANGED = '–';

const FORMATS: Readonly<
  Record<Exclude<Kind, TextKind | 'time' | 'revenue' | 'properties'>, (value: number) => string>
> = {
  count: (value) => integer.format(value),
  percent: (value) => `${percents(value)}\u00A0%`,
  number: (value) => decimal.format(value),
  seconds: duration,
  milliseconds: (value) => (value < 1_000 ? `${integer.format(value)} ms` : `${decimal.format(value / 1_000)} s`),
};

/** A figure as people read it. */
export function formatFigure(kind: Kind, value: unknown): string {
  if (typeof value !== 'number' || !(kind in FORMATS)) return UNKNOWN;
  return FORMATS[kind as keyof typeof FORMATS](value);
}

/** Whole ones from ten on, where a tenth says nothing. */
function percents(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  return value === 0 || Math.abs(value) >= 9.95 ? integer.format(value) : percent.format(value);
}

function duration(seconds: number): string {
  if (seconds < 59.95) return `${tenth.format(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return inUnits([minutes, 'min'], [whole % 60, 's']);
  return inUnits([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
}

const inUnits = (...parts: readonly (readonly [count: number, unit: string])[]): string =>
  parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${integer.format(count)}\u00A0${unit}`)
    .join(' ');

/** In percent; a count that grew by more was new if it came from fewer than ten, or than a hundredth of what it is. */
const GREATEST_GROWTH = 1_000;
const isNew = (now: number, before: number, change: number) =>
  change > GREATEST_GROWTH && before < Math.max(10, now / 100);

/** A figure of a row that is compared with the same of an earlier range. */
interface ComparedFigure {
  readonly kind: Kind;
  readonly now: unknown;
  readonly before: unknown;
  /** In percent of the earlier one, as the api says. */
  readonly change: number | null | undefined;
}

/** +2.5 %, – where it stayed, or `new` for a count that came from (almost) nothing; empty where nothing is compared. */
export function formatChange({ kind, now, before, change }: ComparedFigure): string {
  if (typeof now !== 'number' || typeof before !== 'number') return '';
  if (now === before) return kind === 'count' && now === 0 ? '' : UNCHANGED;
  if (kind === 'count' && isNew(now, before, change ?? (now > 0 ? Infinity : 0))) return 'new';
  if (typeof change !== 'number' || isNew(now, before, change)) return '';
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${percents(Math.abs(change))}\u00A0%`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { timeZone, ...options });
  formats.set(key, known);
  return known;
}

/** A time of the api in a time zone. */
export const formatTime = (value: unknown, timeZone: string): string =>
  typeof value === 'string'
    ? dateFormat(timeZone, {
        day: 'numeric',
        month: 'short',
        hour: 'numeric',
        minute: '2-digit',
        second: '2-digit',
      }).format(new Date(value))
    : UNKNOWN;

/** The time of the day alone. */
export const formatClock = (value: string, timeZone: string): string =>
  dateFormat(timeZone, { hour: 'numeric', minute: '2-digit', second: '2-digit' }).format(new Date(value));

/**
 * In which bucket of a series a time lies, if in any; now it is the one that is not over. Labels are `2026-03-02` or
 * `2026-03-02 13:00:00`, in their time zone.
 */
export function bucketAt(labels: readonly string[], timeZone: string, time = new Date()): number | undefined {
  const local = time.toLocaleString('sv-SE', { timeZone }); // 2026-03-02 13:05:09
  const at = labels.findLastIndex((label) => label <= local);
  const label = labels[at];
  if (label === undefined) return undefined;
  const isIn =
    label.length > 10 ? local.startsWith(label.slice(0, 13)) : daysBetween(label, local) < daysOfEach(labels);
  return isIn ? at : undefined;
}

/** When a bucket begins. */
export function bucketStart(label: string, timeZone: string): Date {
  const utc = timeOf(label).getTime();
  const shift = Date.parse(`${new Date(utc).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`) - utc;
  return new Date(utc - shift);
}

const daysBetween = (from: string, to: string): number =>
  (Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / 86_400_000;

/** Returns the number of days of each label; of weeks or months the last ones tell. */
const daysOfEach = (labels: readonly string[]): number =>
  labels.length < 2 ? 1 : daysBetween(labels.at(-2) ?? '', labels.at(-1) ?? '');

/** The days of a series, those of its last bucket included; without any, today. */
export function daysOfLabels(labels: readonly string[]): { readonly startDate: string; readonly endDate: string } {
  const last = (labels.at(-1) ?? new Date().toISOString()).slice(0, 10);
  const end = new Date(Date.parse(last) + (Math.max(daysOfEach(labels), 1) - 1) * 86_400_000);
  return { startDate: (labels[0] ?? last).slice(0, 10), endDate: end.toISOString().slice(0, 10) };
}

/** Formats a time to the minute. */
export const formatMinute = (value: string, timeZone: string): string =>
  dateFormat(timeZone, MINUTE).format(new Date(value));

const MINUTE = { hour: 'numeric', minute: '2-digit' } as const;

/** A bucket of a series, `2026-03-02` or `2026-03-02 13:00:00`, which is in its time zone already. */
export function formatBucket(label: string): string {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return dateFormat('UTC', label.includes(' ') ? { ...date, ...MINUTE } : date).format(timeOf(label));
}

/** Formats a label in as few letters as an axis has room for. */
export function formatTick(label: string): string {
  const isHour = label.includes(' ') && !label.includes(' 00');
  return dateFormat('UTC', isHour ? MINUTE : { day: 'numeric', month: 'short' }).format(timeOf(label));
}

/** As if it were of UTC. */
const timeOf = (label: string): Date =>
  new Date(`${label.replace(' ', 'T')}${label.includes(' ') ? '' : 'T00:00:00'}Z`);

/** Days of the calendar, both inclusive. */
export function formatDays(from: string, to: string): string {
  const format = dateFormat('UTC', { day: 'numeric', month: 'short', year: 'numeric' });
  return format.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`));
}
