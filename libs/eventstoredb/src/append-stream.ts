import { randomUUID } from 'node:crypto';
import { UnavailableError, type EventStoreDBClient, type JSONEventData, type Position } from '@eventstore/db-client';
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';

type Call = ReturnType<StreamsClient['batchAppend']>;

/** The method with which the driver opens streams of its own; not in its declarations. */
interface OpensStreams {
  GRPCStreamCreator(
    client: typeof StreamsClient,
    name: string,
    open: (client: StreamsClient) => Call,
  ): () => Promise<Call>;
  callArguments(options: object, callOptions: object): Parameters<StreamsClient['batchAppend']>;
}

/** The answer of the server to an append that is stored. */
export interface Acknowledged {
  /** The revision of the last event in its stream. */
  readonly revision: number;
  /** The position of the last event in `$all`. */
  readonly position?: Position;
}

interface Waiting {
  readonly stream: string;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends of one client over one gRPC stream, each with its own answer: a call per append costs three times the CPU. The
 * driver can do this too, but keeps one list of pending appends for all clients of a process: when a stream breaks it
 * rejects those of the others, whose answers then throw where no code can catch it.
 */
export class AppendStream {
  private readonly waiting = new Map<string, Waiting>();
  private call: Promise<Call> | undefined;

  constructor(private readonly client: EventStoreDBClient) {}

  /**
   * `expected` -1 = no stream. An append without an answer stays pending until the stream ends.
   * @throws what the driver throws; any error but WrongExpectedVersionError leaves open whether the events are stored
   */
  async append(stream: string, events: readonly JSONEventData[], expected: number): Promise<Acknowledged> {
    const call = await (this.call ??= this.open());
    if (!call.writable) throw ended();
    return new Promise((resolve, reject) => {
      const id = randomUUID();
      this.waiting.set(id, { stream, resolve, reject });
      call.write(request(id, stream, events, expected));
    });
  }

  /** Ends the stream, which would keep its connection and the process alive; what is pending is rejected. */
  cancel(): void {
    this.call?.then(
      (call) => call.cancel(),
      () => undefined, // it was not opened, which its appends report
    );
  }

  private async open(): Promise<Call> {
    const driver = this.client as unknown as OpensStreams; // see there
    const args = driver.callArguments({}, { deadline: Infinity });
    try {
      const call = await driver.GRPCStreamCreator(StreamsClient, 'append', (client) => client.batchAppend(...args))();
      let isOver = false;
      const end = (error: unknown) => {
        if (!isOver) this.fail(error);
        isOver = true;
      };
      call.on('data', (response: BatchAppendResp) => this.answer(response));
      call.on('error', (error: Error) => end(convertToCommandError(error)));
      call.on('end', () => end(ended()));
      return call;
    } catch (error) {
      this.call = undefined;
      throw error;
    }
  }

  private answer(response: BatchAppendResp): void {
    const id = response.getCorrelationId()?.getString() ?? '';
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    const failure = response.getError();
    if (failure) waiting?.reject(unpackToCommandError(failure, waiting.stream));
    else waiting?.resolve(acknowledged(response.getSuccess()));
  }

  /** Fails the pending appends, which may be stored or not. The next append opens another stream. */
  private fail(error: unknown): void {
    this.call = undefined;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

function acknowledged(success: BatchAppendResp.Success | undefined): Acknowledged {
  const revision = success?.hasCurrentRevision() ? Number(success.getCurrentRevision()) : -1;
  const at = success?.getPosition();
  if (!at) return { revision };
  return { revision, position: { commit: BigInt(at.getCommitPosition()), prepare: BigInt(at.getPreparePosition()) } };
}

/** Returns whether an append failed before it could reach a server: there was no connection for it, or no stream. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof Error && /No connection established|Name resolution failed|Failed to discover/.test(error.message);

const ended = () => new UnavailableError(undefined, 'the stream of appends has ended');

function request(id: string, stream: string, events: readonly JSONEventData[], expected: number): BatchAppendReq {
  const identifier = new StreamIdentifier().setStreamName(Buffer.from(stream));
  const options = new BatchAppendReq.Options().setStreamIdentifier(identifier);
  if (expected < 0) options.setNoStream(new Empty());
  else options.setStreamPosition(String(expected));
  return new BatchAppendReq()
    .setCorrelationId(new UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposed))
    .setIsFinal(true);
}

function proposed({ id, type, contentType, data, metadata }: JSONEventData): BatchAppendReq.ProposedMessage {
  const message = new BatchAppendReq.ProposedMessage()
    .setId(new UUID().setString(id))
    .setData(Buffer.from(JSON.stringify(data)))
    .setCustomMetadata(Buffer.from(JSON.stringify(metadata ?? {})));
  message.getMetadataMap().set('type', type).set('content-type', contentType);
  return message;
}
