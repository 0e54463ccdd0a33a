import { hit } from '@test/intake-log/hits.fixture';
import { encodeHit } from '../encoded-hit';
import { HitTooLarge, MAX_HIT_BYTES, type IntakeItem } from '../intake-log';
import { partitionOf } from '../partition-of';
import { headerOf, readHit, valueOf, type ReadMessage } from './hit-message';

const PARTITIONS = 4;
const partition = partitionOf('site_A', PARTITIONS);
const read = (message: ReadMessage, from = partition) => readHit(message, from, PARTITIONS);

describe('a hit as a message', () => {
  it.each(['never', '48h', 'forever'] as const)('is read as it was sent, with dedupe %s', (dedupe) => {
    const item = hit('a', { dedupe, data: { text: 'a\u0000b\ud800😀', ['__proto__x']: 1 } });
    expect(read(messageOf(item, 7))).toEqual({ hit: encodeHit(item, PARTITIONS), sender: 'tracker-1', number: 7 });
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
    expect(() => valueOf(hit('a', { data: { text: '€'.repeat(MAX_HIT_BYTES / 3) } }).event)).toThrow(HitTooLarge);
    expect(valueOf(hit('a', { data: { text: 'x'.repeat(MAX_HIT_BYTES / 2) } }).event)).toContain('xxx');
  });
});

describe('a message of a traced request', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  it.each([
    [traceparent, traceparent],
    ['00-anything', undefined],
  ])('with the trace context %s', (sent, trace) => {
    const { headers, ...message } = messageOf(hit('a'));
    expect(read({ ...message, headers: { ...headers, traceparent: Buffer.from(sent) } })).toMatchObject({
      hit: { trace },
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
    expect(read({ ...good, ...change })).toBe(reason);
  });
});

function messageOf(item: IntakeItem, number = 0): ReadMessage {
  return {
    key: Buffer.from(item.subject),
    value: Buffer.from(valueOf(item.event)),
    headers: { hit: Buffer.from(headerOf(item, 'tracker-1', number)) },
    offset: '0',
    timestamp: '1700000000000',
  };
}

function subjectElsewhere(): string {
  const found = ['site_B', 'site_C', 'site_D'].find((subject) => partitionOf(subject, PARTITIONS) !== partition);
  return found ?? '';
}
