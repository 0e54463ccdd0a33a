const EVERY_MS = 15_000;

/** Throttles progress messages. */
export function seldom<Told extends readonly unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  let next = performance.now() + EVERY_MS;
  return (...told) => {
    if (performance.now() < next) return;
    next = performance.now() + EVERY_MS;
    tell(...told);
  };
}
