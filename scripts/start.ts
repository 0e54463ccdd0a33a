import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';
import { join } from 'node:path';
import { start } from './supervisor/start';

/** `npm start`: everything on this machine, until Ctrl-C. */
const dist = join(__dirname, '..');

startOrExplain(() =>
  start(process.env, {
    api: join(dist, 'apps', 'api', 'src', 'main.js'),
    tracker: join(dist, 'apps', 'tracker', 'src', 'main.js'),
    projector: join(dist, 'apps', 'projector', 'src', 'main.js'),
    postgresHost: join(__dirname, 'supervisor', 'postgres', 'host.js'),
    preload: join(__dirname, 'supervisor', 'leave-with-parent.js'),
  }),
);
