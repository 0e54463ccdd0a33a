import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { root } from '../../journeys/product';
import type { BreakableProxy } from '../../network/breakable-proxy';
import { waitUntil } from '../../wait-until';
import type { Installation } from '../installation';
import { logged } from '../log-audit';
import type { Stream } from '../stream';
import { rowsOf, type Tenant } from '../tenant';
import { otherBuild } from './other-build';
import type { SmallDisk } from './small-disk';

/** The scene that a fault can reach: two of every process under traffic. */
interface Scene {
  readonly place: Installation;
  /** Between the apps and Postgres. */
  readonly proxy: BreakableProxy;
  /** The disk of Postgres; undefined where none can be mounted. */
  readonly disk: SmallDisk | undefined;
  /** Sets the clocks of all apps off by so many ms. */
  readonly shiftClocks: (ms: number) => void;
  readonly stream: Stream;
  readonly tenant: Tenant;
}

/** Something that goes wrong, and is over when `inflict` resolves. */
export interface Fault {
  readonly name: string;
  readonly inflict: (scene: Scene) => Promise<void>;
  readonly needs?: 'disk';
}

const HOUR_MS = 3_600_000;
const PAUSE_MS = 6_000;
/** Longer than idle transactions may last. */
const SILENCE_MS = 8_000;
const CUTS = 10;
const SLOW_MS = 15;
const APPS = ['api', 'tracker', 'projector'] as const;

export const FAULTS: readonly Fault[] = [
  {
    name: 'The disk of Postgres is full',
    needs: 'disk',
    inflict: (scene) => whileFull(scene, () => Promise.resolve()),
  },
  {
    name: 'The disk is full, and Postgres ends as its log does not fit',
    needs: 'disk',
    inflict: (scene) => whileFull(scene, () => endByFullLog(scene.place)),
  },
  {
    name: `All connections to Postgres are cut, ${CUTS} times`,
    inflict: async ({ proxy, stream }) => {
      for (let cut = 0; cut < CUTS; cut++) {
        proxy.cut();
        await stream.progress(10);
      }
    },
  },
  {
    name: 'Connections to Postgres are silent, new ones too',
    inflict: async ({ proxy }) => {
      proxy.swallow();
      await sleep(SILENCE_MS);
      await proxy.mend();
    },
  },
  {
    name: `Connections to Postgres take ${SLOW_MS} ms longer for each packet`,
    inflict: async ({ proxy, stream }) => {
      proxy.slow(SLOW_MS);
      await stream.progress(150);
      proxy.slow(0);
    },
  },
  {
    name: 'One of every process is paused',
    inflict: async ({ place }) => {
      const pids = APPS.map((name) => place.all(name)[0]!.service.pid!);
      await paused(pids);
    },
  },
  {
    name: 'Every process is paused',
    inflict: ({ place }) => paused(place.apps.map(({ service }) => service.pid!)),
  },
  {
    name: 'Postgres is paused',
    inflict: async ({ place }) => {
      const server = place.postmaster!;
      await paused([server, ...childrenOf(server)]);
    },
  },
  { name: 'Clocks are an hour ahead', inflict: (scene) => shifted(scene, HOUR_MS) },
  { name: 'Clocks are an hour behind', inflict: (scene) => shifted(scene, -HOUR_MS) },
  {
    name: 'Three rebuilds at once, beside two projectors',
    inflict: async ({ place, stream }) => {
      const codes = await Promise.all(['all', 'all', 'websites'].map((which) => rebuild(place, which)));
      await stream.progress();
      expect(codes).toContain(0);
    },
  },
  {
    name: 'An upgrade that changes what a table means, and a downgrade back',
    inflict: upgradedAndBack,
  },
];

/** Answers come from the table that means something else, before all processes are replaced once more. */
async function upgradedAndBack({ place, stream, tenant }: Scene): Promise<void> {
  const folder = join(place.folder, 'other');
  await place.replaceAll(otherBuild(folder));
  await stream.progress();
  for (const { url } of place.all('api'))
    await waitUntil(() =>
      rowsOf(url, tenant, 'link_top_devices', 'link').then(
        (rows) => rows.length > 0,
        () => false,
      ),
    );
  await place.replaceAll();
}

async function paused(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await sleep(PAUSE_MS);
  for (const pid of pids) signal(pid, 'SIGCONT');
}

/** A child of the server may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

/** Clients are refused, and find room again. */
async function whileFull({ disk, stream }: Scene, meanwhile: () => Promise<void>): Promise<void> {
  const before = stream.repeats;
  disk?.fill();
  await waitUntil(() => stream.repeats > before + 20);
  await meanwhile();
  await sleep(PAUSE_MS);
  disk?.empty();
}

/** Each switch needs another file of the write-ahead log. */
async function endByFullLog(place: Installation): Promise<void> {
  const client = new Client({ connectionString: place.databaseUrl });
  let isOver = false;
  client.on('error', () => (isOver = true));
  await client.connect();
  await waitUntil(async () => {
    const switched = "select pg_logical_emit_message(false, 'fault', 'x'), pg_switch_wal()";
    await client.query(switched).catch(() => (isOver = true));
    return isOver;
  });
  await client.end().catch(() => undefined);
}

/** There, back, and each time with traffic. */
async function shifted({ place, shiftClocks, stream }: Scene, ms: number): Promise<void> {
  shiftClocks(ms);
  await stream.progress(100);
  const isShifted = ({ receivedAt }: ObservedEvent) => Math.abs(receivedAt - Date.now() - ms) < HOUR_MS / 2;
  await waitUntil(async () => (await logged(place.databaseUrl).catch(noneIfUnavailable)).some(isShifted));
  shiftClocks(0);
}

/** Two of every process may use all connections of the server for a moment. */
function noneIfUnavailable(error: unknown): readonly ObservedEvent[] {
  if (!isUnavailable(error)) throw error;
  return [];
}

/** The exit code of the operators' command, which refuses, in a sentence, what is being rebuilt already. */
function rebuild({ databaseUrl }: Installation, which: string): Promise<number> {
  const args = [join(root, 'dist', 'scripts', 'projections.js'), 'rebuild', which];
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => (said += text.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== null && !/^\s+at /m.test(said)) resolve(code);
      else reject(new Error(`projections rebuild ${which} ended with ${code ?? 'a signal'}:\n${said}`));
    });
  });
}
