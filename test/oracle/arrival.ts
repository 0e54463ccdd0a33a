import fc from 'fast-check';
import { REPEAT_MS } from '@ledgerline/domain/sessions/add-hits';

/** Events arrive in any order, cut into batches anywhere, and some of them twice; these are dropped, or logged again. */
export const arrival = fc.record({
  shuffle: fc.nat(),
  batch: fc.integer({ min: 1, max: 25 }),
  again: fc.array(fc.nat(59), { maxLength: 12 }),
  /** By how much the time of an event of a website differs when it is sent again, ms. */
  moved: fc.integer({ min: -REPEAT_MS, max: REPEAT_MS }),
  dedupe: fc.constantFrom('48h' as const, 'never' as const),
});
type Arrival = typeof arrival extends fc.Arbitrary<infer Value> ? Value : never;

interface Arriving {
  readonly id: string;
  readonly at: number;
  readonly data: object;
}

/** Returns events in an order that is the same for the same number. */
export function asTheyArrive<T extends Arriving>(events: readonly T[], { shuffle, again, moved }: Arrival): T[] {
  const key = ({ id }: T, at: number) => ((at + 1) * 2_654_435_761 + shuffle * id.charCodeAt(5)) % 1_000_003;
  const repeated = again.flatMap((at) => events[at] ?? []);
  const arrived = new Set<T>();
  return [...events, ...repeated]
    .map((event, at) => [key(event, at), event] as const)
    .sort(([a], [b]) => a - b)
    .map(([, event]) => {
      const isFirst = !arrived.has(event);
      arrived.add(event);
      return isFirst || !('websiteId' in event.data) ? event : { ...event, at: event.at + moved };
    });
}
