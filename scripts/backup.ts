import { constants, setPriority } from 'node:os';
import { backup, BACKUP_USAGE } from './backup/backup-command';
import { runScriptCommand } from './command';

runScriptCommand(BACKUP_USAGE, (args) => {
  setPriority(constants.priority.PRIORITY_LOW); // what the product does comes first
  return backup(args, {
    variables: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
});
