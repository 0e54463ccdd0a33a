import { command } from './command';
import { deliveries, USAGE } from './deliveries/deliveries';
import { openInstallation } from './migrate-store/installation';

const print = (text: string) => void process.stdout.write(`${text}\n`);

command(USAGE, (args) => deliveries(args, { open: () => openInstallation(process.env, print), print }));
