import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import { checkpoint, confirmation, readEvent } from './messages';
import type { StoredEvent } from './stored-log';

type Subscription = ServerWritableStream<ReadReq, ReadResp>;

/** The window of a subscription with a filter, unless it sets another. */
const SEARCH_WINDOW = 32;

/** Live subscriptions to `$all`, each with what delivers events to it. */
export class FilteredSubscriptions {
  private readonly open = new Map<Subscription, (events: readonly StoredEvent[]) => void>();

  /** Begins with events that are stored already. */
  add(call: Subscription, stored: readonly StoredEvent[]): void {
    const send = sender(call);
    this.open.set(call, send);
    call.on('cancelled', () => this.open.delete(call));
    call.write(confirmation());
    send(stored);
  }

  deliver(events: readonly StoredEvent[]): void {
    for (const send of this.open.values()) send(events);
  }

  drop(error: Partial<StatusObject>): void {
    for (const call of this.open.keys()) call.emit('error', error);
    this.open.clear();
  }
}

/** Sends what the filter of a subscription lets through, and a checkpoint after so many events, whether it does or not. */
function sender(call: Subscription): (events: readonly StoredEvent[]) => void {
  const filter = call.request.getOptions()?.getFilter();
  const streams = new RegExp(filter?.getStreamIdentifier()?.getRegex() ?? '');
  const types = new RegExp(filter?.getEventType()?.getRegex() ?? '');
  const interval = SEARCH_WINDOW * (filter?.getCheckpointintervalmultiplier() ?? Infinity);
  let considered = 0;
  return (events) => {
    for (const event of events) {
      if (streams.test(event.stream) && types.test(event.type)) call.write(readEvent(event));
      if (++considered % interval === 0) call.write(checkpoint(event.position));
    }
  };
}
