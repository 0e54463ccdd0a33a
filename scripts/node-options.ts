import { memoryMb } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { runScriptCommand } from './command';
import { isApp, nodeOptions } from './supervisor/node-options';

const USAGE = `Usage: node dist/scripts/node-options.js api|tracker|projector

Prints the options of Node with which an image starts the process: its heap by the memory of the container.`;

runScriptCommand(USAGE, ([app = '', ...more]) => {
  if (!isApp(app) || more.length > 0) throw new StartFailure(USAGE);
  process.stdout.write(`${nodeOptions(app, process.env, { memoryMb: memoryMb(), isAlone: true }).join(' ')}\n`);
  return Promise.resolve();
});
