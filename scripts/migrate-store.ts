import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';
import { join } from 'node:path';
import { openInstallation } from './migrate-store/installation';
import { migrateStore, readDirection } from './migrate-store/migrate-store';

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** `npm run migrate-store -- --from postgres --to eventstoredb`, or the other way round */
startOrExplain(async () => {
  const direction = readDirection(process.argv.slice(2));
  const installation = await openInstallation(process.env, join(__dirname, 'supervisor', 'postgres', 'host.js'), say);
  try {
    await migrateStore(direction, installation, process.env.EVENTSTORE_URL, say);
  } finally {
    await installation.close();
  }
});
