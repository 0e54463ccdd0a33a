import { cpus, loadavg, totalmem } from 'node:os';
import { runScriptCommand } from '../../scripts/command';
import { readArguments, USAGE } from './arguments';
import { tableOf } from './figure';
import { Installation } from './installation/installation';
import { load, type Loaded } from './loaded';
import { PARTS } from './parts/catalogue';
import { Report } from './report';

/** `npm run bench`: measures each part in its own installation and prints one table. */
runScriptCommand(USAGE, async (args) => {
  const { parts, jsonTo, ...order } = readArguments(args);
  const print = (line: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
  const processors = `${cpus().length} × ${cpus()[0]?.model.trim() ?? '?'}`;
  const machine = `${processors}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  print(machine);
  const report = new Report({ machine, at: new Date().toISOString(), parts, events: order.events }, jsonTo);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void Installation.closeAll().finally(() => process.exit(1)));
  }
  let loading: Promise<Loaded> | undefined;
  const loaded = () => (loading ??= load({ ...order, print }));
  for (const name of parts) {
    print(`${name} begins (load average ${(loadavg()[0] ?? 0).toFixed(1)})`);
    try {
      const measured = await PARTS[name]({
        ...order,
        print,
        loaded,
        detail: (what, value) => report.detail(what, value),
      });
      report.add(measured);
      process.stdout.write(`${tableOf(measured)}\n`);
    } catch (error) {
      process.exitCode = 1;
      print(
        `${name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
  await loading?.then((all) => all.close()).catch(() => undefined); // the part that used it has reported its failure
  if (parts.length > 1) process.stdout.write(`\n${tableOf(report.figures)}\n`);
});
