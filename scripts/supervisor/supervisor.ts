import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { runtimeFile, type Runtime } from '@ledgerline/platform/config/runtime-file';
import type { Heaps, Settings } from '@ledgerline/platform/config/settings';
import { checkPostgresServer, NEEDED_CONNECTIONS } from '@ledgerline/platform/database/check-server';
import { migrate } from '@ledgerline/platform/database/migrate';
import { startWhenUp } from '@ledgerline/platform/processes/start-when-up';
import { acceptedDowntime } from './accept-downtime';
import { appService, type AppDescription } from './app-service';
import { appVariables, embeddedVariables, isEmbedded } from './environment';
import { LogFile } from './log-file';
import { openCluster } from './postgres/cluster';
import { embeddedUrl, choosePort, postgresService } from './postgres/embedded';
import { loadSecrets } from './secrets';
import { aborted, type RestartPolicy, type Service } from './service';

/** The entry files of the processes; specs use test programs. */
export interface Programs {
  readonly api: string;
  readonly tracker: string;
  readonly projector: string;
  readonly postgresHost: string;
  readonly preload: string;
  /** The policy by which they are restarted, if not as always. */
  readonly policy?: RestartPolicy;
}

/** The number of connections of one process of each app. */
const ALL_CONNECTIONS = Object.values(NEEDED_CONNECTIONS).reduce((sum, each) => sum + each, 0);

/** Starts the database and the apps in order, keeps them running, and stops them in the reverse order. */
export class Supervisor {
  private readonly services: Service[] = [];
  private readonly logs: LogFile[] = [];
  private failed: Promise<never>;
  private fail: (reason: unknown) => void = () => undefined;
  private starting: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private hurried = false;
  private databaseUrl = '';

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly settings: Settings,
    private readonly programs: Programs,
    private readonly print: (line: string) => void,
  ) {
    this.failed = new Promise<never>((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined); // awaited while something runs; failures during the stop are ignored
  }

  /** Resolves when every process is ready, or earlier when a stop was requested. @throws StartFailure if one never is */
  start(): Promise<void> {
    return (this.starting = this.startInOrder());
  }

  /** The tracker first, so that nothing new arrives; the database last. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting.catch(() => undefined); // a database or migration that was begun is completed first
    for (const name of ['tracker', 'api', 'projector', 'postgres']) {
      const service = this.services.find((each) => each.name === name);
      const stopped = service?.stop();
      if (this.hurried) service?.hurry();
      await stopped;
    }
    rmSync(runtimeFile(this.settings.dataDir), { force: true });
  }

  /** Kills the process that is being stopped, and those to be stopped after it. */
  hurry(): void {
    this.hurried = true;
    for (const service of this.services) service.hurryIfStopping();
  }

  private async startInOrder(): Promise<void> {
    const { postgres, variables } = await this.database();
    if (postgres) await this.running(postgres.whenReady());
    if (this.isStopping()) return;
    await this.migrate(postgres !== undefined);
    if (this.isStopping()) return;
    const accepted = await acceptedDowntime(this.settings, this.databaseUrl, this.stopping.signal);
    if (this.isStopping()) return;
    const apps = this.apps({ ...appVariables(this.env, this.settings, variables), ...accepted }, postgres);
    for (const app of apps) this.keep(app);
    await this.running(Promise.all(apps.map((app) => app.whenReady())));
    setInterval(() => this.logs.forEach((log) => log.shorten()), 60_000).unref();
  }

  /** Waits for a database of one's own that is away; the embedded one is there. */
  private async migrate(isEmbedded: boolean): Promise<void> {
    const check = async () => {
      await checkPostgresServer(this.databaseUrl, ALL_CONNECTIONS);
      await migrate(this.databaseUrl);
    };
    if (isEmbedded) {
      await migrate(this.databaseUrl);
      return;
    }
    const { listenAddress, apiPort, trackerPort } = this.settings;
    const ports = [apiPort, trackerPort];
    const { signal } = this.stopping;
    await startWhenUp({ check, listenAddress, ports, report: this.print, signal }, () => Promise.resolve());
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async database(): Promise<{ postgres?: Service; variables: NodeJS.ProcessEnv }> {
    const { dataDir, databaseUrl } = this.settings;
    this.databaseUrl = databaseUrl;
    if (!isEmbedded(this.env)) return { variables: {} };
    const secrets = loadSecrets(dataDir);
    const cluster = await openCluster(dataDir, secrets.postgresPassword, this.print);
    const port = await choosePort(dataDir);
    this.databaseUrl = embeddedUrl(port, secrets.postgresPassword);
    const postgres = postgresService({
      ...this.news('postgres'),
      cluster,
      port,
      url: this.databaseUrl,
      host: this.programs.postgresHost,
      dataDir,
    });
    this.keep(postgres);
    return { postgres, variables: embeddedVariables(this.databaseUrl, secrets) };
  }

  private apps(env: NodeJS.ProcessEnv, postgres: Service | undefined): Service[] {
    const { dataDir, listenAddress, apiPort, trackerPort } = this.settings;
    const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[listenAddress] ?? bracketed(listenAddress);
    const app = (name: keyof Heaps, port?: number) =>
      appService({
        ...this.news(name),
        name,
        entry: this.programs[name],
        dataDir,
        env,
        preload: this.programs.preload,
        ...(postgres ? { needs: [postgres] } : {}),
        ...(port === undefined ? {} : { healthUrl: `http://${host}:${port}/health` }),
      });
    return [app('api', apiPort), app('tracker', trackerPort), app('projector')];
  }

  private keep(service: Service): void {
    if (this.isStopping()) return;
    this.services.push(service);
    service.run().catch((error: unknown) => this.fail(error));
  }

  /** Waits for `work` until a process fails or a stop is requested. */
  private async running(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.failed, aborted(this.stopping.signal)]);
  }

  private news(name: string): Pick<AppDescription, 'log' | 'onStart' | 'onDeath' | 'policy'> {
    const log = new LogFile(join(this.settings.dataDir, 'logs'), name);
    this.logs.push(log);
    return {
      log,
      ...(this.programs.policy ? { policy: this.programs.policy } : {}),
      onStart: () => this.writeRuntime(),
      onDeath: (how, restartInMs) => {
        const when = restartInMs < 1_000 ? '' : ` in ${restartInMs / 1_000} s`;
        this.print(`${name} ended unexpectedly (${how}); restarting it${when}.`);
      },
    };
  }

  /** A full disk must not end what runs; the tools then read what was written before. */
  private writeRuntime(): void {
    try {
      writePrivately(runtimeFile(this.settings.dataDir), this.runtime());
    } catch (error) {
      this.print(`The file ${runtimeFile(this.settings.dataDir)} could not be written (${String(error)}).`);
    }
  }

  private runtime(): Runtime {
    const { publicApiUrl, publicTrackUrl, eventStoreUrl, readDatabaseUrls } = this.settings;
    const pids = this.services.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid] as const]));
    return {
      databaseUrl: this.databaseUrl,
      ...(this.env.READ_DATABASE_URLS?.trim() ? { readDatabaseUrls } : {}),
      ...(eventStoreUrl === undefined ? {} : { eventStoreUrl }),
      apiUrl: publicApiUrl,
      trackUrl: publicTrackUrl,
      pids: { supervisor: process.pid, ...Object.fromEntries(pids) },
    };
  }
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
