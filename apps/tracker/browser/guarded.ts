const warned: string[] = [];

/** Says once on the console what was not counted, for the people who build the page. */
export function warn(what: unknown): void {
  const text = String(what).slice(0, 500);
  if (warned.includes(text) || warned.push(text) > 50) return;
  try {
    console.warn(`ledgerline: ${text}`);
  } catch {
    // a page without a console
  }
}

/** Returns what it returns, or undefined where it fails: pages replace what browsers have built in. */
export function tryOrUndefined<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

/** Returns the same function, whose failure is never an error of the page. */
export const withoutThrowing =
  <Parameters extends unknown[]>(run: (...parameters: Parameters) => void) =>
  (...parameters: Parameters): void =>
    tryOrUndefined(() => run(...parameters));

/** Listens on the window, where nothing of a page stops an event before. */
export const listen = <Name extends keyof Events>(
  name: Name,
  handle: (event: Events[Name]) => void,
  options?: AddEventListenerOptions,
): void => addEventListener(name, withoutThrowing(handle as (event: Event) => void), options);

type Events = WindowEventMap & DocumentEventMap;
