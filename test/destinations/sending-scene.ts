import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { WebhookTarget } from '@ledgerline/platform/outbound/webhook';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import { deliveryWork } from '../../apps/projector/src/deliveries/deliveries';
import { notices } from '../../apps/projector/src/deliveries/notices';
import { ObservedMessages } from '../../apps/projector/src/deliveries/observed-messages';
import { loadRules } from '../../apps/projector/src/runner/erasure-rules';
import { ask, type Answer } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { PARTITIONS, projectInto, type DirectProjector } from '../query/projected-database';

/** An api whose destinations may be on this machine, and what sends to them. */
export interface SendingScene {
  readonly api: TestApi;
  readonly owner: Owner;
  readonly pool: Pool;
  readonly store: EventStore;
  /** Tries of all senders, by what they came to. */
  readonly outcomes: readonly string[];
  /** Of sources. */
  readonly warnings: readonly unknown[];
  post(path: string, body?: object): Promise<Answer>;
  /** A destination, with its secret, that the projector knows. */
  create(fields: object): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates tags, each an entry of the audit log, and answers their names. */
  addTags(count: number): Promise<readonly string[]>;
  /** Lets the projector know what was changed. */
  catchUp(): Promise<void>;
  /** Makes what waits after a failure due at once. */
  hurry(): Promise<void>;
  /** A sender as a projector has it, with connections of its own. */
  startSender(publicApiUrl?: string): Promise<Sender>;
  /** Mails owners and admins about destinations, as a projector does. */
  startNotices(onLook?: () => void): Promise<Sender>;
  /** Makes messages of the intake log, as a projector does, with connections of its own. */
  startSource(): Promise<Sender>;
  /** Stores events of one website, link or monitor in the intake log. */
  observe(subject: string, events: readonly ObservedEvent[]): Promise<void>;
  /** What was opened to be sent later is due at once. */
  passTime(): Promise<void>;
  /** Stops senders, and deletes destinations. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface Sender {
  /** Ends as after SIGTERM. */
  stop(): Promise<void>;
  /** Cuts off all its connections to the database, as a kill does; requests to receivers go on. */
  kill(): Promise<void>;
}

interface Running {
  readonly work: OnApplicationBootstrap & BeforeApplicationShutdown;
  readonly close?: () => Promise<void>;
}

const QUIET = { warn: () => undefined, info: () => undefined } as never;

export async function openSendingScene(more: Readonly<Record<string, string>> = {}): Promise<SendingScene> {
  const api = await startTestApi({ DESTINATION_ALLOW: '127.0.0.0/8', ...more });
  const { settings } = api;
  const owner = await ownerWithWebsite(api);
  const projector: DirectProjector = await projectInto(settings.databaseUrl, []);
  const pool = openPool({ url: settings.databaseUrl, name: 'spec', max: 4 });
  const store = await openEventStore({ databaseUrl: settings.databaseUrl });
  const warnings: unknown[] = [];
  const senders = new Set<Sender>();
  const outcomes: string[] = [];
  const post: SendingScene['post'] = (path, body = {}) => ask(api, `POST ${path}`, { body, headers: owner.headers });
  let tags = 0;

  /** Runs something of a projector with connections of its own. */
  const start = async (name: string, open: (pool: Pool, store: EventStore) => Promise<Running>): Promise<Sender> => {
    const own = openPool({ url: settings.databaseUrl, name, max: 4 });
    const ownStore = await openEventStore({ databaseUrl: settings.databaseUrl });
    const { work, close } = await open(own, ownStore);
    work.onApplicationBootstrap();
    let ended: Promise<void> | undefined;
    const end = async () => {
      senders.delete(sender);
      await work.beforeApplicationShutdown();
      await Promise.all([ownStore.close(), close?.()]);
      if (!own.ending) await own.end();
    };
    const sender: Sender = {
      stop: () => (ended ??= end()),
      kill: async () => {
        const closed = own.end();
        await sender.stop();
        await closed;
      },
    };
    senders.add(sender);
    return sender;
  };

  const startSender = (publicApiUrl = settings.publicApiUrl) =>
    start('sender', (own, ownStore) => {
      const work = deliveryWork({
        pool: own,
        store: ownStore,
        signer: new HeadSigner(ownStore, own, settings.auditSigningKey),
        targets: new SealedValues<WebhookTarget>(new SubjectKeys(own, settings.keyPepper)),
        settings: { ...settings, publicApiUrl },
        logger: QUIET,
        onTry: (_, outcome) => outcomes.push(outcome),
      });
      return Promise.resolve({ work });
    });

  const startNotices = (onLook?: () => void) =>
    start('notices', (own, ownStore) => {
      const epoch = () => {
        onLook?.();
        return ownStore.epoch();
      };
      return Promise.resolve({ work: notices({ pool: own, store: { epoch }, settings, logger: QUIET }) });
    });

  const startSource = () =>
    start('source', async (own, ownStore) => {
      const log = await openIntakeLog({ databaseUrl: settings.databaseUrl, partitions: PARTITIONS });
      const warn = (line: unknown) => {
        if (!own.ending) warnings.push(line); // one that was killed has no connections
      };
      const work = new ObservedMessages({
        pool: own,
        store: ownStore,
        intakeLog: log,
        publicApiUrl: settings.publicApiUrl,
        erasures: async () => [await loadRules(own, 'websites'), await loadRules(own, 'links')],
        logger: { warn, info: () => undefined } as never,
      });
      return { work, close: () => log.close() };
    });

  const stopSenders = () => Promise.all([...senders].map((sender) => sender.stop()));
  const reset = async () => {
    await stopSenders();
    const { headers, organizationId } = owner;
    const { body } = await ask(api, `GET /v1/destinations?organizationId=${organizationId}`, { headers });
    for (const { id } of body.data as { id: string }[]) await ask(api, `DELETE /v1/destinations/${id}`, { headers });
    await projector.catchUp();
    outcomes.length = 0;
  };

  return {
    api,
    owner,
    pool,
    store,
    outcomes,
    post,
    create: async (fields) => {
      const body = { organizationId: owner.organizationId, name: `D${Math.random()}`, kind: 'webhook', ...fields };
      const { status, body: made, text } = await post('/v1/destinations', body);
      if (status !== 201) throw new Error(`No destination was created: ${text}`);
      await projector.catchUp();
      return { id: String(made.id), secret: String(made.secret) };
    },
    addTags: async (count) => {
      const names = Array.from({ length: count }, () => `Tag ${++tags}`);
      for (const name of names) await post('/v1/tags', { organizationId: owner.organizationId, name });
      return names;
    },
    hurry: async () => void (await run(pool, sql`update destination_sending set next_at = now()`)),
    catchUp: () => projector.catchUp(),
    startSender,
    startNotices,
    startSource,
    warnings,
    observe: (subject, events) => projector.send(subject, events),
    passTime: async () =>
      void (await run(pool, sql`update delivery_folds set due_at = now() where due_at is not null`)),
    reset,
    close: async () => {
      await stopSenders();
      await Promise.all([projector.close(), store.close(), pool.end()]);
      await api.close();
    },
  };
}
