import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';

/** Runs what an npm script names, or says what it takes where somebody asks with `--help`. */
export function command(usage: string, run: (args: readonly string[]) => Promise<unknown>): void {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg === '--help' || arg === '-h')) process.stdout.write(`${usage}\n`);
  else
    startOrExplain(async () => {
      await run(args);
    });
}

/** @throws StartFailure for a command that takes no words and was given some */
export function takesNothing([first]: readonly string[], usage: string): void {
  if (first !== undefined) throw new StartFailure(`"${first}" is nothing this command knows.\n\n${usage}`);
}
