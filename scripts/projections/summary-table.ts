import Table from 'cli-table3';
import type { Standing, Standings } from '../../apps/projector/src/rebuild/list-projections';

/** The positions of all partitions at one time. */
export interface Reading extends Standings {
  /** Epoch ms. */
  readonly at: number;
}

const HEAD = ['projections', 'version', 'state', 'partitions', 'events', 'per second', 'lag', 'parked', 'reconciled'];

/**
 * A line for each version of a group, and below why partitions are stopped. The rate is that since the reading before;
 * without one there is none.
 */
export function summaryTable(now: Reading, before?: Reading): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [], compact: true } });
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
export const storesAway = (places: readonly number[]): string[] =>
  places.map(
    (place) => `Read store ${place} of READ_DATABASE_URLS cannot be reached; its projections are missing above.`,
  );

/** Partitions of one version of a group in one read store. */
type Version = readonly [Standing, ...Standing[]];

function versionsIn({ standings }: Reading): Version[] {
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
function nameOf([{ group, store }]: Version, { standings }: Reading): string {
  return standings.some((other) => other.store !== 1) && group !== 'registry' ? `${group} (store ${store})` : group;
}

function stateOf(of: Version, { standings }: Reading): string {
  const [{ group, store, version, live, kept }] = of;
  const stopped = of.filter(({ stopped }) => stopped !== null).length;
  if (stopped > 0) return `${live ? 'live, ' : ''}${stopped} stopped`;
  if (live) return 'live';
  if (kept) return 'kept';
  const current = standings.filter((other) => other.live && other.group === group && other.store === store);
  if (current.some((other) => other.version > version)) return 'left over';
  if (parkedIn(of) > 0) return 'waits for parked events';
  const share =
    sum(of, ({ events }) => events) /
    Math.max(
      1,
      sum(current, ({ events }) => events),
    );
  return `building, ${Math.floor(Math.min(1, share) * 100)} %`;
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

function stopsIn({ standings }: Reading): string[] {
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
