import type { IncidentDetails, MaintenanceRepeat } from '@ledgerline/contracts/events/incident.events';
import { addDays, dayName, dayNumber, dayOf, instantAt } from '../time/zones';
import { isRepeatDay, nextRepeatDay, previousRepeatDay } from './repeat';

export type Maintenance = Pick<
  IncidentDetails,
  'severity' | 'resolvedAt' | 'startsAt' | 'endsAt' | 'repeat' | 'repeatSetAt' | 'updates'
>;

/** A time in which a maintenance takes place; epoch ms. */
export interface Occurrence {
  /** The local day on which it begins; null = the maintenance takes place once. */
  readonly day: string | null;
  readonly startsAt: number;
  /** As it is planned. */
  readonly endsAt: number;
  /** When it is over: as it is planned, or when people end it or the whole series, also before it begins. */
  readonly overAt: number;
}

const MINUTE_MS = 60_000;

/** When a maintenance takes place between two times (epoch ms), the first one first. */
export const occurrences = (maintenance: Maintenance, from: number, to: number): readonly Occurrence[] =>
  planned(maintenance, from, to).filter(({ startsAt, overAt }) => startsAt < to && Math.max(from, startsAt) < overAt);

/** Whether a maintenance goes on at a time (epoch ms). */
export const isUnderMaintenance = (maintenance: Maintenance, now: number): boolean =>
  occurrences(maintenance, now, now + 1).length > 0;

function planned(maintenance: Maintenance, from: number, to: number): readonly Occurrence[] {
  const { severity, startsAt, endsAt, repeat } = maintenance;
  if (severity !== 'maintenance') return [];
  if (repeat) {
    // a day that clocks skip begins with the next one
    const first = dayNumber(dayOf(from - repeat.durationMinutes * MINUTE_MS, repeat.timezone)) - 1;
    const last = dayNumber(dayOf(to, repeat.timezone)) + 1;
    const days = Array.from({ length: last - first + 1 }, (_, n) => dayName(first + n));
    return days.flatMap((day) => occurrenceOn(maintenance, day) ?? []);
  }
  if (startsAt === null || endsAt === null) return [];
  return [ended(maintenance, { day: null, startsAt: Date.parse(startsAt), endsAt: Date.parse(endsAt) })];
}

/** The one of a repeating maintenance that begins on a day; undefined if none does. */
export function occurrenceOn(maintenance: Maintenance, day: string): Occurrence | undefined {
  const { repeat } = maintenance;
  if (!repeat || !isRepeatDay(repeat, day)) return undefined;
  const [hours = 0, minutes = 0] = repeat.startTime.split(':').map(Number);
  const startsAt = instantAt(day, (hours * 60 + minutes) * MINUTE_MS, repeat.timezone);
  const endsAt = startsAt + repeat.durationMinutes * MINUTE_MS;
  return endsAt > setAt(maintenance) ? ended(maintenance, { day, startsAt, endsAt }) : undefined;
}

function ended({ resolvedAt, updates }: Maintenance, window: Omit<Occurrence, 'overAt'>): Occurrence {
  const ends = updates.filter(({ occurrence, status }) => occurrence === window.day && status === 'resolved');
  const times = [
    ...(window.day === null ? [] : ends.map(({ at }) => at)),
    ...(resolvedAt === null ? [] : [resolvedAt]),
  ];
  return { ...window, overAt: Math.min(window.endsAt, ...times.map((at) => Date.parse(at))) };
}

const setAt = ({ repeatSetAt }: Maintenance): number => (repeatSetAt ? Date.parse(repeatSetAt) : -Infinity);

/** An occurrence as people see it, and since when it was the next one. */
export type ShownOccurrence = Occurrence & { readonly announcedAt: number };

/**
 * What is shown of a repeating maintenance: the occurrence that was over last, and the one that goes on or is next; of a
 * series that was ended, the one that went on or was next then.
 */
export function shownOccurrences(maintenance: Maintenance, now: number): readonly ShownOccurrence[] {
  const { repeat, resolvedAt } = maintenance;
  if (!repeat) return [];
  const unended = { ...maintenance, resolvedAt: null };
  const at = Math.min(now, resolvedAt === null ? Infinity : Date.parse(resolvedAt));
  let day = addDays(dayOf(at - repeat.durationMinutes * MINUTE_MS, repeat.timezone), -1);
  let over = previousRepeatDay(repeat, addDays(day, -1));
  for (let next = nextRepeatDay(repeat, day); next !== undefined; next = nextRepeatDay(repeat, addDays(next, 1))) {
    day = next;
    if ((occurrenceOn(unended, day)?.overAt ?? -Infinity) > at) break;
    over = day;
  }
  return [...new Set([over ?? day, day])].flatMap((each) => announced(maintenance, repeat, each) ?? []);
}

function announced(maintenance: Maintenance, repeat: MaintenanceRepeat, day: string): ShownOccurrence | undefined {
  const occurrence = occurrenceOn(maintenance, day);
  if (!occurrence) return undefined;
  const before = previousRepeatDay(repeat, addDays(day, -1));
  const overAt = before === undefined ? undefined : occurrenceOn(maintenance, before)?.overAt;
  return { ...occurrence, announcedAt: Math.max(setAt(maintenance), overAt ?? -Infinity) };
}
