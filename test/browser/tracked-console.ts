import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { freePort } from '../network/free-port';
import { ConsoleScene } from './console-scene';

/** The console with a tracking host and a projector on the same database: what is sent there is shown here. */
export interface TrackedConsole {
  readonly scene: ConsoleScene;
  readonly trackUrl: string;
  /** Projects what is in the logs, as the projector does all the time. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** A test opens pages faster than people do. */
const LIMITS = {
  LIMIT_PUBLIC_PER_MINUTE: '100000',
  LIMIT_API_PER_MINUTE: '100000',
  LIMIT_QUERY_PER_MINUTE: '100000',
  LIMIT_FAILED_AUTH_PER_MINUTE: '100000',
};

export async function openTrackedConsole(): Promise<TrackedConsole> {
  const port = await freePort();
  const trackUrl = `http://127.0.0.1:${port}`;
  const scene = await ConsoleScene.open({ PUBLIC_TRACK_URL: trackUrl, ...LIMITS });
  const { settings } = scene.api;
  const tracker = await createTracker(settings, createLogger('tracker', 'fatal'));
  await tracker.listen(port, '127.0.0.1');
  const close = async () => {
    await scene.browser.close(); // a connection that it holds ready would keep the tracker from closing for half a minute
    await scene.projector.close();
    await tracker.close();
    await scene.api.close();
  };
  return { scene, trackUrl, catchUp: () => scene.projector.catchUp(), close };
}
