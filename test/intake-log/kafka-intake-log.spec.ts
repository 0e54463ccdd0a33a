import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { intakeLogLaws } from './intake-log.laws';
import { kafkaStore } from './kafka-store';

describeOnKafka('the intake log on Kafka', () => {
  let cluster: KafkaCluster;

  beforeAll(async () => {
    cluster = await startKafka();
  });
  afterAll(() => cluster.remove());

  intakeLogLaws('Kafka', () => kafkaStore(cluster.connection));
});
