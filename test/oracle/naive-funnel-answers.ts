import type { ConditionDefinition, FunnelDefinition } from '@ledgerline/contracts/definitions';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { conversionsIn, everyEvent, isMet, valueOf, type Happened } from './naive-conditions';
import { buckets, median, percent, type NaiveRequest } from './naive-request';
import { select } from './naive-selection';
import { inOrder } from './naive-sessions';
import { byCodePoints, type Row } from './naive-website-answers';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const windowOf = ({ window }: FunnelDefinition): number => {
  const text = window ?? '7d';
  return Number(text.slice(0, -1)) * UNITS[text.slice(-1)]!;
};

/** All events of each visitor or session, in order. */
function histories(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  { per = 'visitor' }: FunnelDefinition,
) {
  const owners = new Map<unknown, Happened[]>();
  for (const happened of everyEvent(events, request)) {
    const owner = per === 'visitor' ? happened.event.data.visitorId : happened.session;
    if (owner === null || owner === undefined) continue;
    owners.set(owner, [...(owners.get(owner) ?? []), happened]);
  }
  return [...owners.values()].map((own) => own.sort((a, b) => inOrder(a.event, b.event)));
}

/** The events that meet the steps, one after the other, from where an attempt begins. */
function attempt(history: readonly Happened[], begin: number, funnel: FunnelDefinition): Happened[] {
  const first = history[begin]!;
  const met = [first];
  let at = begin;
  for (const { condition } of funnel.steps.slice(1)) {
    const later = history.map((happened, nth) => ({ happened, nth })).filter(({ nth }) => nth > at);
    const candidates =
      funnel.order === 'strict' ? later.filter(({ happened }) => mayLieBetween(happened, funnel)).slice(0, 1) : later;
    const next = candidates.find(({ happened }) => isMet(happened, condition));
    if (!next || next.happened.event.at > first.event.at + windowOf(funnel)) break;
    met.push(next.happened);
    at = next.nth;
  }
  return met;
}

/** Page views, custom events, and all that a step names. */
function mayLieBetween(happened: Happened, { steps }: FunnelDefinition): boolean {
  const kinds: ConditionDefinition['kind'][] = ['page', 'event', ...steps.map(({ condition }) => condition.kind)];
  return kinds.some((kind) => isMet(happened, { kind }));
}

/** The first of the deepest attempts of each visitor or session. */
function deepest(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  funnel: FunnelDefinition,
  has: (at: number) => boolean = () => true,
) {
  const selected = new Set(
    conversionsIn(select(events, request), funnel.steps[0]!.condition).map(({ event }) => event),
  );
  return histories(events, request, funnel).flatMap((history) => {
    const attempts = history.flatMap(({ event }, nth) =>
      selected.has(event) && has(event.at) ? [attempt(history, nth, funnel)] : [],
    );
    const depth = Math.max(...attempts.map(({ length }) => length));
    return attempts.filter(({ length }) => length === depth).slice(0, 1);
  });
}

function rowsOf(attempts: readonly Happened[][], { steps }: FunnelDefinition): Row[] {
  const reached = (step: number) => attempts.filter(({ length }) => length > step);
  return steps.map(({ name }, step) => {
    const own = reached(step).length;
    return {
      step: step + 1,
      name: name ?? `Step ${step + 1}`,
      reached: own,
      dropped: step + 1 < steps.length ? own - reached(step + 1).length : 0,
      percentage: percent(own, attempts.length),
      percentage_of_previous: percent(own, step === 0 ? own : reached(step - 1).length),
      median_seconds:
        step === 0
          ? null
          : inSeconds(median(reached(step).map((met) => met[step]!.event.at - met[step - 1]!.event.at))),
    };
  });
}

const inSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);

export function naiveFunnel(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  funnel: FunnelDefinition,
  by?: string,
): Row[] {
  const attempts = deepest(events, request, funnel);
  if (by === undefined) return rowsOf(attempts, funnel).map((row) => ({ value: null, ...row }));
  const values = [...new Set(attempts.map(([first]) => valueOf(first!, by)))];
  const blocks = values.map((value) => {
    const own = attempts.filter(([first]) => valueOf(first!, by) === value);
    return { value: value === '' ? '(none)' : value, size: own.length, rows: rowsOf(own, funnel) };
  });
  return blocks
    .sort((a, b) => b.size - a.size || byCodePoints(a, b, 'value'))
    .flatMap(({ value, rows }) => rows.map((row) => ({ value, ...row })));
}

export const naiveFunnelByDay = (
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  funnel: FunnelDefinition,
): Row[] =>
  buckets(request).map((bucket) => {
    const attempts = deepest(events, request, funnel, (at) => bucket.has(at));
    const completed = attempts.filter(({ length }) => length === funnel.steps.length).length;
    return {
      date: bucket.date,
      entered: attempts.length,
      completed,
      conversion_rate: percent(completed, attempts.length),
    };
  });

export function naiveFunnelVisitors(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  funnel: FunnelDefinition,
  { step, state }: { step: number; state: 'reached' | 'dropped' },
): Row[] {
  return deepest(events, request, funnel)
    .filter(
      ({ length }) => length >= step && (state === 'reached' || (length < step + 1 && step < funnel.steps.length)),
    )
    .filter(([first]) => first!.event.data.visitorId !== null)
    .map((met) => ({
      visitor_id: met[0]!.event.data.visitorId,
      reached: met.length,
      first_at: new Date(met[0]!.event.at).toISOString(),
      last_at: new Date(met.at(-1)!.event.at).toISOString(),
    }));
}
