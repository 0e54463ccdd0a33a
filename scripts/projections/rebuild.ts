import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import type { Pool } from 'pg';
import type { RebuildAccepted } from '@ledgerline/contracts/events/audit-log.events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { windowMs } from '@ledgerline/domain/goals/definition-rules';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, acceptanceStream } from '@ledgerline/platform/event-store/event-store';
import { liveTables } from '@ledgerline/platform/table-versions/live-tables';
import { newPrefixedId } from '../../apps/api/src/commands/command-context';
import { NotRebuilt, type RebuildStageProgress } from '../../apps/projector/src/rebuild/catch-up';
import { type Difference, describeDifferences } from '../../apps/projector/src/rebuild/compare-versions';
import { dropPrevious, rollBackTables as rollBack } from '../../apps/projector/src/rebuild/keep-versions';
import {
  rebuild as rebuildTables,
  type RebuildOptions,
  type RebuildResult,
} from '../../apps/projector/src/rebuild/rebuild';
import { recordBySystem } from '../audit/record-by-system';
import {
  namedTables,
  tablesLabel,
  NAMES,
  NAMES_MEANING,
  type ProjectionCommand,
  withGroups,
} from './projection-command';

const MAX_KEPT_DAYS = 90;

/** @throws StartFailure for what is no duration */
function keptMs(duration: string | boolean | undefined): number | undefined {
  if (typeof duration !== 'string') return undefined;
  const ms = duration === '0' ? 0 : windowMs(duration, MAX_KEPT_DAYS);
  if (ms === undefined)
    throw new StartFailure(`--keep must be 0 or a duration such as 90m, 12h or 2d, at most ${MAX_KEPT_DAYS}d.`);
  return ms;
}

export const rebuildCommand: ProjectionCommand = {
  name: 'rebuild',
  takes: NAMES,
  meaning: `build new tables, compare them, switch to them; ${NAMES_MEANING}`,
  options: {
    accept: { type: 'boolean', meaning: 'switch although rows differ: the log is right as it is' },
    keep: {
      type: 'string',
      meaning: `write what a group had before for so long, such as 12h (1d by default, at most ${MAX_KEPT_DAYS}d, 0 = not at all)`,
    },
  },
  run: ({ words, options, variables }) =>
    replay(words, { flip: true, accept: options['accept'] === true, keepMs: keptMs(options['keep']) }, variables),
};

export const verify: ProjectionCommand = {
  name: 'verify',
  takes: NAMES,
  meaning: 'build new tables, compare them, drop them',
  run: ({ words, variables }) => replay(words, { flip: false }, variables),
};

export const rollbackCommand: ProjectionCommand = {
  name: 'rollback',
  takes: NAMES,
  meaning: 'switch back to the tables before the last rebuild, after they have what came since they were written',
  run: ({ words, variables }) =>
    withGroups(variables, async (groups) => {
      for (const named of namedTables(groups, words)) {
        const stages = new Stages(tablesLabel(named));
        const began = performance.now();
        const back = { tables: named.tables, onProgress: stages.onProgress };
        const version = await rollBack(named.group, back).finally(() => stages.end());
        const took = ((performance.now() - began) / 1_000).toFixed(1);
        process.stdout.write(`${tablesLabel(named)} uses version ${version} again, after ${took} s.\n`);
      }
    }),
};

export const drop: ProjectionCommand = {
  name: 'drop',
  takes: NAMES,
  meaning: 'drop the tables that are kept for a rollback',
  run: ({ words, variables }) =>
    withGroups(variables, async (groups) => {
      for (const named of namedTables(groups, words)) {
        const dropped = await dropPrevious(named.group, named.tables);
        process.stdout.write(`${dropSentence(tablesLabel(named), dropped)}\n`);
      }
    }),
};

const MB = 1_000_000;

/** Returns what a drop has freed, for people. */
export function dropSentence(name: string, dropped: Awaited<ReturnType<typeof dropPrevious>>): string {
  if (dropped.length === 0) return `Of ${name} nothing was kept from before the last rebuild.`;
  const size = Math.round(dropped.reduce((sum, { bytes }) => sum + bytes, 0) / MB).toLocaleString('en-US');
  return `Of ${name} ${dropped.length} tables (${size} MB) were dropped: ${dropped.map(({ table }) => table).join(', ')}.`;
}

type ReplayOptions = Pick<RebuildOptions, 'flip' | 'accept' | 'keepMs'>;

/**
 * Rebuilds what is named, one group after the other, with a bar for each stage, and prints the results. The first SIGINT
 * or SIGTERM ends it, and leaves nothing.
 */
const replay = (words: readonly string[], options: ReplayOptions, variables: NodeJS.ProcessEnv): Promise<void> =>
  withGroups(variables, async (groups, { eventStore, pool }) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort(new NotRebuilt('It was stopped; nothing was changed.'));
    for (const signal of SIGNALS) process.once(signal, stop);
    for (const named of namedTables(groups, words)) {
      const onAccept = (differences: readonly Difference[]) =>
        recordAcceptance(eventStore, pool, named.group.name, differences);
      const stages = new Stages(tablesLabel(named));
      const rebuilding = { ...named, ...options, onAccept, onProgress: stages.onProgress, signal: stopping.signal };
      const result = await rebuildTables(rebuilding).finally(() => stages.end());
      process.stdout.write(tableOf(result));
      process.stdout.write(`${replaySummary(options, tablesLabel(named), result)}\n`);
      if (result.mended)
        process.stdout.write(
          `Texts that were changed got the texts of the log again:\n${describeDifferences([result.mended])}\n`,
        );
      if (!result.flipped && result.differences && result.differences.length > 0) process.exitCode = 1;
    }
    for (const signal of SIGNALS) process.off(signal, stop);
  });

export const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The rows of each table that was compared, and how many of them differ. */
export function tableOf({ compared, differences = [] }: Pick<RebuildResult, 'compared' | 'differences'>): string {
  const rows = compared.map(({ table, rows: all }) => {
    const differing = differences.filter((each) => each.table === table || each.table.startsWith(`${table}.`));
    const count = differing.reduce((sum, { onlyBefore, onlyAfter }) => sum + Math.max(onlyBefore, onlyAfter), 0);
    return [table, all.toLocaleString('en-US'), count.toLocaleString('en-US')];
  });
  if (rows.length === 0) return '';
  const table = new Table({
    head: ['table', 'rows', 'differ'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right'],
  });
  table.push(...rows);
  return `${table.toString()}\n`;
}

/** Returns what a replay has shown, for people. */
export function replaySummary(
  { flip }: ReplayOptions,
  name: string,
  { version, differences, flipped, flipMs }: RebuildResult,
): string {
  if (differences && differences.length > 0) {
    const outcome = flipped
      ? `the differences were accepted (--accept), and it now uses version ${version}`
      : 'the live version is unchanged';
    return `${name} differs from a rebuild from its log; ${outcome}:\n${describeDifferences(differences)}`;
  }
  if (!flip) return `${name} equals a rebuild from its log, row for row.`;
  const compared = differences
    ? 'equal row for row'
    : 'not compared, because the log was replaced, or the tables are of another program version or have more partitions';
  return flipped ? `${name} now uses version ${version} (${compared}; switched in ${flipMs.toFixed(1)} ms).` : name;
}

/** The time, ms, between two lines in a log, which shows no bar. */
const PRINTED_MS = 10_000;

/** A bar for the stage that a rebuild is in, and a line for each that is over. */
export class Stages {
  private readonly bar: SingleBar;
  private stage: RebuildStageProgress['stage'] | undefined;
  private first = { done: 0, at: 0 };
  private last = 0;
  private printedAt = 0;

  constructor(private readonly name: string) {
    const format = `${name}: {stage} [{bar}] {percentage}% | {value}/{total} | {pace} | {duration_formatted}`;
    this.bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true });
  }

  readonly onProgress = ({ stage, done, total }: RebuildStageProgress): void => {
    const at = performance.now();
    if (stage !== this.stage) {
      this.end();
      this.stage = stage;
      this.first = { done: stage === 'catching up' ? done : 0, at }; // an earlier stage has done some
      this.bar.start(1, 0, { stage, pace: '' });
    }
    this.last = done;
    this.bar.setTotal(Math.max(total, done, 1));
    const paced = pace({ done: done - this.first.done, left: total - done }, at - this.first.at);
    this.bar.update(done, { pace: paced });
    if (process.stdout.isTTY || at - this.printedAt < PRINTED_MS || paced === '') return;
    this.printedAt = at;
    const counts = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} events`;
    process.stdout.write(`${this.name}: ${stage}: ${counts} | ${paced}\n`);
  };

  /** Ends the stage that is shown. */
  end(): void {
    if (this.stage === undefined) return;
    this.bar.stop();
    const ms = performance.now() - this.first.at;
    const done = this.last - this.first.done;
    const events = done > 0 ? `${done.toLocaleString('en-US')} events, ${rate(done, ms)} events/s, ` : '';
    process.stdout.write(`${this.name}: ${this.stage}: ${events}${(ms / 1000).toFixed(1)} s\n`);
    this.stage = undefined;
  }
}

const rate = (done: number, ms: number): string => Math.round(done / (ms / 1000)).toLocaleString('en-US');

/** The rate of events, and how long the others take at this rate; empty before the first. */
export function pace({ done, left }: { readonly done: number; readonly left: number }, ms: number): string {
  if (!(done > 0) || !(ms > 0)) return '';
  const seconds = Math.ceil(Math.max(left, 0) / (done / (ms / 1000)));
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  return `${rate(done, ms)} events/s | ETA ${Math.floor(seconds / 3600)}:${minutes}:${rest}`;
}

/** Records in the audit log of every organization that figures are replaced by a rebuild that differs from them. */
async function recordAcceptance(
  store: Pick<EventStore, 'append' | 'readBack'>,
  main: Pool,
  group: string,
  differences: readonly Difference[],
): Promise<void> {
  const registry = await liveTables(main, 'registry');
  if (!registry) return; // no projector has run: there is no organization with figures
  const known = await run<{ id: string }>(
    main,
    sql`select id from ${registry.table(RECORD_TABLES.organizations)} where deleted_at is null order by id`,
  );
  const tables = differences.map(({ table, onlyBefore, onlyAfter }) => ({ table, onlyBefore, onlyAfter }));
  for (const { id: organizationId } of known) {
    const [entry] = await store.readBack({ organization: organizationId, limit: 1 });
    if (!entry) continue; // an older copy of the event store was restored, which has nothing of it
    const acceptanceId = newPrefixedId('rebuild');
    const data = { organizationId, acceptanceId, group, tables } satisfies RebuildAccepted['data'];
    const stream = acceptanceStream(organizationId, acceptanceId);
    await recordBySystem(store, stream, 'AcceptRebuild', { type: 'RebuildAccepted', data });
  }
}
