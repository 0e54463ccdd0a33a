import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { type Runtime, isAlive, runtimeFile } from '@ledgerline/platform/config/runtime-file';
import type { FirstRun } from '../../scripts/supervisor/screen';
import { firstRunFile } from '../../scripts/supervisor/start';
import { freePort } from '../network/free-port';
import { alone } from '../postgres/test-database';
import { waitUntil } from '../wait-until';

export const root = join(__dirname, '..', '..');

/** Compiles the product unless it is compiled from these sources already; not while another spec file starts it. */
export const build = (): Promise<void> =>
  alone(() => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'build.cjs')], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The product does not compile:\n${stderr}`);
  });

/** A data directory and two ports: what stays the same from one start to the next. */
export interface Installation {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

export async function installation(variables: NodeJS.ProcessEnv = {}): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledgerline-journey-'));
  chmodSync(dataDir, 0o711);
  const api = await freePort();
  const tracker = await freePort();
  const given = {
    DATA_DIR: dataDir,
    API_PORT: String(api),
    TRACKER_PORT: String(tracker),
    LISTEN_ADDRESS: '127.0.0.1',
  };
  const { PATH, HOME } = process.env;
  const limits = { LIMIT_QUERY_PER_MINUTE: '100000', LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: '100000' };
  const urls = { PUBLIC_API_URL: `http://127.0.0.1:${api}`, PUBLIC_TRACK_URL: `http://127.0.0.1:${tracker}` };
  return {
    dataDir,
    env: { PATH, HOME, ...given, ...urls, ...limits, ...variables },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

/** One run of `npm start`. */
export class Product {
  private said = '';
  /** The text that it wrote to stderr. */
  complaints = '';
  private readonly process: ChildProcess;
  readonly ended: Promise<number | string>;
  private readonly over: Promise<never>;

  constructor(
    private readonly place: Installation,
    node = process.execPath,
  ) {
    this.process = spawn(node, [join(root, 'dist', 'scripts', 'start.js')], { env: place.env, cwd: root });
    this.process.stdout?.on('data', (text: Buffer) => (this.said += text.toString()));
    this.process.stderr?.on('data', (text: Buffer) => (this.complaints += text.toString()));
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    this.over = this.ended.then((how) => {
      throw new Error(`The product ended (${how}):\n${this.said}${this.complaints}`);
    });
    this.over.catch(() => undefined); // to end is wrong only while it is needed
  }

  /** The text that it wrote to stdout. */
  get screen(): string {
    return this.said;
  }

  get pids(): Runtime['pids'] {
    return (JSON.parse(readFileSync(runtimeFile(this.place.dataDir), 'utf8')) as Runtime).pids;
  }

  get demo(): FirstRun {
    return JSON.parse(readFileSync(firstRunFile(this.place.dataDir), 'utf8')) as FirstRun;
  }

  async running(): Promise<this> {
    await this.during(
      waitUntil(
        () => this.said,
        (said) => said.includes('Press Ctrl-C to stop'),
        300_000,
      ),
    );
    return this;
  }

  /** Returns what comes of work that needs it. @throws what it said, when it ends before that */
  during<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.over]);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    const pids = existsSync(runtimeFile(this.place.dataDir)) ? Object.values(this.pids) : [];
    this.process.kill(signal);
    const how = await this.ended;
    if (signal !== 'SIGKILL') expect(pids.filter(isAlive)).toEqual([]);
    return how;
  }

  /** As a power cut would: the supervisor, the apps, and Postgres. */
  async killEverything(): Promise<void> {
    const pids = [...Object.values(this.pids), this.postmaster];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await this.ended;
  }

  private get postmaster(): number {
    return Number(readFileSync(join(this.place.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Kills the database server itself, as soon as there is one. */
  async killServer(): Promise<void> {
    await waitUntil(() => {
      try {
        return process.kill(this.postmaster, 'SIGKILL');
      } catch {
        return false; // another one is about to take its place
      }
    });
  }

  /** Kills one process and waits until another one runs in its place. */
  async killAndWait(name: 'api' | 'tracker' | 'projector' | 'postgres'): Promise<void> {
    const before = this.pids[name]!;
    process.kill(before, 'SIGKILL');
    await waitUntil(() => this.pids[name] !== before && isAlive(this.pids[name]!));
  }
}

/** Asks until the answer is the expected one, as projections follow a moment later; an error is no answer yet. */
export async function untilAnswer<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
  const answerOrError = () => ask().catch((error: unknown) => error as T);
  return waitUntil(answerOrError, (answer) => !types.isNativeError(answer) && isExpected(answer), 180_000);
}
