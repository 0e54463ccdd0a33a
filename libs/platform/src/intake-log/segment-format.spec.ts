import fc from 'fast-check';
import { encodeEventId, randomEventId } from '@ledgerline/contracts/events/event-id';
import { EventVersions } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { encodeHit } from './encoded-hit';
import { namesAny, packEvents, unpackEvents } from './segment-format';

const hash = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const data = fc.oneof(
  fc.record({ visitorId: fc.option(hash), sessionId: fc.option(fc.oneof(hash, fc.string())), path: fc.webPath() }),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
);
const event = fc
  .record({
    type: fc.constantFrom('PageViewed', 'LinkClicked', 'ErrorRecorded'),
    id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(encodeEventId),
    at: fc.oneof(fc.nat(2 ** 41), fc.maxSafeInteger(), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
    receivedAt: fc.nat(2 ** 41),
    data,
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as ObservedEvent);

const pack = (events: readonly ObservedEvent[]) =>
  packEvents(events.map((one) => encodeHit({ event: one, subject: 'site_A', dedupe: 'never' }, 1)));

describe('a payload', () => {
  it('gives back what was packed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (events) => {
        const { payload, size } = await pack(events);
        expect(unpackEvents(payload, size)).toEqual(events);
        const clicks = unpackEvents(payload, size, { types: ['LinkClicked'] }).filter((one) => one !== undefined);
        expect(clicks).toEqual(events.filter(({ type }) => type === 'LinkClicked'));
      }),
      { seed: 3 },
    );
  });

  it('says which ids its events name, wherever they name them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), hash, async (events, other) => {
        const { payload, size } = await pack(events);
        const visitors = events.flatMap(({ data }) => ('visitorId' in data ? (data.visitorId ?? []) : []));
        const named = [...events.map(({ id }) => id), ...visitors.filter((id) => /^[0-9a-f]{32}$/.test(id))];
        for (const id of named) expect(namesAny(payload, size, [other, id])).toBe(true);
        expect(namesAny(payload, size, [other, randomEventId(1)])).toBe(named.includes(other));
        expect(namesAny(payload, size, [])).toBe(false);
      }),
      { seed: 4 },
    );
  });

  it('leaves out what has no value, as JSON does', async () => {
    const one = { type: 'X', id: randomEventId(5), at: 5, receivedAt: 6, data: { a: undefined, b: null } };
    const { payload, size } = await pack([one as unknown as ObservedEvent]); // no event of the product has this shape
    expect(Object.keys(unpackEvents(payload, size)[0]?.data ?? {})).toEqual(['b']);
  });

  it('says of which version its events are, and gives them back in the current one', async () => {
    const later = new EventVersions({ A: [({ title = null }) => ({ name: title })], B: [] });
    const earlier = new EventVersions({ A: [], B: [] });
    const packed = (data: object) => {
      const events = ['A', 'B'].map((type) => ({ ...pageView(1), type, data }));
      return packEvents(
        events.map((one) => encodeHit({ event: one as ObservedEvent, subject: 's', dedupe: 'never' }, 1)),
        'name' in data ? later : earlier,
      );
    };
    const first = await packed({ title: 'x' });
    const second = await packed({ name: 'x' });
    const unknown: unknown[] = [];
    const onUnknown = (...kind: unknown[]) => void unknown.push(kind);
    const dataOf = ({ payload, size }: typeof first, versions: EventVersions, types?: string[]) =>
      unpackEvents(payload, size, { versions, types, onUnknown }).map((one) => one?.data);
    expect(dataOf(first, later)).toEqual([{ name: 'x' }, { title: 'x' }]);
    expect(dataOf(second, later)).toEqual([{ name: 'x' }, { name: 'x' }]);
    expect(dataOf(second, earlier, ['B'])).toEqual([undefined, { name: 'x' }]);
    expect(unknown).toEqual([['A', 2, 1]]);
  });

  it('gives back all events where an upcaster fails for one, whose data cannot be read', async () => {
    const upcast = ({ n }: JsonObject) => {
      if (n === 2) throw new RangeError('two');
      return { m: n ?? null };
    };
    const hits = [1, 2, 3].map((n) => ({ ...pageView(n), type: 'A', data: { n } }));
    const encoded = hits.map((one) =>
      encodeHit({ event: one as unknown as ObservedEvent, subject: 's', dedupe: 'never' }, 1),
    );
    const { payload, size } = await packEvents(encoded, new EventVersions({ A: [] }));
    const events = unpackEvents(payload, size, { types: ['A'], versions: new EventVersions({ A: [upcast] }) });
    expect(events.map((one) => one?.id)).toEqual(hits.map(({ id }) => id));
    expect([events[0]?.data, events[2]?.data]).toEqual([{ m: 1 }, { m: 3 }]);
    expect(() => events[1]?.data).toThrow(new RangeError('two'));
  });

  it('is shorter than 80 bytes an event for many page views', async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => pageView(n));
    expect((await pack(events)).payload.length / events.length).toBeLessThan(80);
  });
});

function pageView(n: number): ObservedEvent {
  const person = encodeEventId(Buffer.from(`visitor-${String(n % 300).padStart(8, '0')}`));
  return {
    type: 'PageViewed',
    id: randomEventId(1_700_000_000_000 + n),
    at: 1_700_000_000_000 + n * 3,
    receivedAt: 1_700_000_000_100 + n * 3,
    data: {
      organizationId: 'org_01K00000000000000000000000',
      websiteId: 'site_01K00000000000000000000000',
      zone: 'Europe/Berlin',
      identity: 'daily',
      visitorId: Buffer.from(person).toString('hex').slice(0, 32),
      sessionId: Buffer.from(person).toString('hex').slice(20, 52),
      country: 'DE',
      region: 'Berlin',
      city: 'Berlin',
      browser: 'Firefox',
      browserVersion: '140.0',
      os: 'Linux',
      device: 'desktop',
      host: 'example.com',
      path: `/articles/${n % 97}`,
      query: null,
      title: `Article ${n % 97}`,
      referrer: null,
      utm: null,
      language: 'de-DE',
      timezone: 'Europe/Berlin',
      screen: '1920x1080',
      viewport: '1400x900',
    },
  };
}
