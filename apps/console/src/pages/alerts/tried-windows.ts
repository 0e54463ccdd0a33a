import type { AlertTrialDto } from '@ledgerline/client';
import { AT_THE_BEGINNING, decideWindow, releaseHeld, type ToldWindow } from '@ledgerline/domain/alerts/decide-window';
import type { AlertRule } from './alert-draft';

/** A window of a trial. */
export interface TriedWindow {
  /** Its end, epoch ms. */
  readonly to: number;
  readonly figure: number | null;
  readonly usual: number | null;
}

/** What a rule would have told of the windows of a trial. */
export interface Tried {
  /** Beginnings, in the order of time. */
  readonly told: readonly ToldWindow[];
  /** How many windows had a figure, and enough weeks to compare it with. */
  readonly decided: number;
}

/** The windows of a trial, in the order of time. */
export const windowsIn = ({ figures }: AlertTrialDto): readonly TriedWindow[] =>
  figures.map(([seconds = 0, figure = null, usual = null]) => ({ to: Number(seconds) * 1_000, figure, usual }));

/**
 * Decides on windows as the api does, by other numbers than it was asked with. `rule`: of the same figure, filters and
 * length of windows.
 */
export function tryRule(rule: AlertRule, windows: readonly TriedWindow[], timezone: string): Tried {
  const length = rule.window.minutes * 60_000;
  let progress = AT_THE_BEGINNING;
  let decided = 0;
  const told: ToldWindow[] = [];
  for (const { to, figure, usual } of windows) {
    // the median of equal figures is that figure
    const window = { from: to - length, to, figure, usual: usual === null ? [] : [usual, usual] };
    const next = decideWindow(rule, timezone, progress, window);
    ({ progress } = next);
    if (next.verdict !== 'undecided') decided++;
    told.push(...next.told);
  }
  told.push(...releaseHeld(rule, progress, Date.now()).told);
  return { told: told.filter(({ outcome }) => outcome === 'fired'), decided };
}

/** A window that a chart shows, with the end of it by the clock: `2026-03-02 13:05:00`. */
export interface DrawnWindow extends TriedWindow {
  readonly label: string;
  readonly isTold: boolean;
}

/**
 * The window of each day that comes nearest to being told, or is; of each hour where they are those of a few days: a chart
 * has no room for all of them.
 */
export function nearestWindows(
  rule: AlertRule,
  windows: readonly TriedWindow[],
  { told }: Tried,
  timeZone: string,
): readonly DrawnWindow[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const ends = new Set(told.map(({ to }) => to));
  const labelled = windows.map((each) => ({ ...each, label: format.format(each.to), isTold: ends.has(each.to) }));
  const letters = rule.window.minutes < HOUR ? '2026-03-02 13'.length : '2026-03-02'.length;
  const buckets = Map.groupBy(labelled, ({ label }) => label.slice(0, letters));
  return [...buckets.values()].flatMap((bucket) => {
    const nearness = (window: DrawnWindow) => (window.isTold ? Infinity : nearnessOf(rule, window));
    const [first, ...others] = bucket;
    return first ? [others.reduce((best, each) => (nearness(each) > nearness(best) ? each : best), first)] : [];
  });
}

const HOUR = 60;

/** How near a figure is to what a rule tells, in the measure of the figure; −Infinity where nothing is known. */
function nearnessOf({ compare, direction }: AlertRule, { figure, usual }: TriedWindow): number {
  if (figure === null) return -Infinity;
  if (compare === 'above') return figure;
  if (compare !== 'changed') return -figure;
  if (usual === null) return -Infinity;
  const change = figure - usual;
  return direction === 'up' ? change : direction === 'down' ? -change : Math.abs(change);
}
