import { waitUntil } from '../wait-until';

const TIMEOUT_MS = 20_000;

/** The reply that came back. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Undefined where nobody answered, or not to the end. */
export async function send(url: string, init: RequestInit): Promise<Reply | undefined> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Longer than the longest outage of `npm run prove`. */
const PATIENCE_MS = 600_000;

/** Tries again, as clients do, until it is taken; every try but the last is reported. */
export const untilTaken = <T>(attempt: () => Promise<T>, onRepeat: () => void) =>
  waitUntil(
    async () => {
      const taken = await attempt();
      if (taken === undefined || taken === false) onRepeat();
      return taken;
    },
    undefined,
    PATIENCE_MS,
  );
