import { reasonOf } from '@test/tracker/reason-of';
import { readVital } from './vital.payload';

const LCP = { path: 'https://example.com/a/?x=1', metricName: 'LCP', metricValue: 1834.5 };

describe('a vital', () => {
  it('is a metric of a page', () =>
    expect(readVital({ ...LCP, timestamp: 5, eventId: 'e1', anonymousId: 'a', sessionId: 's', more: 1 })).toEqual({
      kind: 'vital',
      clientEventId: 'e1',
      revision: null,
      at: 5,
      websiteId: null,
      anonymousId: 'a',
      profileId: null,
      sessionId: 's',
      recognisable: false,
      facts: { type: 'VitalMeasured', data: { path: '/a', metric: 'LCP', value: 1834.5 } },
    }));

  it.each(['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'])('may be %s', (metricName) =>
    expect(readVital({ ...LCP, metricName }).facts.data).toMatchObject({ metric: metricName }),
  );

  it('is clamped to what is possible', () =>
    expect(readVital({ ...LCP, metricValue: 1e300 }).facts.data).toMatchObject({ value: 86_400_000 }));

  it.each([
    [{}, 'path is missing; metricName is missing; metricValue is missing'],
    [{ ...LCP, metricName: 'FID' }, 'metricName must be one of LCP FCP CLS INP TTFB FPS'],
    [{ ...LCP, metricName: null }, 'metricName must be one of LCP FCP CLS INP TTFB FPS'],
    [{ ...LCP, metricValue: '1' }, 'metricValue must be number'],
    [{ ...LCP, metricValue: null }, 'metricValue must be number'],
    [{ ...LCP, metricValue: Infinity }, 'metricValue must be number'],
    [{ ...LCP, metricValue: -1 }, 'metricValue must be >= 0'],
    [{ ...LCP, revision: 1 }, 'revision needs an eventId'],
    [{ ...LCP, eventId: 'e1', revision: -1 }, 'revision must be >= 0'],
    [{ ...LCP, eventId: 'e1', revision: 2 ** 32 }, 'revision must be <= 4294967295'],
    [{ ...LCP, eventId: 'e1', revision: 0.5 }, 'revision must be integer'],
    [{ ...LCP, path: 'about:blank' }, 'path must be an http(s) URL or a pathname'],
    ['text', 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readVital(item))).toBe(reason));
});
