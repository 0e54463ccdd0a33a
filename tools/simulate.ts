import { runScriptCommand } from '../scripts/command';
import { readOptions, USAGE } from './simulate/options';
import { sendThroughOwnTracker } from './simulate/own-tracker';
import { simulate } from './simulate/simulate';
import { summary } from './simulate/summary';

/** `npm run simulate`: sends realistic traffic to a running instance over HTTP. */
runScriptCommand(USAGE, async (args) => {
  const options = readOptions(args, process.env);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  print(
    `${options.visitors} visitors over ${options.days} days to ${options.websiteId} at ${options.trackUrl} (seed ${options.seed})`,
  );
  const startedAt = Date.now();
  const tally = await sendThroughOwnTracker(options, process.env, (own, follow) => simulate(own, print, { follow }));
  print(summary(tally, (Date.now() - startedAt) / 1000));
  if (tally.accepted === 0) process.exitCode = 1;
  else print('The same command adds what has happened since; another --seed adds other visitors.');
});
