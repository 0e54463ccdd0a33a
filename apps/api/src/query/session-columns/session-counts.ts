import type { SessionColumns } from './session-columns';
import { readWords, type Columns } from '@ledgerline/platform/database/binary-columns';
import { ACTIONS, BOUNCED, HAS_VISITOR, IS_READ } from './columns-sql';
import { UuidNumbers } from './uuid-numbers';

interface SessionCounts extends Pick<
  SessionColumns,
  'visitors' | 'visitorCount' | 'pageviews' | 'actions' | 'bounced'
> {
  /** The places of the sessions whose hits are to be read. */
  readonly read: readonly number[];
}

/** What is packed into the counts of each session, and its visitor. */
export function readCounts(column: Columns[string] | undefined, actors: Int32Array): SessionCounts {
  const words = readWords(column);
  const size = words.length / 2;
  const numbers = new UuidNumbers(size);
  const [visitors, pageviews, actions] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  const bounced = new Uint8Array(size);
  const read: number[] = [];
  for (let place = 0; place < size; place++) {
    const flags = words[2 * place] ?? 0;
    pageviews[place] = words[2 * place + 1] ?? 0;
    actions[place] = Math.floor(flags / ACTIONS);
    bounced[place] = flags & BOUNCED ? 1 : 0;
    visitors[place] = flags & HAS_VISITOR ? numbers.numberOf(actors, place) : -1;
    if (flags & IS_READ) read.push(place);
  }
  return { visitors, visitorCount: numbers.size, pageviews, actions, bounced, read };
}
