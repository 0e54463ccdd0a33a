import { setTimeout as sleep } from 'node:timers/promises';
import type { IntakeItem, IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { Random } from '../../../tools/traffic/random';
import { compare, type Comparison } from '../../reliability/log-audit';
import { waitUntil } from '../../wait-until';
import { hit } from '../hits.fixture';
import type { KafkaIntake } from './kafka-intake';

const CLIENTS = 6;
const SUBJECTS = 12;
const PAUSE_MS = 40;

/**
 * Clients that send hits until they are told to stop. A hit that was refused is never sent again, so that what is stored
 * twice was doubled on the way; half of the hits name no retries.
 */
export class HitTraffic {
  readonly acknowledged = new Set<string>();
  /** The hits of sends that failed: whether they are stored is not known. */
  readonly unknown = new Set<string>();
  readonly unexpected: unknown[] = [];
  private isStopping = false;
  private readonly clients: Promise<void>[];

  /** Ends with the intake at the latest. */
  constructor(
    intake: Pick<KafkaIntake, 'atEnd'>,
    private readonly senders: readonly IntakeSender[],
    seed = 1,
  ) {
    intake.atEnd(() => this.stop());
    this.clients = Array.from({ length: CLIENTS }, (_, at) => this.client(`${seed}-${at}`, new Random(seed, at)));
    for (const client of this.clients) client.catch(() => undefined); // `stop` reports
  }

  /** Resolves when so many more hits have been acknowledged. */
  async progress(hits = 100): Promise<void> {
    const wanted = this.acknowledged.size + hits;
    await waitUntil(() => this.acknowledged.size >= wanted);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.clients);
  }

  private async client(name: string, random: Random): Promise<void> {
    for (let turn = 0; !this.isStopping; turn++) {
      const sender = this.senders[random.below(this.senders.length)];
      const hits = Array.from({ length: 1 + random.below(6) }, (_, n) => someHit(`${name}-${turn}-${n}`, random));
      const outcome = await sender?.send(hits).catch((error: unknown) => ({ error }));
      const ids = hits.map(({ event }) => event.id);
      if (outcome && 'error' in outcome) {
        for (const id of ids) this.unknown.add(id);
        if (!(outcome.error instanceof LogUnavailable)) this.unexpected.push(outcome.error);
      } else for (const id of ids) this.acknowledged.add(id);
      await sleep(PAUSE_MS);
    }
  }
}

const someHit = (name: string, random: Random): IntakeItem =>
  hit(name, { subject: `site_${random.below(SUBJECTS)}`, dedupe: random.chance(0.5) ? 'never' : '48h' });

/** Ends the traffic, waits until all is copied and expects that nothing is lost and nothing is stored twice. */
export async function expectExact(intake: KafkaIntake, ...traffics: readonly HitTraffic[]): Promise<void> {
  for (const traffic of traffics) await traffic.stop();
  await intake.untilCopied();
  const { lost, doubled, invented } = compareWith(traffics, await intake.stored());
  expect(traffics.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  expect({ lost, doubled, invented }).toEqual({ lost: [], doubled: [], invented: [] });
}

function compareWith(traffics: readonly HitTraffic[], stored: readonly { readonly id: string }[]): Comparison {
  const acknowledged = traffics.flatMap((traffic) => [...traffic.acknowledged]);
  const unknown = new Set(traffics.flatMap((traffic) => [...traffic.unknown]));
  const { invented, ...rest } = compare(
    acknowledged,
    stored.map(({ id }) => id),
  );
  return { ...rest, invented: invented.filter((id) => !unknown.has(id)) };
}
