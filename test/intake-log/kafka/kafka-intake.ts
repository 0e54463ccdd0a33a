import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Admin, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { openHitTopic } from '@ledgerline/kafka/hit-topic';
import { readNextOffsets, useTopic } from '@ledgerline/kafka/topic-offsets';
import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { openCopier } from '../../../apps/projector/src/copier/copier';
import { kafkaClient } from '../../kafka/client';
import type { KafkaConnection } from '../../kafka/security';
import { createTestDatabase } from '../../postgres/test-database';
import { allOf } from '../../tracker/all-of';
import { waitUntil } from '../../wait-until';
import { settingsFor } from '../kafka-store';

/** A line of what a process logs. */
type Line = Readonly<Record<string, unknown>>;

interface Options {
  /** The number of partitions of the log and the topic. */
  readonly partitions?: number;
  /** Where trackers and copiers find the database, if not where it is. */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

/** A log whose hits go through a topic of its own: senders and copiers as in trackers and projectors, each like a process. */
export class KafkaIntake {
  readonly logged: Line[] = [];
  private readonly ending: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly settings: KafkaSettings,
    readonly databaseUrl: string,
    /** The address that trackers and copiers use. */
    private readonly usedUrl: string,
    /** The pool that the spec uses. */
    readonly pool: Pool,
    readonly kafka: Kafka,
    readonly partitions: number,
  ) {}

  static async open(connection: KafkaConnection, { partitions = 2, through }: Options = {}): Promise<KafkaIntake> {
    const { url, drop } = await createTestDatabase();
    const used = (await through?.(url)) ?? url;
    const settings = settingsFor(connection);
    const pool = openPool({ url, name: 'spec', max: 2 });
    const intake = new KafkaIntake(settings, url, used, pool, kafkaClient(connection), partitions);
    await openIntakeLog({ databaseUrl: url, partitions }).then((log) => log.close());
    await useTopic(pool, settings.topic);
    await openHitTopic(settings, 'spec', partitions);
    intake.atEnd(() => pool.end().then(drop));
    return intake;
  }

  /** As a tracker has one. */
  async sender(): Promise<IntakeSender> {
    const { settings: kafka, usedUrl: databaseUrl, partitions } = this;
    const sender = await openIntakeSender({ databaseUrl, kafka, partitions });
    this.atEnd(() => sender.close());
    return sender;
  }

  /** As a projector has one. Stops when it is told to, or at the end. */
  async startCopier(): Promise<{ stop(): Promise<void> }> {
    const { settings: kafka, usedUrl: databaseUrl, partitions } = this;
    const logger = createLogger('copier', 'info', { write: (line) => this.logged.push(JSON.parse(line) as Line) });
    const log = { partitions: () => Promise.resolve(partitions) };
    const copier = await openCopier({ kafka, databaseUrl }, log, new Metrics(), logger);
    copier.start();
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= copier.stop());
    this.atEnd(stop);
    return { stop };
  }

  /** A copier as a process of its own, which ends with this one. */
  startCopierProcess(): ChildProcess {
    const { settings: kafka, usedUrl: databaseUrl, partitions } = this;
    const argument = JSON.stringify({ kafka, databaseUrl, partitions });
    const child = fork(join(__dirname, 'copier-process.cjs'), [argument], { execArgv: [] });
    this.atEnd(async () => {
      const isGone = child.exitCode !== null || child.signalCode !== null;
      const gone = isGone ? undefined : once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    });
    return child;
  }

  /** Called before what was opened earlier is closed. */
  atEnd(end: () => Promise<unknown>): void {
    this.ending.push(end);
  }

  /** Resolves when everything that is in the topic now is copied. */
  async untilCopied(): Promise<void> {
    const ends = await waitUntil(() => this.ends().catch(() => undefined));
    await waitUntil(async () => {
      const next = await readNextOffsets(this.pool, this.settings.topic);
      return ends.every(({ partition, high }) => (next.get(partition) ?? 0) >= Number(high));
    });
  }

  /** All events that are in the segments. */
  async stored(): Promise<ObservedEvent[]> {
    const log = await openIntakeLog({ databaseUrl: this.databaseUrl });
    try {
      return await allOf(log);
    } finally {
      await log.close();
    }
  }

  /** Returns what the copiers said, at these levels. */
  messages(...levels: readonly string[]): string[] {
    return this.logged.filter(({ level }) => levels.includes(level as string)).map(({ msg }) => msg as string);
  }

  async close(): Promise<void> {
    for (const end of this.ending.toReversed()) await end();
  }

  async asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  private ends() {
    return this.asAdmin((admin) => admin.fetchTopicOffsets(this.settings.topic));
  }
}
