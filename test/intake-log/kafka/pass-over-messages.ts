import { readCopierReport } from '../../../apps/api/src/health/copier-report';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { headerOf } from '@ledgerline/platform/intake-log/kafka/hit-message';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import { MAX_HIT_BYTES } from '@ledgerline/platform/intake-log/intake-log';
import type { Message } from 'kafkajs';
import type { KafkaConnection } from '../../kafka/security';
import { hit } from '../hits.fixture';
import { KafkaIntake } from './kafka-intake';

const PARTITIONS = 2;
/** Of the subject of the hits, which is their key. */
const PARTITION = partitionOf('site_A', PARTITIONS);

const good = hit('good');
const event = good.event as unknown as Readonly<Record<string, unknown>>; // to make others of it
const [key, headers] = ['site_A', { hit: headerOf(good, 'someone', 1) }];
const json = (changes: object) => JSON.stringify({ ...event, ...changes });
const wide = (length: number) => ({ data: { numbers: Array.from({ length }, () => 0) } });

/** By reason. */
const BAD: readonly (readonly [string, Omit<Message, 'partition'>])[] = [
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

/** What a copier does about messages that are no hits. */
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

  async function produce(message: Omit<Message, 'partition'>): Promise<void> {
    const producer = intake.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    try {
      await producer.send({ topic: intake.settings.topic, messages: [{ ...message, partition: PARTITION }] });
    } finally {
      await producer.disconnect();
    }
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
