import { freePort } from '../network/free-port';

export interface Ports {
  readonly client: number;
  readonly internal: number;
  readonly controller: number;
}

/** For each broker. */
export async function choosePorts(brokers: number): Promise<Ports[]> {
  const ports: number[] = [];
  while (ports.length < brokers * 3) ports.push(await freePort());
  return Array.from({ length: brokers }, (_, n) => {
    const [client = 0, internal = 0, controller = 0] = ports.slice(n * 3);
    return { client, internal, controller };
  });
}

/** The settings of each node, which is both a broker and a controller: those of a small machine. */
export function settingsOf(nodes: readonly Ports[], n: number, dataFolder: string): Record<string, string> {
  const { client, internal, controller } = nodes[n]!;
  const replicas = String(nodes.length);
  const majority = String(Math.floor(nodes.length / 2) + 1);
  const ofClients = `CLIENT://127.0.0.1:${client},INTERNAL://127.0.0.1:${internal}`;
  return {
    'process.roles': 'broker,controller',
    'node.id': String(n),
    'controller.quorum.voters': nodes.map((each, id) => `${id}@127.0.0.1:${each.controller}`).join(','),
    listeners: `${ofClients},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': ofClients,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'INTERNAL',
    'log.dirs': dataFolder,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': majority,
    'offsets.topic.num.partitions': '1',
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': majority,
    'group.initial.rebalance.delay.ms': '0',
    'broker.heartbeat.interval.ms': '300',
    'broker.session.timeout.ms': '3000',
    'log.cleaner.enable': 'false',
    'num.network.threads': '1',
    'num.io.threads': '2',
  };
}
