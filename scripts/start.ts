import { join } from 'node:path';
import { command, takesNothing } from './command';
import { start } from './supervisor/start';

const USAGE = `Usage: npm start

Runs Ledgerline on this machine until Ctrl-C. It is configured by environment variables; docs/configuration.md lists them.`;

const dist = join(__dirname, '..');

command(USAGE, (args) => {
  takesNothing(args, USAGE);
  return start(process.env, {
    api: join(dist, 'apps', 'api', 'src', 'main.js'),
    tracker: join(dist, 'apps', 'tracker', 'src', 'main.js'),
    projector: join(dist, 'apps', 'projector', 'src', 'main.js'),
    postgresHost: join(__dirname, 'supervisor', 'postgres', 'host.js'),
    preload: join(__dirname, 'supervisor', 'leave-with-parent.js'),
  });
});
