import { restore, RESTORE_USAGE } from './backup/backup-command';
import { runScriptCommand } from './command';

runScriptCommand(RESTORE_USAGE, (args) =>
  restore(args, {
    variables: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
  }),
);
