import { acceptTopic, requireTags } from '@ledgerline/kafka/topic-offsets';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { ProjectionCommand } from './projection-command';

/** Makes copiers go on with a topic that was replaced, from its first message on. */
export const acceptStoppedTopic: ProjectionCommand = {
  name: 'accept-topic',
  meaning: 'copy the topic of Kafka, which was replaced, from its beginning',
  async run({ variables }) {
    const pool = openPool({ url: storesForTools(variables).databaseUrl, name: 'accept-topic', max: 1 });
    try {
      const accepted = await acceptTopic(pool);
      const [first] = accepted;
      if (first === undefined) throw new StartFailure('No partition of a topic is stopped.');
      const partitions = accepted.map(({ partition }) => partition).sort((a, b) => a - b);
      process.stdout.write(`${first.topic} is copied from its beginning: partitions ${partitions.join(', ')}.\n`);
    } finally {
      await pool.end();
    }
  },
};

/** Ends the time in which trackers of an earlier version may still write messages without tags. */
export const requireMessageTags: ProjectionCommand = {
  name: 'require-tags',
  meaning: 'refuse messages in Kafka without a tag, once all trackers are upgraded',
  async run({ variables }) {
    const pool = openPool({ url: storesForTools(variables).databaseUrl, name: 'require-tags', max: 1 });
    try {
      const changed = await requireTags(pool);
      if (changed.length === 0) throw new StartFailure('Messages without a tag are refused already.');
      process.stdout.write('Messages without a tag are refused from now on.\n');
    } finally {
      await pool.end();
    }
  },
};
