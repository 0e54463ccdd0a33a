import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { acceptTopic } from '@ledgerline/platform/intake-log/kafka/topic-offsets';

/** Makes copiers go on with a topic that was replaced, from its first message on. @throws StartFailure where none is stopped */
export async function acceptStoppedTopic({ databaseUrl }: { readonly databaseUrl: string }): Promise<void> {
  const pool = openPool({ url: databaseUrl, name: 'accept-topic', max: 1 });
  try {
    const accepted = await acceptTopic(pool);
    const [first] = accepted;
    if (first === undefined) throw new StartFailure('No partition of a topic is stopped.');
    const partitions = accepted.map(({ partition }) => partition).sort((a, b) => a - b);
    process.stdout.write(`${first.topic} is copied from its beginning: partitions ${partitions.join(', ')}.\n`);
  } finally {
    await pool.end();
  }
}
