import { pause } from '@ledgerline/platform/log/timing';

/** So many seals are looked at a second: 1,000 organizations in six seconds, more in proportion. */
const LOOKS_PER_SECOND = 160;
const LOOKS = 16;
/** From the beginning of one sweep to that of the next, ms. */
const SWEEP_MS = 2_000;
/** After that long all of a stream's seals count as unseen, ms. */
const FORGET_MS = 60_000;

interface SweepParts {
  readonly organizations: () => Iterable<string>;
  /** Once before each sweep. */
  readonly prepare: () => Promise<void>;
  readonly look: (organization: string) => Promise<void>;
  /** Called now and then: what was seen before is looked at as if for the first time. */
  readonly forget: () => void;
  readonly onError: (error: unknown) => Promise<void>;
}

/** Looks at the seals of all organizations, again and again, those without new events too, until it is stopped. */
export async function sweepSeals(parts: SweepParts, signal: AbortSignal): Promise<void> {
  let forgetAt = performance.now() + FORGET_MS;
  while (!signal.aborted) {
    const nextAt = performance.now() + SWEEP_MS;
    if (performance.now() > forgetAt) {
      parts.forget();
      forgetAt = performance.now() + FORGET_MS;
    }
    try {
      await parts.prepare();
      await sweep(parts, signal);
    } catch (error) {
      await parts.onError(error);
    }
    await pause(Math.max(nextAt - performance.now(), 0), signal);
  }
}

async function sweep({ organizations, look }: SweepParts, signal: AbortSignal): Promise<void> {
  const all = [...organizations()];
  for (let at = 0; at < all.length; at += LOOKS) {
    const nextAt = performance.now() + (LOOKS / LOOKS_PER_SECOND) * 1_000;
    for (const organization of all.slice(at, at + LOOKS)) {
      if (signal.aborted) return;
      await look(organization);
    }
    await pause(Math.max(nextAt - performance.now(), 0), signal);
  }
}
