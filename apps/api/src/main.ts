import type { INestApplicationContext } from '@nestjs/common';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { explain, startOrExplain } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { logUnknownEvents } from '@ledgerline/platform/log/log-reader';
import { createLogger, type Logger } from '@ledgerline/platform/logging/logger';
import { Metrics, heapLimitMb } from '@ledgerline/platform/metrics/metrics';
import { startAppWhenUp } from '@ledgerline/platform/processes/start-when-up';
import { LiveRegistry, RegistryRebuilt } from '@ledgerline/platform/registry/live-registry';
import { untilSwitched } from '@ledgerline/platform/table-versions/filled-versions';
import { createApp } from './create-app';
import { Demo } from './operations/demo';

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger('api', settings.logLevel);
  logUnknownEvents(logger);
  await startAppWhenUp('api', settings, { port: settings.apiPort, logger }, () => start(settings, logger));
}

async function start(settings: Settings, logger: Logger): Promise<void> {
  await tablesAnswer(settings, logger);
  const app = await createApp(settings, logger);
  app.get(LiveRegistry).ended.catch((err: unknown) => {
    if (err instanceof RegistryRebuilt) logger.fatal(err.message);
    else logger.fatal({ err }, explain(err) ?? 'the event store cannot be read any more; the process ends');
    process.exit(1);
  });
  app.get(Metrics).observeProcess();
  await app.init();
  if (settings.demo) await createDemo(app, logger);
  await app.listen(settings.apiPort, settings.listenAddress);
  logger.info({ port: settings.apiPort, url: settings.publicApiUrl, heapMb: heapLimitMb() }, 'the api is listening');
}

/** An earlier build answers, also where this one is started beside it, until the projector has switched. */
async function tablesAnswer({ databaseUrl, readDatabaseUrls }: Settings, logger: Logger): Promise<void> {
  const urls = new Set([databaseUrl, ...readDatabaseUrls]);
  const pools = [...urls].map((url) => openPool({ url, name: 'api-start', max: 1, statementTimeoutMs: 4_000 }));
  try {
    const report = () =>
      logger.info('waiting for the projector of this version, which switches to the prepared tables');
    await untilSwitched(pools, report);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** Before the first request, unless the event store is away: then as soon as it is there. */
async function createDemo(app: INestApplicationContext, logger: Logger): Promise<void> {
  const live = app.get(LiveRegistry);
  const created = live.caughtUp
    .then(() => app.get(Demo).createIfFirst())
    .then((demo) => demo && logger.info('the demo was created'));
  if (live.isCaughtUp) await created;
  else
    created.catch((err: unknown) => logger.error({ err }, 'the demo could not be created; the next start tries again'));
}

startOrExplain(main);
