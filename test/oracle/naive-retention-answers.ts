import { DateTime } from 'luxon';
import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { conversionsIn, everyEvent, isMet } from './naive-conditions';
import { dateOf, percent, type NaiveRequest } from './naive-request';
import { select } from './naive-selection';
import { inOrder } from './naive-sessions';
import type { Row } from './naive-website-answers';

export interface NaiveRetention {
  readonly first?: ConditionDefinition | undefined;
  readonly again?: ConditionDefinition | undefined;
  readonly period: 'day' | 'week' | 'month';
  readonly periods: number;
  readonly mode: 'on' | 'from';
}

/** The first day of the period of a time, or of one so many later. */
function periodOf(at: number, zone: string, unit: NaiveRetention['period'], later = 0): string {
  const day = DateTime.fromISO(dateOf(at, zone), { zone: 'UTC' });
  return day
    .startOf(unit)
    .plus({ [`${unit}s`]: later })
    .toISODate()!;
}

export function naiveRetention(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  { first, again = { kind: 'page' }, period, periods, mode }: NaiveRetention,
  zone: string,
): Row[] {
  const every = everyEvent(events, request).map(({ event }) => event);
  const selection = select(events, request);
  const selected = new Set<WebsiteObservedEvent>(
    conversionsIn(selection, first ?? { kind: 'page' }).map(({ event }) => event),
  );
  const visitors = [...new Set(every.map(({ data }) => data.visitorId))].filter((visitor) => visitor !== null);
  const begun = visitors.flatMap((visitor) => {
    const own = every.filter(({ data }) => data.visitorId === visitor).sort(inOrder);
    const begin = first
      ? own.find((event) => selected.has(event))
      : own
          .filter(({ type }) => type === 'PageViewed')
          .slice(0, 1)
          .find((event) => selected.has(event));
    if (!begin) return [];
    const returns = own
      .filter((event) => isMet({ event, session: undefined }, again))
      .map(({ at }) => periodOf(at, zone, period));
    return [{ cohort: periodOf(begin.at, zone, period), returns }];
  });
  const cohorts = [...new Set(begun.map(({ cohort }) => cohort))].sort();
  const present = periodOf(request.now, zone, period);
  return cohorts.flatMap((cohort) => {
    const own = begun.filter((each) => each.cohort === cohort);
    return Array.from({ length: periods }, (_, nth) => nth).flatMap((nth) => {
      const then = periodOf(Date.parse(cohort), 'UTC', period, nth);
      if (then > present) return [];
      const hasReturned = (at: string) => (mode === 'on' ? at === then : at >= then);
      const retained = own.filter(({ returns }) => nth === 0 || returns.some(hasReturned)).length;
      return [{ cohort, period: nth, visitors: own.length, retained, percentage: percent(retained, own.length) }];
    });
  });
}
