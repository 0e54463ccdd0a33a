const EVERY_MS = 15_000;

/** Throttles progress messages. */
export function throttled<Arguments extends readonly unknown[]>(
  report: (...args: Arguments) => void,
): (...args: Arguments) => void {
  let next = performance.now() + EVERY_MS;
  return (...args) => {
    if (performance.now() < next) return;
    next = performance.now() + EVERY_MS;
    report(...args);
  };
}
