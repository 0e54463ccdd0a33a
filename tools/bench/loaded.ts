import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { catchUp } from './catch-up';
import { count, perSecond } from './figure';
import { fill, piecesOf, planFor } from './fill';
import { Installation } from './installation/installation';
import type { Filled } from './installation/kept-fill';
import { openOwnVersions, sealOwnDays } from './installation/own-versions';
import { throttled } from './throttled';
import type { Subjects } from '../traffic/observe';

/** An installation with 90 days of traffic in its log and read models, shared by the parts that only read. */
export interface Loaded extends Pick<Filled, 'plan' | 'events'> {
  readonly installation: Installation;
  readonly log: IntakeLog;
  /** A tenth of the events over the same days. */
  readonly small: Subjects;
  readonly large: Subjects;
  /** Rate at which the projector reached the head of the log from an empty state; undefined if it was there. */
  readonly projected: Projected | undefined;
  close(): Promise<void>;
}

interface Projected {
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Order {
  /** Of the large website, unless it is filled already. */
  readonly events: number;
  readonly print: (line: string) => void;
  readonly profileTo: string | undefined;
  /** See `OpenOptions`. */
  readonly keptIn: string | undefined;
}

/** Fills an installation, or opens the one that was kept; its read models are those of this program afterwards. */
export async function load(order: Order): Promise<Loaded> {
  const { print, profileTo, keptIn } = order;
  const installation = await Installation.open({ websites: 2, profileTo, keptIn });
  const { databaseUrl, registered, filled } = installation;
  const [large, small = large] = registered.subjects;
  const log = await openIntakeLog({ databaseUrl });
  const close = async () => {
    await log.close();
    await installation.close();
  };
  try {
    const { plan, events } = filled ?? (await fillBoth(log, { large, small }, order));
    print(`${count(events.large + events.small)} events are in the intake log`);
    if (!filled) installation.noteFilled({ plan, events });
    const projected = await project(installation, log, print);
    return { installation, log, small, large, plan, events, projected, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillBoth(
  log: IntakeLog,
  { large, small }: Pick<Loaded, 'large' | 'small'>,
  { events, print }: Order,
): Promise<Pick<Filled, 'plan' | 'events'>> {
  const plan = planFor(events);
  const tenth = Math.round(events / 10);
  const startedAt = performance.now();
  const report = throttled((sent: number) =>
    print(`wrote ${count(sent)} of ${count(events)} events to the intake log`),
  );
  const filled = {
    small: await fill(log, [small], piecesOf(planFor(tenth, 2), tenth)),
    large: await fill(log, [large], piecesOf(plan, events), report),
  };
  const seconds = (performance.now() - startedAt) / 1000;
  const total = filled.small + filled.large;
  print(`wrote ${count(total)} events in ${seconds.toFixed(0)} s: ${perSecond(total / seconds, 'events')}`);
  return { plan, events: filled };
}

async function project(
  installation: Installation,
  log: IntakeLog,
  print: Order['print'],
): Promise<Projected | undefined> {
  const { databaseUrl } = installation;
  await openOwnVersions(databaseUrl, log);
  const before = installation.cpuSeconds();
  const projector = await installation.start('projector');
  const report = throttled((done: number) => print(`projected ${count(done)} events`));
  const { events, seconds } = await catchUp(log, databaseUrl, report);
  const cpuSeconds = installation.cpuSeconds() - before;
  await projector.stop();
  const sealingAt = performance.now();
  const days = await sealOwnDays(databaseUrl, log);
  if (days > 0) print(`sealed ${count(days)} days in ${((performance.now() - sealingAt) / 1000).toFixed(1)} s`);
  if (events === 0) return undefined;
  print(`projected ${count(events)} events in ${seconds.toFixed(0)} s: ${perSecond(events / seconds, 'events')}`);
  return { events, seconds, cpuSeconds };
}
