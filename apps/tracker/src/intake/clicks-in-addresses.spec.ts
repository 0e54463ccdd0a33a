import type { ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { withClick } from '@ledgerline/domain/links/click-id';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { BROWSER } from '../../../../scripts/supervisor/screen';

const click = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', linkId: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' };
const named = (address: string) => withClick(address, click);

describe('the click in the address of a page', () => {
  let tracker: RunningTracker;
  let key: string;
  let read = 0;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    key = await tracker.createKey('key_1');
  });
  afterAll(() => tracker.stop());

  /** Returns what is recorded of a request, which is accepted. */
  async function send<Event extends ObservedEvent>(
    url: string,
    payload: object | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly Event[]> {
    const { statusCode, body } = await tracker.app.inject({
      method: payload ? 'POST' : 'GET',
      url: `${url}client_id=site_1`,
      headers: { 'user-agent': BROWSER, ...headers },
      ...(payload && { payload }),
    });
    expect([statusCode, body]).toEqual([headers['user-agent'] ? 204 : 200, body]);
    const recorded = await tracker.recorded();
    return recorded.slice(read, (read = recorded.length)) as Event[];
  }

  const view = (path: string) => ({ name: 'screen_view', path });

  it('is stamped on the view of that page, from every client', async () => {
    const address = named('https://example.com/a?q=%5fx&utm_source=mail#top');
    const pixel = `/px.jpg?path=${encodeURIComponent(address)}&`;
    const views = [
      ...(await send<PageViewed>('/batch?', [view(address)])),
      ...(await send<PageViewed>('/?', view(address))),
      ...(await send<PageViewed>('/batch?', [view(named('/a?q=_x&utm_source=mail'))], { 'x-api-key': key })),
      ...(await send<PageViewed>(pixel, undefined)),
      ...(await send<PageViewed>('/px.jpg?', undefined, { referer: address })),
    ];
    expect(views).toHaveLength(5);
    for (const { type, data } of views) {
      expect(type).toBe('PageViewed');
      expect(data).toMatchObject({ path: '/a', query: 'q=_x&utm_source=mail', click, utm: { source: 'mail' } });
    }
  });

  it('is none where there is none, or what cannot be read, which is taken out too', async () => {
    const [plain, alone, wrong] = await send<PageViewed>('/batch?', [
      view('/a?q=1&'),
      view(named('/a')),
      view('/a?ll_click=01K9-x&&b'),
    ]);
    expect([plain!.data.query, alone!.data.query, wrong!.data.query]).toEqual(['q=1&', null, '&b']);
    expect(alone!.data.click).toEqual(click);
    for (const { data } of [plain!, wrong!]) expect(data).not.toHaveProperty('click');
  });

  it('does not shorten what is kept of a long address', async () => {
    const address = `https://example.com/?q=${'a'.repeat(3_000)}`;
    const [plain, clicked] = await send<PageViewed>('/batch?', [view(address), view(named(address))]);
    expect(clicked!.data).toEqual({ ...plain!.data, click });
  });

  it('is one event with a repetition that lost it', async () => {
    const first = await send<PageViewed>('/batch?', [{ ...view(named('/a')), eventId: 'v1' }]);
    const again = await send<PageViewed>('/batch?', [{ ...view('/a'), eventId: 'v1' }]);
    expect([first.map(({ data }) => data.click), again]).toEqual([[click], []]);
  });

  it('is kept of bots within what is judged', async () => {
    const [judged] = await send('/batch?', [view(named('/a?b'))], { 'user-agent': 'Googlebot/2.1' });
    expect(judged).toMatchObject({ type: 'HitJudgedBot', data: { hit: { data: { query: 'b', click } } } });
  });

  it('is nowhere in anything else', async () => {
    const path = named('https://example.com/a?q=1');
    const events = [
      ...(await send('/batch?', [
        { name: 'page_exit', path },
        { type: 'outgoing_link', href: 'https://b.org/', path },
        { name: 'signed_up', path },
        { ...view('/b'), referrer: path },
      ])),
      ...(await send('/track?', { name: 'paid', path }, { 'x-api-key': key })),
      ...(await send('/errors?', [{ path, message: 'x', filename: named('https://example.com/a?q=1') }])),
      ...(await send('/vitals?', [{ path, metricName: 'LCP', metricValue: 1 }])),
      ...(await send('/engagement?', [{ path, timeOnPage: 1 }])),
    ];
    expect(events).toHaveLength(8);
    expect(JSON.stringify(events)).not.toMatch(/click_?id|ll_click|01K9ZZ/);
    expect(events.find(({ type }) => type === 'PageLeft')?.data).toMatchObject({ path: '/a', query: 'q=1' });
    const failed = { filename: 'https://example.com/a?q=1' };
    expect(events.find(({ type }) => type === 'ErrorRecorded')?.data).toMatchObject(failed);
  });
});
