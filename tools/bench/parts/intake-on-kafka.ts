import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { readCopying } from '@ledgerline/kafka/copying';
import { loadSettings } from '@ledgerline/platform/config/settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { observe } from '../../traffic/observe';
import { storedEvents } from '../catch-up';
import { percent, perSecond, type Figure } from '../figure';
import { piecesOf, planFor } from '../fill';
import type { Installation } from '../installation/installation';
import { median } from '../statistics';
import { bareKafka } from '../yardsticks/bare-kafka';
import { ratePerSecond } from './append';

const HITS = 100;
const BATCHES = 400;
const ROUNDS = 3;
const SECONDS = 5;
/** The wanted share of what the driver does alone. */
const WANTED_SHARE = 0.5;

/** Returns the variables of the Kafka that KAFKA_BROKERS names, with a topic of its own. */
export const kafkaVariables = (brokers: string): NodeJS.ProcessEnv => ({
  INTAKE_LOG: 'kafka',
  KAFKA_BROKERS: brokers,
  KAFKA_TOPIC: `ledgerline-bench-${randomUUID()}`,
});

/** P17: the sender against the driver alone with the same batches, in turns. */
export async function senderOnKafka(
  { env, databaseUrl, registered }: Installation,
  variables: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<{ figure: Figure; sent: number }> {
  const { kafka } = loadSettings({ ...env, ...variables });
  if (kafka === undefined) throw new Error('INTAKE_LOG must be kafka.');
  const batches = batchesOf(registered.subjects[0]);
  const sender = await openIntakeSender({ databaseUrl, kafka });
  const bare = await bareKafka(kafka.brokers, kafka.topic);
  const rates: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  let sent = 0;
  const ours = async (hits: readonly IntakeItem[]) => {
    await sender.send(hits);
    sent += hits.length;
  };
  const alone = (hits: readonly IntakeItem[]) =>
    bare.send(hits.map(({ event, subject }) => ({ key: subject, value: JSON.stringify(event) })));
  try {
    for (const send of [ours, alone]) await rateOf(batches, send, 2);
    for (let round = 1; round <= ROUNDS; round++) {
      print(`sender: round ${round} of ${ROUNDS}`);
      rates.bare.push(await rateOf(batches, alone, SECONDS));
      rates.ours.push(await rateOf(batches, ours, SECONDS));
    }
  } finally {
    await Promise.all([sender.close(), bare.close()]);
  }
  const share = median(rates.ours) / median(rates.bare);
  const figure = {
    id: 'P17',
    what: `The sender on Kafka, 32 callers with ${HITS} events each, acknowledged by all replicas`,
    target: `≥ ${percent(WANTED_SHARE)} of its bare driver with the same batches`,
    measured: perSecond(median(rates.ours), 'events'),
    yardstick: `${perSecond(median(rates.bare), 'events')} by the bare driver`,
    ratio: percent(share),
    isMet: share >= WANTED_SHARE,
  };
  return { figure, sent };
}

type Send = (hits: readonly IntakeItem[]) => Promise<unknown>;

/** Events a second of callers that send one batch after another. */
function rateOf(batches: readonly (readonly IntakeItem[])[], send: Send, seconds: number): Promise<number> {
  let next = 0;
  const caller = async (until: number) => {
    let sent = 0;
    for (; performance.now() < until; sent += HITS) await send(batches[next++ % batches.length] ?? []);
    return sent;
  };
  return ratePerSecond(caller, seconds);
}

function batchesOf(subjects: Installation['registered']['subjects'][number]): IntakeItem[][] {
  const hits: IntakeItem[] = [];
  for (const piece of piecesOf(planFor(HITS * BATCHES), HITS * BATCHES))
    hits.push(
      ...piece.map((arrival) => {
        const event = observe(arrival, subjects);
        const subject = event.type === 'LinkClicked' ? subjects.linkId : `${subjects.websiteId}${hits.length % 20}`;
        return { event, subject, dedupe: 'never' as const };
      }),
    );
  return Array.from({ length: BATCHES }, (_, at) => hits.slice(at * HITS, (at + 1) * HITS));
}

/** Copies what was sent, with a projector, and answers how fast. @throws where anything acknowledged is missing */
export async function copyAll(
  installation: Installation,
  variables: NodeJS.ProcessEnv,
  acknowledged: number,
): Promise<Figure> {
  const before = installation.cpuSeconds();
  const projector = await installation.start('projector', variables);
  const pool = openPool({ url: installation.databaseUrl, name: 'bench-copy', max: 1 });
  const began = performance.now();
  try {
    for (;;) {
      const rows = await readCopying(pool);
      if (rows.length > 0 && rows.every(({ messages, lagMs }) => messages === 0 && lagMs === 0)) break;
      await sleep(100);
    }
    const seconds = (performance.now() - began) / 1000;
    const stored = await storedEvents(installation.databaseUrl);
    if (stored < acknowledged)
      throw new Error(`${acknowledged} events were acknowledged, but only ${stored} are copied.`);
    const ofCpu = stored / (installation.cpuSeconds() - before);
    return {
      id: 'P17',
      what: 'Copied from Kafka into the intake log while they are projected',
      target: '',
      measured: `${perSecond(stored / seconds, 'events')}, ${perSecond(ofCpu, 'events')} of CPU with projecting`,
      yardstick: '',
      ratio: '',
      isMet: null,
    };
  } finally {
    await pool.end();
    await projector.stop();
  }
}
