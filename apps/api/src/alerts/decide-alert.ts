import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { AlertDecided, AlertReason } from '@ledgerline/contracts/events/observed-events';
import { type WindowShape, nextWindow, windowsBetween } from '@ledgerline/domain/alerts/alert-windows';
import {
  type AlertProgress,
  type DecidedWindow,
  type ToldWindow,
  type WindowFigures,
  decideWindow,
  releaseHeld,
} from '@ledgerline/domain/alerts/decide-window';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { dayOf } from '@ledgerline/domain/time/zones';

/** An alert as it decides; times in epoch ms. */
export interface DecidingAlert {
  readonly id: string;
  readonly details: AlertDetails;
  readonly shape: WindowShape;
  readonly state: AlertState;
}

/** How far an alert has decided; times in epoch ms. */
export interface AlertState {
  /** Of the record, with the rule that decides. */
  readonly revision: number;
  readonly decidedUntil: number;
  readonly progress: AlertProgress;
  readonly verdict: DecidedWindow['verdict'] | null;
  readonly tally: Tally | null;
}

/** The windows of a day that told nothing. */
interface Tally extends InstantRange {
  readonly day: string;
  readonly quiet: number;
  readonly undecided: number;
}

/** What can be seen of the windows of an alert. */
export interface Sight {
  /** Epoch ms: everything that had arrived by then was counted. */
  readonly asOf: number;
  /** Clicks wait on the disk of a tracker. */
  readonly hasSpooledClicks: boolean;
  /** A tracker was seen in a window. */
  readonly hasTracker: (window: InstantRange) => boolean;
}

/** What is to be stored at once: a state, and the events that it rests on. */
export interface Decisions {
  readonly state: AlertState;
  /** Epoch ms of the next decision. */
  readonly dueAt: number;
  readonly events: readonly AlertDecided[];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** So long after its time a window that cannot be seen is decided as such. */
export const BLIND_AFTER_MS = 10 * MINUTE_MS;
/** What is told of windows that are decided later than that is told in one message. */
const LATE_MS = 60 * MINUTE_MS;
/** Windows that are decided at once, more than a week has. */
const MAX_WINDOWS = 2_500;
/** Until what arrived is counted, it is looked for again. */
const RETRY_MS = SECOND_MS;

/** The windows that are to be decided at a time, the earliest first. */
export const dueWindows = ({ details, shape, state }: DecidingAlert, now: number): readonly InstantRange[] =>
  windowsBetween(shape, state.decidedUntil, now - details.graceSeconds * SECOND_MS).slice(0, MAX_WINDOWS);

/** Decides on windows in their order, up to the first that has to wait for what arrived to be counted. */
export function decideAlert(
  alert: DecidingAlert,
  windows: readonly WindowFigures[],
  sight: Sight,
  now: number,
): Decisions {
  const { details, shape, state } = alert;
  const graceMs = details.graceSeconds * SECOND_MS;
  const events = new DecidedEvents(alert, sight.asOf, now);
  let { progress, decidedUntil, verdict } = state;
  let isWaiting = false;
  for (const window of windows) {
    const why = blindness(alert, window, sight);
    if (why !== null && why !== 'no_tracker' && now < window.to + graceMs + BLIND_AFTER_MS) {
      isWaiting = true;
      break;
    }
    const decided = decideWindow(details, shape.zone, progress, { ...window, why, asOf: sight.asOf });
    ({ progress, verdict } = decided);
    decidedUntil = window.to;
    events.tell(decided.told);
    events.tally(window, decided);
  }
  const next = nextWindow(shape, decidedUntil);
  const released = releaseHeld(details, progress, Math.min(now - graceMs, next.to - 1));
  events.tell(released.told);
  const nextAt = Math.min(next.to, released.progress.held?.until ?? Infinity) + graceMs;
  return {
    state: { ...state, progress: released.progress, decidedUntil, verdict, tally: events.rest },
    dueAt: isWaiting ? now + RETRY_MS : nextAt,
    events: events.all(),
  };
}

/** The end of what was told as the beginning, where the rule is another one from a time on, or is not enabled any more. */
export function endOfRule(alert: Omit<DecidingAlert, 'shape'>, changedAt: number, now: number): AlertDecided[] {
  const { firingSince } = alert.state.progress;
  if (firingSince === null) return [];
  const over = { from: firingSince, to: changedAt, toldAt: changedAt, figure: null, usual: null };
  return [decidedEvent(alert, { ...over, outcome: 'over', asOf: now, why: 'changed', windows: 1, told: 1 }, now)];
}

function blindness(
  { details }: DecidingAlert,
  window: InstantRange,
  { asOf, hasSpooledClicks, hasTracker }: Sight,
): AlertReason | null {
  if (asOf < window.to + details.graceSeconds * SECOND_MS) return 'behind';
  if (hasSpooledClicks && details.linkId !== null) return 'spooled';
  return hasTracker(window) ? null : 'no_tracker';
}

/** The events of windows that are decided at once. */
class DecidedEvents {
  private readonly told: AlertDecided[] = [];
  private readonly counted: AlertDecided[] = [];
  private day: Tally | null;

  constructor(
    private readonly alert: DecidingAlert,
    private readonly asOf: number,
    private readonly now: number,
  ) {
    this.day = alert.state.tally;
  }

  /** What is counted of a day that is not over. */
  get rest(): Tally | null {
    return this.day;
  }

  tell(told: readonly ToldWindow[]): void {
    const { asOf, now, alert } = this;
    for (const each of told)
      this.told.push(decidedEvent(alert, { ...each, asOf: each.asOf ?? asOf, windows: 1, told: 1 }, now));
  }

  /** Counts a window that told nothing; those of a day that is over become events. */
  tally({ from, to }: InstantRange, { verdict, told }: DecidedWindow): void {
    const day = dayOf(to - 1, this.alert.shape.zone);
    if (this.day && this.day.day !== day) this.close(this.day);
    const known = this.day?.day === day ? this.day : { day, from, to, quiet: 0, undecided: 0 };
    const isUndecided = verdict === 'undecided';
    this.day = {
      ...known,
      to,
      quiet: known.quiet + (told.length === 0 && !isUndecided ? 1 : 0),
      undecided: known.undecided + (told.length === 0 && isUndecided ? 1 : 0),
    };
  }

  /** What is told late is told with the last of it. */
  all(): readonly AlertDecided[] {
    const late = this.told.filter(
      ({ data }) => this.now - data.toldAt > LATE_MS + this.alert.details.graceSeconds * SECOND_MS,
    );
    const told = this.told.map((event) => {
      if (!late.includes(event)) return event;
      return { ...event, data: { ...event.data, told: event === late.at(-1) ? late.length : 0 } };
    });
    return [...told, ...this.counted];
  }

  private close({ from, to, ...tally }: Tally): void {
    const { alert, asOf, now } = this;
    for (const outcome of ['quiet', 'undecided'] as const) {
      const windows = tally[outcome];
      const none = { figure: null, usual: null, why: null, toldAt: to };
      if (windows > 0)
        this.counted.push(decidedEvent(alert, { ...none, from, to, outcome, asOf, windows, told: 0 }, now));
    }
  }
}

function decidedEvent(
  { id: alertId, details, state }: Omit<DecidingAlert, 'shape'>,
  decision: Omit<AlertDecided['data'], 'organizationId' | 'alertId' | 'websiteId' | 'linkId' | 'revision'>,
  now: number,
): AlertDecided {
  const { organizationId, websiteId, linkId } = details;
  const { revision } = state;
  const { outcome, to } = decision;
  return {
    type: 'AlertDecided',
    id: derivedEventId(alertId, 'AlertDecided', `${revision} ${to} ${outcome}`),
    at: to,
    receivedAt: now,
    data: { organizationId, alertId, websiteId, linkId, revision, ...decision },
  };
}
