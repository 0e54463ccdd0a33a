import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { packReport } from './page-report';
import { pageVisitsOf } from './page-visits';
import { packedPagesOf, visitAt, VISIT_WORDS } from './packed-pages';
import { sessionOf } from './session';

describe('the packed pages of a session', () => {
  it('are the paths between its first and its last page view, in order', () =>
    expect(wordsOf(packedPagesOf(session(1, 2, -3, 2, 4)).middlePaths)).toEqual([2, -3, 2]));

  it('are empty where entry and exit are all there is', () => {
    for (const some of [session(), session(1), session(1, 2)]) {
      expect(packedPagesOf(some)).toEqual({ middlePaths: '', pageVisits: '' });
    }
  });

  it('hold each visit of which something is reported', () => {
    const reported = sessionOf(
      's',
      0,
      [view(1), report(1, -1, 33.33, null), view(2), view(2), report(2, 7, null, 0)],
      undefined,
    );
    const { pageVisits } = packedPagesOf(reported);
    const words = Int32Array.from(wordsOf(pageVisits));
    const visits = [0, 1].map((place) => visitAt(words, place * VISIT_WORDS));
    expect(words).toHaveLength(2 * VISIT_WORDS);
    expect(pageVisitsOf(reported)).toMatchObject(visits);
    expect(visits[0]).toEqual({ path: 1, timeMs: -1, scroll: 3333, interactions: -1 });
  });

  it('are null where an entry of an index would be too long', () => {
    const [most, more] = [152, 153].map((views) => packedPagesOf(session(...new Array<number>(views).fill(1))));
    expect(most?.middlePaths).toHaveLength(150 * 8);
    expect(more).toEqual({ middlePaths: null, pageVisits: null });
    const visits = Array.from({ length: 101 }, (_, path) => report(path, 1, null, null));
    expect(packedPagesOf(sessionOf('s', 0, visits.slice(1), undefined)).pageVisits).toHaveLength(100 * 24);
    expect(packedPagesOf(sessionOf('s', 0, visits, undefined))).toEqual({ middlePaths: null, pageVisits: null });
  });
});

const view = (path: number) => ({ at: 1, id: 'a', kind: HIT.view, path, text: 9, extra: 0 });
const report = (path: number, ms: number, scrollDepth: number | null, interactions: number | null) => ({
  ...view(path),
  kind: HIT.leave,
  text: packReport({ scrollDepth, interactions }),
  extra: ms,
});
const session = (...paths: number[]) => sessionOf('s', 0, paths.map(view), undefined);

function wordsOf(hex: string | null): number[] {
  const bytes = Buffer.from(hex ?? '', 'hex');
  return Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readInt32BE(4 * place));
}
