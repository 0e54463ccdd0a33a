import { linkClicked, pageView } from '@test/events/observed-events';
import { type OpenBatch, addToBatch, isFresh } from './message-batch';

describe('a batch of a message', () => {
  it('has nothing of who it was, and no query string', () => {
    const click = linkClicked(0, {
      visitorId: 'f'.repeat(32),
      country: 'DE',
      city: 'Berlin',
      referrer: { host: 'news.example', path: '/a', own: false },
      utm: { source: 'x', medium: null, campaign: null, term: null, content: null },
    });
    expect(addToBatch(undefined, click, AT).items).toEqual([
      {
        at: '1970-01-01T00:00:00.000Z',
        country: 'DE',
        device: 'other',
        browser: null,
        os: null,
        referrer: 'news.example/a',
      },
    ]);
    const view = pageView(0, { path: '/paid', query: 'mail=a@b.example', title: 'Ada' });
    expect(addToBatch(undefined, view, AT).items).toEqual([
      { at: '1970-01-01T00:00:00.000Z', country: null, device: 'desktop', browser: null, os: null, path: '/paid' },
    ]);
  });

  it('holds at most 100 items and 20 KB, and counts the rest', () => {
    const filled = fill(150, '/short');
    expect([filled.count, filled.items.length]).toEqual([150, 100]);
    const long = fill(50, `/${'ä'.repeat(700)}`);
    expect(long.count).toBe(50);
    expect(Buffer.byteLength(JSON.stringify(long.items))).toBeLessThanOrEqual(20_001);
    expect(long.items.length).toBeGreaterThan(10);
  });

  it('takes nothing that happened more than a day before it was received', () => {
    expect(isFresh({ at: 0, receivedAt: 86_400_000 })).toBe(true);
    expect(isFresh({ at: 0, receivedAt: 86_400_001 })).toBe(false);
  });
});

const AT = { partition: 0, offset: 7 };

function fill(count: number, path: string): OpenBatch {
  let batch: OpenBatch | undefined;
  for (let n = 0; n < count; n++) batch = addToBatch(batch, pageView(n, { path }), { ...AT, offset: n });
  if (!batch) throw new Error('There is no batch.');
  return batch;
}
