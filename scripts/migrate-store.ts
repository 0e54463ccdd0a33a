import { runScriptCommand } from './command';
import { openInstallation } from './migrate-store/installation';
import { migrateStore, readDirection, MIGRATE_STORE_USAGE } from './migrate-store/migrate-store';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `npm run migrate-store -- --from postgres --to eventstoredb`, or the other way round */
runScriptCommand(MIGRATE_STORE_USAGE, async (args) => {
  const direction = readDirection(args);
  const installation = await openInstallation(process.env, print);
  try {
    await migrateStore(direction, installation, process.env.EVENTSTORE_URL, print);
  } finally {
    await installation.close();
  }
});
