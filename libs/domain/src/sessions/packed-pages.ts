import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { interactionsOf, REPORT_BASE, scrollOf } from './page-report';
import { pageVisitsOf, type PageVisit } from './page-visits';
import type { Session } from './session';

/** The pages of a session as hex digits of 32-bit integers, big-endian; both null if there are too many for an index. */
interface PackedPages {
  /** The paths of the page views between the first and the last one, in order. */
  readonly middlePaths: string | null;
  /** Three integers for each visit of which something is reported: its path, its time in ms, and its report. */
  readonly pageVisits: string | null;
}

/** An entry of an index has at most 2,700 bytes, of which all other columns take 200. */
export const [MOST_PATHS, MOST_VISITS] = [150, 100];
/** Integers of a visit. */
export const VISIT_WORDS = 3;

const NONE: PackedPages = { middlePaths: '', pageVisits: '' };
const TOO_MANY: PackedPages = { middlePaths: null, pageVisits: null };

export function packedPagesOf(session: Session): PackedPages {
  const visits = pageVisitsOf(session);
  const middle = Math.max(session.pageviews - 2, 0);
  if (middle === 0 && visits.length === 0) return NONE;
  if (middle > MOST_PATHS || visits.length > MOST_VISITS) return TOO_MANY;
  const paths = middle === 0 ? [] : session.hits.filter(({ kind }) => kind === HIT.view).map(({ path }) => path);
  return { middlePaths: hexOf(paths.slice(1, -1)), pageVisits: hexOf(visits.flatMap(wordsOf)) };
}

const wordsOf = ({ path, timeMs, scroll, interactions }: PageVisit): number[] => [
  path,
  timeMs,
  (interactions + 1) * REPORT_BASE + scroll + 1,
];

/** Reads a visit back; its first word is at that place. */
export const visitAt = (words: Int32Array, at: number): Omit<PageVisit, 'at'> => ({
  path: words[at] ?? 0,
  timeMs: words[at + 1] ?? 0,
  scroll: scrollOf(words[at + 2] ?? 0),
  interactions: interactionsOf(words[at + 2] ?? 0),
});

function hexOf(words: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(4 * words.length);
  for (const [place, word] of words.entries()) bytes.writeInt32BE(word, 4 * place);
  return bytes.toString('hex');
}
