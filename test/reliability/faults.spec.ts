import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../journeys/product';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { Editors } from './editors';
import { CHECKS } from './faults/checks';
import { FAULTS, type Fault } from './faults/faults';
import { SmallDisk } from './faults/small-disk';
import { Installation } from './installation';
import { Stream } from './stream';
import { newTenant } from './tenant';

/** The number of times each fault is inflicted: none in `npm test`. */
const ROUNDS = Number(process.env['RELIABILITY_FAULTS'] ?? 0);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

jest.setTimeout(900_000);

if (ROUNDS > 0) describe('two of every process under traffic', tests);
else it.skip('faults: in `npm run prove`, or with RELIABILITY_FAULTS=1', () => undefined);

function tests(): void {
  let place: Installation;
  let proxy: BreakableProxy;
  let disk: SmallDisk | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-faults-'));
  const clock = join(folder, 'clock');
  const shiftClocks = (ms: number) => writeFileSync(clock, String(ms));
  const rows: string[][] = [];
  const inflicted = Array.from({ length: ROUNDS }, () => FAULTS).flat();

  beforeAll(async () => {
    shiftClocks(0);
    const preload = join(__dirname, 'faults', 'shift-clock.cjs');
    const variables = { NODE_OPTIONS: `--require ${preload}`, CLOCK_OFFSET_FILE: clock };
    place = await Installation.open({ api: 2, tracker: 2, projector: 2 }, variables, {
      prepareCluster: (directory) => {
        disk = SmallDisk.at(directory);
      },
      through: async (databaseUrl) => {
        const url = new URL(databaseUrl);
        proxy = await proxyTo(url.hostname, Number(url.port));
        return Object.assign(url, { port: String(proxy.port) }).href;
      },
    });
  });

  afterAll(async () => {
    disk?.unmount();
    await place.close();
    await proxy.close();
    rmSync(folder, { recursive: true });
    if (rows.length === inflicted.length) writeTable(rows);
  });

  it.each(inflicted)('$name: what was acknowledged is kept and counted once', async (fault) => {
    const row = [fault.name];
    rows.push(row);
    if (fault.needs === 'disk' && !disk) row.push('not possible here');
    else await survive(fault, row);
  });

  async function survive({ inflict }: Fault, row: string[]): Promise<void> {
    const logged = place.failures();
    const tenant = await newTenant(place.url('api'));
    const urls = (name: 'api' | 'tracker') => place.all(name).map(({ url }) => url);
    const stream = new Stream(urls('tracker'), tenant, SEED, String(rows.length));
    const editors = new Editors(urls('api'), tenant, SEED, () => Promise.resolve());
    await stream.progress();
    await inflict({ place, proxy, disk, shiftClocks, stream, tenant });
    await place.allReady();
    await stream.progress();
    await editors.stop();
    await stream.stop();
    row.push(String(stream.acknowledged + editors.links.length), String(stream.repeats + editors.repeats));
    for (const check of Object.values(CHECKS)) {
      const held = Promise.resolve().then(() => check({ place, tenant, stream, editors, logged }));
      row.push(await held.then(() => 'yes').catch(() => '**no**'));
      await held;
    }
  }
}

function writeTable(rows: readonly (readonly string[])[]): void {
  const heads = ['Fault', 'Acknowledged', 'Sent again', ...Object.keys(CHECKS)];
  const widths = heads.map((_, at) => Math.max(...[heads, ...rows].map((cells) => (cells[at] ?? '').length)));
  const line = (cells: readonly string[], filler = ' ') =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width, filler)).join(' | ')} |`;
  const lines = [line(heads), line([], '-'), ...rows.map((cells) => line(cells))];
  writeFileSync(join(root, 'docs', 'reliability.md'), `${HEAD}\n${lines.join('\n')}\n`);
}

const HEAD = `# Reliability

What was found when things went wrong. \`npm run prove\` writes this page: two of every process and the embedded Postgres take page views, events, clicks and commands from clients who repeat what was not acknowledged, and each fault is inflicted amid that.

- **log = acknowledged**: every acknowledged event and link is in its log, once.
- **answers = oracle**: both apis answer every query type as plain loops over the log do, from rollups and from facts.
- **tables = log**: every table equals a rebuild from the log, row for row.
- **chains hold**: the hash chains of both logs verify.
- **no error logged**: processes logged warnings only, and none ended by itself.

Kills of processes and of Postgres, longer outages and brokers of Kafka are [other tests](decisions.md#tests-kill-real-processes-benchmarks-have-a-yardstick).
`;
