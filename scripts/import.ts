import { runImport, IMPORT_USAGE } from '../apps/tracker/src/import/import-command';
import { runScriptCommand } from './command';
import { listenForStop } from './supervisor/stop-request';

/** As shells report a process that Ctrl-C ended. */
const INTERRUPTED = 130;

const stop = listenForStop();
stop.onHurry(() => process.exit(INTERRUPTED));
runScriptCommand(IMPORT_USAGE, async (args) => {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  await runImport(args, { variables: process.env, stdin: process.stdin, signal: stop.signal, print });
  if (stop.signal.aborted) process.exitCode = INTERRUPTED;
});
