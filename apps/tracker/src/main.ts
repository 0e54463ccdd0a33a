import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { explain, startOrExplain } from '@ledgerline/platform/config/start-failure';
import { logUnknownEvents } from '@ledgerline/platform/log/log-reader';
import { createLogger, type Logger } from '@ledgerline/platform/logging/logger';
import { Metrics, heapLimitMb } from '@ledgerline/platform/metrics/metrics';
import { startAppWhenUp } from '@ledgerline/platform/processes/start-when-up';
import { LiveRegistry, RegistryRebuilt } from '@ledgerline/platform/registry/live-registry';
import { createTracker } from './create-tracker';

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger('tracker', settings.logLevel);
  logUnknownEvents(logger);
  await startAppWhenUp('tracker', settings, { port: settings.trackerPort, logger }, () => start(settings, logger));
}

async function start(settings: Settings, logger: Logger): Promise<void> {
  const app = await createTracker(settings, logger);
  app.get(LiveRegistry).ended.catch((err: unknown) => {
    if (err instanceof RegistryRebuilt) logger.fatal(err.message);
    else logger.fatal({ err }, explain(err) ?? 'the event store cannot be read any more; the process ends');
    process.exit(1);
  });
  app.get(Metrics).observeProcess();
  await app.listen(settings.trackerPort, settings.listenAddress);
  logger.info(
    { port: settings.trackerPort, url: settings.publicTrackUrl, heapMb: heapLimitMb() },
    'the tracker is listening',
  );
}

startOrExplain(main);
