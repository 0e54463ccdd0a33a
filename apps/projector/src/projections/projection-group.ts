import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import type { Session, SessionHit } from '@ledgerline/contracts/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { addsSomething, mergeRolesOf, type ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Dictionary } from './websites/dictionary';
import type { FactColumns } from './websites/read-hit';

/** Projections that advance together: under one checkpoint per partition of the log they read. */
export interface ProjectionGroup<Event> extends GroupSchema {
  /** The types of events they subscribe to. */
  readonly types: readonly string[];
  /** These, and those that they have no rows of, but erasures may be about; absent = there are no others. */
  readonly erasedTypes?: readonly string[];
  /** The cursor of an event. */
  cursorOf(event: Event): Cursor;
  /** When the event was stored in the log, epoch ms. */
  loggedAt(event: Event): number;
  /** Returns what erasures may be about in an event; absent = they are about none. */
  hitIn?(event: Event): ObservedEvent;
  /** Returns what parking it needs. */
  describe(event: Event): EventDescription;
  /** The work that does not depend on the tables; what it writes must be harmless if the batch fails. */
  prepare(events: readonly Event[]): Promise<ChangeComputation>;
  /** The dictionary of the texts that its tables hold by their ids. */
  readonly dictionary?: Dictionary;
  /** Called when the connection was lost: the database may have lost commits since the last checkpoint. */
  invalidateCaches(): void;
}

/** Computes what the prepared events change in the tables of one version, after the previous batch if that is unwritten. */
export type ChangeComputation = (
  on: Queryable,
  tables: WrittenTables,
  unwritten?: TableChanges,
) => Promise<TableChanges>;

/** The changes of a batch; the statements belong in one transaction. */
export interface TableChanges {
  readonly statements: readonly Sql[];
  /** The visitors in the batch, as they are afterwards. */
  readonly visitors?: ReadonlyMap<string, StoredVisitor>;
  /** The states of the websites in the batch, afterwards. */
  readonly websites?: ReadonlyMap<number, WebsiteState>;
  /** The clicks of the batch, by their keys (`keyOfClick`). */
  readonly clicks?: ReadonlyMap<string, LinkClicked>;
  /** All 15-minute intervals in which the visitors in the batch have clicked, by link and visitor, afterwards. */
  readonly clicked?: ReadonlyMap<string, readonly number[]>;
  /** The states of the monitors in the batch, afterwards. */
  readonly monitors?: ReadonlyMap<string, MonitorState>;
  /** Hits of the changed sessions: the memory it takes to keep them. */
  readonly hits?: number;
}

/** The stored sessions of a visitor, or of one session or event without a visitor. */
export interface StoredVisitor {
  /** `visitor_number` of all sessions. */
  readonly number: number | null;
  readonly sessions: readonly Session[];
  /** The columns that fact tables are to hold of hits that are not written yet. */
  readonly columns?: ReadonlyMap<SessionHit, FactColumns>;
}

/** A row of the read model `website_days`. */
export interface WebsiteState {
  /** Days since 1970-01-01. */
  readonly latestDay: number;
  /** The number of visitors that have a number. */
  readonly visitors: number;
}

/** The description of an event, with those it must stay in order with. */
export interface EventDescription {
  readonly id: string;
  readonly type: string;
  /** Id of its website, link, monitor or stream. */
  readonly subject: string;
  /**
   * The key of the order that it keeps: what an event changes depends on earlier ones of its partition with the same
   * key alone.
   */
  readonly orderKey: string;
  /** When it happened, epoch ms. */
  readonly at: number;
}

/** Describes a hit, which depends on what the same actor did before. */
export const describeHit = ({ id, type, at }: ObservedEvent, subject: string, actor: string): EventDescription => ({
  id,
  type,
  subject,
  orderKey: `${subject} ${actor}`,
  at,
});

/** A table that rows of a model are written to. */
export interface TableTarget {
  readonly schema: string;
  /** With the columns that the table has: one of an earlier program may lack some. */
  readonly model: ReadModel;
}

/** The tables that one version of a group writes. */
export interface WrittenTables {
  /** The schema of the tables that computing reads. */
  readonly state: string;
  /** None for a model that is not in this version; two where the table that answered before is written along. */
  targetsOf(model: ReadModel): readonly TableTarget[];
}

/** Returns the tables of each model by its name. */
export const tablesAt = (state: string, targets: ReadonlyMap<string, readonly TableTarget[]>): WrittenTables => ({
  state,
  targetsOf: ({ name }) => targets.get(name) ?? [],
});

/** A statement for each table that rows of a model are written to. */
export const writeTo = (
  tables: WrittenTables,
  model: ReadModel,
  statement: (schema: string, model: ReadModel) => Sql | undefined,
): Sql[] => tables.targetsOf(model).flatMap((target) => statement(target.schema, target.model) ?? []);

/** The rows of a model that a table has which may lack some of the columns. */
const countedIn = (its: ReadModel, model: ReadModel, rows: readonly ReadModelRow[]): readonly ReadModelRow[] =>
  its === model ? rows : rows.filter((row) => countsIn(its, row));

/** Merges rows, one per key. A table without some of the columns gets no rows that only these would count in. */
export const upsertInto = (tables: WrittenTables, model: ReadModel, rows: readonly ReadModelRow[]): Sql[] =>
  tables.targetsOf(model).flatMap(({ schema, model: its }) => {
    const counting = countedIn(its, model, rows);
    return counting.length === 0 ? [] : [upsert(schema, its, counting)];
  });

function countsIn(model: ReadModel, row: ReadModelRow): boolean {
  const roles = mergeRolesOf(model);
  const isOnlyCounted = roles.mins.length + roles.maxes.length + roles.lasts.length === 0;
  return !isOnlyCounted || addsSomething(row, roles);
}
