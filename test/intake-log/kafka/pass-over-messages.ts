import type { Message } from 'kafkajs';
import { openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { headerOf, MessageAuthenticator } from '@ledgerline/kafka/hit-message';
import { readCopied } from '@ledgerline/kafka/topic-offsets';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { partitionOf, MAX_HIT_BYTES } from '@ledgerline/platform/intake-log/intake-log';
import { readCopierReport } from '../../../apps/api/src/operations/degradations';
import type { KafkaConnection } from '../../kafka/security';
import { hit } from '../hits.fixture';
import { KafkaIntake } from './kafka-intake';

const PARTITIONS = 2;
/** The partition of the subject of the hits, which is their key. */
const PARTITION = partitionOf('site_A', PARTITIONS);

const good = hit('good');
const event = good.event as unknown as Readonly<Record<string, unknown>>; // to make others of it
const key = 'site_A';
const headers = { hit: headerOf(good, 'someone', 1) };
const json = (changes: object) => JSON.stringify({ ...event, ...changes });
const wide = (length: number) => ({ data: { numbers: Array.from({ length }, () => 0) } });

type BadMessage = Omit<Message, 'partition'>;

/** By reason. */
const BAD: readonly (readonly [string, BadMessage])[] = [
  ['no header of a tracker', { key, value: json({}) }],
  ['no header of a tracker', { key, value: json({}), headers: { hit: 'x'.repeat(5_000) } }],
  ['no header of a tracker', { key: null, value: json({}), headers }],
  ['no JSON', { key, value: null, headers }],
  ['no JSON', { key, value: '{"type":"PageLeft"', headers }],
  ['no JSON', { key, value: Buffer.from([0xff, 0x00, 0xfe]), headers }],
  ['no observed event', { key, value: 'null', headers }],
  ['no observed event', { key, value: '[1,2]', headers }],
  ['no observed event', { key, value: json({ type: 'LinkCreated' }), headers }],
  ['no observed event', { key, value: json({ id: 'none' }), headers }],
  ['no observed event', { key, value: json({ at: '2026-01-01' }), headers }],
  ['no observed event', { key, value: json({ at: 1e300 }), headers }],
  ['no observed event', { key, value: json({ data: null }), headers }],
  ['no observed event', { key, value: json({ data: 0 }).replace('0}', `${nested(50_000)}}`), headers }],
  ['no observed event', { key, value: json({ data: 0 }).replace('0}', `${nested(6_000)}}`), headers }],
  ['too large', { key, value: json({ data: { text: 'x'.repeat(MAX_HIT_BYTES) } }), headers }],
  ['too large', { key, value: json(wide(40_000)).replaceAll(',0', ',1e20'), headers }],
  ['another partition', { key: subjectOfAnother(), value: json({}), headers }],
];

/** Tests what a copier does about messages that are no hits. */
export function passOverMessages(connection: () => KafkaConnection): void {
  let intake: KafkaIntake;

  beforeAll(async () => {
    intake = await KafkaIntake.open(connection(), { partitions: PARTITIONS });
  });
  afterAll(() => intake.close());

  it('is passed over and counted by its reason, for good, and the hits around it are stored', async () => {
    const sender = await intake.sender();
    await sender.send([good]);
    for (const [, message] of BAD) await produce(message);
    await sender.send([hit('another')]);
    const { stop } = await intake.startCopier();
    await intake.untilCopied();
    await stop();
    expect((await intake.stored()).map(({ id }) => id)).toEqual([good, hit('another')].map((one) => one.event.id));
    expect(await refused()).toEqual(countBy(BAD.map(([reason]) => reason)));
    expect(await readCopierReport(intake.pool)).toMatchObject({ status: 'ok', refused: BAD.length, lost: 0 });
    const warned = intake.logged.flatMap(({ level, reason }) =>
      level === 'warn' && reason !== undefined ? [reason] : [],
    );
    expect(warned).toEqual([...new Set(BAD.map(([reason]) => reason))]);
    expect(intake.messages('error')).toEqual([]);
  });

  it('suppresses no hit of a tracker that it numbers far ahead, and its offset is kept', async () => {
    const sender = await intake.sender();
    const { stop } = await intake.startCopier();
    const known = Object.keys(await senders());
    await sender.send([hit('first', { dedupe: 'never' })]);
    await intake.untilCopied();
    const id = Object.keys(await senders()).find((each) => !known.includes(each))!;
    const forged = { key, value: json({}), headers: { hit: `${id}.999999.never` } };
    const offset = await produce(forged, {});
    await produce(forged, { tag: 'A'.repeat(22) });
    const hits = Array.from({ length: 320 }, (_, n) => hit(`hit-${n}`, { dedupe: 'never' }));
    const before = (await intake.stored()).length;
    for (let at = 0; at < hits.length; at += 20) await sender.send(hits.slice(at, at + 20));
    await intake.untilCopied();
    await stop();
    expect((await intake.stored()).length - before).toBe(hits.length);
    expect(await refused()).toMatchObject({ 'no tag': 1, 'wrong tag': 1 });
    const [row] = await run<{ offset: number }>(
      intake.pool,
      sql`select first_offset::float8 as offset from intake_refused_messages where reason = 'no tag'`,
    );
    expect(row).toEqual({ offset });
  });

  it('is what a tracker with another KEY_PEPPER writes', async () => {
    const kafka = { ...intake.settings, secret: 'another pepper' };
    const other = await openIntakeSender({ databaseUrl: intake.databaseUrl, kafka, partitions: PARTITIONS });
    const before = (await intake.stored()).length;
    await other.send([hit('elsewhere')]);
    await other.close();
    const { stop } = await intake.startCopier();
    await intake.untilCopied();
    await stop();
    expect([(await intake.stored()).length - before, await refused()]).toMatchObject([0, { 'wrong tag': 2 }]);
  });

  const senders = async () =>
    (await readCopied(intake.pool, { topic: intake.settings.topic, partition: PARTITION }))?.senders ?? {};

  /** Answers its offset. */
  async function produce(message: BadMessage, others: { readonly tag?: string } = tagOf(message)): Promise<number> {
    const producer = intake.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    try {
      const headers = { ...message.headers, ...others };
      const written = { ...message, headers, partition: PARTITION };
      const [answer] = await producer.send({ topic: intake.settings.topic, messages: [written] });
      return Number(answer?.baseOffset);
    } finally {
      await producer.disconnect();
    }
  }

  /** As a tracker that writes such a message would tag it. */
  function tagOf({ key, value, headers }: BadMessage): { readonly tag: string } {
    const parts = { key: String(key), hit: String(headers?.hit), traceparent: undefined, value: value ?? '' };
    const tags = new MessageAuthenticator(intake.settings.secret, intake.settings.topic);
    return { tag: tags.tagOf({ partition: PARTITION, ...parts }) };
  }

  async function refused(): Promise<Record<string, number>> {
    const rows = await run<{ reason: string; messages: number }>(
      intake.pool,
      sql`select reason, messages::float8 as messages from intake_refused_messages where partition = ${PARTITION}`,
    );
    return Object.fromEntries(rows.map(({ reason, messages }) => [reason, messages]));
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function subjectOfAnother(): string {
  for (let n = 0; ; n++) if (partitionOf(`site_${n}`, PARTITIONS) !== PARTITION) return `site_${n}`;
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
