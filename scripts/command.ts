import { StartFailure, startOrExplain } from '@ledgerline/platform/config/start-failure';

/** Runs the command of an npm script, or prints its usage for `--help`. */
export function runScriptCommand(usage: string, run: (args: readonly string[]) => Promise<unknown>): void {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg === '--help' || arg === '-h')) process.stdout.write(`${usage}\n`);
  else
    startOrExplain(async () => {
      await run(args);
    });
}

/** @throws StartFailure if a command without arguments got some */
export function takesNothing([first]: readonly string[], usage: string): void {
  if (first !== undefined) throw new StartFailure(`This command takes no arguments, but got "${first}".\n\n${usage}`);
}
