import { audit, AUDIT_USAGE } from './audit/audit';
import { runScriptCommand } from './command';
import { openInstallation } from './migrate-store/installation';

/** Prints what is no result to stderr, as an export is written to stdout. */
const print = (text: string) => void process.stderr.write(`${text}\n`);

runScriptCommand(AUDIT_USAGE, async (args) => {
  const open = () => openInstallation(process.env, print);
  process.exitCode = await audit(args, { open, output: process.stdout });
});
