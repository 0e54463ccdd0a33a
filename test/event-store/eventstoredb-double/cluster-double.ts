import { randomUUID } from 'node:crypto';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { type BreakableProxy, proxyTo } from '../../network/breakable-proxy';
import { EventStoreDbDouble } from './eventstoredb-double';

interface ClusterNode {
  readonly id: string;
  readonly double: EventStoreDbDouble;
  readonly proxy: BreakableProxy;
}

const { LEADER, FOLLOWER } = MemberInfo.VNodeState;

/** Three nodes with one log, the first of which leads. The gossip of all three is the same. */
export class ClusterDouble {
  /** The number of times that gossip was asked for since the leader froze. */
  staleAnswers = 0;
  private leader = 0;
  private namedFor = 0;

  private constructor(private readonly nodes: readonly ClusterNode[]) {
    for (const { double } of nodes) double.gossip = () => this.gossip();
  }

  static async start(): Promise<ClusterDouble> {
    const nodes = await Promise.all(
      [1, 2, 3].map(async () => {
        const double = await EventStoreDbDouble.start();
        return { id: randomUUID(), double, proxy: await proxyTo('127.0.0.1', double.port) };
      }),
    );
    return new ClusterDouble(nodes);
  }

  get url(): string {
    return `esdb://${this.nodes.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',')}?tls=false`;
  }

  /** The leader answers nothing any more, and gossip names it so many times more, as it does for 6 to 8 s on EventStoreDB 23.10.6. */
  freezeLeader(namedFor: number): void {
    this.nodes[this.leader]?.proxy.swallow();
    this.namedFor = namedFor;
  }

  async stop(): Promise<void> {
    for (const { double, proxy } of this.nodes) {
      await proxy.close();
      double.stop();
    }
  }

  private gossip(): ClusterInfo {
    if (this.namedFor > 0 && ++this.staleAnswers === this.namedFor) this.elect();
    const members = this.nodes.map(({ id, proxy }, at) =>
      new MemberInfo()
        .setInstanceId(new UUID().setString(id))
        .setState(at === this.leader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new EndPoint().setAddress('127.0.0.1').setPort(proxy.port)),
    );
    return new ClusterInfo().setMembersList(members);
  }

  /** The next one. */
  private elect(): void {
    const former = this.nodes[this.leader];
    const next = this.nodes[this.leader + 1];
    if (!former || !next) throw new Error('No node is left.');
    next.double.restore(former.double.log);
    this.leader += 1;
  }
}
