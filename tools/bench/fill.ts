import type { IntakeItem, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { arrivals, type Arrival } from '../traffic/arrivals';
import type { Plan } from '../traffic/calendar';
import { observe, type Subjects } from '../traffic/observe';
import { HITS_PER_VISIT } from '../traffic/visit';

export const DAYS = 90;
const VISITORS = 300_000;
const CHUNK = 4_000;

/** 90 days up to now with at least so many events; the visitors fewer where there are too few events for all. */
export const planFor = (events: number, seed = 1): Plan => ({
  seed,
  end: Date.now(),
  days: DAYS,
  visitors: Math.min(VISITORS, Math.floor(events / (HITS_PER_VISIT * 1.01))),
  visits: Math.ceil((events / HITS_PER_VISIT) * 1.03),
});

/** The arrivals of a plan, or the first so many, in pieces. */
export function* piecesOf(plan: Plan, events = Infinity): Generator<readonly Arrival[]> {
  let piece: Arrival[] = [];
  let left = events;
  for (const hour of arrivals(plan)) {
    for (const arrival of hour) {
      piece.push(arrival);
      left--;
      if (left > 0 && piece.length < CHUNK) continue;
      yield piece;
      if (left <= 0) return;
      piece = [];
    }
  }
  if (piece.length > 0) yield piece;
}

/**
 * Sends traffic through the intake log as the tracker would, the visits spread over the subjects, and returns how many
 * events there were. Without deduplication: all of them are new.
 */
export async function fill(
  log: Pick<IntakeLog, 'send'>,
  subjects: readonly [Subjects, ...Subjects[]],
  pieces: Iterable<readonly Arrival[]>,
  onPiece: (events: number) => void = () => undefined,
): Promise<number> {
  let sent = 0;
  let previous: Promise<unknown> = Promise.resolve();
  for (const piece of pieces) {
    const hits = piece.map((arrival) => hitOf(arrival, subjects));
    await previous; // one piece is being written while the next is made
    previous = log.send(hits);
    previous.catch(() => undefined); // it is awaited above or below
    sent += hits.length;
    onPiece(sent);
  }
  await previous;
  return sent;
}

function hitOf(arrival: Arrival, subjects: readonly [Subjects, ...Subjects[]]): IntakeItem {
  const about = subjects[arrival.visit.number % subjects.length] ?? subjects[0];
  const event = observe(arrival, about);
  return { event, subject: event.type === 'LinkClicked' ? about.linkId : about.websiteId, dedupe: 'never' };
}

const DAY_MS = 86_400_000;

/** The range that is asked for: the days of the traffic, up to its last. */
export const lastDays = ({ end, days }: Pick<Plan, 'end' | 'days'>) => ({
  startDate: new Date(end - (days - 1) * DAY_MS).toISOString().slice(0, 10),
  endDate: new Date(end).toISOString().slice(0, 10),
});
