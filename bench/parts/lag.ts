import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeLog, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { setTimeout as sleep } from 'node:timers/promises';
import { standings } from '../catch-up';
import { ms, perSecond, type Figure } from '../figure';
import { fill, piecesOf, planFor } from '../fill';
import type { Installation } from '../installation/installation';
import { quantile } from '../statistics';
import type { Arrival } from '../traffic/arrivals';
import type { Part } from './part';
import { caughtUp } from './project';

const [LIVE_RATE, LIVE_SECONDS, SENDS_PER_SECOND] = [1_000, 20, 20];
const WANTED_LAG_MS = 1_000;

/** P4: how far the read models are behind the log in ordinary traffic. */
export const lag: Part = (order) =>
  caughtUp(order, async ({ log, installation }) => {
    order.say(`lag: ${LIVE_RATE} events/s for ${LIVE_SECONDS} s`);
    return [lagFigure(await liveLags(log, installation))];
  });

const lagFigure = (lags: readonly number[]): Figure => ({
  id: 'P4',
  what: `From being sent to being visible, at ${perSecond(LIVE_RATE, 'events')}`,
  target: `p99 < ${ms(WANTED_LAG_MS)}`,
  measured: `p99 ${ms(quantile(lags, 0.99))}, p50 ${ms(quantile(lags, 0.5))}`,
  yardstick: '',
  ratio: '',
  isMet: quantile(lags, 0.99) < WANTED_LAG_MS,
});

interface Sent {
  readonly at: number;
  readonly positions: SendResult['positions'];
}

/** Milliseconds from each send to the moment when all of it is in the read models. */
async function liveLags(log: IntakeLog, { databaseUrl, registered }: Installation): Promise<number[]> {
  const total = LIVE_RATE * LIVE_SECONDS;
  const traffic = [...piecesOf({ ...planFor(total, 3), days: 1 }, total)].flat();
  const waiting: Sent[] = [];
  const lags: number[] = [];
  let isOver = false;
  const watch = async () => {
    const pool = openPool({ url: databaseUrl, name: 'bench-watch', max: 1 });
    while (!isOver || waiting.length > 0) {
      const places = new Map<number, string>();
      for (const { group, partition, cursor } of await standings(pool)) {
        if (group === 'websites') places.set(partition, cursor);
      }
      const now = performance.now();
      while (waiting[0] && isVisible(log, waiting[0], places)) lags.push(now - (waiting.shift()?.at ?? now));
      await sleep(5);
    }
    await pool.end();
  };
  const watching = watch();
  const startedAt = performance.now();
  const size = LIVE_RATE / SENDS_PER_SECOND;
  for (let at = 0, turn = 0; at < traffic.length; at += size, turn++) {
    await sleep(Math.max(startedAt + (turn * 1000) / SENDS_PER_SECOND - performance.now(), 0));
    waiting.push(await sendNow(log, traffic.slice(at, at + size), registered.subjects));
  }
  isOver = true;
  await watching;
  return lags;
}

async function sendNow(
  log: IntakeLog,
  piece: readonly Arrival[],
  subjects: Installation['registered']['subjects'],
): Promise<Sent> {
  const at = performance.now();
  const views = piece.filter(({ hit }) => hit.kind !== 'click');
  let positions: SendResult['positions'] = new Map();
  const through: Pick<IntakeLog, 'send'> = {
    send: async (hits) => {
      const result = await log.send(hits);
      positions = result.positions;
      return result;
    },
  };
  await fill(through, subjects, [views]);
  return { at, positions };
}

const isVisible = (log: IntakeLog, { positions }: Sent, places: ReadonlyMap<number, string>): boolean =>
  [...positions].every(([partition, position]) => log.compare(places.get(partition) ?? '', position) >= 0);
