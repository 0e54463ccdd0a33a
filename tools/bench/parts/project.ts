import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { Arrival } from '../../traffic/arrivals';
import { catchUp } from '../catch-up';
import { count, percent, perCpuSecond, perSecond, type Figure } from '../figure';
import { fill, piecesOf, planFor } from '../fill';
import { Installation } from '../installation/installation';
import type { BenchContext, Part } from './part';

const WEBSITES = 8;
const MOST_EVENTS = 300_000;
const WANTED_RATE = 10_000;

/** P4: rate at which all projections reach the head of the log. */
export const project: Part = (order) =>
  withCaughtUpProjector(order, ({ events, seconds, cpuSeconds }) =>
    Promise.resolve([rateFigure(events / seconds, events / cpuSeconds, events)]),
  );

interface CaughtUp {
  readonly installation: Installation;
  readonly log: IntakeLog;
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * With a projector that has come to the head of a log of several websites, and goes on. The first piece is projected
 * before the others are in the log: tables that are empty beside many events would be filled in bulk.
 */
export async function withCaughtUpProjector(
  { events, profileTo, print }: BenchContext,
  measure: (all: CaughtUp) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const installation = await Installation.open({ websites: WEBSITES, profileTo });
  const { databaseUrl, registered } = installation;
  const log = await openIntakeLog({ databaseUrl });
  try {
    const wanted = Math.min(events, MOST_EVENTS);
    const pieces = piecesOf(planFor(wanted), wanted);
    await fill(log, registered.subjects, [(pieces.next() as IteratorYieldResult<readonly Arrival[]>).value]);
    const first = await installation.start('projector');
    await catchUp(log, databaseUrl);
    await first.stop();
    const sent = await fill(log, registered.subjects, pieces);
    print(`${count(sent)} events of ${WEBSITES} websites are in the log`);
    await installation.start('projector');
    const before = installation.cpuSeconds();
    const { seconds } = await catchUp(log, databaseUrl);
    const cpuSeconds = installation.cpuSeconds() - before;
    print('caught up');
    return await measure({ installation, log, events: sent, seconds, cpuSeconds });
  } finally {
    await log.close();
    await installation.close();
  }
}

const rateFigure = (rate: number, ofCpu: number, events: number): Figure => ({
  id: 'P4',
  what: `Projection of ${count(events)} events of ${WEBSITES} websites, all projections on`,
  target: `≥ ${perSecond(WANTED_RATE, 'events')}`,
  measured: perSecond(rate, 'events') + perCpuSecond(ofCpu),
  yardstick: '',
  ratio: percent(rate / WANTED_RATE),
  isMet: rate >= WANTED_RATE,
});
