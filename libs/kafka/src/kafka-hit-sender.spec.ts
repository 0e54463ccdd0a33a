import { HitTooLarge, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { hit } from '@test/intake-log/hits.fixture';
import { waitUntil } from '@test/wait-until';
import { type HitMessage, MessageAuthenticator } from './hit-message';
import { KafkaHitSender } from './kafka-hit-sender';

const PARTITIONS = 4;
const OPTIONS = { lingerMs: 0, maxPendingBytes: 1_000_000, retryForMs: 300 };
const kafkaError = (type: string) => Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type });

describe('the sender of hits to Kafka', () => {
  it('answers the offset of the newest hit of each partition', async () => {
    const { sender } = senderTo();
    await sender.send([hit('before', { subject: 'site_A' })]);
    const { outcomes, positions } = await sender.send(
      ['site_A', 'site_A', 'site_B'].map((s, n) => hit(`${n}`, { subject: s })),
    );
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
    expect(positions).toEqual(
      new Map([
        [partitionOf('site_A', PARTITIONS), 'k2'],
        [partitionOf('site_B', PARTITIONS), 'k0'],
      ]),
    );
  });

  it('sends a batch of unknown outcome again with the same numbers, before what came later', async () => {
    const { sender, tries, fail } = senderTo();
    fail(kafkaError('NOT_LEADER_FOR_PARTITION'), kafkaError('REQUEST_TIMED_OUT'));
    await Promise.all([sender.send([hit('a')]), sender.send([hit('b')])]);
    await sender.send([hit('c')]);
    expect(tries.map(numbersOf)).toEqual([[0, 1], [0, 1], [0, 1], [2]]);
  });

  it.each([
    [kafkaError('LEADER_NOT_AVAILABLE'), 'LogUnavailable'],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'LogUnavailable'],
    [kafkaError('NOT_ENOUGH_REPLICAS_AFTER_APPEND'), 'OutcomeUnknown'],
    [Object.assign(new Error('Request Produce timed out'), { name: 'KafkaJSRequestTimeoutError' }), 'OutcomeUnknown'],
  ])('says whether it knows that nothing was written: after %s', async (failure, name) => {
    const { sender, fail } = senderTo();
    fail(failure, ...Array<Error>(100).fill(kafkaError('LEADER_NOT_AVAILABLE')));
    await expect(sender.send([hit('a')])).rejects.toMatchObject({ name });
  });

  it('does not know the outcome of a call of which only one partition is known to be written', async () => {
    const { sender, fail } = senderTo(partitionOf('site_B', PARTITIONS));
    fail(...Array<Error>(100).fill(kafkaError('LEADER_NOT_AVAILABLE')));
    const hits = ['site_A', 'site_B'].map((subject, n) => hit(`${n}`, { subject }));
    await expect(sender.send(hits)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
  });

  it('gives up in time, and never uses the numbers again', async () => {
    const { sender, tries, fail } = senderTo();
    fail(...Array<Error>(100).fill(kafkaError('LEADER_NOT_AVAILABLE')));
    await expect(sender.send([hit('a')])).rejects.toThrow(LogUnavailable);
    fail();
    await sender.send([hit('b')]);
    expect(numbersOf(tries.at(-1)!)).toEqual([1]);
  });

  it('lets a call fail alone whose hits are too large together', async () => {
    const { sender, fail } = senderTo();
    fail(kafkaError('MESSAGE_TOO_LARGE'), kafkaError('MESSAGE_TOO_LARGE'));
    const [first, second] = await Promise.allSettled([sender.send([hit('a')]), sender.send([hit('b')])]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(HitTooLarge) as object });
    expect(second).toMatchObject({ status: 'fulfilled' });
  });

  it('refuses what is too large, and more than may wait', async () => {
    const { sender, tries, hold } = senderTo();
    const large = hit('large', { data: { text: 'x'.repeat(300_000) } });
    await expect(sender.send([hit('a'), large])).rejects.toThrow(HitTooLarge);
    expect(tries).toHaveLength(0);
    const goOn = hold();
    const some = Array.from({ length: 10 }, (_, n) => hit(`${n}`, { data: { text: 'x'.repeat(90_000) } }));
    const waiting = sender.send(some);
    await waitUntil(() => tries.length > 0);
    await expect(sender.send(some)).rejects.toThrow('too many hits are waiting');
    goOn();
    await waiting;
  });

  it('sends what is pending before it is closed', async () => {
    const { sender, tries } = senderTo();
    const sending = sender.send([hit('a')]);
    await sender.close();
    await sending;
    expect(tries).toHaveLength(1);
    await expect(sender.send([hit('b')])).rejects.toThrow(LogUnavailable);
  });
});

const numbersOf = (messages: readonly HitMessage[]): readonly number[] =>
  messages.map(({ headers }) => Number(headers.hit.split('.')[1]));

/** A sender to a topic in memory, whose next writes can fail, of one partition alone if it is given. */
function senderTo(failing?: number) {
  const tries: (readonly HitMessage[])[] = [];
  const ends = Array<number>(PARTITIONS).fill(0);
  let failures: Error[] = [];
  let held: Promise<void> | undefined;
  const producer = {
    write: async (partition: number, messages: readonly HitMessage[]) => {
      tries.push(messages);
      await held;
      const failure = failing === undefined || failing === partition ? failures.shift() : undefined;
      if (failure) throw failure;
      const first = ends[partition] ?? 0;
      ends[partition] = first + messages.length;
      return first;
    },
    probe: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return {
    sender: new KafkaHitSender({
      producer,
      tags: new MessageAuthenticator('pepper', 'hits'),
      partitions: PARTITIONS,
      sending: OPTIONS,
    }),
    tries,
    fail: (...errors: Error[]) => void (failures = errors),
    hold: () => {
      let goOn: () => void = () => undefined;
      held = new Promise((resolve) => (goOn = resolve));
      return goOn;
    },
  };
}
