import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@ledgerline/platform/database/migrate';
import { appService } from '../../scripts/supervisor/app-service';
import { appVariables, checkVariables, embeddedVariables } from '../../scripts/supervisor/environment';
import { LogFile } from '../../scripts/supervisor/log-file';
import { openCluster } from '../../scripts/supervisor/postgres/cluster';
import {
  embeddedUrl,
  choosePort,
  postgresService,
  type EmbeddedPostgres,
} from '../../scripts/supervisor/postgres/embedded';
import { loadSecrets } from '../../scripts/supervisor/secrets';
import type { RestartPolicy, Service } from '../../scripts/supervisor/service';
import { openDataDirectory } from '../../scripts/supervisor/start';
import { build, root } from '../journeys/product';
import { freePort } from '../network/free-port';

export type AppName = 'api' | 'tracker' | 'projector';

/** The number of processes of each app. */
type Numbers = Readonly<Record<AppName, number>>;

/** One process that is started again whenever it dies. */
export interface Running {
  readonly name: AppName;
  readonly url: string;
  readonly service: Service;
}

const BUILD = join(root, 'dist');

/** A process that is killed is soon started again, however often. */
const PATIENT: RestartPolicy = { delaysMs: [100], attemptsBeforeFirstReady: 3 };

/** The surroundings that stand between the apps, their database and its disk. */
interface Surroundings {
  /** Called with the folder of a cluster that does not run yet. */
  readonly prepareCluster?: (directory: string) => void;
  /** Called with the address of an empty database, before it is migrated. */
  readonly fillDatabase?: (databaseUrl: string) => Promise<void>;
  /** The address by which the apps reach a database. */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

/** The built product in a throw-away folder: the embedded Postgres with its flags of production, and many of each app. */
export class Installation {
  readonly apps: Running[] = [];
  private readonly dead: Running[] = [];

  private constructor(
    readonly folder: string,
    private readonly description: EmbeddedPostgres,
    private server: Service,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async open(
    numbers: Numbers,
    variables: NodeJS.ProcessEnv = {},
    { prepareCluster, fillDatabase, through = (url) => Promise.resolve(url) }: Surroundings = {},
  ): Promise<Installation> {
    await build();
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-reliability-'));
    const given = { ...BASE, DATA_DIR: folder, ...variables };
    const settings = checkVariables(given);
    openDataDirectory(folder);
    const secrets = loadSecrets(folder);
    const cluster = await openCluster(folder, secrets.postgresPassword, () => undefined);
    prepareCluster?.(cluster.directory);
    const port = await choosePort(folder);
    const url = embeddedUrl(port, secrets.postgresPassword);
    const host = join(root, 'dist', 'scripts', 'supervisor', 'postgres', 'host.js');
    const log = new LogFile(join(folder, 'logs'), 'postgres');
    const postgres: EmbeddedPostgres = { cluster, port, url, host, log, dataDir: folder, policy: PATIENT };
    const server = await ready(postgresService(postgres));
    await fillDatabase?.(url);
    await migrate(url);
    const env = appVariables(given, settings, embeddedVariables(await through(url), secrets));
    const place = new Installation(folder, postgres, server, env);
    for (const name of ['projector', 'tracker', 'api'] as const)
      for (let at = 0; at < numbers[name]; at++) await place.startAnother(name);
    return place;
  }

  get databaseUrl(): string {
    return this.description.url;
  }

  all(name: AppName): Running[] {
    return this.apps.filter((app) => app.name === name);
  }

  url(name: 'api' | 'tracker', at = 0): string {
    return this.all(name)[at]!.url;
  }

  /** One more process of an app, beside those that run. */
  async startAnother(name: AppName, dist = BUILD): Promise<Running> {
    const running = await this.start(name, await freePort(), dist);
    this.apps.push(running);
    return running;
  }

  /** Ends every process in order and starts it under its address from another build: half of each app, then the rest. */
  async replaceAll(dist = BUILD): Promise<void> {
    const replace = async ({ name, url, service }: Running): Promise<Running> => {
      await service.stop();
      return this.start(name, Number(new URL(url).port), dist);
    };
    for (const half of [0, 1])
      await Promise.all(
        this.apps.map(async (app, at) => {
          if (at % 2 === half) this.apps[at] = await replace(app);
        }),
      );
  }

  /** SIGKILL without a restart. */
  async killForGood(victim: Running): Promise<void> {
    process.kill(victim.service.pid!, 'SIGKILL');
    this.apps.splice(this.apps.indexOf(victim), 1);
    this.dead.push(victim);
    await victim.service.stop();
  }

  async stopForGood(app: Running): Promise<void> {
    await app.service.stop();
    this.apps.splice(this.apps.indexOf(app), 1);
    this.dead.push(app);
  }

  /** The process id of the database server itself, undefined while there is none. */
  get postmaster(): number | undefined {
    try {
      return Number(readFileSync(join(this.description.cluster.directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }

  async stopPostgres(): Promise<void> {
    await this.server.stop();
  }

  async startPostgres(): Promise<void> {
    this.server = await ready(postgresService(this.description));
  }

  async allReady(): Promise<void> {
    await Promise.all([this.server, ...this.apps.map(({ service }) => service)].map((each) => each.whenReady()));
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map(({ service }) => service.stop()));
    await this.server.stop();
    rmSync(realpathSync(join(this.folder, 'postgres')), { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns what no app should ever log, whatever dies around it: a bug it met, or an end by itself once it runs. */
  failures(): string[] {
    const lines = [...this.apps, ...this.dead].flatMap((app) => readFileSync(this.logOf(app).path, 'utf8').split('\n'));
    const bad = lines.filter((line) => /^\{"level":"(error|fatal)"/.test(line) && !FAILED_START.test(line));
    return [...new Set(bad.map((line) => line.replace(/"(time|pid|requestId)":[^,]*,/g, '')))].slice(0, 5);
  }

  private logOf({ name, url }: Pick<Running, 'name' | 'url'>): LogFile {
    return new LogFile(join(this.folder, 'logs'), `${name}-${new URL(url).port}`);
  }

  private async start(name: AppName, port: number, dist = BUILD): Promise<Running> {
    const ports = { API_PORT: String(name === 'api' ? port : 1), TRACKER_PORT: String(name === 'tracker' ? port : 2) };
    const url = `http://127.0.0.1:${port}`;
    const service = appService({
      name,
      dataDir: this.folder,
      entry: join(dist, 'apps', name, 'src', 'main.js'),
      env: { ...this.env, ...ports },
      log: this.logOf({ name, url }),
      preload: join(root, 'dist', 'scripts', 'supervisor', 'leave-with-parent.js'),
      policy: PATIENT,
      ...(name === 'projector' ? {} : { healthUrl: `${url}/health` }),
    });
    return { name, url, service: await ready(service) };
  }
}

/** An app that is started while there is no database ends, and is started again. */
const FAILED_START = /"context":"(ExceptionHandler|TypeOrmModule)"/;

/** Resolves when it is ready; fails when it keeps failing. */
async function ready(service: Service): Promise<Service> {
  const ended = service.run();
  ended.catch(() => undefined); // dying later shows in whatever is being asked then
  await Promise.race([service.whenReady(), ended]);
  return service;
}

const BASE = {
  PATH: process.env.PATH,
  LISTEN_ADDRESS: '127.0.0.1',
  LOG_LEVEL: 'warn',
  LEDGERLINE_DEMO: '0',
  SIGN_UP: 'open',
  LIMIT_QUERY_PER_MINUTE: '1000000',
  LIMIT_API_PER_MINUTE: '1000000',
  LIMIT_PUBLIC_PER_MINUTE: '1000000',
  LIMIT_FAILED_AUTH_PER_MINUTE: '1000000',
  LIMIT_EVENTS_PER_KEY_PER_MINUTE: '100000000',
  LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: '100000000',
};
