import type { ReadinessReport } from '../../apps/api/src/operations/readiness';
import { kafkaClient } from '../kafka/client';
import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { waitUntil } from '../wait-until';
import { Installation } from './installation';

jest.setTimeout(300_000);

const TOPIC = 'readiness';

describeOnKafka(
  'the readiness of an installation with Kafka',
  () => {
    let cluster: KafkaCluster;
    let place: Installation;

    beforeAll(async () => {
      cluster = await startKafka();
      const variables = {
        INTAKE_LOG: 'kafka',
        KAFKA_BROKERS: cluster.connection.brokers.join(','),
        KAFKA_TOPIC: TOPIC,
      };
      place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, variables);
      await until(({ status }) => status === 'ok');
    });
    afterAll(async () => {
      await place.close();
      await cluster.remove();
    });

    it('shows a broker that is away, for those that send and those that copy, and that it is back', async () => {
      await cluster.kill(0);
      const report = await until(({ degradations }) => reasonsIn(degradations).length === 2);
      expect(report.status).toBe('degraded');
      expect(reasonsIn(report.degradations)).toEqual([
        'A projector cannot read Kafka: Kafka is unreachable',
        'A tracker cannot write to Kafka: Kafka is unreachable',
      ]);
      expect(await metrics()).toContain('ledgerline_store_up{store="kafka",operation="write"} 0\n');
      await cluster.start(0);
      await until(({ status }) => status === 'ok');
      expect(await metrics()).toContain('ledgerline_store_up{store="kafka",operation="write"} 1\n');
    });

    it('shows a broker that answers nothing, and that it goes on', async () => {
      cluster.pause(0);
      await until(({ degradations }) => reasonsIn(degradations).length === 2);
      cluster.resume(0);
      await until(({ status }) => status === 'ok');
    });

    it('shows that the topic is gone', async () => {
      const admin = kafkaClient(cluster.connection).admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [TOPIC] });
      await admin.disconnect();
      const gone = 'The topic of KAFKA_TOPIC does not exist any more.';
      await until(({ degradations }) => reasonsIn(degradations).filter((reason) => reason.includes(gone)).length === 2);
    });

    const reasonsIn = (degradations: ReadinessReport['degradations'] = []): string[] =>
      degradations.filter(({ kind, group }) => kind === 'store' && group === 'kafka').map(({ reason }) => reason);

    const metrics = async () => (await fetch(`${place.url('tracker')}/metrics`)).text();

    const until = (satisfies: (report: ReadinessReport) => boolean) =>
      waitUntil(
        async () => (await (await fetch(`${place.url('api')}/health/ready`)).json()) as ReadinessReport,
        satisfies,
      );
  },
  { ownBrokers: true },
);
