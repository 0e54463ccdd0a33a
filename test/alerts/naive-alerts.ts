import type { AlertSettings } from '@ledgerline/contracts/events/alert.events';
import { DAY, HOUR, MINUTE, type SimulatedHit } from './simulated-hits';

/** What a rule tells, by plain loops over raw hits. */
export interface NaiveTold {
  readonly outcome: string;
  readonly to: number;
  readonly figure: number | null;
}

type Rule = Pick<
  AlertSettings,
  'compare' | 'threshold' | 'percent' | 'direction' | 'minimum' | 'quietHours' | 'pauseMinutes'
> & { readonly window: { readonly minutes: number } };

/** A moment at which windows are decided: its time, up to when arrived hits are counted. */
export interface NaivePass {
  readonly now: number;
  readonly asOf: number;
}

const GRACE = 2 * MINUTE;

/** What clocks of Berlin show: they go forward by an hour at 01:00 UTC on 2027-03-28. */
const CHANGED = Date.parse('2027-03-28T01:00Z');
const shownAt = (at: number): number => at + (at >= CHANGED ? 2 : 1) * HOUR;
const instantOf = (shown: number): number => (shown - HOUR >= CHANGED ? shown - 2 * HOUR : shown - HOUR);

/** Decides on windows of up to an hour, which end every five minutes, of a website in Berlin. */
export function naiveTold(
  rule: Rule,
  begin: number,
  hits: readonly SimulatedHit[],
  passes: readonly NaivePass[],
  hasTracker: (at: number) => boolean,
): readonly NaiveTold[] {
  const byTime = hits.toSorted((a, b) => a.at - b.at);
  const told: NaiveTold[] = [];
  const state = { isFiring: false, isBlind: false, pausedUntil: 0 };
  let end = (Math.floor(begin / (5 * MINUTE)) + 1) * 5 * MINUTE;
  const tell = (one: NaiveTold, at: number) => {
    told.push(one);
    if (one.outcome === 'fired') {
      state.isFiring = true;
      state.pausedUntil = at + rule.pauseMinutes * MINUTE;
    }
    if (one.outcome === 'over') state.isFiring = false;
    if (one.outcome === 'blind') state.isBlind = true;
    if (one.outcome === 'seeing') state.isBlind = false;
  };
  for (const { now, asOf } of passes) {
    for (; end + GRACE <= now; end += 5 * MINUTE) {
      const isCounted = asOf >= end + GRACE;
      if (!isCounted && now < end + GRACE + 10 * MINUTE) break; // it waits
      const from = end - rule.window.minutes * MINUTE;
      let seen = false;
      for (let at = from; at < end; at += MINUTE) if (hasTracker(at)) seen = true;
      if (!isCounted || !seen) {
        if (!state.isBlind && !isQuiet(rule, end)) tell({ outcome: 'blind', to: end, figure: null }, end);
        continue;
      }
      const figure = countOf(byTime, from, end, asOf);
      const usual = [1, 2, 3, 4].map((week) => {
        const ended = instantOf(shownAt(end) - week * 7 * DAY);
        return countOf(byTime, ended - rule.window.minutes * MINUTE, ended, asOf);
      });
      const isMet = meets(rule, figure, usual);
      if (state.isBlind && !isQuiet(rule, end)) tell({ outcome: 'seeing', to: end, figure }, end);
      const outcome =
        isMet && !state.isFiring && end >= state.pausedUntil ? 'fired' : !isMet && state.isFiring ? 'over' : undefined;
      // a window ends when quiet hours do, and tells what they held back
      if (outcome !== undefined && !isQuiet(rule, end)) tell({ outcome, to: end, figure }, end);
    }
  }
  return told;
}

function countOf(byTime: readonly SimulatedHit[], from: number, to: number, asOf: number): number {
  let low = 0;
  let high = byTime.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byTime[middle]!.at < from) low = middle + 1;
    else high = middle;
  }
  let count = 0;
  for (let at = low; at < byTime.length && byTime[at]!.at < to; at++) if (byTime[at]!.receivedAt <= asOf) count++;
  return count;
}

function meets({ compare, threshold, percent, direction, minimum }: Rule, figure: number, usual: readonly number[]) {
  if (compare === 'silence') return figure === 0;
  if (compare === 'below') return figure < threshold!;
  if (compare === 'above') return figure > threshold! && figure >= (minimum ?? 0);
  const [, second = 0, third = 0] = usual.toSorted((a, b) => a - b);
  const median = (second + third) / 2;
  if (figure < (minimum ?? 0) && median < (minimum ?? 0)) return false;
  const isUp = figure > median * (1 + percent! / 100);
  const isDown = figure < median * (1 - percent! / 100);
  return direction === 'up' ? isUp : direction === 'down' ? isDown : isUp || isDown;
}

/** Quiet hours here are within one day. */
function isQuiet({ quietHours }: Rule, at: number): boolean {
  if (!quietHours) return false;
  const shown = new Date(shownAt(at)).toISOString().slice(11, 16);
  return quietHours.from <= shown && shown < quietHours.to;
}
