import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../scripts/supervisor/ports';
import type { FirstRun } from '../../scripts/supervisor/screen';
import { firstRunFile } from '../../scripts/supervisor/start';

/** This file is compiled to dist/tools/pictures. */
const DIST = dirname(dirname(__dirname));

/** More requests than a person sends in a minute. */
const LIMITS = Object.fromEntries(
  ['LIMIT_QUERY_PER_MINUTE', 'LIMIT_API_PER_MINUTE', 'LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE'].map((name) => [
    name,
    '100000',
  ]),
);

/** What is checked and told is on this machine. */
const OWN_NETWORK = { MONITOR_ALLOW_PRIVATE: '1', DESTINATION_ALLOW: '127.0.0.0/8' };

/** `npm start` in a temporary folder, with its embedded database and the demo. */
export class Product {
  private constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly start: ChildProcess,
  ) {}

  /** @throws Error with what it printed, if it does not start */
  static async start(): Promise<Product> {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-pictures-'));
    chmodSync(folder, 0o711); // for the user of the embedded Postgres
    const api = String(await freePort(3000));
    const tracker = String(await freePort(3001));
    const { PATH, HOME } = process.env;
    const ports = { API_PORT: api, TRACKER_PORT: tracker, LISTEN_ADDRESS: '127.0.0.1' };
    const urls = { PUBLIC_API_URL: `http://localhost:${api}`, PUBLIC_TRACK_URL: `http://localhost:${tracker}` };
    const env = { PATH, HOME, DATA_DIR: folder, ...ports, ...urls, ...LIMITS, ...OWN_NETWORK };
    const start = spawn(process.execPath, [join(DIST, 'scripts', 'start.js')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const product = new Product(folder, env, start);
    try {
      await running(start);
      return product;
    } catch (error) {
      await product.stop();
      throw error;
    }
  }

  get demo(): FirstRun {
    return JSON.parse(readFileSync(firstRunFile(this.folder), 'utf8')) as FirstRun;
  }

  /** `npm run simulate`. */
  async simulate(): Promise<void> {
    const child = spawn(process.execPath, [join(DIST, 'tools', 'simulate.js')], { env: this.env, stdio: 'inherit' });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`npm run simulate ended with ${String(code)}`);
  }

  async stop(): Promise<void> {
    if (this.start.exitCode === null && this.start.signalCode === null) {
      const ended = new Promise((resolve) => this.start.once('close', resolve));
      this.start.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function running(start: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (text: Buffer) => {
      printed += text.toString();
      if (printed.includes('Press Ctrl-C to stop')) resolve();
    };
    start.stdout?.on('data', read);
    start.stderr?.on('data', read);
    start.once('close', () => reject(new Error(`The product does not start:\n${printed}`)));
  });
}
