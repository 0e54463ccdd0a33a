import { guarded } from './guarded';
import type { Item } from './outbox';

/** What a page's own code may call; it does nothing for visitors who do not want to be counted. */
export interface Ledgerline {
  track(name: string, properties?: Item): void;
  identify(profileId: string | number | bigint, traits?: Item): void;
  /** What follows is of another visitor, who is not identified. */
  reset(): void;
}

type Call = readonly [name: keyof Ledgerline, ...values: unknown[]];

/**
 * Makes the functions public, then the calls that the page's stub has queued, in order. Functions of the stub which the
 * page has taken for itself still push to the queue, so from now on that is a call.
 */
export function publish(ledgerline: Ledgerline): void {
  const page = window as { ledgerline?: { readonly queue?: unknown } };
  const queue = page.ledgerline?.queue;
  const queued: readonly unknown[] = Array.isArray(queue) ? queue : [];
  const push = guarded((call: unknown) => {
    if (!Array.isArray(call)) return;
    const [name, ...values] = call as unknown as Call;
    (ledgerline[name] as ((...values: unknown[]) => void) | undefined)?.(...values);
  });
  const stub = Array.isArray(queue) ? page.ledgerline : {};
  page.ledgerline = Object.assign(stub ?? {}, ledgerline, { queue: { push } });
  queued.forEach((call) => push(call));
}
