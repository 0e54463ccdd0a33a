import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { EventDescription } from './event-description';
import type { Dictionary } from './websites/dictionary';
import type { FactColumns } from './websites/event-facts.projections';
import type { WrittenTables } from './written-tables';

/** Projections that advance together: under one checkpoint per partition of the log they read. */
export interface ProjectionGroup<Event> extends GroupSchema {
  /** The types of events they subscribe to. */
  readonly types: readonly string[];
  /** The cursor of an event. */
  cursorOf(event: Event): Cursor;
  /** When the event was stored in the log, epoch ms. */
  loggedAt(event: Event): number;
  /** What parking it needs. */
  describe(event: Event): EventDescription;
  /** The work that does not depend on the tables; what it writes must be harmless if the batch fails. */
  prepare(events: readonly Event[]): Promise<Compute>;
  /** Of the texts that its tables hold by their ids. */
  readonly dictionary?: Dictionary;
  /** Called when the connection was lost: the database may have lost commits since the last checkpoint. */
  invalidateCaches(): void;
}

/** Computes what the prepared events change in the tables of one version, after the previous batch if that is unwritten. */
export type Compute = (on: Queryable, tables: WrittenTables, unwritten?: Changes) => Promise<Changes>;

/** What a batch changes; the statements belong in one transaction. */
export interface Changes {
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

/** What is stored of a visitor, or of one session or event without a visitor. */
export interface StoredVisitor {
  /** `visitor_number` of all sessions. */
  readonly number: number | null;
  readonly sessions: readonly Session[];
  /** What fact tables are to hold of hits that are not written yet. */
  readonly columns?: ReadonlyMap<SessionHit, FactColumns>;
}

/** A row of the read model `website_days`. */
export interface WebsiteState {
  /** Days since 1970-01-01. */
  readonly latestDay: number;
  /** How many visitors have a number. */
  readonly visitors: number;
}
