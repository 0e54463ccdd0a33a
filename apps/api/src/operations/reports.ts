import type { LiveCheckpoint } from '@ledgerline/platform/read-stores/projection-states';
import { type Degradation, formatSeconds } from './degradations';

/** One group of projections, over all of its partitions in one store. */
export interface ProjectionReport {
  readonly group: string;
  /** The place of its read store; absent for the registry. */
  readonly store?: number;
  readonly version: number;
  /**
   * rebuilding: tables are filled after an upgrade · differs: they were, and have other rows than those that answer ·
   * parked: they cannot be used before events that failed in them alone are retried or accepted.
   */
  readonly status: 'ok' | 'stopped' | 'rebuilding' | 'differs' | 'parked';
  /** Why it is stopped, where a log is the cause; other errors may quote data. */
  readonly reason?: string;
  readonly events: number;
  /** The number of events in the version that a rebuild fills; absent when there is none. */
  readonly rebuilt?: number;
  /** Tables that do not answer yet, or not as this program declares them; absent when there are none. */
  readonly pending?: readonly string[];
  /** Log time of the newest event that is included. */
  readonly asOf: string | null;
  /** The time for which the oldest event that is not included has been waiting; 0 = everything is included. */
  readonly lagMs: number;
  /** Events that it left out because they failed, until they are retried or accepted; absent when there are none. */
  readonly parked?: number;
}

export interface StoreReport {
  /** Its place in READ_DATABASE_URLS, from 1. */
  readonly store: number;
  /** empty: no projector has filled it yet · unknown: it was not read yet. */
  readonly status: 'ok' | 'empty' | 'unknown' | 'down';
}

export interface LaggingCheckpoint extends LiveCheckpoint {
  readonly store?: number;
  readonly lagMs: number;
}

/** Returns the state of a store that responds; undefined = its checkpoints were not read yet. */
export function storeState(checkpoints: readonly unknown[] | undefined): StoreReport['status'] {
  if (checkpoints === undefined) return 'unknown';
  return checkpoints.length === 0 ? 'empty' : 'ok';
}

/** One report for each group and store. */
export function groupReports(rows: readonly LaggingCheckpoint[]): ProjectionReport[] {
  const keyOf = ({ group, store }: LaggingCheckpoint) => `${group} ${store ?? 0}`;
  const reports = [...new Set(rows.map(keyOf))].flatMap((key) => reportOn(rows.filter((row) => keyOf(row) === key)));
  return reports.sort((a, b) => (a.group === b.group ? (a.store ?? 0) - (b.store ?? 0) : a.group < b.group ? -1 : 1));
}

/** Sentences about a log, which quote no events. */
const ABOUT_LOG = /^(The (intake|event) log|The event store|The log) /;

function reportOn(rows: readonly LaggingCheckpoint[]): ProjectionReport[] {
  const [first] = rows;
  if (!first) return [];
  const { group, store, version } = first;
  const [reason] = rows.flatMap(({ stopped }) => (stopped !== null && ABOUT_LOG.test(stopped) ? [stopped] : [])).sort();
  const rebuilt = rows.flatMap((row) => row.rebuilt ?? []);
  const parked = rows.reduce((sum, row) => sum + row.parked + row.parkedBeside, 0);
  const newest = rows.map(({ asOf }) => asOf?.getTime() ?? -Infinity).reduce((a, b) => Math.max(a, b));
  return [
    {
      group,
      ...(store === undefined ? {} : { store }),
      version,
      status: statusOf(rows),
      ...(reason === undefined ? {} : { reason }),
      events: rows.reduce((sum, { events }) => sum + events, 0),
      ...(rebuilt.length === 0 ? {} : { rebuilt: rebuilt.reduce((sum, events) => sum + events, 0) }),
      ...(first.pending.length === 0 ? {} : { pending: first.pending }),
      asOf: newest === -Infinity ? null : new Date(newest).toISOString(),
      lagMs: Math.round(rows.map(({ lagMs }) => lagMs).reduce((a, b) => Math.max(a, b))),
      ...(parked === 0 ? {} : { parked }),
    },
  ];
}

function statusOf(rows: readonly LiveCheckpoint[]): ProjectionReport['status'] {
  if (rows.some(({ stopped }) => stopped !== null)) return 'stopped';
  if (rows.some(({ differs }) => differs)) return 'differs';
  if (rows.every(({ pending }) => pending.length === 0)) return 'ok';
  return rows.some(({ parkedBeside }) => parkedBeside > 0) ? 'parked' : 'rebuilding';
}

interface Observed {
  /** True if both logs can be read, and written. */
  readonly isUp: boolean;
  /** Why this process cannot write to a store; undefined = it can. */
  readonly fault?: string | undefined;
  /** For how long nothing was read, ms; undefined while anything is known. */
  readonly unknownForMs: number | undefined;
  readonly readStores: readonly StoreReport[];
  readonly projections: readonly ProjectionReport[];
  readonly degradations: readonly Degradation[];
}

/**
 * One of several read stores that is away leaves the process able to serve: were it reported unavailable, a load
 * balancer would stop sending requests about all other websites, too, as every api sees the same.
 */
export function readinessSummary({ isUp, fault, unknownForMs, readStores, projections, degradations }: Observed): {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reason?: string;
} {
  if (!isUp) return { status: 'unavailable', ...(fault === undefined ? {} : { reason: fault }) };
  if (unknownForMs !== undefined)
    return { status: 'unavailable', reason: `Nothing has been known for ${formatSeconds(unknownForMs)}.` };
  if (projections.length === 0 && readStores.every(({ status }) => status === 'empty'))
    return { status: 'unavailable', reason: 'the projector has not started yet' };
  const usable = readStores.filter(({ status }) => status === 'ok' || status === 'unknown');
  if (usable.length === 0 || projections.some(({ status }) => status === 'stopped')) return { status: 'unavailable' };
  const isWhole = usable.length === readStores.length && projections.every(({ status }) => status === 'ok');
  return { status: isWhole && degradations.length === 0 ? 'ok' : 'degraded' };
}
