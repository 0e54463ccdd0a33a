import { join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { Broker } from '../kafka/broker';
import { jarsOf } from '../kafka/jars';
import { describeOnKafka } from '../kafka/on-kafka';
import { choosePorts } from '../kafka/properties';
import { RELEASES } from '../kafka/releases';
import { composeServices } from './compose-project';
import { envFile } from './profile';
import { RUNS_NPM } from './replay';

const { image, environment } = composeServices(['compose.yml', 'compose.full.yml'], envFile())['kafka']!;

it('the Kafka of the full profile is the version that the tests run', () => {
  expect(image).toBe(`apache/kafka:${RELEASES.current.version}`);
});

describeOnKafka(
  'the Kafka of the full profile',
  () => {
    const itInLongRuns = RUNS_NPM ? it : it.skip;

    itInLongRuns('starts with its settings', async () => {
      const jars = jarsOf('current');
      if ('missing' in jars) throw new Error(jars.missing);
      const folder = temporaryFolder('kafka-service');
      const options = { jars: jars.folder, folder: join(folder, 'broker'), jvmFlags: ['-Xmx256m'] };
      const settings = await settingsOnThisMachine(join(folder, 'data'));
      const broker = new Broker({ ...options, settings, onChange: () => undefined });
      await broker.format([]);
      try {
        await broker.start();
      } finally {
        await broker.end('SIGTERM');
      }
    });
  },
  { ownBrokers: true },
);

/** As the image turns variables into properties, with free ports of this machine. */
async function settingsOnThisMachine(dataFolder: string): Promise<Record<string, string>> {
  const [ports] = await choosePorts(1);
  const here: [RegExp, string][] = [
    [/\bkafka:/g, '127.0.0.1:'],
    [/\b19092\b/g, String(ports!.internal)],
    [/\b9092\b/g, String(ports!.client)],
    [/\b9093\b/g, String(ports!.controller)],
    [/\/\/:/g, '//127.0.0.1:'],
  ];
  const settings = Object.entries(environment).flatMap(([name, value]) => {
    const property = /^KAFKA_(?!HEAP_OPTS)(.*)$/.exec(name)?.[1]?.toLowerCase().replaceAll('_', '.');
    return property === undefined ? [] : [[property, here.reduce((text, [from, to]) => text.replace(from, to), value)]];
  });
  return { ...(Object.fromEntries(settings) as Record<string, string>), 'log.dirs': dataFolder };
}
