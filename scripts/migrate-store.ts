import { command } from './command';
import { openInstallation } from './migrate-store/installation';
import { migrateStore, readDirection, USAGE } from './migrate-store/migrate-store';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `npm run migrate-store -- --from postgres --to eventstoredb`, or the other way round */
command(USAGE, async (args) => {
  const direction = readDirection(args);
  const installation = await openInstallation(process.env, print);
  try {
    await migrateStore(direction, installation, process.env.EVENTSTORE_URL, print);
  } finally {
    await installation.close();
  }
});
