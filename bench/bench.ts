import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';
import { cpus, loadavg, totalmem } from 'node:os';
import { readArguments } from './arguments';
import { tableOf, type Figure } from './figure';
import { Installation } from './installation/installation';
import { load, type Loaded } from './loaded';
import { PARTS } from './parts/catalogue';

/** `npm run bench`: measures, each part in an installation of its own, and prints one table. */
startOrExplain(async () => {
  const { parts, ...order } = readArguments(process.argv.slice(2));
  const say = (line: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
  say(
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`,
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void Installation.closeAll().finally(() => process.exit(1)));
  }
  const figures: Figure[] = [];
  let loading: Promise<Loaded> | undefined;
  const loaded = () => (loading ??= load(order.events, say, order.profileTo));
  for (const name of parts) {
    say(`${name} begins; ${(loadavg()[0] ?? 0).toFixed(1)} processes want the machine`);
    try {
      const measured = await PARTS[name]({ ...order, say, loaded });
      figures.push(...measured);
      process.stdout.write(`${tableOf(measured)}\n`);
    } catch (error) {
      process.exitCode = 1;
      say(`${name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  await loading?.then((all) => all.close()).catch(() => undefined); // its failure was told by the part that asked
  if (parts.length > 1) process.stdout.write(`\n${tableOf(figures)}\n`);
});
