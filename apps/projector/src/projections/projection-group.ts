import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Queryable } from '@ledgerline/platform/database/pool';

/** Projections that advance together: under one checkpoint per partition of the log they read. */
export interface ProjectionGroup<Event> {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  /** The types of events they subscribe to. */
  readonly types: readonly string[];
  /** Where in the log an event stands. */
  cursorOf(event: Event): Cursor;
  /** When the log took the event, in epoch ms. */
  loggedAt(event: Event): number;
  /** Everything that may happen outside of the transaction; what it writes must be harmless if that fails. */
  prepare(events: readonly Event[]): Promise<Apply>;
  /** Called when the database was gone: nothing that it promised since the last checkpoint may be relied on. */
  distrust(): void;
}

/** Writes what the prepared events change, into the tables of one version. */
export type Apply = (on: Queryable, schema: string) => Promise<void>;
