import { loadSettings } from '@ledgerline/platform/config/settings';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createApp } from '../../../apps/api/src/create-app';
import { Authenticator } from '../../../apps/api/src/identity/auth/authenticator';
import { quantile } from '../statistics';

/** Microseconds. */
export interface Checks {
  readonly p50: number;
  readonly p99: number;
  readonly runs: number;
}

const WARM_UPS = 5_000;
const RUNS = 50_000;

/** A separate process that does everything an api does to check a key, except HTTP. */
async function main(secret: string): Promise<Checks> {
  const app = await createApp(loadSettings(process.env), createLogger('api', 'silent'));
  await app.init();
  const authenticator = app.get(Authenticator);
  const ask = async (key: string) => (await authenticator.callerOf({ 'x-api-key': key }))?.kind;
  const changed = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  if ((await ask(changed)) !== undefined) throw new Error('A key that does not exist was not refused.');
  const took: number[] = [];
  for (let at = -WARM_UPS; at < RUNS; at++) {
    const startedAt = performance.now();
    const kind = await ask(secret);
    if (at >= 0) took.push((performance.now() - startedAt) * 1000);
    if (kind !== 'key') throw new Error('The key was refused.');
  }
  await app.close();
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), runs: RUNS };
}

void main(process.argv[2] ?? '').then((checks) => process.send?.(checks, () => process.exit(0)));
