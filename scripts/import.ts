import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';
import { runImport } from '../apps/tracker/src/import/import-command';

startOrExplain(() => runImport(process.argv.slice(2), process.env, (text) => process.stdout.write(`${text}\n`)));
