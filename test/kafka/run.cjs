/**
 * Starts an Apache Kafka for benches and trials and prints KAFKA_BROKERS=...; it ends with Ctrl+C:
 * node test/kafka/run.cjs [brokers: 1 or 3] [version: current or 3.9]
 */
require('../processes/typescript.cjs');

const [brokers = '1', version = 'current'] = process.argv.slice(2);
const jvmFlags = ['-Xmx1g'];

require('./cluster.ts')
  .startKafka({ brokers: Number(brokers), version, jvmFlags })
  .then(({ connection, remove }) => {
    console.log(`KAFKA_BROKERS=${connection.brokers.join(',')}`);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, remove);
  });
