import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { Random } from '../../../tools/traffic/random';
import { startKafka, type KafkaCluster } from '../../kafka/cluster';
import { describeOnKafka } from '../../kafka/on-kafka';
import { waitUntil } from '../../wait-until';
import { expectExact, HitTraffic } from './hit-traffic';
import { KafkaIntake } from './kafka-intake';

/** The number of times that a broker is killed; `npm run prove` sets more. */
const KILLS = Number(process.env['KAFKA_KILLS'] ?? 1);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

jest.setTimeout(180_000 + KILLS * 30_000);

describeOnKafka(
  'three brokers',
  () => {
    let cluster: KafkaCluster;
    let intake: KafkaIntake;
    let senders: IntakeSender[];

    beforeAll(async () => {
      cluster = await startKafka({ brokers: 3 });
      intake = await KafkaIntake.open(cluster.connection);
      senders = [await intake.sender(), await intake.sender()];
      await intake.startCopier();
    });
    afterAll(async () => {
      await intake.close();
      await cluster.remove();
    });

    it(`take hits while one of them is dead, lose none that was acknowledged and double none (seed ${SEED})`, async () => {
      const random = new Random(SEED);
      const traffic = new HitTraffic(intake, senders);
      for (let kill = 0; kill < KILLS; kill++) {
        await untilAllInSync();
        await traffic.progress();
        const victim = kill === 0 ? await leader() : random.below(3);
        await cluster.kill(victim);
        await traffic.progress(200); // on the other two
        await cluster.start(victim);
      }
      await traffic.progress();
      await expectExact(intake, traffic);
    });

    const partitions = () =>
      intake.asAdmin(async (admin) => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [intake.settings.topic] });
        return topics[0]?.partitions ?? [];
      });

    const leader = async (): Promise<number> => (await partitions())[0]?.leader ?? 0;

    const untilAllInSync = () =>
      waitUntil(
        () => partitions().catch(() => []),
        (all) => all.length > 0 && all.every(({ isr }) => isr.length === 3),
      );
  },
  { ownBrokers: true, sizedBy: 'KAFKA_KILLS' },
);
