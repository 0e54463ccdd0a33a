import { ms, percent, perSecond, type Figure } from '../figure';
import { Installation } from '../installation/installation';
import type { LoadResult } from '../load/run-load';
import { median } from '../statistics';
import { commandsOnEventStoreDb } from './commands-on-eventstoredb';
import { startLinkCreation } from './link-creation';
import type { Part } from './part';

const ROUNDS = 3;
const SECONDS = 6;
const WARM_UP_SECONDS = 10; // until V8 has compiled what runs
const MANY_CONNECTIONS = 64;
const WANTED_RATE = 1_500;
const WANTED_ALONE_MS = 10;

/**
 * P13, the commands: links created over HTTP, the slug reserved, chained and committed before the 201. With EVENTSTORE_URL
 * they are created there, and compared with its bare driver.
 */
export const commands: Part = (context) => {
  const url = process.env['EVENTSTORE_URL'];
  return url === undefined ? onPostgres(context) : commandsOnEventStoreDb(context, url);
};

const onPostgres: Part = async ({ print, profileTo }) => {
  const installation = await Installation.open({ websites: 1, profileTo });
  try {
    const create = await startLinkCreation(installation);
    await create(MANY_CONNECTIONS, WARM_UP_SECONDS);
    const rounds = async (connections: number): Promise<LoadResult[]> => {
      print(`commands: ${connections} connections`);
      const results: LoadResult[] = [];
      for (let round = 1; round <= ROUNDS; round++) results.push(await create(connections, SECONDS));
      return results;
    };
    const many = await rounds(MANY_CONNECTIONS); // first, as the first seconds after a quiet time are slower
    return figures(await rounds(1), many);
  } finally {
    await installation.close();
  }
};

function figures(alone: readonly LoadResult[], many: readonly LoadResult[]): Figure[] {
  const rate = median(many.map(({ perSecond }) => perSecond));
  const p50 = median(alone.map((result) => result.p50));
  return [
    {
      id: 'P13',
      what: `POST /v1/links, ${MANY_CONNECTIONS} connections, while tracker and projector follow`,
      target: `≥ ${perSecond(WANTED_RATE, 'links')}`,
      measured: `${perSecond(rate, 'links')}, p99 ${ms(median(many.map(({ p99 }) => p99)))}`,
      yardstick: '',
      ratio: percent(rate / WANTED_RATE),
      isMet: rate >= WANTED_RATE,
    },
    {
      id: 'P13',
      what: 'POST /v1/links, one caller alone',
      target: `≤ ${ms(WANTED_ALONE_MS)}`,
      measured: `p50 ${ms(p50)}, p99 ${ms(median(alone.map(({ p99 }) => p99)))}`,
      yardstick: '',
      ratio: '',
      isMet: p50 <= WANTED_ALONE_MS,
    },
  ];
}
