import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { contextOf, NOW, WEBSITE } from '@test/tracker/intake-context-of';
import { buildEvents, recordHits } from './record-hits';

describe('recording hits', () => {
  const recorded = async (body: unknown, bot = false): Promise<readonly IntakeItem[]> => {
    const context = contextOf(body, { website: WEBSITE });
    if (bot) context.bot = { name: 'bingbot', rule: 'isbot', ruleVersion: '1' };
    buildEvents(context);
    const sent: IntakeItem[] = [];
    await recordHits(context, { recordHits: (hits) => Promise.resolve((sent.push(...hits), STORED)) });
    if (sent.length > 0) expect(context.positions).toBe(STORED.positions);
    return sent;
  };

  it('stamps everything a projection needs', async () => {
    const referrer = 'https://www.example.com/x';
    const [hit] = await recorded({ name: 'screen_view', path: '/a', referrer });
    expect(hit).toMatchObject({
      subject: 'site_1',
      dedupe: 'never',
      event: {
        type: 'PageViewed',
        at: NOW,
        receivedAt: NOW,
        data: {
          organizationId: 'org_1',
          websiteId: 'site_1',
          zone: 'Europe/Berlin',
          identity: 'daily',
          path: '/a',
          referrer: { host: 'www.example.com', path: '/x', own: true },
          device: 'other',
        },
      },
    });
  });

  it('gives every type of event its own fields', async () => {
    const hits = await recorded([
      { name: 'page_exit', path: '/a', time_on_page: 3 },
      { type: 'outgoing_link', href: 'https://b.org' },
      { name: 'custom', properties: { a: 1 } },
    ]);
    expect(hits.map(({ event }) => [event.type, Object.keys(event.data).includes('country')])).toEqual([
      ['PageLeft', false],
      ['OutgoingLinkClicked', true],
      ['CustomEventTracked', true],
    ]);
  });

  it.each([
    ['https://example.com/a.pdf', true],
    ['https://Files.Example.com:8443/a.pdf', true],
    ['https://notexample.com/a.pdf', false],
  ])('says whether %s is of the website’s own domain: %s', async (href, own) => {
    const [hit] = await recorded({ type: 'outgoing_link', href, link_kind: 'download' });
    expect(hit?.event.data).toMatchObject({ linkKind: 'download', own });
  });

  it('recognises a retry by website, kind and the client’s id', async () => {
    const hits = await recorded([
      { name: 'a', eventId: 'e' },
      { name: 'a', eventId: 'e' },
      { name: 'b', eventId: 'e' },
    ]);
    expect(hits.map(({ event, dedupe }) => [event.id, dedupe])).toEqual([
      [derivedEventId('site_1', 'a', 'e'), '48h'],
      [derivedEventId('site_1', 'a', 'e'), '48h'],
      [derivedEventId('site_1', 'b', 'e'), '48h'],
    ]);
  });

  it('keeps a bot’s hit as such', async () => {
    const [hit] = await recorded({ name: 'screen_view', path: '/a' }, true);
    expect(hit?.event).toMatchObject({
      type: 'HitJudgedBot',
      data: { websiteId: 'site_1', bot: 'bingbot', rule: 'isbot', hit: { type: 'PageViewed', data: { path: '/a' } } },
    });
  });

  it('sends nothing for nothing', async () => expect(await recorded([])).toEqual([]));

  it('fails when the log does not take it', async () => {
    const context = contextOf({ name: 'a' }, { website: WEBSITE });
    buildEvents(context);
    const deps = { recordHits: () => Promise.reject(new LogUnavailable('away')) };
    await expect(recordHits(context, deps)).rejects.toThrow(LogUnavailable);
  });
});

const STORED = { outcomes: [], positions: new Map([[0, '1']]) };
