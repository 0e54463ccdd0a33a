import { join } from 'node:path';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { runScriptCommand } from './command';
import { start } from './supervisor/start';

const ACCEPT = '--accept-downtime';

const USAGE = `Usage: npm start [-- ${ACCEPT}]

Runs Ledgerline on this machine until Ctrl-C. It is configured by environment variables; docs/configuration.md lists them.

  ${ACCEPT}   after an upgrade that was not prepared: start although some questions are not answered while tables are filled`;

const dist = join(__dirname, '..');

runScriptCommand(USAGE, (args) => {
  const unknown = args.find((arg) => arg !== ACCEPT);
  if (unknown !== undefined) throw new StartFailure(`There is no argument "${unknown}".\n\n${USAGE}`);
  const accepted = args.length > 0 ? { ACCEPT_DOWNTIME: '1' } : {};
  return start(
    { ...process.env, ...accepted },
    {
      api: join(dist, 'apps', 'api', 'src', 'main.js'),
      tracker: join(dist, 'apps', 'tracker', 'src', 'main.js'),
      projector: join(dist, 'apps', 'projector', 'src', 'main.js'),
      postgresHost: join(__dirname, 'supervisor', 'postgres', 'host.js'),
      preload: join(__dirname, 'supervisor', 'leave-with-parent.js'),
    },
  );
});
