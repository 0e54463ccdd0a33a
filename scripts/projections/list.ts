import { setTimeout as sleep } from 'node:timers/promises';
import { explain } from '@ledgerline/platform/config/start-failure';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { listProjections } from '../../apps/projector/src/rebuild/list-projections';
import type { ProjectionCommand } from './projection-command';
import { standingTable } from './standing-table';
import { storesAway, summaryTable, type Reading } from './summary-table';
import { withGroups } from './with-groups';

const WATCHED_MS = 2_000;
/** Between the two readings of a single table. */
const MEASURED_MS = 1_000;

export const list: ProjectionCommand = {
  name: 'list',
  meaning: 'version, state, rate and lag of each projection',
  options: {
    watch: { type: 'boolean', meaning: 'again every two seconds, until Ctrl-C' },
    partitions: { type: 'boolean', meaning: 'the position of each partition' },
  },
  run: ({ options, variables }) => {
    const show = options['partitions'] === true ? partitionTable : summaryTable;
    return withGroups(variables, (groups) => (options['watch'] === true ? watch(groups, show) : once(groups, show)));
  },
};

const partitionTable = ({ standings, away }: Reading): string =>
  [standingTable(standings), ...storesAway(away)].join('\n');

type Show = (now: Reading, before?: Reading) => string;

const read = async (groups: readonly BoundGroup[]): Promise<Reading> => ({
  ...(await listProjections(groups)),
  at: Date.now(),
});

async function once(groups: readonly BoundGroup[], show: Show): Promise<void> {
  const before = await read(groups);
  if (show === summaryTable) await sleep(MEASURED_MS);
  process.stdout.write(`${show(show === summaryTable ? await read(groups) : before, before)}\n`);
}

/** On a terminal the table stays in its place; anywhere else one follows the other. */
async function watch(groups: readonly BoundGroup[], show: Show): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  process.stdout.on('error', end); // what reads the pipe has ended
  let [before, table]: [Reading | undefined, string] = [undefined, ''];
  while (!ending.signal.aborted) {
    let failure = '';
    try {
      const now = await read(groups);
      table = show(now, before);
      before = now;
    } catch (error) {
      failure = `${explain(error) ?? String(error)}\nTrying again.\n`;
    }
    const heading = `${new Date().toISOString()}  every ${WATCHED_MS / 1_000} s, Ctrl-C ends\n`;
    process.stdout.write(`${process.stdout.isTTY ? CLEAR : ''}${heading}${table}\n${failure}`);
    await sleep(WATCHED_MS, undefined, { signal: ending.signal }).catch(() => undefined);
  }
}

const CLEAR = '\u001b[H\u001b[2J';
