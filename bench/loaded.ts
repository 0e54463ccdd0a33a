import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { catchUp } from './catch-up';
import { count, perSecond } from './figure';
import { fill, piecesOf, planFor } from './fill';
import { Installation } from './installation/installation';
import { throttled } from './throttled';
import type { Plan } from '../scripts/traffic/calendar';
import type { Subjects } from '../scripts/traffic/observe';

/** An installation with 90 days of traffic in its log and read models, shared by the parts that only read. */
export interface Loaded {
  readonly installation: Installation;
  readonly log: IntakeLog;
  /** A tenth of the events over the same days. */
  readonly small: Subjects;
  readonly large: Subjects;
  /** Of the large website; makes the same traffic again. */
  readonly plan: Plan;
  readonly events: { readonly small: number; readonly large: number };
  /** Rate at which the projector reached the head of the log from an empty state. */
  readonly projected: { readonly events: number; readonly seconds: number; readonly cpuSeconds: number };
  close(): Promise<void>;
}

export async function load(events: number, print: (line: string) => void, profileTo?: string): Promise<Loaded> {
  const installation = await Installation.open(2, profileTo);
  const { databaseUrl, registered } = installation;
  const [large, small = large] = registered.subjects;
  const log = await openIntakeLog({ databaseUrl });
  const plan = planFor(events);
  const close = async () => {
    await log.close();
    await installation.close();
  };
  try {
    const filled = await fillBoth(log, { large, small, plan }, events, print);
    const projector = await installation.start('projector');
    const before = installation.cpuSeconds();
    const total = filled.large + filled.small;
    const tell = throttled((done: number) => print(`projected ${count(done)} of ${count(total)} events`));
    const { seconds } = await catchUp(log, databaseUrl, tell);
    const cpuSeconds = installation.cpuSeconds() - before;
    await projector.stop();
    print(`projected ${count(total)} events in ${seconds.toFixed(0)} s: ${perSecond(total / seconds, 'events')}`);
    return {
      installation,
      log,
      small,
      large,
      plan,
      events: filled,
      projected: { events: total, seconds, cpuSeconds },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillBoth(
  log: IntakeLog,
  { large, small, plan }: Pick<Loaded, 'large' | 'small' | 'plan'>,
  events: number,
  print: (line: string) => void,
): Promise<Loaded['events']> {
  const tenth = Math.round(events / 10);
  const startedAt = performance.now();
  const tell = throttled((sent: number) => print(`wrote ${count(sent)} of ${count(events)} events to the intake log`));
  const filled = {
    small: await fill(log, [small], piecesOf(planFor(tenth, 2), tenth)),
    large: await fill(log, [large], piecesOf(plan, events), tell),
  };
  const seconds = (performance.now() - startedAt) / 1000;
  const total = filled.small + filled.large;
  print(`wrote ${count(total)} events in ${seconds.toFixed(0)} s: ${perSecond(total / seconds, 'events')}`);
  return filled;
}
