import type { Position } from '@eventstore/db-client';
import { BEGINNING, type Cursor } from '../../log/log-reader';

/** `commit.prepare` of `$all`; in a history followed by `@` and the event's number in `$ce-<organization>`. */
const CURSOR = /^(\d+)\.(\d+)(?:@(\d+))?$/;

export const toCursor = ({ commit, prepare }: Position): Cursor => `${commit.toString()}.${prepare.toString()}`;

export const toHistoryCursor = (position: Position, number: number): Cursor => `${toCursor(position)}@${number}`;

/** Undefined for the beginning. */
export function toPosition(cursor: Cursor): Position | undefined {
  if (cursor === BEGINNING) return undefined;
  const [, commit, prepare] = CURSOR.exec(cursor) ?? [];
  if (commit === undefined || prepare === undefined) throw new Error(`"${cursor}" is no cursor of EventStoreDB.`);
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

/** The number in the organization's history, where the cursor came from there. */
export function numberInHistory(cursor: Cursor): number | undefined {
  const number = CURSOR.exec(cursor)?.[3];
  return number === undefined ? undefined : Number(number);
}

export function compareCursors(a: Cursor, b: Cursor): number {
  const [one, other] = [toPosition(a) ?? BEFORE_ALL, toPosition(b) ?? BEFORE_ALL];
  return Number(one.commit - other.commit) || Number(one.prepare - other.prepare);
}

const BEFORE_ALL: Position = { commit: -1n, prepare: -1n };
