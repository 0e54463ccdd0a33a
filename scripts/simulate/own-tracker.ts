import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { readRuntime, type Runtime } from '@ledgerline/platform/config/runtime-file';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { appVariables, checkVariables, embeddedVariables } from '../supervisor/environment';
import { loadSecrets } from '../supervisor/secrets';
import type { Options } from './options';

/**
 * Sends through a tracker of this process, on the stores of the running `npm start`, if that is where the traffic goes
 * and its database is the embedded one. This tracker accepts the addresses of simulated visitors, which gives them
 * countries; the running one does so only with TRUST_PROXY.
 */
export async function sendThroughOwnTracker<T>(
  options: Options,
  env: NodeJS.ProcessEnv,
  send: (options: Options) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(env.DATA_DIR?.trim() || '.data');
  const runtime = readRuntime(dataDir);
  const isOfRuntime = runtime?.pids.postgres !== undefined && runtime.trackUrl === options.trackUrl;
  if (!isOfRuntime) return send(options);
  const tracker = await createTracker(settingsOf(dataDir, runtime, env), createLogger('tracker', 'error'));
  try {
    await tracker.listen(0, '127.0.0.1');
    const { port } = tracker.getHttpServer().address() as AddressInfo;
    const trackUrl = `http://127.0.0.1:${port}`;
    return await send({ ...options, trackUrl, shortUrl: options.shortUrl?.replace(options.trackUrl, trackUrl) });
  } finally {
    await tracker.close();
  }
}

function settingsOf(dataDir: string, { databaseUrl, eventStoreUrl }: Runtime, env: NodeJS.ProcessEnv): Settings {
  const store = eventStoreUrl === undefined ? {} : { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl };
  const variables = { ...env, ...store, DATA_DIR: dataDir, TRUST_PROXY: 'loopback' };
  const embedded = embeddedVariables(databaseUrl, loadSecrets(dataDir));
  return loadSettings(appVariables(variables, checkVariables(variables), embedded));
}
