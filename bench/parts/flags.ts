import { count, ms, percent, perCpuSecond, perSecond, type Figure } from '../figure';
import { Installation, type RunningApp } from '../installation/installation';
import { runLoad, type LoadResult } from '../load/run-load';
import { median } from '../statistics';
import { FlagClient } from './flag-client';
import { changesSeenElsewhere, type Changes } from './flag-changes';
import type { Part } from './part';

const ROUNDS = 3;
const SECONDS = 6;
const WARM_UP_SECONDS = 8; // until V8 has compiled what runs
const CONNECTIONS = 64;
const FLAGS = 20;
const WANTED_RATE = 5_000;
const WANTED_CHANGE_MS = 1_000;

/** P18: flags evaluated by one api over HTTP with a key, and how soon another api has a change. */
export const flags: Part = async ({ print, profileTo }) => {
  const installation = await Installation.open(1, profileTo);
  try {
    const api = await installation.start('api');
    const client = new FlagClient(api.url, installation.registered);
    await client.createFlags(FLAGS);
    const one = await evaluate('evaluate?key=flag-1&');
    const all = await evaluate('bulk?');
    print('flags: changes, with two apis');
    const changes = await changesSeenElsewhere(client, await installation.start('api'));
    return figures(one, all, changes);

    async function evaluate(route: string): Promise<Evaluations> {
      const load = loadOf(installation, api, route);
      await load(WARM_UP_SECONDS);
      const results: Evaluations[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        print(`flags: ${route.split('?')[0]}, round ${round} of ${ROUNDS}`);
        const before = installation.cpuSeconds();
        const result = await load(SECONDS);
        results.push({ ...result, perCpuSecond: result.answered / (installation.cpuSeconds() - before) });
      }
      const [perSecond, perCpu, p99] = (['perSecond', 'perCpuSecond', 'p99'] as const).map((name) =>
        median(results.map((result) => result[name])),
      ) as [number, number, number];
      return { ...results[0]!, perSecond, perCpuSecond: perCpu, p99 };
    }
  } finally {
    await installation.close();
  }
};

interface Evaluations extends LoadResult {
  /** Requests for each second of CPU of the api and Postgres. */
  readonly perCpuSecond: number;
}

function loadOf({ registered }: Installation, { url }: RunningApp, route: string) {
  const { apiKey, subjects } = registered;
  const address = `${url}/public/v1/flags/${route}clientId=${subjects[0].websiteId}`;
  return async (seconds: number): Promise<LoadResult> => {
    const result = await runLoad({ url: address, flags: { apiKey }, connections: CONNECTIONS, seconds, name: '' });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered + result.failed} were refused.`);
    return result;
  };
}

const figures = (one: Evaluations, all: Evaluations, changes: Changes): Figure[] => [
  {
    id: 'P18',
    what: `Flags evaluated one by one, one process, ${CONNECTIONS} connections, with a key`,
    target: `≥ ${perSecond(WANTED_RATE, 'evaluations')}`,
    measured: `${perSecond(one.perSecond, 'evaluations')}${perCpuSecond(one.perCpuSecond)}, p99 ${ms(one.p99)}`,
    yardstick: '',
    ratio: percent(one.perSecond / WANTED_RATE),
    isMet: one.perSecond >= WANTED_RATE,
  },
  {
    id: 'P18',
    what: `The same, ${FLAGS} flags in a request`,
    target: `≥ ${perSecond(WANTED_RATE, 'evaluations')}`,
    measured: `${perSecond(all.perSecond * FLAGS, 'evaluations')} in ${perSecond(all.perSecond, 'requests')}, p99 ${ms(all.p99)}`,
    yardstick: '',
    ratio: percent((all.perSecond * FLAGS) / WANTED_RATE),
    isMet: all.perSecond * FLAGS >= WANTED_RATE,
  },
  {
    id: 'P18',
    what: `A change of a flag on another process, ${count(changes.took.length)} changes, from its response on`,
    target: `≤ ${ms(WANTED_CHANGE_MS)}`,
    measured: `p50 ${ms(median(changes.took))}, most ${ms(Math.max(...changes.took))}`,
    yardstick: '',
    ratio: '',
    isMet: Math.max(...changes.took) <= WANTED_CHANGE_MS,
  },
];
