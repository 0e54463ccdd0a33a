import { migrate } from '@ledgerline/platform/database/migrate';
import type { Settings } from '@ledgerline/platform/config/settings';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { appService } from '../../scripts/supervisor/app-service';
import { openDataDirectory } from '../../scripts/supervisor/data-directory';
import { appVariables, checkVariables, embeddedVariables } from '../../scripts/supervisor/environment';
import { LogFile } from '../../scripts/supervisor/log-file';
import { openCluster } from '../../scripts/supervisor/postgres/cluster';
import { embeddedUrl, choosePort, postgresService } from '../../scripts/supervisor/postgres/embedded';
import { loadSecrets } from '../../scripts/supervisor/secrets';
import type { Service } from '../../scripts/supervisor/service';
import { cpuSeconds } from './cpu-time';
import { freePort } from '../../scripts/supervisor/ports';
import { register, type Registered } from './register';

/** An app that runs until it is stopped. */
export interface RunningApp {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export type AppName = 'api' | 'tracker' | 'projector';

/** dist/, as this file is compiled to dist/bench/installation. */
export const DIST = dirname(dirname(__dirname));

/**
 * The product in a temporary directory: the embedded Postgres with production flags, and each app as a separate process
 * without effective rate limits.
 */
export class Installation {
  private static readonly opened = new Set<Installation>();
  private readonly running = new Set<Service>();

  private constructor(
    private readonly folder: string,
    private readonly postgres: Service,
    /** Environment variables of its processes. */
    readonly env: NodeJS.ProcessEnv,
    readonly databaseUrl: string,
    readonly registered: Registered,
    private readonly profileTo: string | undefined,
  ) {}

  /**
   * With a folder for profiles, every app writes a CPU profile there when it stops. With the address of an EventStoreDB,
   * decided events are there.
   */
  static async open(websites: number, profileTo?: string, eventStoreUrl?: string): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-bench-'));
    const given = variables(folder, eventStoreUrl);
    const settings = checkVariables(given);
    openDataDirectory(folder);
    const secrets = loadSecrets(folder);
    const cluster = await openCluster(folder, secrets.postgresPassword, () => undefined);
    const port = await choosePort(folder);
    const url = embeddedUrl(port, secrets.postgresPassword);
    const host = join(DIST, 'scripts', 'supervisor', 'postgres', 'host.js');
    const log = new LogFile(join(folder, 'logs'), 'postgres');
    const postgres = postgresService({ cluster, port, url, host, dataDir: folder, log });
    await ready(postgres);
    await migrate(url);
    const env = appVariables(given, settings, embeddedVariables(url, secrets));
    const registered = await register({ databaseUrl: url, eventStoreUrl }, secrets.keyPepper, websites);
    const installation = new Installation(folder, postgres, env, url, registered, profileTo);
    Installation.opened.add(installation);
    return installation;
  }

  /** `preload` is a module that the process requires before the app. */
  async start(name: AppName, { preload, ...more }: { preload?: string } & NodeJS.ProcessEnv = {}): Promise<RunningApp> {
    const port = await freePort();
    const preloads = [preload, this.profileTo && join(__dirname, 'profiler.js')].filter((file) => file !== undefined);
    const options = preloads.map((file) => `--require ${file}`).join(' ');
    const ports = { API_PORT: String(name === 'api' ? port : 1), TRACKER_PORT: String(name === 'tracker' ? port : 2) };
    const service = appService({
      name,
      dataDir: this.folder,
      entry: join(DIST, 'apps', name, 'src', 'main.js'),
      env: { ...this.env, ...ports, NODE_OPTIONS: options, PROFILE_TO: this.profileTo, ...more },
      log: new LogFile(join(this.folder, 'logs'), name),
      preload: join(DIST, 'scripts', 'supervisor', 'leave-with-parent.js'),
      ...(name === 'projector' ? {} : { healthUrl: `http://127.0.0.1:${port}/health` }),
    });
    this.running.add(service);
    await ready(service);
    const stop = async () => {
      await service.stop();
      this.running.delete(service);
    };
    return { url: `http://127.0.0.1:${port}`, pid: service.pid ?? 0, stop };
  }

  /** Of the database, the apps that run, and further processes. */
  cpuSeconds(...others: readonly number[]): number {
    return cpuSeconds([...[this.postgres, ...this.running].flatMap(({ pid }) => pid ?? []), ...others]);
  }

  /** For a bench that is interrupted. */
  static async closeAll(): Promise<void> {
    await Promise.all([...Installation.opened].map((installation) => installation.close()));
  }

  async close(): Promise<void> {
    Installation.opened.delete(this);
    for (const service of this.running) await service.stop();
    await this.postgres.stop();
    rmSync(realpathSync(join(this.folder, 'postgres')), { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves when it is ready; fails when it keeps failing. */
async function ready(service: Service): Promise<void> {
  const ended = service.run();
  ended.catch(() => undefined); // a later failure appears in what is measured then
  await Promise.race([service.whenReady(), ended]);
}

const LIMITS = [
  'QUERY_PER_MINUTE',
  'API_PER_MINUTE',
  'PUBLIC_PER_MINUTE',
  'FLAGS_PER_KEY_PER_MINUTE',
  'EVENTS_PER_KEY_PER_MINUTE',
  'REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE',
  'REDIRECTS_PER_IP_PER_MINUTE',
] as const;

function variables(folder: string, eventStoreUrl: string | undefined): NodeJS.ProcessEnv {
  const limits = LIMITS.map((name) => [`LIMIT_${name}`, '1000000000'] as const);
  return {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    LISTEN_ADDRESS: '127.0.0.1',
    LOG_LEVEL: 'warn' satisfies Settings['logLevel'],
    LEDGERLINE_DEMO: '0',
    ...(eventStoreUrl === undefined ? {} : { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl }),
    ...Object.fromEntries(limits),
  };
}
