import { startKafka, type KafkaCluster } from '../../kafka/cluster';
import { describeOnKafka } from '../../kafka/on-kafka';
import { temporaryFolder } from '../../processes/temporary-folder.hooks';
import { intakeLogLaws } from '../intake-log.laws';
import { kafkaStore } from '../kafka-store';
import { explainFailures } from './explain-failures';
import { passOverMessages } from './pass-over-messages';
import { recogniseTopics } from './recognise-topics';
import { LONGEST_MS, shareCopying } from './share-copying';

jest.setTimeout(LONGEST_MS);

/** For all, as a start of Kafka costs five seconds of processor time. */
describeOnKafka('on one broker', () => {
  let cluster: KafkaCluster;
  const connection = () => cluster.connection;

  beforeAll(async () => (cluster = await startKafka()));
  afterAll(() => cluster.remove());

  intakeLogLaws('Kafka', () => kafkaStore(connection()));
  describe('a topic', () => recogniseTopics(connection));
  describe('a message that is no hit', () => passOverMessages(connection));
  describeOnKafka(
    'a Kafka that cannot be used is explained in one sentence:',
    () => explainFailures(connection, () => temporaryFolder('tracker')),
    { ownBrokers: true },
  );
  describe('copiers', () => shareCopying(() => cluster));
});
