import { runImport, USAGE } from '../apps/tracker/src/import/import-command';
import { command } from './command';

command(USAGE, (args) => runImport(args, process.env, (text) => process.stdout.write(`${text}\n`)));
