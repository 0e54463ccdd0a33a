import type { SaidRule } from './alert-sentence';
import { alertSentence } from './alert-sentence';

const RULE: SaidRule = {
  figure: 'visitors',
  filters: [],
  window: { minutes: 60 },
  compare: 'above',
  threshold: 100,
  percent: null,
  direction: null,
  minimum: null,
};
const CHANGED = { compare: 'changed', threshold: null, percent: 50 } as const;

describe('the sentence of an alert', () => {
  it.each<readonly [Partial<SaidRule>, Parameters<typeof alertSentence>[1], string]>([
    [{}, {}, 'Visitors of the last hour above 100'],
    [
      { ...CHANGED, direction: 'down', minimum: 20 },
      { at: 'Tuesday 10:00' },
      'Visitors of the last hour more than 50 % below the usual for a Tuesday 10:00, from 20 on',
    ],
    [CHANGED, {}, 'Visitors of the last hour more than 50 % above or below the usual'],
    [{ figure: 'lcp', threshold: 2_500, window: { minutes: 180 } }, {}, 'LCP (p75) of the last 3 hours above 2500 ms'],
    [
      { figure: 'conversions', compare: 'silence', threshold: null, window: { minutes: 5 } },
      { goal: 'Orders' },
      'No conversions of Orders in the last 5 minutes',
    ],
    [
      { figure: 'bounce_rate', compare: 'below', threshold: 20, window: { minutes: 10_080 } },
      { segment: 'Buyers' },
      'Bounce rate of the last 7 days below 20 %, in the segment Buyers',
    ],
    [
      {
        filters: [
          { field: 'device_type', op: 'in', value: ['mobile', 'tablet'] },
          {
            any: [
              { field: 'path', op: 'glob', value: '/a/**' },
              { field: 'path', op: 'eq', value: '/b' },
            ],
          },
        ],
        window: { minutes: 1_440 },
      },
      {},
      'Visitors of the last day above 100, where device type is one of mobile, tablet and (path matches /a/** or path is /b)',
    ],
  ])('says %j with %j', (more, names, sentence) => expect(alertSentence({ ...RULE, ...more }, names)).toBe(sentence));
});
