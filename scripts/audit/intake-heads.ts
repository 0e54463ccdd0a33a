import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { restartIntakeHeads } from '@ledgerline/platform/intake-log/sign-intake-heads';
import { readSignedHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import type { Installation } from '../migrate-store/installation';
import { withEventStore } from './with-event-store';

/** Prints the newest signed heads of the intake log; `restart` = after they were signed anew. @throws StartFailure */
export async function printIntakeHeads(
  installation: Installation,
  restart: boolean,
  output: NodeJS.WritableStream,
): Promise<void> {
  if (restart) await restartHeads(installation);
  const newest = await withEventStore(installation, readSignedHeads);
  if (!newest) throw new StartFailure('No heads of the intake log are signed yet; the projector does it every minute.');
  output.write(`${JSON.stringify(newest.signed)}\n`);
}

async function restartHeads(installation: Installation): Promise<void> {
  const database = openPool({ url: installation.databaseUrl, name: 'audit', max: 1 });
  const { signingKey: key } = installation;
  try {
    await withEventStore(installation, (store) =>
      restartIntakeHeads({ store, database, key, app: 'audit' }, new Date()),
    );
  } finally {
    await database.end();
  }
}
