import { setTimeout as sleep } from 'node:timers/promises';
import Table from 'cli-table3';
import { explain } from '@ledgerline/platform/config/start-failure';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { listProjections, type Standing, type Standings } from '../../apps/projector/src/runner/list-projections';
import { type ProjectionCommand, withGroups } from './projection-command';

const WATCHED_MS = 2_000;
/** Between the two readings of a single table. */
const MEASURED_MS = 1_000;

export const listCommand: ProjectionCommand = {
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

const partitionTable = ({ standings, away }: CheckpointReading): string =>
  [standingTable(standings), ...storesAway(away)].join('\n');

type Show = (now: CheckpointReading, before?: CheckpointReading) => string;

const read = async (groups: readonly BoundGroup[]): Promise<CheckpointReading> => ({
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
  let before: CheckpointReading | undefined;
  let table = '';
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

const STANDING_COLUMNS = [
  'group',
  'store',
  'version',
  'partition',
  'cursor',
  'head',
  'lag',
  'as of',
  'events',
  'stopped',
];

/** The position of each partition; those without events are only counted. */
export function standingTable(standings: readonly Standing[]): string {
  const table = new Table({ head: STANDING_COLUMNS, style: { head: [], border: [], compact: true } });
  const shown = standings.filter((each) => !isUntouched(each));
  for (const { group, store, version, live, partition, cursor, head, lagMs, asOf, events, stopped } of shown) {
    const lag = `${(lagMs / 1000).toFixed(1)} s`;
    const named = `${version}${live ? ' (live)' : ''}`;
    table.push([group, store, named, partition, cursor, head, lag, asOf?.toISOString() ?? '', events, stopped ?? '']);
  }
  const left = standings.length - shown.length;
  return left === 0 ? table.toString() : `${table.toString()}\n${left} more without events.`;
}

const isUntouched = ({ head, events, stopped }: Standing): boolean => head === '' && events === 0 && stopped === null;

/** The positions of all partitions at one time. */
export interface CheckpointReading extends Standings {
  /** Epoch ms. */
  readonly at: number;
}

const SUMMARY_COLUMNS = [
  'projections',
  'version',
  'state',
  'partitions',
  'events',
  'per second',
  'lag',
  'parked',
  'reconciled',
];

/**
 * A line for each version of a group, and below why partitions are stopped. The rate is that since the reading before;
 * without one there is none.
 */
export function summaryTable(now: CheckpointReading, before?: CheckpointReading): string {
  const table = new Table({ head: SUMMARY_COLUMNS, style: { head: [], border: [], compact: true } });
  for (const of of versionsIn(now)) {
    const events = sum(of, ({ events }) => events);
    const rate = before && rateOf(of, now.at - before.at, before.standings);
    table.push([
      nameOf(of, now),
      of[0].version,
      stateOf(of, now),
      of.length,
      counted(events),
      rate === undefined ? '' : counted(Math.round(rate)),
      durationOf(Math.max(...of.map(({ lagMs }) => lagMs))),
      of[0].kept ? '' : counted(parkedIn(of)),
      of[0].live ? reconciledOf(of, now.at) : '',
    ]);
  }
  return [table.toString(), ...stopsIn(now), ...storesAway(now.away)].join('\n');
}

/** A line for each read store that could not be read. */
const storesAway = (places: readonly number[]): string[] =>
  places.map(
    (place) => `Read store ${place} of READ_DATABASE_URLS cannot be reached; its projections are missing above.`,
  );

/** Partitions of one version of a group in one read store. */
type Version = readonly [Standing, ...Standing[]];

function versionsIn({ standings }: CheckpointReading): Version[] {
  const versions = new Map<string, [Standing, ...Standing[]]>();
  for (const standing of standings) {
    const key = keyOf(standing, false);
    const others = versions.get(key);
    if (others) others.push(standing);
    else versions.set(key, [standing]);
  }
  return [...versions.values()];
}

const keyOf = ({ group, store, version, partition }: Standing, ofPartition: boolean): string =>
  [group, store, version, ...(ofPartition ? [partition] : [])].join(' ');

/** With its store, if there are several. */
function nameOf([{ group, store }]: Version, { standings }: CheckpointReading): string {
  return standings.some((other) => other.store !== 1) && group !== 'registry' ? `${group} (store ${store})` : group;
}

function stateOf(of: Version, { standings }: CheckpointReading): string {
  const [{ group, store, version, live, kept }] = of;
  const stopped = of.filter(({ stopped }) => stopped !== null).length;
  if (stopped > 0) return `${live ? 'live, ' : ''}${stopped} stopped`;
  if (live) return 'live';
  if (kept) return 'kept';
  const current = standings.filter((other) => other.live && other.group === group && other.store === store);
  if (current.some((other) => other.version > version)) return 'left over';
  if (parkedIn(of) > 0) return 'waits for parked events';
  const wanted = sum(current, ({ events }) => events);
  const share = sum(of, ({ events }) => events) / wanted;
  return wanted === 0 ? 'building' : `building, ${Math.floor(Math.min(1, share) * 100)} %`;
}

/** Undefined where the version is new since the reading before. */
function rateOf(of: Version, passedMs: number, before: readonly Standing[]): number | undefined {
  const earlier = new Map(before.map((standing) => [keyOf(standing, true), standing.events]));
  const known = of.filter((standing) => earlier.has(keyOf(standing, true)));
  if (known.length === 0 || passedMs <= 0) return undefined;
  const more = sum(known, (standing) => standing.events - (earlier.get(keyOf(standing, true)) ?? 0));
  return Math.max(0, (more * 1_000) / passedMs); // a version may be built anew
}

/** Since when all of it is known to be what its log says, and what is not. */
function reconciledOf(of: Version, now: number): string {
  const findings = sum(of, ({ findings }) => findings);
  if (findings > 0) return `${counted(findings)} found wrong`;
  if (of.some(({ group, live }) => group === 'registry' || !live)) return '';
  const times = of.map(({ reconciledAt }) => reconciledAt?.getTime());
  const known = times.filter((time) => time !== undefined);
  return known.length < times.length ? 'not yet' : `${durationOf(now - Math.min(...known))} ago`;
}

function stopsIn({ standings }: CheckpointReading): string[] {
  const stopped = standings.filter((standing) => standing.stopped !== null);
  return stopped.map(({ group, version, partition, stopped }) => {
    return `${group} version ${version}, partition ${partition}, is stopped: ${stopped ?? ''}`;
  });
}

const sum = (of: readonly Standing[], countOf: (standing: Standing) => number | undefined): number =>
  of.reduce((total, standing) => total + (countOf(standing) ?? 0), 0);

const parkedIn = (of: readonly Standing[]): number => sum(of, ({ parked }) => parked);

const counted = (count: number): string => count.toLocaleString('en-US');

function durationOf(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.floor(ms / 3_600_000)} h`;
}
