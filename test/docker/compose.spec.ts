import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { findBinaries } from '../../scripts/supervisor/postgres/binaries';
import { postgresUserForNewCluster } from '../../scripts/supervisor/postgres/owner';
import { documentAt, root } from '../docs/documents';
import { composeFile, composeServices, composeText, interpolate } from './compose-project';
import { readDockerfile } from './dockerfile';
import { envFile } from './profile';
import { composeValidator } from './schemas';

const SMALL = ['compose.yml'];
const FULL = ['compose.yml', 'compose.full.yml'];
const TELEMETRY = 'compose.telemetry.yml';
const APPS = ['api', 'tracker', 'projector'];

describe.each([...FULL, TELEMETRY])('docker/%s', (file) => {
  it('is valid by the schema of Compose', () => {
    expect(composeValidator()(composeFile(file))).toEqual([]);
  });

  it('reads variables that are documented', () => {
    const names = [...composeText(file).matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !documented().includes(name) && !envExample.includes(name))).toEqual([]);
  });
});

it('the schema of Compose finds a field that is misspelt', () => {
  expect(composeValidator()({ services: { api: { image: 'x', read_onyl: true } } })).not.toEqual([]);
});

describe.each([
  ['small', SMALL],
  ['full', FULL],
])('the %s profile', (_, files) => {
  const services = composeServices(files, envFile());
  const own = Object.entries(services).filter(([, { build }]) => build !== undefined);

  it('is valid by the schema of Compose when it is put together', () => {
    expect(composeValidator()({ services })).toEqual([]);
  });

  it('takes images of exact versions', () => {
    const images = Object.values(services).map(({ image }) => image);
    expect(images.filter((image) => !/^[\w/-]+:\d+\.\d+(\.\d+)?(-[\w-]+)?$/.test(image))).toEqual([]);
  });

  it('builds targets of docker/Dockerfile', () => {
    const stages = readDockerfile().map(({ name }) => name);
    expect(own.filter(([, { build }]) => !stages.includes(build!.target))).toEqual([]);
  });

  it('gives the processes variables of docs/configuration.md', () => {
    const names = own.flatMap(([, { environment }]) => Object.keys(environment));
    expect(names.filter((name) => !documented().includes(name))).toEqual([]);
  });

  it('lets its own processes do no more than they need', () => {
    for (const [, service] of own)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.any(String) as string,
        stop_grace_period: expect.any(String) as string,
      });
  });

  it('opens ports of this machine only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it('starts the processes after the migrations and the servers, which have health checks', () => {
    for (const [name, { depends_on: needs }] of own) {
      const servers = Object.keys(services).filter((each) => services[each]!.build === undefined);
      if (name !== 'migrate') expect(Object.keys(needs!).sort()).toEqual(['migrate', ...servers].sort());
      for (const server of Object.keys(needs!).filter((each) => each !== 'migrate')) {
        expect(needs![server]).toEqual({ condition: 'service_healthy' });
        expect(services[server]!.healthcheck).toBeDefined();
      }
    }
  });
});

it('docker/compose.telemetry.yml adds one server, of files that are there, to which all processes export', () => {
  const env = envFile();
  const before = composeServices(FULL, env);
  const services = composeServices([...FULL, TELEMETRY], env);
  const { image, ports, volumes = [] } = services['telemetry']!;
  expect(Object.keys(services)).toEqual([...Object.keys(before), 'telemetry']);
  for (const app of APPS)
    expect(services[app]!.environment).toEqual({
      ...before[app]!.environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://telemetry:4318',
    });
  expect([image, ports]).toEqual([expect.stringMatching(/:\d+\.\d+\.\d+$/), [expect.stringMatching(/^127\.0\.0\.1:/)]]);
  const mounted = volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0]!);
  expect(mounted.filter((file) => !existsSync(join(root, 'docker', file)))).toEqual([]);
  const provider = parse(composeText('grafana/dashboards.yaml')) as { providers: { options: { path: string } }[] };
  const { path } = provider.providers[0]!.options;
  expect(volumes).toContain(`./grafana/ledgerline.json:${path}:ro`);
});

it.each(['docs/deployment.md', 'docs/operating.md'])('commands of %s name files, services and programs', (path) => {
  const commands = [...documentAt(path).text.matchAll(/docker compose(?: -f \S+)* (?:up|run)\b[^`\n]*/g)].map(
    ([text]) => text,
  );
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const files = [...command.matchAll(/ -f docker\/(\S+)/g)].map(([, file]) => file!);
    expect([command, files[0]]).toEqual([command, 'compose.yml']); // they are typed in the folder of the repository
    const services = Object.keys(composeServices(files, envFile()));
    const [, service, program] =
      / run (?:--rm |--no-deps |-T |--volume \S+ |--entrypoint node )*(\S+) dist\/(\S+)\.js/.exec(command) ?? [];
    if (command.includes(' run ')) {
      expect(services).toContain(service);
      expect([command, existsSync(join(root, `${program}.ts`))]).toEqual([command, true]);
    }
  }
});

it('the full profile has two of each process', () => {
  const names = Object.keys(composeServices(FULL, envFile()));
  expect(names).toEqual(expect.arrayContaining(APPS.flatMap((app) => [app, `${app}-2`])));
});

describe('docker/compose.yml', () => {
  it('has no password of its own', () => {
    expect(() => interpolate(composeText('compose.yml'), {})).toThrow(/^POSTGRES_PASSWORD is missing; write it with/);
  });

  it('creates a database, with options that Postgres accepts', () => {
    const { environment } = composeServices(SMALL, envFile())['postgres']!;
    const folder = temporaryFolder('initdb', 0o777);
    const owner = postgresUserForNewCluster();
    const { initdb } = findBinaries(owner, folder);
    const args = [
      '-D',
      join(folder, 'cluster'),
      '-U',
      'ledgerline',
      ...environment['POSTGRES_INITDB_ARGS']!.split(' '),
    ];
    const { status, stderr } = spawnSync(initdb, args, { ...owner, cwd: '/', encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('error') as string });
    expect(existsSync(join(folder, 'cluster', 'PG_VERSION'))).toBe(true);
  });
});

const documented = (): string[] =>
  [...documentAt('docs/configuration.md').text.matchAll(/^- `([A-Z_]+)`/gm)].map(([, name]) => name!);

const envExample = composeText('.env.example');
