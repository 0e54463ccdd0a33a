import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { RebuildStageProgress } from '../../apps/projector/src/rebuild/catch-up';
import type { Plan } from '../traffic/calendar';
import type { Subjects } from '../traffic/observe';
import { catchUp } from './catch-up';
import { count, perSecond } from './figure';
import { fill, piecesOf, planFor } from './fill';
import { Installation, type OpenOptions } from './installation/installation';
import type { Filled } from './installation/kept-fill';
import { fillOwnVersions, packOwnDays } from './installation/own-versions';
import { throttled } from './throttled';

/** An installation with 90 days of traffic in its log and read models, shared by the parts that only read. */
export interface Loaded extends Pick<Filled, 'plan' | 'events'> {
  readonly installation: Installation;
  readonly log: IntakeLog;
  /** A tenth of the events over the same days. */
  readonly small: Subjects;
  readonly large: Subjects;
  close(): Promise<void>;
}

interface Order {
  /** The number of events of the large website, unless it is filled already. */
  readonly events: number;
  /** Share of them that are of today. */
  readonly today: number;
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
    await fillReadModels(installation, log, print);
    return { installation, log, small, large, plan, events, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillBoth(
  log: IntakeLog,
  websites: Pick<Loaded, 'large' | 'small'>,
  { events, today, print }: Order,
): Promise<Pick<Filled, 'plan' | 'events'>> {
  const plan = { ...planFor(events), today };
  const smallPlan = { ...planFor(Math.round(events / 10), 2), today };
  const small = await fillWebsite(log, websites.small, smallPlan, print);
  return { plan, events: { small, large: await fillWebsite(log, websites.large, plan, print) } };
}

/** Writes the traffic of a plan to the intake log, and returns how many events there were. */
async function fillWebsite(log: IntakeLog, website: Subjects, plan: Plan, print: Order['print']): Promise<number> {
  const startedAt = performance.now();
  const report = throttled((sent: number) => print(`wrote ${count(sent)} events to the intake log`));
  const events = await fill(log, [website], piecesOf(plan), report);
  const seconds = (performance.now() - startedAt) / 1000;
  print(`wrote ${count(events)} events in ${seconds.toFixed(0)} s: ${perSecond(events / seconds, 'events')}`);
  return events;
}

/** A temporary installation with a website for each plan, in its log and read models, while the work is done. */
export async function withFilled<T>(
  plans: readonly Plan[],
  { print, profileTo, memoryMb }: Pick<Order, 'print' | 'profileTo'> & Pick<OpenOptions, 'memoryMb'>,
  work: (filled: Pick<Loaded, 'installation' | 'log'>) => Promise<T>,
): Promise<T> {
  const installation = await Installation.open({ websites: plans.length, profileTo, memoryMb });
  try {
    const log = await openIntakeLog({ databaseUrl: installation.databaseUrl });
    try {
      for (const [nth, plan] of plans.entries())
        await fillWebsite(log, installation.registered.subjects[nth] ?? absent(nth), plan, print);
      await fillReadModels(installation, log, print);
      return await work({ installation, log });
    } finally {
      await log.close();
    }
  } finally {
    await installation.close();
  }
}

function absent(nth: number): never {
  throw new Error(`The installation has no website ${nth}.`);
}

/** In bulk, as a rebuild does; the projector does what is left, as in an installation that was kept. */
async function fillReadModels(installation: Installation, log: IntakeLog, print: Order['print']): Promise<void> {
  const { databaseUrl } = installation;
  const startedAt = performance.now();
  const report = throttled(({ stage, done }: RebuildStageProgress) =>
    print(`read models: ${stage}: ${count(done)} events`),
  );
  await fillOwnVersions(databaseUrl, log, report);
  const projector = await installation.start('projector');
  await catchUp(log, databaseUrl);
  await projector.stop();
  await packOwnDays(databaseUrl, log);
  const seconds = (performance.now() - startedAt) / 1000;
  print(`filled the read models in ${seconds.toFixed(0)} s`);
}
