import {
  COMMON,
  CUSTOM_EVENT,
  ENGAGEMENT_SPAN,
  IDENTIFICATION,
  OUTGOING_LINK,
  PAGE_ERROR,
  PAGE_LEAVE,
  PAGE_VIEW,
  WEB_VITAL,
  type ItemField,
  type ItemFields,
} from '@ledgerline/contracts/tracking-items';
import { reasonOf } from '@test/tracker/reason-of';
import type { PageViewFacts, Payload } from './intake-context';
import {
  readBrowserEvent,
  readCustomEvent,
  readEngagementSpan,
  readError,
  readIdentification,
  readVital,
} from './payloads';

describe('a custom event', () => {
  it('has a name and whatever else the client sends', () =>
    expect(
      readCustomEvent({
        name: ' signup ',
        namespace: 'app',
        path: 'https://example.com/join/?a=1',
        properties: { plan: 'pro', note: 'a\u0000b', deep: [{ n: 1 }] },
        source: 'node',
        timestamp: '2026-03-10T12:00:00Z',
        eventId: 'e1',
        anonymousId: 'GA1.2.123.456',
        profileId: 'user 1',
        sessionId: 's-1.2',
        websiteId: 'site_1',
        anonymizeVisitorIds: false,
        surprise: true,
      }),
    ).toEqual({
      kind: 'signup',
      clientEventId: 'e1',
      revision: null,
      at: Date.parse('2026-03-10T12:00:00Z'),
      websiteId: 'site_1',
      anonymousId: 'GA1.2.123.456',
      profileId: 'user 1',
      sessionId: 's-1.2',
      recognisable: true,
      facts: {
        type: 'CustomEventTracked',
        data: {
          name: 'signup',
          namespace: 'app',
          host: 'example.com',
          path: '/join',
          properties: { plan: 'pro', note: 'ab', deep: [{ n: 1 }] },
          source: 'node',
        },
      },
    }));

  it('needs nothing but a name, and takes null for absent', () => {
    expect(readCustomEvent({ name: 'x', properties: null, eventId: null })).toMatchObject({
      at: null,
      recognisable: false,
    });
    expect(readCustomEvent({ name: 'n'.repeat(300) }).kind).toHaveLength(256);
  });

  it('is refused at once for an id that is nearly all white space', () => {
    const reason = 'anonymousId must be at most 256 of A-Z a-z 0-9 . _ -';
    expect(reasonOf(() => readCustomEvent({ name: 'x', anonymousId: `${' '.repeat(200_000)}!` }))).toBe(reason);
    expect(readCustomEvent({ name: 'x', anonymousId: '  ada ' }).anonymousId).toBe('ada');
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: ' \u0000' }, 'name must not be empty'],
    [{ name: 5 }, 'name must be string'],
    [[], 'item must be object'],
    [null, 'item must be object'],
    ['text', 'item must be object'],
    [{ name: 'x', timestamp: 1.5 }, 'timestamp must be integer or string'],
    [{ name: 'x', timestamp: 'yesterday' }, 'timestamp must be epoch milliseconds or an ISO 8601 time that exists'],
    [{ name: 'x', anonymousId: 'a b' }, 'anonymousId must be at most 256 of A-Z a-z 0-9 . _ -'],
    [{ name: 'x', sessionId: 's'.repeat(257) }, 'sessionId must be at most 256 of A-Z a-z 0-9 . _ -'],
    [{ name: 'x', eventId: 'e'.repeat(513) }, 'eventId must not have more than 512 characters'],
    [{ name: 'x', properties: [] }, 'properties must be object'],
    [{ name: 'x', properties: many(51) }, 'properties must not have more than 50 keys'],
    [{ name: 'x', properties: { a: 'ä'.repeat(17_000) } }, 'properties must not be larger than 32 KiB'],
    [{ name: 5, eventId: {} }, 'eventId must be string; name must be string'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readCustomEvent(item))).toBe(reason));

  it('is refused when it is nested without end', () => {
    const properties = JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`) as unknown;
    expect(reasonOf(() => readCustomEvent({ name: 'x', properties }))).toBe(
      'properties must not be nested deeper than 16',
    );
  });

  it('is refused with a number beyond the finite, by its name', () => {
    const item = JSON.parse('{"name":"x","properties":{"a":[1,{"b":-1e999}]}}') as unknown;
    expect(reasonOf(() => readCustomEvent(item))).toBe('properties.a[1].b must be a finite number');
  });

  it('keeps odd names of properties out of the prototype', () => {
    const item = JSON.parse('{"name":"x","properties":{"__proto__":{"a":1},"b":null}}') as unknown;
    const { data } = readCustomEvent(item).facts as { data: { properties: object } };
    expect(JSON.stringify(data.properties)).toBe('{"__proto__":{"a":1},"b":null}');
    expect(Object.getPrototypeOf(data.properties)).toBe(Object.prototype);
  });
});

describe('what a browser sends', () => {
  it('is a page view by its name', () => {
    const { kind, facts } = readBrowserEvent({
      name: 'screen_view',
      path: 'https://example.com/a/?utm_source=mail',
      title: 'A',
      referrer: 'https://www.google.com/search?q=x',
      screen_resolution: '1920x1080',
      viewport_size: 'huge',
      timezone: 'Europe/Berlin',
      language: 'iw_il',
    });
    expect(kind).toBe('screen_view');
    expect(facts).toEqual({
      type: 'PageViewed',
      data: {
        host: 'example.com',
        path: '/a',
        query: 'utm_source=mail',
        title: 'A',
        referrer: { host: 'www.google.com', path: '/search' },
        utm: { source: 'mail', medium: null, campaign: null, term: null, content: null },
        language: 'he-IL',
        timezone: 'Europe/Berlin',
        screen: '1920x1080',
        viewport: null,
      },
    });
  });

  it.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['europe/BERLIN', 'Europe/Berlin'],
    ['Europe/Atlantis', null],
  ])('has the time zone %s as %s', (timezone, stored) => {
    const { data } = readBrowserEvent({ name: 'screen_view', path: '/', timezone }).facts as PageViewFacts;
    expect(data.timezone).toBe(stored);
  });

  it('is cut to what is kept', () => {
    const long = 'x'.repeat(3_000);
    const utm = Object.fromEntries(
      ['source', 'medium', 'campaign', 'term', 'content'].map((name) => [`utm_${name}`, long]),
    );
    const sent = { name: 'screen_view', path: `/${long}`, title: long, referrer: `https://a.org/${long}`, ...utm };
    const { data } = readBrowserEvent(sent).facts as PageViewFacts;
    expect([data.path.length, data.title?.length]).toEqual([2048, 2048]);
    expect(data.referrer?.path).toHaveLength(2048 - 'https://a.org'.length);
    expect(Object.values(data.utm as unknown as Record<string, string>).map(({ length }) => length)).toEqual(
      Array(5).fill(512),
    );
    expect(readCustomEvent({ name: long, namespace: long, source: long }).facts.data).toMatchObject({
      name: long.slice(0, 256),
      namespace: long.slice(0, 256),
      source: long.slice(0, 256),
    });
  });

  it('is of the campaign in its query string where its fields name none', () => {
    const sent = { name: 'screen_view', path: '/?utm_source=mail', utm_source: ' ', utm_medium: ' email ' };
    const { data } = readBrowserEvent(sent).facts as PageViewFacts;
    expect(data.utm).toMatchObject({ source: 'mail', medium: 'email', campaign: null });
  });

  it('is no report of which there are revisions', () =>
    expect(readBrowserEvent({ name: 'screen_view', path: '/', eventId: 'e1', revision: 'x' }).revision).toBeNull());

  it('is a leave by its name, with possible values only', () =>
    expect(
      readBrowserEvent({ name: 'page_exit', path: '/a/', time_on_page: 12.5, scroll_depth: 180, interaction_count: -1 })
        .facts,
    ).toEqual({
      type: 'PageLeft',
      data: { host: null, path: '/a', query: null, timeOnPage: 12.5, scrollDepth: 100, interactions: null },
    }));

  it('is an outgoing link by its type', () =>
    expect(
      readBrowserEvent({ type: 'outgoing_link', href: 'https://B.org.:443/%c3%b6?%5f=ö', text: ' B ', path: '/%61?x' })
        .facts,
    ).toEqual({
      type: 'OutgoingLinkClicked',
      data: { href: 'https://b.org/%C3%B6?_=%C3%B6', linkKind: 'link', text: 'B', host: null, path: '/a' },
    }));

  it.each([
    ['download', 'download'],
    ['link', 'link'],
    ['upload', 'link'],
    [null, 'link'],
    [{}, 'link'],
  ])('is a link of the kind %j: %s', (link_kind, linkKind) =>
    expect(readBrowserEvent({ type: 'outgoing_link', href: 'https://b.org/a.zip', link_kind }).facts.data).toEqual(
      expect.objectContaining({ linkKind }),
    ),
  );

  it('is a custom event by any other name', () =>
    expect(readBrowserEvent({ name: 'video_played' }).facts.type).toBe('CustomEventTracked'));

  it.each([
    [{ name: 'screen_view' }, 'path is missing'],
    [{ name: 'screen_view', path: 'about:blank' }, 'path must be an http(s) URL or a pathname'],
    [{ name: 'page_exit', path: 'javascript:1' }, 'path must be an http(s) URL or a pathname'],
    [{ type: 'outgoing_link' }, 'href is missing'],
    [{ type: 'outgoing_link', href: 'javascript:alert(1)' }, 'href must be an http(s) URL'],
    [7, 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readBrowserEvent(item))).toBe(reason));
});

it('an outgoing link is cut to what is kept', () => {
  const { facts } = readBrowserEvent({ type: 'outgoing_link', href: `https://b.org/${'x'.repeat(3000)}` });
  expect((facts.data as { href: string }).href).toHaveLength(2048);
});

function many(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
}

describe('the fields of each type of item', () => {
  const TYPES: readonly [ItemFields, (item: unknown) => Payload, object][] = [
    [PAGE_VIEW, readBrowserEvent, { name: 'screen_view', path: '/' }],
    [PAGE_LEAVE, readBrowserEvent, { name: 'page_exit', path: '/' }],
    [OUTGOING_LINK, readBrowserEvent, { type: 'outgoing_link', href: 'https://b.org' }],
    [CUSTOM_EVENT, readCustomEvent, { name: 'x' }],
    [WEB_VITAL, readVital, { path: '/', metricName: 'LCP', metricValue: 1 }],
    [PAGE_ERROR, readError, { path: '/' }],
    [ENGAGEMENT_SPAN, readEngagementSpan, { path: '/' }],
    [IDENTIFICATION, readIdentification, { profileId: 'p' }],
  ];
  const cases = TYPES.flatMap(([fields, read, least]) =>
    Object.entries<ItemField>({ ...COMMON, ...fields }).map(([name, field]) => ({ name, field, read, least })),
  );

  it('may be null unless they are required, and are then missing', () => {
    for (const { name, field, read, least } of cases) {
      const reason = reasonOf(() => read({ ...least, [name]: null }));
      const missing = reasonOf(() => read({ ...least, [name]: undefined }));
      if (!field.isRequired) expect([name, reason]).toEqual([name, 'taken']);
      else expect([reason, missing]).toEqual([expect.stringMatching(`^${name} must be `), `${name} is missing`]);
    }
  });

  it('are refused by name for a value of another form, unless they are lenient', () => {
    for (const { name, field, read, least } of cases) {
      const reason = reasonOf(() => read({ ...least, [name]: [] }));
      const isObject = field.kind === 'properties' || field.kind === 'traits';
      expect([name, reason.startsWith(`${name} must be `)]).toEqual([name, !field.isLenient || isObject]);
    }
  });
});
