import { HOUR_MS, hoursOf, type Plan } from './calendar';
import type { Hit, Visit } from './visit';

/** One hit reaching the tracker. */
export interface Arrival {
  readonly visit: Visit;
  readonly hit: Hit;
}

/** Every hit of a plan in the order in which it arrives, an hour at a time. */
export const arrivals = (plan: Plan) => inOrderOfArrival(plan, hoursOf(plan));

/** The hits of visits, which are given hour by hour, in the order in which they arrive; only late hits wait in memory. */
export function* inOrderOfArrival(
  plan: Pick<Plan, 'end' | 'days'>,
  visitsByHour: Iterable<readonly Visit[]>,
): Generator<readonly Arrival[]> {
  const waiting = new Map<number, Arrival[]>();
  const lastHour = Math.floor(plan.end / HOUR_MS);
  let hour = Math.floor(plan.end / HOUR_MS) - Math.round(plan.days * 24);
  for (const visits of visitsByHour) {
    for (const visit of visits) {
      for (const hit of visit.hits) if (hit.at <= plan.end) expect(waiting, hourOf(hit), { visit, hit });
    }
    yield inOrder(waiting, hour++);
  }
  for (; hour <= lastHour; hour++) yield inOrder(waiting, hour);

  function hourOf(hit: Hit): number {
    return Math.min(Math.floor(hit.arrives / HOUR_MS), lastHour);
  }
}

function expect(waiting: Map<number, Arrival[]>, hour: number, arrival: Arrival): void {
  const list = waiting.get(hour);
  if (list) list.push(arrival);
  else waiting.set(hour, [arrival]);
}

function inOrder(waiting: Map<number, Arrival[]>, hour: number): readonly Arrival[] {
  const list = waiting.get(hour) ?? [];
  waiting.delete(hour);
  return list.sort((a, b) => a.hit.arrives - b.hit.arrives);
}
