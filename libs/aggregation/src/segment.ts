import { SESSION_FLAG, type SessionChunk } from '@ledgerline/contracts/read-models/session-days';
import type { Question } from './scope';
import { selectSessions } from './select-sessions';
import { unitOfKind, unitsMeeting, type FoundCondition } from './compiled-condition';

/** What sessions of a segment did, or did not. */
export interface FoundDeed {
  readonly condition: FoundCondition;
  /** In the session itself, or in any of its visitor in the range. */
  readonly within: 'session' | 'range';
  readonly isNegated: boolean;
}

/**
 * 1 for each session of which all of this holds in the range, whatever filters select. A session without a visitor is its
 * own; events in no session did nothing, and are not among those that did not either.
 */
export function sessionsInSegment(
  chunk: SessionChunk,
  { from, to }: Pick<Question, 'from' | 'to'>,
  deeds: readonly FoundDeed[],
): Uint8Array {
  const every = selectSessions(chunk, { filters: [], from, to }, 'every');
  const [visitors, flags] = [chunk.field('visitor'), chunk.field('flags')];
  const isIn = Uint8Array.from(flags, (flag) => (flag & SESSION_FLAG.single ? 0 : 1));
  for (const { condition, within, isNegated } of deeds) {
    const { isIn: isInRange, places } = every.unit(unitOfKind(condition.kind));
    const [did, visitorsWhoDid] = [new Uint8Array(chunk.size), new Set<number>()];
    for (const [at, mark] of unitsMeeting(condition, every).entries()) {
      if (mark === 0 || isInRange[at] === 0) continue;
      const place = places[at] ?? 0;
      did[place] = 1;
      if (within === 'range' && (visitors[place] ?? -1) >= 0) visitorsWhoDid.add(visitors[place] ?? -1);
    }
    for (let place = 0; place < chunk.size; place++) {
      const hasDone = did[place] === 1 || visitorsWhoDid.has(visitors[place] ?? -1);
      if (hasDone === isNegated) isIn[place] = 0;
    }
  }
  return isIn;
}
