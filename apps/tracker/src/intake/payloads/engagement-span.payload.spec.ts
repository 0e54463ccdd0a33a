import { reasonOf } from '@test/tracker/reason-of';
import { readEngagementSpan } from './engagement-span.payload';

const SPAN = {
  pageIndex: 2,
  exitType: 'navigation',
  activeTime: 20.5,
  timeToFirstInteraction: 850,
  maxScrollDepth: 75,
  scrollCount: 9,
  clickCount: 3,
  keyCount: 14,
  interactionCount: 26,
  copyCount: 1,
  rageClickCount: 1,
  deadClickCount: 2,
  rageClickTarget: 'button.buy',
  deadClickTarget: 'img',
  formFieldCount: 4,
  formSubmitCount: 0,
  lastFormField: 'email',
  errorCount: 0,
};

describe('an engagement span', () => {
  it('has the time on the page, and all else by the names of the wire', () => {
    const { kind, facts } = readEngagementSpan({ path: '/a/?b', timeOnPage: 31.2, ...SPAN, unknown: 1 });
    expect(kind).toBe('engagement');
    expect(facts).toEqual({ type: 'EngagementMeasured', data: { path: '/a', timeOnPage: 31.2, span: SPAN } });
  });

  it('needs nothing but its page, and keeps only what is known', () =>
    expect(readEngagementSpan({ path: '/a', clickCount: null, keyCount: -1, exitType: ' ' }).facts.data).toEqual({
      path: '/a',
      timeOnPage: null,
      span: {},
    }));

  it('is clamped to what is possible, and counts in whole numbers', () =>
    expect(
      readEngagementSpan({ path: '/', timeOnPage: 1e9, activeTime: 1e9, maxScrollDepth: 180, clickCount: 1.6 }).facts
        .data,
    ).toEqual({ path: '/', timeOnPage: 86_400, span: { activeTime: 86_400, maxScrollDepth: 100, clickCount: 2 } }));

  it('has texts cut to what is kept', () => {
    const long = 'x'.repeat(3000);
    const { span } = readEngagementSpan({ path: '/', rageClickTarget: long, lastFormField: long }).facts.data as {
      span: Record<string, string>;
    };
    expect([span.rageClickTarget?.length, span.lastFormField?.length]).toEqual([2048, 256]);
  });

  it.each([
    [{}, 'path is missing'],
    [{ path: '/', timeOnPage: '12' }, 'timeOnPage must be number'],
    [{ path: '/', clickCount: true, activeTime: {} }, 'activeTime must be number; clickCount must be number'],
    [{ path: '/', rageClickTarget: 5 }, 'rageClickTarget must be string'],
    [{ path: 'mailto:a@b.c' }, 'path must be an http(s) URL or a pathname'],
    [[], 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readEngagementSpan(item))).toBe(reason));
});
