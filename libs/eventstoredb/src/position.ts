import type { Position } from '@eventstore/db-client';
import { BEGINNING, type Cursor, EpochChanged } from '@ledgerline/platform/log/log-reader';

/**
 * `commit.prepare` of `$all`; in a history followed by `@` and the event's number in `$ce-<organization>`. No more digits
 * than a log can reach, and than the server's numbers hold.
 */
const CURSOR = /^(\d{1,18})\.(\d{1,18})(?:@(\d{1,15}))?$/;

export const positionToCursor = ({ commit, prepare }: Position): Cursor => `${commit.toString()}.${prepare.toString()}`;

export const toHistoryCursor = (position: Position, number: number): Cursor =>
  `${positionToCursor(position)}@${number}`;

/** Undefined for the beginning. @throws EpochChanged for a place of another log */
export function toPosition(cursor: Cursor): Position | undefined {
  if (cursor === BEGINNING) return undefined;
  const position = parsed(cursor);
  if (!position) throw new EpochChanged(`"${cursor}" is no place in EventStoreDB; was it made by another event store?`);
  return position;
}

function parsed(cursor: Cursor): Position | undefined {
  const [, commit, prepare] = CURSOR.exec(cursor) ?? [];
  return commit === undefined || prepare === undefined
    ? undefined
    : { commit: BigInt(commit), prepare: BigInt(prepare) };
}

export const isCursor = (value: unknown): boolean =>
  value === BEGINNING || (typeof value === 'string' && CURSOR.test(value));

/** The number in the organization's history, where the cursor came from there. */
export function numberInHistory(cursor: Cursor): number | undefined {
  const number = CURSOR.exec(cursor)?.[3];
  return number === undefined ? undefined : Number(number);
}

/** A place of another log counts as beyond everything. */
export function compareCursors(a: Cursor, b: Cursor): number {
  return comparePositions(comparable(a), comparable(b));
}

export const comparePositions = (a: Position, b: Position): number =>
  Number(a.commit - b.commit) || Number(a.prepare - b.prepare);

const comparable = (cursor: Cursor): Position =>
  cursor === BEGINNING ? { commit: -1n, prepare: -1n } : (parsed(cursor) ?? { commit: 2n ** 64n, prepare: 0n });
