import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor, LogReader } from '@ledgerline/platform/log/log-reader';
import { urlOfMoment } from '@ledgerline/platform/read-stores/kept-moments';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { openProjectionPool } from '../open-pool';
import { type BoundGroup, boundGroups } from '../runner/bound-group';
import { EndedLog } from './ended-log';

/** The logs and stores from which a snapshot beside a read store is filled. */
export interface SnapshotSources {
  readonly eventStore: EventStore;
  readonly intakeLog: LogReader<LoggedHit>;
  /** Its tables answer; with the main database's URL, by which threads reach the log. */
  readonly store: ReadStore;
  readonly spillTo: string;
}

/** The groups of a snapshot, whose log has ended; `close` ends their connections. */
export function openSnapshot(
  { eventStore, intakeLog, store, spillTo }: SnapshotSources,
  mainUrl: string,
  name: string,
  ends: ReadonlyMap<number, Cursor>,
): { readonly groups: readonly BoundGroup[]; readonly close: () => Promise<void> } {
  const pool = openProjectionPool(urlOfMoment(store.pool.options.connectionString ?? '', name), {
    name: 'snapshot',
    max: 6,
    idleInTransactionTimeoutMs: 60_000,
  });
  const log = new EndedLog(intakeLog, ends);
  const { place, stores } = store;
  const all = boundGroups({ eventStore, intakeLog: log, pool, stores: [{ place, stores, pool }], spillTo });
  const groups = all.filter(({ name: group }) => group !== 'registry').map((group) => ({ ...group, logUrl: mainUrl }));
  return { groups, close: () => pool.end() };
}
