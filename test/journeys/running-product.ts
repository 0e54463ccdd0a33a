import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { startTestApi, type TestApi } from '../api/test-api';
import { freePort } from '../network/free-port';
import { projectInto, type DirectProjector } from '../query/projected-database';

/** Api, tracker and projector in this process, on ports of their own. */
export interface RunningProduct {
  readonly api: TestApi;
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly projector: DirectProjector;
  close(): Promise<void>;
}

export async function startProduct(): Promise<RunningProduct> {
  const apiPort = await freePort();
  const trackerPort = await freePort();
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const trackUrl = `http://127.0.0.1:${trackerPort}`;
  const variables = { PUBLIC_API_URL: apiUrl, PUBLIC_TRACK_URL: trackUrl, MAIL_TO_FILES: '1' };
  const api = await startTestApi(variables, {}, apiPort);
  const tracker = await createTracker(api.settings, createLogger('tracker', 'fatal'));
  await tracker.listen(trackerPort, '127.0.0.1');
  const projector = await projectInto(api.settings.databaseUrl);
  const close = async () => {
    await projector.close();
    await tracker.close();
    await api.close();
  };
  return { api, apiUrl, trackUrl, projector, close };
}
