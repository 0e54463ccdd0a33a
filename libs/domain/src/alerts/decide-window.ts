import type { AlertReason } from '@ledgerline/contracts/events/observed-events';
import type { InstantRange } from '../query/buckets';
import { addDays, dayOf, instantAt, offsetAt } from '../time/zones';

/** What of an alert decides; the record has more. */
export interface AlertRule {
  /** `changed`: against the usual figure, the median of the same windows of the last four weeks. */
  readonly compare: 'above' | 'below' | 'changed' | 'silence';
  readonly threshold: number | null;
  /** Of `changed`: more than so many per cent above or below the usual figure. */
  readonly percent: number | null;
  readonly direction: 'up' | 'down' | 'both' | null;
  /** Of `above` and `changed`: nothing is told where the figure, and the usual one, are below it. */
  readonly minimum: number | null;
  /** Times of the website's clock, `HH:MM`; until the next day where they end before they begin. */
  readonly quietHours: { readonly from: string; readonly to: string } | null;
  readonly pauseMinutes: number;
}

/** A window with what is known of it. */
export interface WindowFigures extends InstantRange {
  /** Null = there is none: no measurement, or nothing can be seen. */
  readonly figure: number | null;
  /** The figures of the same windows of the last weeks, as many as there are. */
  readonly usual: readonly number[];
  /** Why nothing can be seen: the figure says nothing. */
  readonly why?: AlertReason | null;
  /** Everything that had arrived by then was counted, epoch ms. */
  readonly asOf?: number;
}

type Outcome = 'fired' | 'over' | 'blind' | 'seeing';

/** What is told of a window. */
export interface ToldWindow extends InstantRange {
  readonly outcome: Outcome;
  readonly figure: number | null;
  /** The usual figure, of `changed` alone. */
  readonly usual: number | null;
  readonly why: AlertReason | null;
  readonly asOf: number | null;
  /** Epoch ms: the window's end, or that of the quiet hours that held it back. */
  readonly toldAt: number;
}

/** An alert between two windows; times in epoch ms. */
export interface AlertProgress {
  /** The end of the window that was told as the beginning; null = nothing goes on. */
  readonly firingSince: number | null;
  readonly isBlind: boolean;
  /** No beginning is told before. */
  readonly pausedUntil: number;
  /** What quiet hours hold back, and when they end. */
  readonly held: { readonly until: number; readonly told: readonly ToldWindow[] } | null;
}

export const AT_THE_BEGINNING: AlertProgress = { firingSince: null, isBlind: false, pausedUntil: 0, held: null };

/** `undecided`: without a figure, or with fewer than two of the last weeks. */
type Verdict = 'met' | 'not_met' | 'undecided' | 'blind';

export interface DecidedWindow {
  readonly progress: AlertProgress;
  readonly verdict: Verdict;
  readonly told: readonly ToldWindow[];
}

const MINUTE_MS = 60_000;
const FEWEST_WEEKS = 2;

/** Decides on a window that ends after all that were decided before. Both what happens and what would have happened use it. */
export function decideWindow(
  rule: AlertRule,
  zone: string,
  before: AlertProgress,
  window: WindowFigures,
): DecidedWindow {
  const released = releaseHeld(rule, before, window.to - 1);
  const verdict = verdictOn(rule, window);
  if (verdict === 'undecided' && !before.isBlind) return { ...released, verdict };
  const told = outcomes(verdict, released.progress, window.to).map((outcome) => tell(rule, window, outcome));
  const until = told.length > 0 ? endOfQuiet(rule, zone, window.to) : undefined;
  if (until !== undefined) {
    const held = { until, told: told.map((each) => ({ ...each, toldAt: until })) };
    return { progress: { ...released.progress, held }, verdict, told: released.told };
  }
  const progress = told.reduce<AlertProgress>((known, each) => after(rule, known, each), {
    ...released.progress,
    held: null,
  });
  return { progress, verdict, told: [...released.told, ...told] };
}

/** Tells what quiet hours hold back that end until an instant, once all windows until their end are decided. */
export function releaseHeld(
  rule: AlertRule,
  progress: AlertProgress,
  until: number,
): Pick<DecidedWindow, 'progress' | 'told'> {
  const { held } = progress;
  if (!held || held.until > until) return { progress, told: [] };
  const released = held.told.reduce<AlertProgress>((known, each) => after(rule, known, each), {
    ...progress,
    held: null,
  });
  return { progress: released, told: held.told };
}

/** The median of the figures of the last weeks; null with fewer than two. */
export function usualFigure(figures: readonly number[]): number | null {
  if (figures.length < FEWEST_WEEKS) return null;
  const sorted = figures.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

function verdictOn(rule: AlertRule, { figure, usual, why = null }: WindowFigures): Verdict {
  if (why !== null) return 'blind';
  if (figure === null) return 'undecided';
  if (rule.compare !== 'changed') return isMet(rule, figure) ? 'met' : 'not_met';
  const median = usualFigure(usual);
  if (median === null) return 'undecided';
  return isChanged(rule, figure, median) ? 'met' : 'not_met';
}

function isMet({ compare, threshold, minimum }: AlertRule, figure: number): boolean {
  if (compare === 'silence') return figure === 0;
  if (compare === 'below') return figure < (threshold ?? 0);
  return figure > (threshold ?? 0) && figure >= (minimum ?? 0);
}

function isChanged({ percent, direction, minimum }: AlertRule, figure: number, usual: number): boolean {
  if (Math.max(figure, usual) < (minimum ?? 0)) return false;
  const change = (figure - usual) * 100;
  const limit = usual * (percent ?? 0);
  return (direction !== 'down' && change > limit) || (direction !== 'up' && change < -limit);
}

/** What a window would tell: an end only where the beginning was told. */
function outcomes(
  verdict: Verdict,
  { firingSince, isBlind, pausedUntil }: AlertProgress,
  at: number,
): readonly Outcome[] {
  if (verdict === 'blind') return isBlind ? [] : ['blind'];
  const seeing: readonly Outcome[] = isBlind ? ['seeing'] : [];
  if (verdict === 'met' && firingSince === null && at >= pausedUntil) return [...seeing, 'fired'];
  return verdict === 'not_met' && firingSince !== null ? [...seeing, 'over'] : seeing;
}

const tell = ({ compare }: AlertRule, window: WindowFigures, outcome: Outcome): ToldWindow => ({
  outcome,
  from: window.from,
  to: window.to,
  figure: outcome === 'blind' ? null : window.figure,
  usual: compare === 'changed' && outcome !== 'blind' ? usualFigure(window.usual) : null,
  why: window.why ?? null,
  asOf: window.asOf ?? null,
  toldAt: window.to,
});

function after(
  { pauseMinutes }: AlertRule,
  progress: AlertProgress,
  { outcome, to, toldAt }: ToldWindow,
): AlertProgress {
  switch (outcome) {
    case 'fired':
      return { ...progress, firingSince: to, pausedUntil: toldAt + pauseMinutes * MINUTE_MS };
    case 'over':
      return { ...progress, firingSince: null };
    case 'blind':
    case 'seeing':
      return { ...progress, isBlind: outcome === 'blind' };
  }
}

/** The end (epoch ms) of the quiet hours that an instant lies in. */
function endOfQuiet({ quietHours }: AlertRule, zone: string, at: number): number | undefined {
  if (!quietHours) return undefined;
  const from = timeOfDay(quietHours.from);
  const to = timeOfDay(quietHours.to);
  const day = dayOf(at, zone);
  const now = at + offsetAt(at, zone) - Date.parse(`${day}T00:00:00Z`);
  const isQuiet = from < to ? from <= now && now < to : now >= from || now < to;
  if (!isQuiet) return undefined;
  // in an hour that clocks repeat, the end may have been already
  return Math.max(at, instantAt(now < to ? day : addDays(day, 1), to, zone));
}

function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
