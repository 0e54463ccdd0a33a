import { encodeHit } from '@ledgerline/platform/intake-log/encoded-hit';
import { HitTooLarge, MAX_HIT_BYTES, type IntakeItem, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { hit } from '@test/intake-log/hits.fixture';
import { headerOf, MessageAuthenticator, readHitMessage, type ReadMessage, hitMessageJson } from './hit-message';

const PARTITIONS = 4;
const partition = partitionOf('site_A', PARTITIONS);
const tags = new MessageAuthenticator('the pepper of this installation', 'hits');
const read = (message: ReadMessage, from = partition, requiresTags = true) =>
  readHitMessage(message, { partition: from, partitions: PARTITIONS, tags, requiresTags });

describe('a hit as a message', () => {
  it.each(['never', '48h', 'forever'] as const)('is read as it was sent, with dedupe %s', (dedupe) => {
    const item = hit('a', { dedupe, data: { text: 'a\u0000b\ud800😀', ['__proto__x']: 1 } });
    expect(read(messageOf(item, 7))).toEqual({
      hit: encodeHit(item, PARTITIONS),
      sent: { sender: 'tracker-1', number: 7 },
    });
  });

  it('has a batch of its own in every partition', () => {
    const batch = 'ab'.repeat(16);
    const keys = ['site_A', 'site_B', 'site_C', 'site_D'].map((subject) => {
      const found = read(messageOf({ ...hit('a', { subject }), batch }), partitionOf(subject, PARTITIONS));
      return typeof found === 'string' ? found : found.hit;
    });
    const partitions = new Set(keys.map((one) => (typeof one === 'string' ? one : one.partition)));
    expect(partitions.size).toBeGreaterThan(1);
    expect(new Set(keys.map((one) => (typeof one === 'string' ? one : one.key))).size).toBe(partitions.size);
  });

  it('is refused before it is sent where its JSON is too large', () => {
    expect(() => hitMessageJson(hit('a', { data: { text: '€'.repeat(MAX_HIT_BYTES / 3) } }).event)).toThrow(
      HitTooLarge,
    );
    expect(hitMessageJson(hit('a', { data: { text: 'x'.repeat(MAX_HIT_BYTES / 2) } }).event)).toContain('xxx');
  });
});

describe('a message of a traced request', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  it.each([
    [traceparent, traceparent],
    ['00-anything', undefined],
  ])('with the trace context %s', (sent, trace) => {
    expect(read(messageOf({ ...hit('a'), trace: sent }))).toMatchObject({ hit: { trace } });
  });
});

describe('the tag of a message', () => {
  const good = messageOf(hit('a'), 7);
  const forged = headerOf(hit('a'), 'tracker-1', 1_000_000);

  it.each<[string, Partial<ReadMessage>]>([
    ['another number', { headers: { ...good.headers, hit: Buffer.from(forged) } }],
    ['another sender', { headers: { ...good.headers, hit: Buffer.from(headerOf(hit('a'), 'tracker-2', 7)) } }],
    ['another value', { value: Buffer.from(hitMessageJson(hit('b').event)) }],
    ['another key', { key: Buffer.from('site_Z') }],
    ['a trace of another request', { headers: { ...good.headers, traceparent: Buffer.from('00') } }],
    ['no text', { headers: { ...good.headers, tag: Buffer.alloc(16, 0xff) } }],
    ['two tags', { headers: { ...good.headers, tag: [Buffer.from('a'), Buffer.from('b')] } }],
    ['a tag that was cut', { headers: { ...good.headers, tag: (good.headers!.tag as Buffer).subarray(0, 10) } }],
  ])('does not vouch for %s', (_, change) => {
    for (const requiresTags of [true, false])
      expect(read({ ...good, ...change }, partition, requiresTags)).toBe('wrong tag');
  });

  it('vouches for one partition of one topic of one installation', () => {
    expect(read(good, (partition + 1) % PARTITIONS)).toBe('wrong tag');
    for (const other of [
      new MessageAuthenticator('the pepper of another installation', 'hits'),
      new MessageAuthenticator('the pepper of this installation', 'other'),
    ])
      expect(readHitMessage(good, { partition, partitions: PARTITIONS, tags: other, requiresTags: true })).toBe(
        'wrong tag',
      );
  });

  it('may be absent only where trackers of an earlier version may have written, and then its number counts for nothing', () => {
    const { tag: _, ...headers } = good.headers!;
    expect(read({ ...good, headers })).toBe('no tag');
    expect(read({ ...good, headers }, partition, false)).toEqual({
      hit: encodeHit(hit('a'), PARTITIONS),
      sent: undefined,
    });
  });
});

describe('a message that is no hit', () => {
  const good = messageOf(hit('a'));

  it.each<[string, Partial<ReadMessage>]>([
    ['no header of a tracker', { headers: {} }],
    ['no header of a tracker', { headers: { hit: Buffer.from('tracker-1.x.never') } }],
    ['no header of a tracker', { headers: undefined }],
    ['no header of a tracker', { headers: { hit: [Buffer.from('a.1.never'), Buffer.from('a.2.never')] } }],
    ['no header of a tracker', { key: null }],
    ['too large', { value: Buffer.alloc(MAX_HIT_BYTES + 1) }],
    ['no JSON', { value: null }],
    ['no JSON', { value: Buffer.from('{"type":') }],
    ['no observed event', { value: Buffer.from('null') }],
    ['no observed event', { value: Buffer.from('[1]') }],
    ['no observed event', { value: Buffer.from(good.value!.toString().replace('PageLeft', 'LinkCreated')) }],
    ['no observed event', { value: Buffer.from(good.value!.toString().replace(/"at":\d+/, '"at":null')) }],
    ['no observed event', { value: Buffer.from(good.value!.toString().replace(/"id":"\w/, '"id":"_')) }],
    ['another partition', { key: Buffer.from(subjectElsewhere()) }],
  ])('is named: %s', (reason, change) => {
    expect(read(tagged({ ...good, ...change }))).toBe(reason);
  });
});

function messageOf(item: IntakeItem, number = 0): ReadMessage {
  const trace = item.trace === undefined ? {} : { traceparent: Buffer.from(item.trace) };
  return tagged(
    {
      key: Buffer.from(item.subject),
      value: Buffer.from(hitMessageJson(item.event)),
      headers: { hit: Buffer.from(headerOf(item, 'tracker-1', number)), ...trace },
      offset: '0',
      timestamp: '1700000000000',
    },
    partitionOf(item.subject, PARTITIONS),
  );
}

/** As a tracker of this installation would have tagged it. */
function tagged(message: ReadMessage, of = partition): ReadMessage {
  const { hit: header, traceparent } = message.headers ?? {};
  const parts = {
    partition: of,
    key: String(message.key),
    hit: String(header),
    value: message.value ?? Buffer.alloc(0),
  };
  const trace = traceparent === undefined ? undefined : (traceparent as Buffer).toString();
  const tag = Buffer.from(tags.tagOf({ ...parts, traceparent: trace }));
  return { ...message, headers: message.headers && { ...message.headers, tag } };
}

function subjectElsewhere(): string {
  const found = ['site_B', 'site_C', 'site_D'].find((subject) => partitionOf(subject, PARTITIONS) !== partition);
  return found ?? '';
}
