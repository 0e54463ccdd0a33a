import fc from 'fast-check';

/** Events arrive in any order, cut into batches anywhere, and some of them twice; these are dropped, or logged again. */
export const arrival = fc.record({
  shuffle: fc.nat(),
  batch: fc.integer({ min: 1, max: 25 }),
  again: fc.array(fc.nat(59), { maxLength: 12 }),
  dedupe: fc.constantFrom('48h' as const, 'never' as const),
});
type Arrival = typeof arrival extends fc.Arbitrary<infer Value> ? Value : never;

/** The same order for the same number. */
export function asTheyArrive<T extends { id: string }>(events: readonly T[], { shuffle, again }: Arrival): T[] {
  const key = ({ id }: T, at: number) => ((at + 1) * 2_654_435_761 + shuffle * id.charCodeAt(5)) % 1_000_003;
  const repeated = again.flatMap((at) => events[at] ?? []);
  return [...events, ...repeated]
    .map((event, at) => [key(event, at), event] as const)
    .sort(([a], [b]) => a - b)
    .map(([, event]) => event);
}
