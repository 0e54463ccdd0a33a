import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Broker } from './broker';
import { endWithProcess, type DependentProcesses } from './end-with-process';
import { jarsOf } from './jars';
import { choosePorts, settingsOf, type Ports } from './properties';
import type { ReleaseName } from './releases';
import { protect, type KafkaConnection, type Protection, type Security } from './security';

export interface KafkaOptions {
  readonly brokers?: 1 | 3;
  readonly version?: ReleaseName;
  readonly security?: Security;
  /** The settings of every broker, by their names in server.properties. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly jvmFlags?: readonly string[];
}

/** Brokers by their number from 0, which is their id too. */
export interface KafkaCluster {
  readonly connection: KafkaConnection;
  /** As `kill -9` does; resolves when it is gone. */
  readonly kill: (n: number) => Promise<void>;
  /** In order; resolves when it is gone. */
  readonly stop: (n: number) => Promise<void>;
  /** With the same data and ports as before. */
  readonly start: (n: number) => Promise<void>;
  /** It keeps its connections and answers nothing. */
  readonly pause: (n: number) => void;
  readonly resume: (n: number) => void;
  /** With all data. */
  readonly remove: () => Promise<void>;
}

const SMALL_JVM = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** A cluster of our own on loopback, or the one that KAFKA_BROKERS names. It ends with this process at the latest. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaCluster> {
  const named = process.env.KAFKA_BROKERS;
  if (named) return clusterOfOthers(named.split(','));
  const jars = jarsOf(options.version ?? 'current');
  if ('missing' in jars) throw new Error(`No Apache Kafka can be started, as ${jars.missing}.`);
  return startOwn(jars.folder, options);
}

async function startOwn(jars: string, options: KafkaOptions): Promise<KafkaCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-kafka-'));
  const protection = protect(options.security ?? 'none', folder);
  const cluster = new OwnCluster(jars, folder, await choosePorts(options.brokers ?? 1), { ...options, protection });
  try {
    await cluster.startAll();
    return cluster;
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

class OwnCluster implements KafkaCluster {
  readonly connection: KafkaConnection;
  readonly kill = (n: number) => this.broker(n).end('SIGKILL');
  readonly stop = (n: number) => this.broker(n).end('SIGTERM');
  readonly start = (n: number) => this.broker(n).start();
  readonly pause = (n: number) => this.broker(n).signal('SIGSTOP');
  readonly resume = (n: number) => this.broker(n).signal('SIGCONT');
  readonly remove = async () => {
    await Promise.all(this.brokers.map((broker) => broker.end('SIGKILL')));
    await this.dependents.release();
  };
  private readonly brokers: readonly Broker[];
  private readonly dependents: DependentProcesses;

  constructor(
    jars: string,
    folder: string,
    ports: readonly Ports[],
    private readonly options: KafkaOptions & { readonly protection: Protection },
  ) {
    const { protection, settings, jvmFlags = SMALL_JVM } = options;
    this.connection = { ...protection.connection, brokers: ports.map(({ client }) => `127.0.0.1:${client}`) };
    this.dependents = endWithProcess(folder);
    const onChange = () => this.dependents.name(this.brokers.flatMap(({ pid }) => pid ?? []));
    this.brokers = ports.map((_, n) => {
      const own = join(folder, `${n}`);
      const all = { ...settingsOf(ports, n, join(own, 'data')), ...protection.settings, ...settings };
      return new Broker({ jars, folder: own, settings: all, jvmFlags, onChange });
    });
  }

  async startAll(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.format(this.options.protection.formatArguments)));
    await Promise.all(this.brokers.map((broker) => broker.start()));
  }

  private broker(n: number): Broker {
    return this.brokers[n] ?? fail(`There is no broker ${n}.`);
  }
}

function clusterOfOthers(brokers: readonly string[]): KafkaCluster {
  const refuse = () => fail('KAFKA_BROKERS names brokers that no test may stop.');
  return {
    connection: { brokers },
    kill: refuse,
    stop: refuse,
    start: refuse,
    pause: refuse,
    resume: refuse,
    remove: () => Promise.resolve(),
  };
}

function fail(message: string): never {
  throw new Error(message);
}
