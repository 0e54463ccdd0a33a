import { setImmediate } from 'node:timers/promises';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb';
import { ProjectionsService } from '@eventstore/db-client/generated/projections_grpc_pb';
import { StatisticsResp } from '@eventstore/db-client/generated/projections_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import {
  DeleteResp,
  ReadReq,
  TombstoneResp,
  type AppendReq,
  type AppendResp,
  type BatchAppendReq,
  type BatchAppendResp,
  type DeleteReq,
  type ReadResp,
  type TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb';
import {
  Server,
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { FilteredSubscriptions } from './filtered-subscriptions';
import { denied, Guard, type Guarded } from './guard';
import {
  appendResponse,
  batchResponse,
  batchStreamDeleted,
  fromOf,
  nameOf,
  noPosition,
  proposed,
  streamDeleted,
} from './messages';
import { pageOf } from './pages';
import { StoredLog, type Proposed } from './stored-log';

/** A fault that a spec makes the double do to one append; undefined = answer as the server does. */
type AppendFault = (stream: string, write: () => AppendResp) => Promise<AppendResp | undefined> | undefined;

const BATCH_PATH = new SupportedMethod()
  .setServiceName('event_store.client.streams.Streams')
  .setMethodName('BatchAppend');

const { FORWARDS } = ReadReq.Options.ReadDirection;

const unavailable = { code: status.UNAVAILABLE, details: 'a fault of the double' };

/** As much of an EventStoreDB as the adapter uses, on the driver's own service definitions, with faults on demand. */
export class EventStoreDbDouble {
  log = new StoredLog();
  version = '23.10.6';
  /** Resolving to undefined fails the call with UNAVAILABLE. */
  onAppend: AppendFault = () => undefined;
  /** Streams that may not be read, by their ACL. */
  readonly refused = new Set<string>();
  /** Called with the stream of each read of one. */
  onRead: (stream: string) => void = () => undefined;
  /** Reads are left without an answer. */
  silent = false;
  /** The answer of its gossip; by default it is no member of a cluster. */
  gossip: (() => ClusterInfo) | undefined;
  subscriptionsStarted = 0;
  /** The number of pages of `$all` that were sent, forwards. */
  pagesSent = 0;
  pagesSentBackwards = 0;
  /** The number of reads of streams. */
  streamReads = 0;
  statusesSent = 0;
  /** The number of messages of appends of one call each. */
  messagesReceived = 0;
  /** The number of appends whose client went away before their end. */
  appendsAbandoned = 0;
  private readonly subscriptions = new FilteredSubscriptions();
  private readonly appending = new Set<ServerDuplexStream<BatchAppendReq, BatchAppendResp>>();
  private readonly server = new Server();
  private delivered = 0;
  port = 0;

  private constructor(private readonly guard: Guard) {}

  /** Open to everyone unless it is guarded. */
  static async start(guarded?: Guarded): Promise<EventStoreDbDouble> {
    const double = new EventStoreDbDouble(new Guard(guarded));
    double.serve();
    const { credentials } = double.guard;
    double.port = await new Promise((resolve, reject) =>
      double.server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port))),
    );
    return double;
  }

  /** The address of a double without a guard. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** As when a server goes away, or as when it finds that a client is too slow. */
  dropSubscriptions(error: Partial<StatusObject> = unavailable): void {
    this.subscriptions.drop(error);
  }

  /** Goes on with an older copy of its data, which breaks what its clients have open, as a restart does. */
  restore(copy: StoredLog): void {
    this.log = copy;
    this.delivered = copy.all.length;
    this.dropSubscriptions();
    while (this.appending.size > 0) this.dropAppends();
  }

  /** Streams of appends that are open. */
  get appendStreams(): number {
    return this.appending.size;
  }

  /** Breaks the stream of appends that was opened first. */
  dropAppends(): void {
    const [first] = this.appending;
    if (first) this.appending.delete(first);
    first?.emit('error', unavailable);
  }

  stop(): void {
    this.server.forceShutdown();
  }

  private serve(): void {
    this.server.addService(ServerFeaturesService, {
      getSupportedMethods: (_: ServerUnaryCall<Empty, SupportedMethods>, answer: sendUnaryData<SupportedMethods>) =>
        answer(null, new SupportedMethods().setEventStoreServerVersion(this.version).setMethodsList([BATCH_PATH])),
    });
    this.server.addService(GossipService, {
      read: (_: ServerUnaryCall<Empty, ClusterInfo>, answer: sendUnaryData<ClusterInfo>) =>
        this.gossip ? answer(null, this.gossip()) : answer(unavailable),
    });
    this.server.addService(ProjectionsService, {
      statistics: (call: ServerWritableStream<unknown, StatisticsResp>) => {
        if (this.refuses(call, 'projections')) return;
        const details = new StatisticsResp.Details().setStatus(this.log.projection);
        call.write(new StatisticsResp().setDetails(details));
        call.end();
        this.statusesSent += 1;
      },
    });
    this.server.addService(StreamsService, {
      append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) =>
        void this.append(call, answer),
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => this.batchAppend(call),
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => this.read(call),
      delete: (call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>) => {
        const stream = nameOf(call.request.getOptions()?.getStreamIdentifier());
        const refusal = this.log.isTombstoned(stream) ? streamDeleted(stream) : null;
        if (!refusal) this.log.delete(stream);
        this.deliver();
        answer(refusal, new DeleteResp().setNoPosition(new Empty()));
      },
      tombstone: (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, answer: sendUnaryData<TombstoneResp>) => {
        this.log.tombstone(nameOf(call.request.getOptions()?.getStreamIdentifier()));
        this.deliver();
        answer(null, new TombstoneResp().setNoPosition(new Empty()));
      },
    });
  }

  private async append(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) {
    const refusal = this.guard.refusal(call);
    if (refusal) {
      answer(refusal);
      return;
    }
    const wanted = await this.requested(call).catch(() => undefined);
    await setImmediate(); // a connection that breaks ends the requests first and says that it broke after that
    if (!wanted || call.cancelled) {
      this.appendsAbandoned += 1;
      return;
    }
    const { options, events } = wanted;
    const stream = nameOf(options?.getStreamIdentifier());
    if (this.log.isTombstoned(stream)) {
      answer(streamDeleted(stream));
      return;
    }
    const expected = options?.hasAny()
      ? this.log.lastOf(stream)
      : options?.hasNoStream()
        ? -1
        : Number(options?.getRevision());
    const response = await this.write(stream, expected, events);
    answer(response ? null : unavailable, response);
  }

  private async requested(call: AsyncIterable<AppendReq>) {
    const events: Proposed[] = [];
    let options: AppendReq.Options | undefined;
    for await (const request of call) {
      this.messagesReceived += 1;
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message) events.push(proposed(message));
    }
    return { options, events };
  }

  /** Each request is a whole append; a fault of one is an answer of its own. */
  private batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const refusal = this.guard.refusal(call);
    if (refusal) {
      call.emit('error', refusal);
      return;
    }
    this.appending.add(call);
    call.on('data', (request: BatchAppendReq) => void this.appendOf(request, call));
    call.on('end', () => call.end());
    call.on('cancelled', () => this.appending.delete(call));
  }

  private async appendOf(request: BatchAppendReq, call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) {
    await setImmediate();
    if (call.cancelled) return; // the client went away
    const options = request.getOptions();
    const stream = nameOf(options?.getStreamIdentifier());
    if (this.log.isTombstoned(stream)) {
      call.write(batchStreamDeleted(request));
      return;
    }
    const position = Number(options?.getStreamPosition());
    const expected = options?.hasAny() ? this.log.lastOf(stream) : options?.hasNoStream() ? -1 : position;
    const events = request.getProposedMessagesList().map(proposed);
    const response = await this.write(stream, expected, events);
    call.write(batchResponse(request, response));
  }

  /** Returns what a fault makes of it; undefined where it fails. */
  private async write(stream: string, expected: number, events: readonly Proposed[]): Promise<AppendResp | undefined> {
    const write = () => {
      const response = appendResponse(this.log.append(stream, expected, events));
      this.deliver();
      return response;
    };
    const fault = this.onAppend(stream, write);
    return fault ? await fault : write();
  }

  private read(call: ServerWritableStream<ReadReq, ReadResp>): void {
    const options = call.request.getOptions();
    if (this.refuses(call, options?.hasAll() ? 'all' : undefined)) return;
    const stream = nameOf(options?.getStream()?.getStreamIdentifier());
    if (options?.hasStream()) this.onRead(stream);
    if (options?.hasSubscription()) {
      this.subscriptionsStarted += 1;
      const from = fromOf(options);
      this.subscriptions.add(call, from === undefined ? [] : this.log.all.filter(({ position }) => position > from));
    } else if (this.refused.has(stream)) {
      call.emit('error', denied());
    } else if (this.log.isTombstoned(stream)) {
      call.emit('error', streamDeleted(stream));
    } else if (options?.hasAll() && !this.log.hasPosition(fromOf(options))) {
      call.emit('error', noPosition);
    } else if (options && !this.silent) {
      this.countPage(options);
      for (const response of pageOf(this.log, options)) call.write(response);
      call.end();
    }
  }

  private countPage(options: ReadReq.Options): void {
    if (!options.hasAll()) this.streamReads += 1;
    else if (options.getReadDirection() === FORWARDS) this.pagesSent += 1;
    else this.pagesSentBackwards += 1;
  }

  private refuses(call: ServerWritableStream<unknown, unknown>, wanted?: 'all' | 'projections'): boolean {
    const refusal = this.guard.refusal(call, wanted);
    if (refusal) call.emit('error', refusal);
    return refusal !== undefined;
  }

  private deliver(): void {
    this.subscriptions.deliver(this.log.all.slice(this.delivered));
    this.delivered = this.log.all.length;
  }
}
