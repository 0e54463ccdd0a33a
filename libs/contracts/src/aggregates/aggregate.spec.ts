import { type Aggregate, known, positive, rollupOf, textOfTree } from './aggregate';
import { AGGREGATES, ROLLUPS } from './website-aggregates';

const PAGES: Aggregate = {
  of: 'views',
  by: { value: 'path', language: 'language' },
  where: 'inSession',
  measures: { pageviews: 'count', visitors: 'visitors', first: { least: 'at' } },
};
const nameOf = (aggregate: Aggregate) => rollupOf('pages', aggregate).name;

describe('what is stored of an aggregate', () => {
  it('does not depend on the order and the names of its keys and measures', () => {
    const { visitors, pageviews, first } = PAGES.measures;
    const turned = {
      ...PAGES,
      by: { l: 'language', p: 'path' },
      measures: { a: first, b: visitors, c: pageviews } as Aggregate['measures'],
    };
    expect(rollupOf('pages', turned)).toEqual(rollupOf('pages', PAGES));
  });

  it.each<[string, Partial<Aggregate>]>([
    ['a measure more', { measures: { ...PAGES.measures, sessions: 'sessions' } }],
    ['another measure', { measures: { ...PAGES.measures, first: { greatest: 'at' } } }],
    [
      'a measure under a condition',
      { measures: { ...PAGES.measures, pageviews: { filter: [known('scroll'), 'count'] } } },
    ],
    ['another condition', { where: { all: ['inSession', positive('language')] } }],
    ['another bound', { where: known('language') }],
    ['a key more', { by: { ...PAGES.by, referrer: 'referrer' } }],
    ['a key that follows from it', { by: { ...PAGES.by, value: { linkDomain: 'path' } } }],
    ['other rows', { of: 'visits' }],
  ])('has another name with %s', (_what, changed) => {
    expect(nameOf({ ...PAGES, ...changed })).not.toBe(nameOf(PAGES));
  });

  it('is the same for percentiles of a field, and has none of what follows from others', () => {
    const median = { measures: { p: { percentile: ['at', 50] } } } as const;
    const highest = { measures: { p: { percentile: ['at', 99] } } } as const;
    expect(nameOf({ ...PAGES, ...median })).toBe(nameOf({ ...PAGES, ...highest }));
    expect(() => nameOf({ ...PAGES, measures: { paths: { different: ['path', 'pages'] } } })).toThrow(
      'Nothing is stored from which paths of pages follows.',
    );
  });

  it('has columns of different names, which say what they hold', () => {
    expect(new Set(ROLLUPS.map(({ name }) => name)).size).toBe(Object.keys(AGGREGATES).length);
    expect(ROLLUPS.find(({ name }) => name.startsWith('pages_'))?.text).toBe('views · by path · count, visitors');
  });
});

it('a declaration has no functions', () => {
  const condition = () => new Uint8Array();
  // @ts-expect-error what must be code is an operator with a name
  const aggregate: Aggregate = { of: 'views', where: condition, measures: { pageviews: 'count' } };
  // @ts-expect-error as a key, too
  const by: Aggregate['by'] = { path: () => new Int32Array() };
  expect([aggregate, by]).toHaveLength(2);
});

it('trees are written with their operators', () => {
  expect(textOfTree({ all: ['inSession', { not: { atLeast: ['scroll', 0] } }] })).toBe(
    'all(inSession not(atLeast(scroll 0)))',
  );
});
