import { setTimeout as sleep } from 'node:timers/promises';
import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { Installation } from './installation';
import { surviveKills, VISITORS } from './survive-kills';

jest.setTimeout(600_000 + VISITORS * 600);

const AWAY_MS = 2_000;

const NAME = 'two of every process on Kafka, of which one of each and the broker are killed';

const tests = () => {
  let place: Installation;
  let cluster: KafkaCluster;

  beforeAll(async () => {
    cluster = await startKafka();
    const variables = { INTAKE_LOG: 'kafka', KAFKA_BROKERS: cluster.connection.brokers.join(',') };
    place = await Installation.open({ api: 2, tracker: 2, projector: 2 }, variables);
  });
  afterAll(async () => {
    await place.close();
    await cluster.remove();
  });

  const killBroker = async () => {
    await cluster.kill(0);
    await sleep(AWAY_MS);
    await cluster.start(0);
  };
  surviveKills(
    () => place,
    ({ databaseUrl }) => ({ databaseUrl }),
    killBroker,
  );
};

describeOnKafka(NAME, tests, { ownBrokers: true, sizedBy: 'RELIABILITY_VISITORS' });
