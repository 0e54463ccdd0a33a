import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { dayNumber, dayOf, isCalendarDay } from '../time/zones';
import { daysOfPreset, isPreset, PRESETS, type Days } from './presets';
import { closest } from './suggestion';

/** The days of a request; a preset overrides dates. */
export interface DateRequest {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly preset?: string | undefined;
}

type DateRange =
  | ({ readonly ok: true; readonly notes: readonly string[] } & Days)
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const DEFAULT_PRESET = 'last_7d';

/** The inclusive days a request means, in a zone and at a moment. */
export function dateRange(request: DateRequest, zone: string, now: number): DateRange {
  const { preset, startDate, endDate } = request;
  const errors = [...presetErrors(preset), ...dayErrors({ startDate, endDate }, { mayBeAlone: preset !== undefined })];
  if (errors.length > 0) return { ok: false, errors };
  const today = dayOf(now, zone);
  const named = startDate !== undefined && endDate !== undefined;
  if (preset !== undefined && isPreset(preset)) {
    const notes = startDate === undefined && endDate === undefined ? [] : [presetWon(preset)];
    return { ok: true, ...daysOfPreset(preset, today), notes };
  }
  if (named) return { ok: true, startDate, endDate, notes: [] };
  return { ok: true, ...daysOfPreset(DEFAULT_PRESET, today), notes: [] };
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
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !isDay(entry[1]))
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
export const isDay = (text: string): boolean => isCalendarDay(text) && text >= FIRST_DAY && text <= LAST_DAY;

/** How many days a range has, both ends included. */
export const daysIn = ({ startDate, endDate }: Days): number => dayNumber(endDate) - dayNumber(startDate) + 1;
