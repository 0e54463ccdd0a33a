import { GROUPS } from '@ledgerline/contracts/read-models/groups';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { storeName } from '@ledgerline/platform/read-stores/read-store';
import { SingleBar } from 'cli-progress';
import { openProjectionPool, openStorePools } from '../../apps/projector/src/open-pool';
import { boundGroups, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { listProjections } from '../../apps/projector/src/rebuild/list-projections';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { rebuild, type RebuildOptions, type RebuildResult } from '../../apps/projector/src/rebuild/rebuild';
import { acceptStoppedTopic } from './accept-topic';
import { standingTable } from './standing-table';

const ACCEPT = '--accept';

export const USAGE = `Usage: npm run projections -- list
       npm run projections -- rebuild ${GROUPS.join('|')}|all   build a new version, compare it, switch to it
           --accept                                switch although rows differ: the log is right as it is
       npm run projections -- verify ${GROUPS.join('|')}|all    build a new version, compare it, drop it
       npm run projections -- accept-topic             copy the topic of Kafka, which was replaced, from its beginning`;

export async function projections(args: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  const [command, which, ...more] = args.filter((arg) => arg !== ACCEPT);
  if (command === 'accept-topic' && args.length === 1) return acceptStoppedTopic(storesForTools(variables));
  const accept = args.includes(ACCEPT);
  if (command !== 'list' && !isReplay(command)) throw new StartFailure(refused('command', command, `\n\n${USAGE}`));
  const wanted = which === 'all' ? GROUPS : GROUPS.filter((name) => name === which);
  if (isReplay(command) && wanted.length === 0)
    throw new StartFailure(refused('group', which, ` The groups are ${GROUPS.join(', ')}; "all" means all of them.`));
  if (more.length > 0 || (accept && command !== 'rebuild'))
    throw new StartFailure(`These arguments do not go together.\n\n${USAGE}`);
  const stores = storesForTools(variables);
  const { databaseUrl } = stores;
  const eventStore = await openEventStore(stores);
  const intakeLog = await openIntakeLog({ databaseUrl });
  const patience = { idleInTransactionTimeoutMs: 60_000 }; // no other projector waits for it
  const pool = openProjectionPool(databaseUrl, patience);
  const readStores = openStorePools(stores.readDatabaseUrls, patience);
  try {
    const groups = boundGroups({ eventStore, intakeLog, pool, stores: readStores });
    if (isReplay(command))
      await replay(
        command,
        accept,
        groups.filter(({ name }) => wanted.includes(name)),
      );
    else process.stdout.write(`${standingTable(await listProjections(groups))}\n`);
  } finally {
    await Promise.all([
      eventStore.close(),
      intakeLog.close(),
      ...[{ pool }, ...readStores].map((each) => each.pool.end()),
    ]);
  }
}

const refused = (what: string, word: string | undefined, known: string): string =>
  word === undefined ? USAGE : `There is no ${what} "${word}".${known}`;

const isReplay = (command: string | undefined): command is 'rebuild' | 'verify' =>
  command === 'rebuild' || command === 'verify';

async function replay(command: 'rebuild' | 'verify', accept: boolean, groups: readonly BoundGroup[]): Promise<void> {
  for (const group of groups) {
    const result = await withBar({ group, flip: command === 'rebuild', accept });
    process.stdout.write(`${sentence(command, nameOf(group), result)}\n`);
    if (!result.flipped && result.differences && result.differences.length > 0) process.exitCode = 1;
  }
}

/** With the place of its store, if there are several. */
const nameOf = ({ name, share }: BoundGroup): string => storeName(name, share);

async function withBar(options: RebuildOptions): Promise<RebuildResult> {
  const format = `${nameOf(options.group)} [{bar}] {percentage}% | {value}/{total} events | {duration_formatted}`;
  const bar = new SingleBar({ format, clearOnComplete: false, hideCursor: true });
  bar.start(1, 0);
  try {
    const onProgress = (written: number, total: number) => {
      bar.setTotal(Math.max(total, written, 1));
      bar.update(written);
    };
    return await rebuild({ ...options, onProgress });
  } catch (error) {
    throw error instanceof NotRebuilt ? new StartFailure(error.message) : error;
  } finally {
    bar.stop();
  }
}

export function sentence(
  command: 'rebuild' | 'verify',
  name: string,
  { version, differences, flipped, flipMs }: RebuildResult,
) {
  if (differences && differences.length > 0) {
    const tables = differences.map(({ table, onlyBefore, onlyAfter }) => {
      return `  ${table}: ${onlyBefore} rows only in the live version, ${onlyAfter} only in the rebuilt one`;
    });
    const outcome = flipped
      ? `the differences were accepted (--accept), and it now uses version ${version}`
      : 'the live version is unchanged';
    return [`${name} differs from a rebuild from its log; ${outcome}:`, ...tables].join('\n');
  }
  if (command === 'verify') return `${name} equals a rebuild from its log, row for row.`;
  const compared = differences
    ? 'equal row for row'
    : 'not compared, because the log was replaced, or the tables are of another program version or have more partitions';
  return flipped ? `${name} now uses version ${version} (${compared}; switched in ${flipMs.toFixed(1)} ms).` : name;
}
