import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeLog, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import type { Arrival } from '../../traffic/arrivals';
import { standings } from '../catch-up';
import { ms, perSecond, type Figure } from '../figure';
import { fill, piecesOf, planFor } from '../fill';
import type { Installation } from '../installation/installation';
import { quantile } from '../statistics';
import type { Part } from './part';
import { withCaughtUpProjector } from './project';

const LIVE_RATE = 1_000;
const LIVE_SECONDS = 20;
const SENDS_PER_SECOND = 20;
const WANTED_LAG_MS = 1_000;
const PATIENCE_MS = 60_000;

/** P4: lag of the read models behind the log in ordinary traffic. */
export const lag: Part = (order) =>
  withCaughtUpProjector(order, async ({ log, installation }) => {
    order.print(`lag: ${LIVE_RATE} events/s for ${LIVE_SECONDS} s`);
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
  const pool = openPool({ url: databaseUrl, name: 'bench-watch', max: 1 });
  const watch = async () => {
    try {
      while (!isOver || waiting.length > 0) {
        const places = await placesOf(pool);
        const now = performance.now();
        while (waiting[0] && isVisible(log, waiting[0], places)) lags.push(now - (waiting.shift()?.at ?? now));
        if (waiting[0] && now - waiting[0].at > PATIENCE_MS) throw new Error('Nothing was projected for a minute.');
        await sleep(5);
      }
    } finally {
      await pool.end();
    }
  };
  const watching = watch();
  watching.catch(() => undefined); // awaited below, after everything is sent
  const startedAt = performance.now();
  const size = LIVE_RATE / SENDS_PER_SECOND;
  try {
    for (let at = 0, turn = 0; at < traffic.length; at += size, turn++) {
      await sleep(Math.max(startedAt + (turn * 1000) / SENDS_PER_SECOND - performance.now(), 0));
      waiting.push(await sendNow(log, traffic.slice(at, at + size), registered.subjects));
    }
  } finally {
    isOver = true;
  }
  await watching;
  return lags;
}

/** Position of the websites' read models by partition. */
async function placesOf(pool: Pool): Promise<ReadonlyMap<number, string>> {
  const websites = (await standings(pool)).filter(({ group }) => group === 'websites');
  return new Map(websites.map(({ partition, cursor }) => [partition, cursor]));
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
