/** Two people and a bot as the tracking host sees them, and what must be stored nowhere. */
export const ADDRESSES = { v4: '81.2.69.142', v6: '2a00:1450:4001:830::200e' };

export const PERSON =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
export const BOT = 'Mozilla/5.0 (compatible; ScanningBot/2.1; +https://bot.example/about)';

/** Parts of each, because none of them is needed either. */
export const ADDRESSES_AND_AGENTS = [
  ...Object.values(ADDRESSES),
  ...[Buffer.from([81, 2, 69, 142]).toString('hex'), '::ffff:5102:458e', '2a00:1450'],
  ...[PERSON, 'Mozilla/5.0 (Macintosh', 'AppleWebKit', 'KHTML'],
];

const IDS = { anonymousId: 'scan-anonymous', sessionId: 'scan-session', profileId: 'scan-profile' };

/** With what clients call their visitors. */
export const PERSONAL = [
  ...ADDRESSES_AND_AGENTS,
  ...[...Object.values(IDS), 'scan-event'],
  ...['Scanned Person', 'scan@person.example'],
];

/** A request of each kind that a page or server makes: its path on the tracking host, and its body. */
export function everyHit(websiteId: string, name: string): readonly (readonly [path: string, body: object])[] {
  const of = (event: object) => ({ ...IDS, path: '/scanned-page', eventId: `scan-event ${name}`, ...event });
  const site = `client_id=${websiteId}`;
  return [
    [`/track?${site}`, [of({ name: 'scanned event' }), of({ name: 'recognisable', anonymizeVisitorIds: false })]],
    [`/batch?${site}`, [of({ name: 'screen_view' }), of({ name: 'page_exit' })]],
    [`/?${site}`, of({ type: 'outgoing_link', href: 'https://x.example' })],
    [`/vitals?${site}`, [of({ metricName: 'LCP', metricValue: 5 })]],
    [`/errors?${site}`, [of({ message: 'scanned error' })]],
    [`/engagement?${site}`, [of({ timeOnPage: 5, activeTime: 3 })]],
    [`/identify?${site}`, of({ traits: { name: 'Scanned Person', email: 'scan@person.example' } })],
    [`/batch?${site}`, [of({ name: 'screen_view', anonymousId: undefined, sessionId: undefined })]],
  ];
}

export const pixelOf = (websiteId: string): string =>
  `/px.jpg?${new URLSearchParams({ client_id: websiteId, ...IDS, path: '/scanned-page', eventId: 'scan-event', name: 'pixel' }).toString()}`;
