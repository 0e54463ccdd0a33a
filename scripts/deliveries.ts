import { runScriptCommand } from './command';
import { runDeliveriesCommand, DELIVERIES_USAGE } from './deliveries/deliveries';
import { openInstallation } from './migrate-store/installation';

const print = (text: string) => void process.stdout.write(`${text}\n`);

runScriptCommand(DELIVERIES_USAGE, (args) =>
  runDeliveriesCommand(args, { open: () => openInstallation(process.env, print), print }),
);
