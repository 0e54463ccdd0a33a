import { count, ms, percent, perSecond, type Figure } from '../figure';
import { Installation, type RunningApp } from '../installation/installation';
import { cpuSeconds } from '../installation/process-usage';
import { runLoad } from '../load/run-load';
import { median } from '../statistics';
import { changesSeenElsewhere, type Changes } from './flag-changes';
import { FlagClient } from './flag-client';
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
  const installation = await Installation.open({ websites: 1, profileTo });
  try {
    const api = await installation.start('api');
    const client = new FlagClient(api.url, installation.registered);
    await client.createFlags(FLAGS);
    const evaluate = evaluationsOn(api, installation);
    print('flags: one in a request');
    const one = await evaluate('evaluate?key=flag-1&');
    print(`flags: ${FLAGS} in a request`);
    const all = await evaluate('bulk?');
    print('flags: changes, with two apis');
    return figures(one, all, await changesSeenElsewhere(client, await installation.start('api')));
  } finally {
    await installation.close();
  }
};

/** Requests, medians of several rounds. */
interface Evaluations {
  readonly perSecond: number;
  /** For each second of CPU of the api, which a busy machine changes less. */
  readonly perCpuSecond: number;
  readonly p99: number;
}

function evaluationsOn({ url, pid }: RunningApp, { registered }: Installation) {
  const { apiKey, subjects } = registered;
  return async (route: string): Promise<Evaluations> => {
    const address = `${url}/public/v1/flags/${route}clientId=${subjects[0].websiteId}`;
    const load = (seconds: number) =>
      runLoad({ url: address, flags: { apiKey }, connections: CONNECTIONS, seconds, name: '' });
    await load(WARM_UP_SECONDS);
    const rounds: Evaluations[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const before = cpuSeconds([pid]);
      const { answered, failed, perSecond, p99 } = await load(SECONDS);
      if (failed > 0) throw new Error(`${failed} of ${answered + failed} were refused.`);
      rounds.push({ perSecond, p99, perCpuSecond: answered / (cpuSeconds([pid]) - before) });
    }
    const of = (name: keyof Evaluations) => median(rounds.map((round) => round[name]));
    return { perSecond: of('perSecond'), perCpuSecond: of('perCpuSecond'), p99: of('p99') };
  };
}

const figures = (one: Evaluations, all: Evaluations, changes: Changes): Figure[] => [
  {
    id: 'P18',
    what: `Flags evaluated one by one, one process, ${CONNECTIONS} connections, with a key`,
    target: `≥ ${perSecond(WANTED_RATE, 'evaluations')}`,
    measured: `${perSecond(one.perSecond, 'evaluations')}, ${count(one.perCpuSecond)} per CPU second of it, p99 ${ms(one.p99)}`,
    yardstick: '',
    ratio: percent(one.perSecond / WANTED_RATE),
    isMet: one.perSecond >= WANTED_RATE,
  },
  {
    id: 'P18',
    what: `The same, ${FLAGS} flags in a request`,
    target: `≥ ${perSecond(WANTED_RATE, 'evaluations')}`,
    measured: `${perSecond(all.perSecond * FLAGS, 'evaluations')}, ${count(all.perCpuSecond * FLAGS)} per CPU second of it, p99 ${ms(all.p99)}`,
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
