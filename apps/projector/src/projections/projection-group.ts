import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Sql } from '@ledgerline/platform/database/sql';

/** Projections that advance together: under one checkpoint per partition of the log they read. */
export interface ProjectionGroup<Event> {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  /** Numbers its tables cannot be read without; whoever changes what their columns mean raises the first. */
  readonly meaning: readonly number[];
  /** The types of events they subscribe to. */
  readonly types: readonly string[];
  /** Where in the log an event stands. */
  cursorOf(event: Event): Cursor;
  /** When the log took the event, in epoch ms. */
  loggedAt(event: Event): number;
  /** Everything that does not depend on what the tables hold; what it writes must be harmless if the batch fails. */
  prepare(events: readonly Event[]): Promise<Compute>;
  /** Called when the database was gone: nothing that it promised since the last checkpoint may be relied on. */
  distrust(): void;
}

/**
 * Works out what the prepared events change in the tables of one version, on top of what these hold and of the batch
 * before, if that one is not written yet.
 */
export type Compute = (on: Queryable, schema: string, unwritten?: Changes) => Promise<Changes>;

/** What a batch changes; the statements belong into one transaction. */
export interface Changes {
  readonly statements: readonly Sql[];
  /** All sessions of the units it touched, as they are afterwards. */
  readonly sessions?: ReadonlyMap<string, readonly Session[]>;
  /** All quarters in which the visitors of links it touched have clicked, afterwards. */
  readonly clicked?: ReadonlyMap<string, readonly number[]>;
  /** How many hits those of them have that changed: what keeping them costs. */
  readonly hits?: number;
}
