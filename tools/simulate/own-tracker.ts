import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import { dataDirOf, readRuntime, type Runtime } from '@ledgerline/platform/config/runtime-file';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { periodOf } from '@ledgerline/platform/salts/visitor-salts';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import type { IntakeDeps } from '../../apps/tracker/src/intake/intake-context';
import { type RedirectDeps, clickOf } from '../../apps/tracker/src/redirect/redirect.controller';
import { INTAKE_DEPS, INTAKE_LOG, REDIRECT_DEPS } from '../../apps/tracker/src/tokens';
import { readAgent } from '../../apps/tracker/src/visitors/user-agent';
import { appVariables, checkVariables, embeddedVariables } from '../../scripts/supervisor/environment';
import { loadSecrets } from '../../scripts/supervisor/secrets';
import type { Options } from './options';
import type { Request } from './requests';
import type { Reply } from './sender';

/** Two months are sent within a minute. */
const NO_LIMIT = { LIMIT_EVENTS_PER_KEY_PER_MINUTE: '10000000' };

/** Records a click on the short link when it happened; a request for it would be one of now. */
export type Follow = (request: Request) => Promise<Reply>;

/**
 * Sends through a tracker of this process, on the stores of the running `npm start`, if that is where the traffic goes
 * and its database is the embedded one. This tracker accepts the addresses of simulated visitors, which gives them
 * countries (the running one does so only with TRUST_PROXY), and clicks of the past go to the intake log as in imports.
 */
export async function sendThroughOwnTracker<T>(
  options: Options,
  env: NodeJS.ProcessEnv,
  send: (options: Options, follow?: Follow) => Promise<T>,
): Promise<T> {
  const dataDir = dataDirOf(env);
  const runtime = readRuntime(dataDir);
  const isOfRuntime = runtime?.pids.postgres !== undefined && runtime.trackUrl === options.trackUrl;
  if (!isOfRuntime) return send(options);
  const tracker = await createTracker(settingsOf(dataDir, runtime, env), createLogger('tracker', 'error'));
  try {
    await tracker.listen(0, '127.0.0.1');
    const { port } = tracker.getHttpServer().address() as AddressInfo;
    const trackUrl = `http://127.0.0.1:${port}`;
    return await send({ ...(await withinOrganization(options, tracker)), trackUrl }, follower(options, tracker));
  } finally {
    await tracker.close();
  }
}

/** Without key and link, if they are those of another organization than the website. @throws StartFailure */
async function withinOrganization(options: Options, tracker: NestFastifyApplication): Promise<Options> {
  const { registry } = tracker.get<IntakeDeps>(INTAKE_DEPS);
  const website = await registry.website(options.websiteId);
  if (website === undefined) throw new StartFailure(`There is no website ${options.websiteId}.`);
  const caller = options.apiKey === undefined ? undefined : await registry.caller(options.apiKey);
  if (caller?.organizationId === website.organizationId) return options;
  return { ...options, apiKey: undefined, shortUrl: undefined };
}

function follower({ shortUrl = '' }: Options, tracker: NestFastifyApplication): Follow {
  const { links, geo, salts } = tracker.get<RedirectDeps>(REDIRECT_DEPS);
  const log = tracker.get<IntakeSender>(INTAKE_LOG);
  const slug = shortUrl.slice(shortUrl.lastIndexOf('/') + 1);
  return async ({ items: [item], headers }) => {
    const link = links.cached(slug) ?? (await links.inStore(slug));
    if (link === undefined || item === undefined) return { status: 404, body: '' };
    const address = headers['X-Forwarded-For'] ?? '';
    const userAgent = headers['User-Agent'] ?? '';
    const id = derivedEventId(link.id, 'LinkClicked', item.eventId);
    const visit = { link, id, at: item.timestamp, address, userAgent, agent: readAgent(userAgent), query: '' };
    // the salts of past days are destroyed
    const salt = salts.saltFor(link.organizationId, periodOf(Date.now(), 'daily'));
    const click = clickOf({ ...visit, referrer: headers['Referer'] }, geo.locate(address), salt);
    const event = { ...click, receivedAt: Date.now() };
    await log.send([{ event, subject: link.id, dedupe: 'forever' }]);
    return { status: 302, body: '' };
  };
}

function settingsOf(dataDir: string, { databaseUrl, eventStoreUrl }: Runtime, env: NodeJS.ProcessEnv): Settings {
  const store = eventStoreUrl === undefined ? {} : { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl };
  const variables = { ...NO_LIMIT, ...env, ...store, DATA_DIR: dataDir, TRUST_PROXY: 'loopback' };
  const embedded = embeddedVariables(databaseUrl, loadSecrets(dataDir));
  return loadSettings(appVariables(variables, checkVariables(variables), embedded));
}
