import { statfs } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { migrate, migrateReadStore } from '@ledgerline/platform/database/migrate';
import { filledVersion } from '@ledgerline/platform/table-versions/filled-versions';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { HIT_BYTES } from '../../apps/projector/src/rebuild/fill-in-bulk';
import { keepPrepared, prepare } from '../../apps/projector/src/rebuild/prepare';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { aboutHowLong, changedTables, readUpgradeSize } from '../../apps/projector/src/versions/upgrade';
import { tablesLabel, type ProjectionCommand, withGroups } from './projection-command';
import { SIGNALS, Stages } from './rebuild';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const PREPARED =
  'Prepared: start this version now, and it switches within seconds. Until then what is prepared is kept current; Ctrl-C ends that, and the start catches up.';

const PREPARED_ONCE = 'Prepared: start this version soon; it catches up with what came since, and switches.';

/** Runs with the build that is to be started, while the earlier one serves. */
export const prepareUpgrade: ProjectionCommand = {
  name: 'prepare',
  meaning: 'fill the tables of this version beside the earlier one that serves, and keep them current until it starts',
  options: {
    once: { type: 'boolean', meaning: 'end as soon as they are filled' },
    accept: { type: 'boolean', meaning: 'although rows differ: the log is right as it is' },
  },
  async run({ options, variables }) {
    const { databaseUrl, readDatabaseUrls } = storesForTools(variables);
    const applied = [...(await migrate(databaseUrl))];
    for (const url of readDatabaseUrls) applied.push(...(await migrateReadStore(url)));
    print(applied.length === 0 ? 'The schema is that of this version.' : `Migrated: ${applied.join(', ')}`);
    const stopping = new AbortController();
    const stop = () =>
      stopping.abort(new NotRebuilt('It was stopped. The same command goes on; nothing else changed.'));
    for (const signal of SIGNALS) process.once(signal, stop);
    const { signal } = stopping;
    const given = { accept: options['accept'] === true, signal };
    await withGroups(variables, (groups) => prepareAll(groups, { ...given, isOnce: options['once'] === true }));
    for (const each of SIGNALS) process.off(each, stop);
  },
};

async function prepareAll(groups: readonly BoundGroup[], given: Given & { readonly isOnce: boolean }): Promise<void> {
  const changed = await describeAll(groups);
  if (changed.length === 0) {
    print('Nothing has to be prepared: start this version.');
    return;
  }
  const versions = new Map<BoundGroup, number>();
  for (const group of changed) versions.set(group, await prepareGroup(group, given));
  print(given.isOnce ? PREPARED_ONCE : PREPARED);
  if (given.isOnce) return;
  const keeping = Promise.all([...versions].map(([group, version]) => keepCurrent(group, version, given)));
  const isAway = await keeping.then(
    () => false,
    (error: unknown) => isUnavailable(error) || Promise.reject(error),
  );
  if (isAway)
    print('The database went away, as where "npm start" that has its own is stopped; what is prepared stays.');
  else
    print(given.signal.aborted ? 'It was stopped; what is prepared stays.' : 'This version has started and answers.');
}

/** Returns what has to be filled, in which order, and what that takes. */
async function describeAll(groups: readonly BoundGroup[]): Promise<readonly BoundGroup[]> {
  const changed: BoundGroup[] = [];
  for (const group of groups) {
    const tables = await changedTables(group);
    const name = tablesLabel({ group, tables: group.builds });
    if (tables.length === 0) {
      print(`${name}: nothing`);
      continue;
    }
    changed.push(group);
    const { events, bytes } = await readUpgradeSize(group.pool, group.name);
    const files = group.name === 'websites' ? ` and ${await roomFor(group.spillTo, events * HIT_BYTES)}` : '';
    const isFilled = (await filledVersion(group.pool, group)) !== undefined;
    const work = isFilled
      ? 'filled; it catches up'
      : `${events.toLocaleString('en-US')} events, about ${aboutHowLong(events)}, ${megabytes(bytes)} in the database${files}`;
    print(`${name}: ${work}; changed: ${tables.map((table) => table.name).join(', ')}`);
  }
  return changed;
}

async function roomFor(folder: string, bytes: number): Promise<string> {
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => `, where ${megabytes(bavail * bsize)} are free`,
    () => '',
  );
  return `${megabytes(bytes)} of files in ${folder}${free}`;
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;

interface Given {
  readonly accept: boolean;
  readonly signal: AbortSignal;
}

async function prepareGroup(group: BoundGroup, given: Given): Promise<number> {
  const stages = new Stages(tablesLabel({ group, tables: group.builds }));
  return prepare({ group, ...given, onProgress: stages.onProgress }).finally(() => stages.end());
}

const AGAIN_MS = 1_000;

/** An erasure drops what was prepared, as that has hits which are to go: then it is filled again. */
async function keepCurrent(group: BoundGroup, prepared: number, given: Given): Promise<void> {
  let version = prepared;
  while (!(await keepPrepared(group, version, given.signal))) {
    print(`${group.name}: what was prepared was dropped; it is filled again.`);
    await setTimeout(AGAIN_MS);
    version = await prepareGroup(group, given);
  }
}
