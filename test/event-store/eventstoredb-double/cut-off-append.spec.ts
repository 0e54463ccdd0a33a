import { randomUUID } from 'node:crypto';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { credentials } from '@grpc/grpc-js';
import { proxyTo } from '../../network/breakable-proxy';
import { waitUntil } from '../../wait-until';
import { EventStoreDbDouble } from './eventstoredb-double';

const ROUNDS = 10;

describe('an append to the double whose connection breaks before its end', () => {
  it.each([0, 1, 2])('writes nothing, neither after %i events nor any time later', async (sent) => {
    const double = await EventStoreDbDouble.start();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const proxy = await proxyTo('127.0.0.1', double.port);
      const client = new StreamsClient(`127.0.0.1:${proxy.port}`, credentials.createInsecure());
      const answered = new Promise((resolve) => {
        const call = client.append((error) => resolve(error?.code));
        call.write(opening());
        for (let event = 0; event < sent; event += 1) call.write(message(event));
      });
      await waitUntil(() => double.messagesReceived === round * (1 + sent));
      await proxy.close();
      expect(await answered).toEqual(expect.any(Number));
      client.close();
    }
    await waitUntil(
      () => double.appendsAbandoned,
      (count) => count === ROUNDS,
    );
    expect(double.log.all).toEqual([]);
    double.stop();
  });
});

function opening(): AppendReq {
  const stream = new StreamIdentifier().setStreamName(Buffer.from(`stream-${randomUUID()}`));
  return new AppendReq().setOptions(new AppendReq.Options().setStreamIdentifier(stream).setNoStream(new Empty()));
}

function message(size: number): AppendReq {
  const id = new UUID().setString(randomUUID());
  return new AppendReq().setProposedMessage(new AppendReq.ProposedMessage().setId(id).setData(Buffer.alloc(size)));
}
