import { audit, USAGE } from './audit/audit';
import { command } from './command';
import { openInstallation } from './migrate-store/installation';

/** Prints what is no result to stderr, as an export is written to stdout. */
const print = (text: string) => void process.stderr.write(`${text}\n`);

command(USAGE, async (args) => {
  const open = () => openInstallation(process.env, print);
  process.exitCode = await audit(args, { open, output: process.stdout });
});
