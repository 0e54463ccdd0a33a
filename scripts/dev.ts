import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { dataDirOf, readRuntime } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { runScriptCommand } from './command';
import { embeddedVariables } from './supervisor/environment';
import { loadSecrets } from './supervisor/secrets';

const USAGE = `Usage: npm run dev -- api|tracker|projector

Starts one more process of an app beside a running "npm start", on its stores, and again after each change of the code.
It listens on ports 3010, 3011 and 9474 (API_PORT, TRACKER_PORT, PROJECTOR_METRICS_PORT).`;

const PORTS = { API_PORT: '3010', TRACKER_PORT: '3011', PROJECTOR_METRICS_PORT: '9474' };

runScriptCommand(USAGE, ([app = '', ...more]) => {
  if (!['api', 'tracker', 'projector'].includes(app) || more.length > 0) throw new StartFailure(USAGE);
  const nest = join(__dirname, '..', '..', 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const env = { ...PORTS, ...process.env, ...storeVariables(dataDirOf(process.env)) };
  const watching = spawn(process.execPath, [nest, 'start', app, '--watch'], { env, stdio: 'inherit' });
  return new Promise((done) => watching.once('exit', done));
});

/**
 * Returns the variables of the running `npm start`, unless the variables name stores of their own. @throws StartFailure
 * where none runs
 */
function storeVariables(dataDir: string): NodeJS.ProcessEnv {
  if (process.env['DATABASE_URL']) return {};
  const runtime = readRuntime(dataDir);
  if (!runtime)
    throw new StartFailure('Run "npm start" in another terminal first, or set DATABASE_URL and the secrets.');
  return { ...embeddedVariables(runtime.databaseUrl, loadSecrets(dataDir)), DATA_DIR: dataDir };
}
