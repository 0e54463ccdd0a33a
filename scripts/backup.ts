import { backup, BACKUP_USAGE } from './backup/backup-command';
import { command } from './command';

command(BACKUP_USAGE, (args) =>
  backup(args, {
    variables: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
  }),
);
