import { join } from 'node:path';
import { storedEvents } from '../catch-up';
import { ms, percent, perCpuSecond, perSecond, type Figure } from '../figure';
import { DIST, Installation } from '../installation/installation';
import { runLoad } from '../load/run-load';
import type { LoadResult } from '../load/run-load';
import { median } from '../statistics';
import { copyAll, kafkaVariables, senderOnKafka } from './intake-on-kafka';
import type { Part } from './part';

const ROUNDS = 3;
const SECONDS = 6;
const WARM_UP_SECONDS = 3;
const ONE = { connections: 64, events: 1 };
const MANY = { connections: 16, events: 100 };
const WANTED_SHARE = 0.5;
const WANTED_RATE = 25_000;

/**
 * P1 and P2: page views over HTTP, compared with the same tracker with a log that stores nothing. With Kafka also P17: the
 * sender against the driver alone, and how fast what was sent is copied.
 */
export const intake: Part = async ({ print, profileTo, kafkaBrokers }) => {
  const installation = await Installation.open({ websites: 1, profileTo });
  const kafka = kafkaBrokers === undefined ? undefined : kafkaVariables(kafkaBrokers);
  try {
    const { websiteId } = installation.registered.subjects[0];
    const real = await installation.start('tracker', kafka);
    const discarding = await installation.start('tracker', {
      preload: join(DIST, 'tools', 'bench', 'yardsticks', 'discarding-log.js'),
    });
    let runs = 0;
    let acknowledged = 0;
    const send = async (base: string, load: typeof ONE, seconds: number): Promise<LoadResult> => {
      const url = `${base}/batch?client_id=${websiteId}`;
      const hits = await runLoad({ url, ...load, seconds, name: `run${runs++}` });
      if (hits.failed > 0)
        throw new Error(`${hits.failed} of ${hits.answered + hits.failed} requests were not accepted.`);
      if (base === real.url) acknowledged += hits.answered * load.events;
      return hits;
    };
    const ofCpu: number[] = [];
    const rounds: Record<'bare' | 'one' | 'many', LoadResult[]> = { bare: [], one: [], many: [] };
    for (const base of [real.url, discarding.url]) await send(base, ONE, WARM_UP_SECONDS);
    for (let round = 1; round <= ROUNDS; round++) {
      print(`intake: round ${round} of ${ROUNDS}`);
      rounds.bare.push(await send(discarding.url, ONE, SECONDS));
      rounds.one.push(await send(real.url, ONE, SECONDS));
      const before = installation.cpuSeconds();
      const many = await send(real.url, MANY, SECONDS);
      rounds.many.push(many);
      ofCpu.push((many.answered * MANY.events) / (installation.cpuSeconds() - before));
    }
    if (kafka !== undefined) {
      await Promise.all([real.stop(), discarding.stop()]);
      const { figure, sent } = await senderOnKafka(installation, kafka, print);
      const copied = await copyAll(installation, kafka, acknowledged + sent);
      return [...figures(rounds, median(ofCpu), ' on Kafka'), figure, copied];
    }
    const stored = await storedEvents(installation.databaseUrl);
    if (stored < acknowledged)
      throw new Error(`${acknowledged} events were acknowledged, but only ${stored} are stored.`);
    return figures(rounds, median(ofCpu), '');
  } finally {
    await installation.close();
  }
};

type Rounds = Record<'bare' | 'one' | 'many', readonly LoadResult[]>;

function figures({ bare, one, many }: Rounds, ofCpu: number, where: string): Figure[] {
  const [bareRate, oneRate, manyRate] = [bare, one, many].map((hits) => median(hits.map((hit) => hit.perSecond)));
  const share = (oneRate ?? 0) / (bareRate ?? 1);
  const eventRate = (manyRate ?? 0) * MANY.events;
  return [
    {
      id: 'P1',
      what: `Intake${where}, one event per request, 64 connections, durable before the 2xx`,
      target: `≥ ${percent(WANTED_SHARE)} of the same app without storing`,
      measured: `${perSecond(oneRate ?? 0, 'events')}, p99 ${ms(median(one.map(({ p99 }) => p99)))}`,
      yardstick: perSecond(bareRate ?? 0, 'events'),
      ratio: percent(share),
      isMet: share >= WANTED_SHARE,
    },
    {
      id: 'P2',
      what: `Intake${where}, 100 events per request, 16 connections`,
      target: `≥ ${perSecond(WANTED_RATE, 'events')}`,
      measured: `${perSecond(eventRate, 'events')}${perCpuSecond(ofCpu)}, p99 ${ms(median(many.map(({ p99 }) => p99)))}`,
      yardstick: '',
      ratio: percent(eventRate / WANTED_RATE),
      isMet: eventRate >= WANTED_RATE,
    },
  ];
}
