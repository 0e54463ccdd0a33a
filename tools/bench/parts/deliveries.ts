import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { v4 as uuid } from 'uuid';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { JsonObject } from '@ledgerline/contracts/json';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore, StreamName } from '@ledgerline/platform/event-store/event-store';
import { type WebhookTarget, newWebhookSecret } from '@ledgerline/platform/outbound/webhook';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import { ms, perSecond, type Figure } from '../figure';
import { Installation } from '../installation/installation';
import { quantile } from '../statistics';
import type { BenchContext, Part } from './part';

const IDLE = { organizations: 10, each: 100 };
const IDLE_SECONDS = 30;
/** V8 compiles what the projector runs. */
const WARM_UP_MS = 20_000;
const RECEIVERS = 20;
const ENTRIES = 300;
/** Entries one by one, each a message to every receiver. */
const SINGLE = { entries: 100, everyMs: 300 };
const WANTED = { idleShare: 0.01, perSecond: 200, latencyMs: 2_000 };
const PATIENCE_MS = 120_000;

/** P24: what destinations cost that get nothing, and how fast messages reach receivers on this machine. */
export const deliveries: Part = async (context) => {
  const installation = await Installation.open({ websites: 1, profileTo: context.profileTo });
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => Receiver.start()));
  const scene = await Scene.open(installation);
  try {
    await installation.start('projector', { DESTINATION_ALLOW: '127.0.0.0/8' });
    return [await idleFigure(context, installation, scene), ...(await sendingFigures(context, scene, receivers))];
  } finally {
    await scene.close();
    await installation.close();
    for (const receiver of receivers) receiver.close();
  }
};

async function idleFigure({ print }: BenchContext, installation: Installation, scene: Scene): Promise<Figure> {
  const share = async () => {
    const before = installation.cpuSeconds();
    const startedAt = performance.now();
    await sleep(IDLE_SECONDS * 1_000);
    return ((installation.cpuSeconds() - before) * 1_000) / (performance.now() - startedAt);
  };
  await sleep(WARM_UP_MS);
  const without = await share();
  print(`deliveries: ${IDLE.organizations * IDLE.each} destinations that get nothing`);
  for (let n = 0; n < IDLE.organizations; n++)
    await scene.addDestinations(`org_idle${n}`, Array<string>(IDLE.each).fill('https://hooks.invalid/'));
  await scene.untilAtRest(IDLE.organizations * IDLE.each);
  const added = (await share()) - without;
  return {
    id: 'P24',
    what: `CPU of ${IDLE.organizations * IDLE.each} destinations that get nothing, with Postgres`,
    target: `≤ ${WANTED.idleShare * 100} % of a core`,
    measured: `${(added * 100).toFixed(1)} % (${(without * 100).toFixed(1)} % without)`,
    yardstick: '',
    ratio: '',
    isMet: added <= WANTED.idleShare,
  };
}

async function sendingFigures({ print }: BenchContext, scene: Scene, receivers: readonly Receiver[]) {
  const organization = 'org_sending';
  const urls = receivers.map(({ url }) => url);
  await scene.addDestinations(organization, urls);
  await scene.untilAtRest(IDLE.organizations * IDLE.each + RECEIVERS);
  print(`deliveries: ${ENTRIES} entries of the audit log at once to ${RECEIVERS} receivers`);
  const startedAt = performance.now();
  await scene.addTags(organization, ENTRIES);
  await untilGot(receivers, ENTRIES);
  const rate = (ENTRIES * RECEIVERS * 1_000) / (performance.now() - startedAt);
  print(`deliveries: ${SINGLE.entries} entries one by one`);
  const committedAt: number[] = [];
  for (let n = 0; n < SINGLE.entries; n++) {
    await scene.addTags(organization, 1);
    committedAt.push(performance.now());
    await sleep(SINGLE.everyMs);
  }
  await untilGot(receivers, ENTRIES + SINGLE.entries);
  const took = receivers.flatMap(({ at }) => committedAt.map((committed, n) => (at[ENTRIES + n] ?? NaN) - committed));
  const sent: Figure = {
    id: 'P24',
    what: `Messages to ${RECEIVERS} receivers on this machine`,
    target: `≥ ${perSecond(WANTED.perSecond, 'messages')}`,
    measured: perSecond(rate, 'messages'),
    yardstick: '',
    ratio: '',
    isMet: rate >= WANTED.perSecond,
  };
  const latency: Figure = {
    ...sent,
    what: `From the commit to the receiver, at ${perSecond((RECEIVERS * 1_000) / SINGLE.everyMs, 'messages')}`,
    target: `p99 ≤ ${ms(WANTED.latencyMs)}`,
    measured: `p99 ${ms(quantile(took, 0.99))}, p50 ${ms(quantile(took, 0.5))}`,
    isMet: quantile(took, 0.99) <= WANTED.latencyMs,
  };
  return [sent, latency];
}

async function untilGot(receivers: readonly Receiver[], count: number): Promise<void> {
  const startedAt = performance.now();
  while (receivers.some(({ at }) => at.length < count)) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`Not all receivers got ${count} messages.`);
    await sleep(5);
  }
}

/** Notes when it got each message. */
class Receiver {
  readonly at: number[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, reply) => {
      request.resume().once('end', () => {
        receiver.at.push(performance.now());
        reply.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return receiver;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Appends what an api would. */
class Scene {
  private readonly targets: SealedValues<WebhookTarget>;
  /** Of the last event of each stream. */
  private readonly revisions = new Map<StreamName, number>();
  private tags = 0;

  private constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    pepper: string,
  ) {
    this.targets = new SealedValues(new SubjectKeys(pool, pepper));
  }

  static async open({ databaseUrl, env }: Installation): Promise<Scene> {
    const pool = openPool({ url: databaseUrl, name: 'bench', max: 2 });
    return new Scene(await openEventStore({ databaseUrl }), pool, env['KEY_PEPPER'] ?? '');
  }

  /** A new organization with a destination for each address, which wants to know of tags. */
  async addDestinations(organizationId: string, urls: readonly string[]): Promise<void> {
    await this.append(RECORD_KINDS.organizations.stream({ id: organizationId }), [
      { type: 'OrganizationCreated', data: { organizationId, name: organizationId, ownerId: 'usr_bench' } },
    ]);
    const made = urls.map(async (url, n): Promise<DecidedEvent> => {
      const id = `dst_${organizationId}_${n}`;
      const target = { url, headers: {}, secrets: [{ secret: newWebhookSecret() }] };
      return {
        type: 'DestinationCreated',
        data: {
          ...plainDestination,
          destinationId: id,
          organizationId,
          kind: 'webhook',
          name: id,
          begin: 1 + urls.length,
          origin: new URL(url).origin,
          headerNames: [],
          sealed: await this.targets.seal({ organizationId, id }, target),
          sends: ['tag.created', 'monitor.down'],
        },
      };
    });
    await this.append(RECORD_KINDS.destinations.stream({ organizationId }), await Promise.all(made));
  }

  async addTags(organizationId: string, count: number): Promise<void> {
    const events = Array.from({ length: count }, (): DecidedEvent => {
      const name = `tag${++this.tags}`;
      return { type: 'TagCreated', data: { tagId: `tag_${name}`, organizationId, name, color: 'gray' } };
    });
    await this.append(RECORD_KINDS.tags.stream({ organizationId }), events);
  }

  /** Until so many destinations are known, and nothing waits for them. */
  async untilAtRest(count: number): Promise<void> {
    const startedAt = performance.now();
    const resting = sql`select count(*)::integer as resting from destination_sending where next_at = 'infinity' and claim is null`;
    while ((await run<{ resting: number }>(this.pool, resting))[0]?.resting !== count) {
      if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${count} destinations did not come to rest.`);
      await sleep(500);
    }
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.pool.end();
  }

  private async append(stream: StreamName, events: readonly DecidedEvent[]): Promise<void> {
    const made = events.map(({ type, data }) => ({
      id: uuid(),
      type,
      data: data as JsonObject,
      metadata: { actor: 'usr_bench' },
    }));
    const revision = this.revisions.get(stream) ?? -1;
    const result = await this.store.append(stream, revision < 0 ? 'no-stream' : revision, made);
    if (!result.ok) throw new Error(`Nothing was appended to ${stream}.`);
    this.revisions.set(stream, revision + made.length);
  }
}
