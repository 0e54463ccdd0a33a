import { openHitTopic } from '@ledgerline/kafka/hit-topic';
import { copierConsumerGroup } from '@ledgerline/kafka/kafka-failures';
import { acceptTopic, readCopied } from '@ledgerline/kafka/topic-offsets';
import { readCopierReport } from '../../../apps/api/src/operations/degradations';
import type { KafkaConnection } from '../../kafka/security';
import { waitUntil } from '../../wait-until';
import { hit } from '../hits.fixture';
import { KafkaIntake } from './kafka-intake';

const LOST = 'Kafka dropped messages before they were copied; their hits are lost';

/** Tests what copiers do about a topic that is not as they left it. */
export function recogniseTopics(connection: () => KafkaConnection): void {
  let intake: KafkaIntake;

  beforeEach(async () => (intake = await KafkaIntake.open(connection(), { partitions: 1 })));
  afterEach(() => intake.close());

  it('that was deleted and created again stops the copier, until an operator accepts it', async () => {
    await intake.startCopier();
    await send('a', 'b', 'c');
    await intake.untilCopied();
    await replaceTopic();
    await send('d');
    const stopped = await waitUntil(
      () => readCopierReport(intake.pool),
      (report) => report?.status === 'stopped',
    );
    const reason = expect.stringMatching(/^The topic hits-\S+ is not the one that was copied:.*accept-topic/) as string;
    expect(stopped).toMatchObject({ reason, partitions: [{ partition: 0, status: 'stopped', messages: 0 }] });
    expect(intake.messages('error')).toEqual([reason]);
    expect(await stored()).toEqual(idsOf('a', 'b', 'c'));

    expect(await acceptTopic(intake.pool)).toEqual([{ topic: intake.settings.topic, partition: 0 }]);
    await send('e');
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'c', 'd', 'e'));
    expect(await readCopierReport(intake.pool)).toMatchObject({ status: 'ok', lost: 0 });
  });

  it('that was replaced under a running copier is recognised, though it has more messages than were copied', async () => {
    await intake.startCopier();
    await send('a');
    await intake.untilCopied();
    const sender = await intake.sender();
    await replaceTopic();
    await sender.send(['b', 'c', 'd', 'e'].map((name) => hit(name)));
    await waitUntil(
      () => readCopierReport(intake.pool),
      (report) => report?.status === 'stopped',
    );
    expect(await stored()).toEqual(idsOf('a'));
    await acceptTopic(intake.pool);
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'c', 'd', 'e'));
  });

  it('that was replaced while no copier ran is recognised, though it has more messages than were copied', async () => {
    const { stop } = await intake.startCopier();
    await send('a', 'b');
    await intake.untilCopied();
    await stop();
    await replaceTopic();
    await send('c', 'd', 'e', 'f');
    await intake.startCopier();
    await waitUntil(
      () => readCopierReport(intake.pool),
      (report) => report?.status === 'stopped',
    );
    expect(await stored()).toEqual(idsOf('a', 'b'));
    await acceptTopic(intake.pool);
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'c', 'd', 'e', 'f'));
  });

  it('that dropped messages before they were copied is copied from its first one on; the lost ones are counted', async () => {
    const { stop } = await intake.startCopier();
    await send('a', 'b');
    await intake.untilCopied();
    await stop();
    await send('c', 'd', 'e', 'f');
    await dropBefore(5);
    await intake.startCopier();
    await send('g');
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'f', 'g'));
    const report = { status: 'ok', lost: 3, reason: 'Kafka dropped 3 messages before they were copied.' };
    expect(await readCopierReport(intake.pool)).toMatchObject(report);
    expect(intake.logged.filter(({ level }) => level === 'error')).toMatchObject([
      { msg: LOST, partition: 0, messages: 3, from: 2, to: 4 },
    ]);
  });

  it('that dropped what is copied already has lost nothing', async () => {
    const { stop } = await intake.startCopier();
    await send('a', 'b');
    await intake.untilCopied();
    await stop();
    await dropBefore(2);
    await intake.startCopier();
    await send('c');
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'c'));
    expect(await readCopierReport(intake.pool)).toMatchObject({ status: 'ok', lost: 0 });
    expect(intake.messages('error')).toEqual([]);
  });

  it.each([
    ['behind its end', '1000000'],
    ['far behind what is copied', '0'],
  ])('is copied exactly though the offsets of the group are %s', async (_, offset) => {
    const { stop } = await intake.startCopier();
    await send('a', 'b', 'c');
    await intake.untilCopied();
    await stop();
    const { topic } = intake.settings;
    await intake.asAdmin((admin) =>
      admin.setOffsets({ groupId: copierConsumerGroup(topic), topic, partitions: [{ partition: 0, offset }] }),
    );
    await intake.startCopier();
    await send('d');
    await intake.untilCopied();
    expect(await stored()).toEqual(idsOf('a', 'b', 'c', 'd'));
    expect(await readCopied(intake.pool, { topic, partition: 0 })).toMatchObject({ next: 4, stopped: null });
    expect(intake.messages('error')).toEqual([]);
  });

  const idsOf = (...names: readonly string[]) => names.map((name) => hit(name).event.id);
  const stored = async () => (await intake.stored()).map(({ id }) => id);

  /** One after another, by a tracker that was just started. */
  async function send(...names: readonly string[]): Promise<void> {
    const sender = await intake.sender();
    for (const name of names) await sender.send([hit(name)]);
  }

  async function replaceTopic(): Promise<void> {
    const { topic } = intake.settings;
    await intake.asAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    await waitUntil(() => intake.asAdmin(async (admin) => !(await admin.listTopics()).includes(topic)));
    await openHitTopic(intake.settings, 'spec', 1);
  }

  const dropBefore = (offset: number): Promise<void> =>
    intake.asAdmin(async (admin) => {
      const { topic } = intake.settings;
      await admin.fetchTopicOffsets(topic); // the driver finds the leader of a topic that it has met only
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
    });
}
