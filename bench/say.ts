const EVERY_MS = 15_000;

/** Tells what is called often now and then, so that nobody wonders whether a long run still goes on. */
export function seldom<Told extends readonly unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  let next = performance.now() + EVERY_MS;
  return (...told) => {
    if (performance.now() < next) return;
    next = performance.now() + EVERY_MS;
    tell(...told);
  };
}
