import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { keysOf } from '@ledgerline/contracts/json';
import { addDays, dayNumber, dayOf, isCalendarDay, offsetAt } from '../time/zones';
import { closest } from './suggestion';

/** The days of a request; a preset overrides dates. */
export interface DateRequest {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly preset?: string | undefined;
}

type DateRange =
  | ({ readonly ok: true; readonly notes: readonly string[] } & AskedDays)
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const DEFAULT_PRESET = 'last_7d';

/** The hour of the clock that is now, and the 23 before it: the only range that is not of whole days. */
const LAST_24H = 'last_24h';

/** The inclusive days a request means, in a zone and at a moment. */
export function dateRange(request: DateRequest, zone: string, now: number): DateRange {
  const { preset, startDate, endDate } = request;
  const errors = [...presetErrors(preset), ...dayErrors({ startDate, endDate }, { mayBeAlone: preset !== undefined })];
  if (errors.length > 0) return { ok: false, errors };
  const today = dayOf(now, zone);
  const named = startDate !== undefined && endDate !== undefined;
  if (preset !== undefined && isPreset(preset)) {
    const notes = startDate === undefined && endDate === undefined ? [] : [presetWon(preset)];
    return { ok: true, ...(preset === LAST_24H ? last24Hours(zone, now) : PRESET_DAYS[preset](today)), notes };
  }
  if (named) return { ok: true, startDate, endDate, notes: [] };
  return { ok: true, ...PRESET_DAYS[DEFAULT_PRESET](today), notes: [] };
}

const presetWon = (preset: string): string => `Both a preset and dates were given; the preset ${preset} was used.`;

function presetErrors(preset: string | undefined): FieldError[] {
  if (preset === undefined || isPreset(preset)) return [];
  const suggestion = closest(preset, PRESETS);
  const message = `Unknown preset; presets are ${PRESETS.join(', ')}.`;
  return [{ field: 'preset', message, ...(suggestion === undefined ? {} : { suggestion }) }];
}

/** A single date is an error unless a preset overrides it. */
function dayErrors(
  { startDate, endDate }: Omit<DateRequest, 'preset'>,
  { mayBeAlone }: { mayBeAlone: boolean },
): FieldError[] {
  const errors = Object.entries({ startDate, endDate })
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !isQueryableDay(entry[1]))
    .map(([field, text]) => ({ field, message: isCalendarDay(text) ? OUTSIDE : NO_DAY }));
  if (errors.length > 0) return errors;
  const isAlone = (startDate === undefined) !== (endDate === undefined);
  if (isAlone && mayBeAlone) return [];
  if (startDate === undefined && endDate === undefined) return [];
  if (startDate === undefined) return [{ field: 'startDate', message: 'Is required together with endDate.' }];
  if (endDate === undefined) return [{ field: 'endDate', message: 'Is required together with startDate.' }];
  return startDate > endDate ? [{ field: 'startDate', message: 'Must not be after endDate.' }] : [];
}

const FIRST_DAY = '1970-01-01';
const LAST_DAY = '2199-12-31';

const NO_DAY = 'Must be a date that exists, as YYYY-MM-DD.';
const OUTSIDE = `Must be a date from ${FIRST_DAY} to ${LAST_DAY}.`;

/** True for `YYYY-MM-DD` of a day that exists, from 1970 to 2199. */
export const isQueryableDay = (text: string): boolean => isCalendarDay(text) && text >= FIRST_DAY && text <= LAST_DAY;

/** Returns the number of days a range has, both ends included. */
export const daysIn = ({ startDate, endDate }: InclusiveDays): number => dayNumber(endDate) - dayNumber(startDate) + 1;

/** Inclusive days, `YYYY-MM-DD`. */
export interface InclusiveDays {
  readonly startDate: string;
  readonly endDate: string;
}

/** Days of which a range may have a part only: when it begins and ends then (epoch ms). */
export interface AskedDays extends InclusiveDays {
  readonly from?: number;
  readonly to?: number;
}

const HOUR_MS = 3_600_000;

/** Hours begin when the clock of the zone says so, which may be at half past of UTC. */
function last24Hours(zone: string, now: number): Required<AskedDays> {
  const offset = offsetAt(now, zone);
  const to = (Math.floor((now + offset) / HOUR_MS) + 1) * HOUR_MS - offset;
  return partOfDays(to - 24 * HOUR_MS, to, zone);
}

/** A range from one instant to another, with the days that it has a part of. */
export const partOfDays = (from: number, to: number, zone: string): Required<AskedDays> => ({
  startDate: dayOf(from, zone),
  endDate: dayOf(to - 1, zone),
  from,
  to,
});

const lastDays = (count: number) => (today: string) => ({ startDate: addDays(today, 1 - count), endDate: today });

/** Monday is 0, as in ISO 8601. */
const weekday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
const monday = (day: string): string => addDays(day, -weekday(day));
const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The named ranges, each from the local date of today. */
const PRESET_DAYS = {
  today: lastDays(1),
  yesterday: (today) => ({ startDate: addDays(today, -1), endDate: addDays(today, -1) }),
  last_7d: lastDays(7),
  last_14d: lastDays(14),
  last_30d: lastDays(30),
  last_90d: lastDays(90),
  this_week: (today) => ({ startDate: monday(today), endDate: today }),
  last_week: (today) => ({ startDate: addDays(monday(today), -7), endDate: addDays(monday(today), -1) }),
  this_month: (today) => ({ startDate: firstOfMonth(today), endDate: today }),
  last_month: (today) => {
    const endDate = addDays(firstOfMonth(today), -1);
    return { startDate: firstOfMonth(endDate), endDate };
  },
  this_year: (today) => ({ startDate: `${today.slice(0, 4)}-01-01`, endDate: today }),
} satisfies Record<string, (today: string) => InclusiveDays>;

type Preset = keyof typeof PRESET_DAYS | typeof LAST_24H;

export const PRESETS: readonly Preset[] = [...keysOf(PRESET_DAYS), LAST_24H];

const isPreset = (name: string): name is Preset => PRESETS.some((preset) => preset === name);
