import type { RunningApp } from '../installation/installation';
import type { FlagClient } from './flag-client';

const CHANGES = 100;
const GIVE_UP_MS = 30_000;

export interface Changes {
  /** Milliseconds from the response to a change until another process answers with it. */
  readonly took: readonly number[];
}

/** Changes a flag, and asks another api for it until it has the change. @throws Error when it does not get it */
export async function changesSeenElsewhere(client: FlagClient, other: RunningApp): Promise<Changes> {
  const id = await client.create({ key: 'changing', defaultValue: true });
  const took: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    await client.change(id, { payload: change });
    const changedAt = performance.now();
    while ((await payloadAt(other, client.websiteId)) !== change)
      if (performance.now() - changedAt > GIVE_UP_MS) throw new Error(`Change ${change} was not seen elsewhere.`);
    took.push(performance.now() - changedAt);
  }
  return { took };
}

async function payloadAt({ url }: RunningApp, websiteId: string): Promise<unknown> {
  const answer = await fetch(`${url}/public/v1/flags/evaluate?clientId=${websiteId}&key=changing`);
  return ((await answer.json()) as { payload?: unknown }).payload;
}
