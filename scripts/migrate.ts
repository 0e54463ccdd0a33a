import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { migrate } from '@ledgerline/platform/database/migrate';
import { runScriptCommand, takesNothing } from './command';

const USAGE = `Usage: npm run migrate

Brings the database of DATABASE_URL to the schema of this version. "npm start" does it itself; where the processes are
started one by one, it runs before them. It may run several times and at once.`;

runScriptCommand(USAGE, async (args) => {
  takesNothing(args, USAGE);
  const applied = await migrate(storesForTools(process.env).databaseUrl);
  const text = applied.length === 0 ? 'The database was up to date.' : `Applied ${applied.length} migrations.`;
  process.stdout.write(`${text}\n`);
});
