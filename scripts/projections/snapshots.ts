import Table from 'cli-table3';
import type { Pool } from 'pg';
import { dataDirOf } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { MOMENT_NAME, readMoments } from '@ledgerline/platform/read-stores/kept-moments';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { dropSnapshot, makeSnapshot, sizeOfDatabases } from '../../apps/projector/src/snapshots/make-snapshot';
import { cutAfter, cutAt, type SnapshotCut } from '../../apps/projector/src/snapshots/snapshot-cut';
import { tablesLabel, type ProjectionCommand, withStores } from './projection-command';
import { SIGNALS, Stages } from './rebuild';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const WHOLE = /^[1-9]\d{0,8}$/;
const POSITION = /^i(\d{1,4}):(\d{1,15})$/;

const ROOM_MB = 10_000;

export const snapshot: ProjectionCommand = {
  name: 'snapshot',
  takes: 'NAME',
  meaning: 'keep complete read models of a past moment beside the live ones, for "snapshot" of queries',
  options: {
    until: {
      type: 'string',
      meaning: 'what had arrived by 2026-11-24T18:00:00Z, or up to an X-Log-Position such as i0:1234 (now by default)',
    },
    room: { type: 'string', meaning: `the most that all snapshots may take, in MB (${ROOM_MB} by default)` },
  },
  run: async ({ words: [name = '', ...more], options, variables }) => {
    if (!MOMENT_NAME.test(name) || more.length > 0)
      throw new StartFailure('A name has up to 30 letters a to z, digits, - and _, and begins with a letter or digit.');
    const { room = String(ROOM_MB) } = options;
    if (!WHOLE.test(String(room))) throw new StartFailure('--room must be a number of MB.');
    const maxBytes = Number(room) * 1e6;
    const stopping = new AbortController();
    const stop = () => stopping.abort(new NotRebuilt('It was stopped; nothing is kept of it.'));
    for (const each of SIGNALS) process.once(each, stop);
    await withStores(variables, async ({ pool: main, ...sources }) => {
      const cut = await cutOf(main, options['until']);
      let stages: Stages | undefined;
      const onProgress = (group: Parameters<typeof tablesLabel>[0]['group']) => {
        stages?.end();
        stages = new Stages(tablesLabel({ group, tables: group.builds }));
        return stages.onProgress;
      };
      const order = { ...sources, name, cut, main, maxBytes, onProgress, spillTo: dataDirOf(variables) };
      const { until } = await makeSnapshot({ ...order, signal: stopping.signal }).finally(() => stages?.end());
      const of = new Date(until).toISOString();
      print(`The snapshot "${name}" has what had arrived by ${of}; queries name it as "snapshot".`);
    });
    for (const each of SIGNALS) process.off(each, stop);
  },
};

/** @throws StartFailure for what is neither a time nor a position */
function cutOf(main: Pool, until: string | boolean | undefined): Promise<SnapshotCut> {
  if (typeof until !== 'string') return cutAt(main, undefined);
  if (TIME.test(until) && !Number.isNaN(Date.parse(until))) return cutAt(main, new Date(until));
  const parts = until.split(',').map((part) => POSITION.exec(part.trim()));
  const offsets = parts.flatMap((part) => (part ? [[Number(part[1]), Number(part[2])] as const] : []));
  if (offsets.length === 0)
    throw new StartFailure('--until is no time with its zone, such as 2026-11-24T18:00:00Z, and no X-Log-Position.');
  return cutAfter(main, new Map(offsets));
}

export const listSnapshots: ProjectionCommand = {
  name: 'snapshots',
  meaning: 'list snapshots, with the room that they take',
  run: ({ variables }) =>
    withStores(variables, async ({ stores }) => print(snapshotTable(await readSnapshots(stores)))),
};

interface Listed {
  readonly name: string;
  readonly until: string;
  readonly madeAt: string;
  readonly bytes: number;
}

async function readSnapshots(stores: readonly ReadStore[]): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>();
  for (const { pool } of stores) {
    const moments = await readMoments(pool);
    const sizes = await sizeOfDatabases(
      pool,
      moments.map(({ database }) => database),
    );
    for (const { name, database, moment } of moments) {
      const until = moment ? new Date(moment.until).toISOString() : 'incomplete: drop it, or make it again';
      const bytes = (found.get(name)?.bytes ?? 0) + (sizes.get(database) ?? 0);
      found.set(name, { name, until, madeAt: moment?.madeAt ?? '', bytes });
    }
  }
  return [...found.values()];
}

function snapshotTable(listed: readonly Listed[]): string {
  if (listed.length === 0) return 'There is no snapshot.';
  const table = new Table({ head: ['name', 'until', 'made', 'MB'], style: { head: [], border: [], compact: true } });
  for (const { name, until, madeAt, bytes } of listed) table.push([name, until, madeAt, Math.ceil(bytes / 1e6)]);
  return table.toString();
}

export const removeSnapshot: ProjectionCommand = {
  name: 'drop-snapshot',
  takes: 'NAME…',
  meaning: 'drop snapshots',
  run: ({ words, variables }) =>
    withStores(variables, async ({ stores }) => {
      for (const name of words) {
        if (!(await dropSnapshot(stores, name))) throw new StartFailure(`There is no snapshot "${name}".`);
        print(`The snapshot "${name}" was dropped.`);
      }
    }),
};
