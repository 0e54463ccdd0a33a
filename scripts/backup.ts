import { join } from 'node:path';
import { backup, BACKUP_USAGE } from './backup/backup-command';
import { command } from './command';

command(BACKUP_USAGE, (args) =>
  backup(args, {
    variables: process.env,
    postgresHost: join(__dirname, 'supervisor', 'postgres', 'host.js'),
    print: (line) => void process.stdout.write(`${line}\n`),
  }),
);
