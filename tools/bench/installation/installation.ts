import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUERY_SHARE } from '@ledgerline/platform/config/settings';
import { migrate } from '@ledgerline/platform/database/migrate';
import { appService } from '../../../scripts/supervisor/app-service';
import { appVariables, checkVariables, embeddedVariables } from '../../../scripts/supervisor/environment';
import { LogFile } from '../../../scripts/supervisor/log-file';
import { freePort } from '../../../scripts/supervisor/ports';
import { openCluster } from '../../../scripts/supervisor/postgres/cluster';
import { embeddedUrl, choosePort, postgresService } from '../../../scripts/supervisor/postgres/embedded';
import { loadSecrets } from '../../../scripts/supervisor/secrets';
import type { Service } from '../../../scripts/supervisor/service';
import { openDataDirectory } from '../../../scripts/supervisor/start';
import { KeptFill, type Filled } from './kept-fill';
import { cpuSeconds } from './process-usage';
import { register, type Registered } from './register';
import { variables } from './variables';

/** An app that runs until it is stopped. */
export interface RunningApp {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

type AppName = 'api' | 'tracker' | 'projector';
type ServiceName = AppName | 'postgres';
/** A figure of each process, and of all together. */
export type Usage = Readonly<Record<ServiceName | 'all', number>>;

export interface OpenOptions {
  readonly websites: number;
  /** A folder: every app writes a CPU profile there when it stops. */
  readonly profileTo?: string | undefined;
  /** The address of an EventStoreDB, for decided events. */
  readonly eventStoreUrl?: string;
  /** A folder that is kept, and opened again once it is filled; absent = a temporary one. */
  readonly keptIn?: string | undefined;
  /** The memory of the machine, by which heaps and buffers are chosen; absent = as it is. */
  readonly memoryMb?: number | undefined;
}

/** dist/, as this file is compiled to dist/tools/bench/installation. */
export const DIST = join(__dirname, '..', '..', '..');

/**
 * The product in a directory of its own: the embedded Postgres with production flags, and each app as a separate process
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
    private readonly options: Pick<OpenOptions, 'profileTo' | 'memoryMb'>,
    private readonly kept: KeptFill | undefined,
  ) {}

  static async open(options: OpenOptions): Promise<Installation> {
    const { websites, eventStoreUrl, keptIn, memoryMb } = options;
    const kept = keptIn === undefined ? undefined : new KeptFill(keptIn);
    const folder = keptIn ?? mkdtempSync(join(tmpdir(), 'ledgerline-bench-'));
    const given = variables(folder, eventStoreUrl);
    const settings = checkVariables(given);
    openDataDirectory(folder);
    const secrets = loadSecrets(folder);
    const cluster = await openCluster(folder, secrets.postgresPassword, () => undefined);
    const port = await choosePort(folder);
    const url = embeddedUrl(port, secrets.postgresPassword);
    const host = join(DIST, 'scripts', 'supervisor', 'postgres', 'host.js');
    const log = new LogFile(join(folder, 'logs'), 'postgres');
    const postgres = postgresService({ cluster, port, url, host, dataDir: folder, log, memoryMb });
    await ready(postgres);
    await migrate(url);
    const env = appVariables(given, settings, embeddedVariables(url, secrets));
    const registered =
      kept?.filled?.registered ?? (await register({ databaseUrl: url, eventStoreUrl }, secrets.keyPepper, websites));
    const installation = new Installation(folder, postgres, env, url, registered, options, kept);
    Installation.opened.add(installation);
    return installation;
  }

  /** The content that it was filled with before; undefined if it is new. */
  get filled(): Filled | undefined {
    return this.kept?.filled;
  }

  /** Notes what it holds, so that it can be opened again if it is kept. */
  noteFilled(fill: Omit<Filled, 'registered'>): void {
    this.kept?.note({ registered: this.registered, ...fill });
  }

  /** `preload` is a module that the process requires before the app. */
  async start(name: AppName, { preload, ...more }: { preload?: string } & NodeJS.ProcessEnv = {}): Promise<RunningApp> {
    const { profileTo, memoryMb } = this.options;
    const port = await freePort();
    const preloads = [preload, profileTo && join(__dirname, 'profiler.js')].filter((file) => file !== undefined);
    const options = preloads.map((file) => `--require ${file}`).join(' ');
    const ports = { API_PORT: String(name === 'api' ? port : 1), TRACKER_PORT: String(name === 'tracker' ? port : 2) };
    const service = appService({
      name,
      dataDir: this.folder,
      entry: join(DIST, 'apps', name, 'src', 'main.js'),
      env: { ...this.env, ...ports, NODE_OPTIONS: options, PROFILE_TO: profileTo, ...questionsOf(memoryMb), ...more },
      log: new LogFile(join(this.folder, 'logs'), name),
      preload: join(DIST, 'scripts', 'supervisor', 'leave-with-parent.js'),
      memoryMb,
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

  /** The database and the apps that run. */
  processes(): readonly { readonly name: string; readonly pid: number }[] {
    return [this.postgres, ...this.running].flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }]));
  }

  /** Returns what `read` finds of each process and all that is below it. */
  usage(read: (roots: readonly number[]) => number): Usage {
    const of = (name: ServiceName) => read(this.processes().flatMap((each) => (each.name === name ? each.pid : [])));
    const each = { api: of('api'), projector: of('projector'), tracker: of('tracker'), postgres: of('postgres') };
    return { ...each, all: each.api + each.projector + each.tracker + each.postgres };
  }

  /** Returns the seconds of CPU of its processes, and of further ones. */
  cpuSeconds(...others: readonly number[]): number {
    return cpuSeconds([...this.processes().map(({ pid }) => pid), ...others]);
  }

  /** For a bench that is interrupted. */
  static async closeAll(): Promise<void> {
    await Promise.all([...Installation.opened].map((installation) => installation.close()));
  }

  async close(): Promise<void> {
    Installation.opened.delete(this);
    for (const service of this.running) await service.stop();
    await this.postgres.stop();
    if (this.kept) return;
    rmSync(realpathSync(join(this.folder, 'postgres')), { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns what questions may hold on a machine with so much memory. */
const questionsOf = (memoryMb: number | undefined): NodeJS.ProcessEnv =>
  memoryMb === undefined ? {} : { QUERY_MEMORY_MB: String(Math.floor(memoryMb * QUERY_SHARE)) };

/** Resolves when it is ready; fails when it keeps failing. */
async function ready(service: Service): Promise<void> {
  const ended = service.run();
  ended.catch(() => undefined); // a later failure appears in what is measured then
  await Promise.race([service.whenReady(), ended]);
}
