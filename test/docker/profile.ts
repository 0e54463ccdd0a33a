import { join } from 'node:path';
import { newSecrets } from '../../scripts/supervisor/secrets';
import { freePort } from '../network/free-port';
import { composeServices, type Service } from './compose-project';
import { Container } from './container';
import type { Replay } from './replay';

/** Returns what `npm run secrets` would write to docker/.env, with the demo. */
export function envFile(): Record<string, string> {
  const { postgresPassword, authSecret, keyPepper, auditSigningKey } = newSecrets();
  return {
    POSTGRES_PASSWORD: postgresPassword,
    AUTH_SECRET: authSecret,
    KEY_PEPPER: keyPepper,
    AUDIT_SIGNING_KEY: auditSigningKey,
    LEDGERLINE_DEMO: '1',
  };
}

/** The processes of the product that compose files start, as containers on this machine. */
export class Profile {
  readonly containers = new Map<string, Container>();
  private readonly urls = new Map<string, string>();
  private readonly env = envFile();
  private readonly services: Readonly<Record<string, Service>>;

  /** `addresses` are variables that name servers of the test instead of those of the compose files. */
  constructor(
    private readonly replay: Replay,
    files: readonly string[],
    private readonly folder: string,
    private readonly addresses: Readonly<Record<string, string>>,
  ) {
    this.services = composeServices(files, this.env);
  }

  /** One that ends by itself; `name` may be used several times. */
  run(name: string): Container {
    return this.create(name, {});
  }

  /** All services whose image is built here, but for the migrations, each healthy. */
  async start(): Promise<this> {
    const names = Object.keys(this.services).filter((name) => this.services[name]!.build && name !== 'migrate');
    for (const name of names) {
      const port = await freePort();
      const ports = PORTS.map(([variable, app]) => [variable, String(name.startsWith(app) ? port : UNUSED[app])]);
      this.urls.set(name, `http://127.0.0.1:${port}`);
      this.containers.set(name, this.create(name, Object.fromEntries(ports) as Record<string, string>));
    }
    await Promise.all([...this.containers].map(([name, container]) => container.healthy(this.url(name))));
    return this;
  }

  url(name: string): string {
    return this.urls.get(name)!;
  }

  /** Stops all containers, and tells how each ended. */
  async stop(): Promise<Record<string, number | NodeJS.Signals>> {
    const ends = [...this.containers].map(async ([name, container]) => [name, await container.stop()] as const);
    return Object.fromEntries(await Promise.all(ends));
  }

  /** The folder that stands for the volume of a service. */
  volume(name: string): string | undefined {
    const volume = this.services[name]?.volumes?.find((each) => each.endsWith(':/data'));
    return volume === undefined ? undefined : join(this.folder, volume.split(':')[0]!);
  }

  private create(name: string, ports: Readonly<Record<string, string>>): Container {
    const { build, environment } = this.services[name]!;
    const env = { ...this.env, ...environment, ...this.addresses, ...ports, LISTEN_ADDRESS: '127.0.0.1' };
    const data = this.volume(name);
    return new Container(this.replay.image(build!.target), data === undefined ? { env } : { env, data });
  }
}

const PORTS = [
  ['API_PORT', 'api'],
  ['TRACKER_PORT', 'tracker'],
  ['PROJECTOR_METRICS_PORT', 'projector'],
] as const;
const UNUSED = { api: 1, tracker: 2, projector: 3 };
